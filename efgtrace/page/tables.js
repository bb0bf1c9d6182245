/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables: each has a caption and columns {name, value(row), n (a number: to the right), wide,
 * title}. A value is text or an element. What is beyond the first MOST rows is shown on demand.
 */
function table(caption, columns, rows, most, mark) {
    const head = make("tr", null, columns.map((c) => make(c.n ? "th.n" : "th", { scope: "col", title: c.title }, c.name)));
    const body = make("tbody", null, rows.map((row, i) => {
        const cells = columns.map((c) => make(c.n ? "td.n" : c.wide ? "td.wide" : "td", null, c.value(row, i)));
        return make(mark && mark(row) ? "tr.main" : "tr", { hidden: Boolean(most) && i >= most }, cells);
    }));
    const whole = make("div.scroll", { tabindex: "0", role: "region", "aria-label": caption },
        make("table", null, make("caption", null, caption), make("thead", null, head), body));
    if (!most || rows.length <= most) return whole;
    const more = make("button", { type: "button", click: () => {
        body.querySelectorAll("tr[hidden]").forEach((row) => { row.hidden = false; });
        more.remove();
    } }, "Show all " + rows.length);
    return make("div", null, whole, make("div.note", null, more));
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
