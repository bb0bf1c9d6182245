/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables: each has a caption and columns {name, value(row), n (a number: to the right), wide,
 * title}. A value is text or an element. What is beyond the first MOST rows is shown on demand. A click on the name of a
 * column sorts; there is a field to search where there are many rows.
 */
const ROWS_SEARCHED = 10; /* with more of them, a table is searched */

const SIZES = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12 };

/* The number that a cell of a table begins with, in the smallest unit; null if it is none. */
function numberIn(text) {
    const found = /^([+\u2212-]?)([\d.,]+)\s*([A-Za-z]*)/.exec(text.trim());
    return found && Number(found[2].replace(/,/g, "")) * (SIZES[found[3]] || 1) * (/[\u2212-]/.test(found[1]) ? -1 : 1);
}

/* LINES in the order of column AT; those without a number come last. */
function sorted(lines, at, isNumber, isDown) {
    const key = (line) => isNumber ? numberIn(line.cells[at].textContent) : line.cells[at].textContent;
    const order = (a, b) => a === null || b === null ? (a === null) - (b === null) : (isDown ? -1 : 1) * (isNumber ? a - b : a.localeCompare(b, "en", { numeric: true }));
    return lines.map((line) => [key(line), line]).sort((a, b) => order(a[0], b[0])).map(([, line]) => line);
}

/* A row of a table; if it OPENs, a click shows what OPEN(row) returns below it. */
function tableLine(columns, row, i, mark, open) {
    const broken = (c, value) => c.wide && typeof value === "string" ? withNames(value) : value;
    const cells = columns.map((c) => make(c.n ? "td.n" : c.wide ? "td.wide" : "td", null, broken(c, c.value(row, i))));
    const line = make(mark && mark(row) ? "tr.main" : "tr", null, cells);
    if (!open) return line;
    const twist = make("button.twist", { type: "button", "aria-expanded": "false", "aria-label": "Details of " + cells[0].textContent });
    line.classList.add("opens");
    line.addEventListener("click", (event) => {
        if (event.target !== twist && event.target.closest("button, a")) return;
        const isOpen = twist.getAttribute("aria-expanded") === "true";
        line.opened = line.opened || make("tr.opened", null, make("td", { colspan: columns.length }, make("div", null, open(row))));
        if (isOpen) line.opened.remove();
        else line.after(line.opened);
        twist.setAttribute("aria-expanded", String(!isOpen));
    });
    cells[0].prepend(twist);
    return line;
}

/* The heads of COLUMNS; SORT(column, isDown) when one is chosen, with -1 for the order that was there before. */
function tableHeads(columns, sort) {
    const heads = columns.map((c, at) => {
        const turn = { none: c.n ? "descending" : "ascending", [c.n ? "descending" : "ascending"]: c.n ? "ascending" : "descending" };
        const head = make(c.n ? "th.n" : "th", { scope: "col", title: c.title }, c.name && make("button.sort", { type: "button", click: () => {
            const to = turn[head.getAttribute("aria-sort") || "none"];
            heads.forEach((other) => other.removeAttribute("aria-sort"));
            if (to) head.setAttribute("aria-sort", to);
            sort(to ? at : -1, to === "descending");
        } }, c.name));
        return head;
    });
    return heads;
}

/* A table that is wider than its room does without bars; if that does not suffice, it says that it scrolls. */
function fitTable(whole, scroll) {
    const look = () => {
        whole.classList.remove("tight");
        whole.classList.toggle("tight", scroll.scrollWidth > scroll.clientWidth + 1);
        whole.classList.toggle("more", scroll.scrollWidth > scroll.clientWidth + scroll.scrollLeft + 1);
    };
    scroll.addEventListener("scroll", () => whole.classList.toggle("more", scroll.scrollWidth > scroll.clientWidth + scroll.scrollLeft + 1));
    new ResizeObserver(look).observe(scroll);
}

function table(caption, columns, rows, most, mark, open) {
    const lines = rows.map((row, i) => tableLine(columns, row, i, mark, open)), body = make("tbody", null, lines);
    let limit = most || Infinity, order = lines, words = "";
    const show = () => {
        let shown = 0;
        for (const line of order) {
            line.hidden = !line.textContent.toLowerCase().includes(words) || ++shown > (words ? Infinity : limit);
            if (line.opened) line.opened.hidden = line.hidden;
        }
        if (more) more.hidden = Boolean(words) || limit >= lines.length;
    };
    const sort = (at, isDown) => {
        order = at < 0 ? lines : sorted(lines, at, columns[at].n, isDown);
        body.append(...order.flatMap((line) => line.opened && line.opened.isConnected ? [line, line.opened] : [line]));
        show();
    };
    const more = rows.length > limit ? make("button", { type: "button", click: () => { limit = Infinity; show(); } }, "Show all " + rows.length) : null;
    const search = rows.length > ROWS_SEARCHED ? make("input", { type: "search", placeholder: "Search", "aria-label": "Search: " + caption, input: () => { words = search.value.trim().toLowerCase(); show(); } }) : null;
    const scroll = make("div.scroll", { tabindex: "0", role: "region", "aria-label": caption },
        make("table", null, make("caption", null, make("span", null, caption)), make("thead", null, make("tr", null, tableHeads(columns, sort))), body));
    const whole = make("div.table", null, search ? make("div.bar.search", null, search) : null, scroll, make("p.hint", { "aria-hidden": "true" }, "more columns: scroll \u2192"), more ? make("div.note", null, more) : null);
    show();
    fitTable(whole, scroll);
    return whole;
}

/* A share as text with a bar. */
function shareBar(share, colour) {
    const bar = make("i");
    bar.style.width = Math.max(0, Math.min(1, share)) * 100 + "%";
    if (colour) bar.style.background = colour;
    return make("span", null, percent(share), make("span.share", { "aria-hidden": "true" }, bar));
}

function swatch(name) {
    const colour = make("span.swatch", { "aria-hidden": "true" });
    onTheme(() => { colour.style.background = functionColour(name); });
    return make("span", null, colour, name);
}

/* --- distributions over the ranks --- */

const thirdNames = ["fast", "near the mean", "slow"];
const thirdColours = () => [variable("fast"), variable("near"), variable("slow")];

/* A histogram of a distribution: thin bars, coloured by which third of the range they are in. */
function bins(values, width = 120, height = 22, unit = ns) {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "bins");
    svg.setAttribute("width", width);
    svg.setAttribute("height", height);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("role", "img");
    if (!values.count) {
        svg.setAttribute("aria-label", "no rank");
        return svg;
    }
    svg.setAttribute("aria-label", `${values.count} ranks from ${unit(values.least)} to ${unit(values.most)}`);
    const most = Math.max(...values.bins), range = values.most - values.least;
    const draw = () => {
        svg.replaceChildren();
        values.bins.forEach((n, i) => {
            if (!n) return;
            const bar = document.createElementNS(SVG, "rect");
            const middle = values.least + range * (i + .5) / values.bins.length - values.mean;
            const near = Math.max(range / 6, values.mean / 100); /* as distribution.h has it */
            const third = middle < -near ? 0 : middle > near ? 2 : 1;
            const high = Math.max(1.5, height * n / most);
            bar.setAttribute("x", i * width / values.bins.length);
            bar.setAttribute("width", width / values.bins.length - .8);
            bar.setAttribute("y", height - high);
            bar.setAttribute("height", high);
            bar.setAttribute("fill", thirdColours()[third]);
            svg.append(bar);
        });
    };
    onTheme(draw);
    return svg;
}

function thirdsList(values) {
    return make("dl.facts", null, (values.thirds || []).map(([n, list], i) => n
        ? [make("dt", null, `${thirdNames[i]} (${n})`), make("dd.mono.list", { tabindex: "0" }, ranksText(list))] : []));
}

const spreadFacts = (values, unit = ns) => values.count ? [
    ["mean", unit(values.mean)],
    ["least", `${unit(values.least)} (rank ${values.least_rank})`],
    ["median", unit(values.median)],
    ["most", `${unit(values.most)} (rank ${values.most_rank})`],
    ["ranks", String(values.count)],
] : [["ranks", "none"]];
