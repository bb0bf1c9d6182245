/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calling context tree: children, what is below a context, the hot path; and its list, which
 * is worked with as the ARIA pattern "tree" has it.
 */
const contexts = run.contexts || []; /* a comparison has none */
contexts.forEach((context, id) => { context.id = id; context.children = []; });
for (const context of contexts.slice(1)) contexts[context.parent].children.push(context);
for (const context of contexts) {
    if (!context.mpi) context.mpi = context.time;
    context.children.sort((a, b) => b.time.sum - a.time.sum);
}
const wholeTime = contexts.length ? contexts[0].time.sum : 0;

/* Of the time of the ranks that are chosen (choice.js), all at first. */
const shareOf = (context, of = "time") => contexts[0].time.sum > 0 ? context[of].sum / contexts[0].time.sum : 0;
const label = (context) => context.is_call && context.line ? `${context.name} :${context.line}` : context.name;

function isBelow(context, top) {
    for (let c = context; ; c = contexts[c.parent]) {
        if (c === top) return true;
        if (c.parent === null) return false;
    }
}

/* The context on the way from TOP down to CONTEXT that is right below TOP. */
function childTowards(context, top) {
    let c = context;
    while (c.parent !== top.id) c = contexts[c.parent];
    return c;
}

function pathOf(context) {
    const path = [];
    for (let c = context; c; c = c.parent === null ? null : contexts[c.parent]) path.unshift(c);
    return path;
}

/* The functions down to a context, each a button that chooses it. */
const pathButtons = (context, choose) => [make("span", null, "Below"),
    ...pathOf(context).map((c) => make("button", { type: "button", click: () => choose(c), "aria-pressed": c === context ? "true" : null }, label(c)))];

/* Of PATHS, each from the innermost function out, what tells each from the others: the first function where as few
 * as possible are like it so far, itself only if that can be; null if all are the same. */
function apart(paths) {
    const likes = new Map(), starts = paths.map((path) => path.map((name, k) => path.slice(0, k + 1).join("\n")));
    for (const start of starts.flat()) likes.set(start, (likes.get(start) || 0) + 1);
    return paths.map((path, i) => {
        let found = null, least = paths.length;
        path.forEach((name, k) => {
            if (likes.get(starts[i][k]) < least) [found, least] = [name, likes.get(starts[i][k])];
        });
        return found;
    });
}

/* Call sites by their hash: {path, from}: their functions, from the call out; the one that tells it from others
 * with the same label. */
const callers = new Map(), alike = new Map();
for (const site of run.sites || []) {
    callers.set(site.hash, { path: pathOf(contexts[site.context]).map(label).reverse(), from: null });
    alike.set(site.label, [...(alike.get(site.label) || []), callers.get(site.hash)]);
}
for (const sites of alike.values()) {
    const names = sites.length > 1 ? apart(sites.map((site) => site.path)) : [];
    names.forEach((name, i) => { sites[i].from = name; });
}

/* The label of a call site, with who calls it if there are others with the same label. */
function siteName(site, tag = null) {
    const known = callers.get(site.hash);
    if (!known) return make("span", null, breakable(site.label), tag);
    return make("span", { title: known.path.join(" < ") }, breakable(site.label), known.from ? make("span.from", null, `from ${known.from}`) : null, tag);
}

/* From TOP down, always to the child with the most time, while that has half of it. */
function hotPath(top, quantity = "time") {
    const path = [top];
    for (let c = top; ;) {
        const next = [...c.children].sort((a, b) => b[quantity].sum - a[quantity].sum)[0];
        if (!next || next[quantity].sum < c[quantity].sum / 2) return path;
        path.push(c = next);
    }
}

/* The innermost context that holds the main loop; without one, where the hot path forks. */
function mainContext() {
    const main = run.loops.find((loop) => loop.is_main);
    return main ? contexts[main.context] : hotPath(contexts[0]).filter((c) => c.children.length > 1).pop() || contexts[0];
}

function contextFacts(c) {
    return [["time", `${ns(c.time.sum)}, ${percent(shareOf(c))}`],
        ["in MPI", `${ns(c.mpi.sum)}, ${percent(of(c.mpi.sum, c.time.sum))} of it`],
        [isChosen.size === rankNumbers.length ? "calls of MPI" : "calls, all ranks", count(c.calls)],
        ...(c.bytes ? [["bytes", bytes(c.bytes)]] : []),
        ...(sourceOf(c) ? [[c.is_call ? "in" : "source", sourceOf(c)]] : []),
        ...(c.code ? [["line", make("code", null, c.code)]] : [])];
}

/* The tree as a list; ONSELECT(context) when one is selected. Returns {element, select(context)}. */
function contextTree(title, onSelect) {
    const items = new Map();
    const top = make("ul", { role: "tree", "aria-label": title });
    const item = (c) => {
        const twist = make("span.twist", { "aria-hidden": "true" });
        const share = shareOf(c);
        const row = make("div.row", null, twist, c.is_call ? swatch(label(c)) : make("span.name", null, label(c)),
            make(share >= .1 ? "span.part.big" : "span.part", null, percent(share)));
        choiceHearers.push(() => { row.lastChild.textContent = percent(shareOf(c)); });
        if (c.is_call) row.children[1].firstChild.style.background = functionColour(c.name);
        const li = make("li", { role: "treeitem", tabindex: "-1", "aria-selected": "false", "aria-expanded": c.children.length ? "false" : null }, row);
        li.context = c;
        twist.textContent = c.children.length ? "\u25b8" : "";
        twist.addEventListener("click", (event) => { event.stopPropagation(); expand(li, li.getAttribute("aria-expanded") !== "true"); });
        row.addEventListener("click", () => select(c));
        withTip(row, (event) => showTip(event, label(c), contextFacts(c)));
        items.set(c, li);
        return li;
    };
    const expand = (li, open) => {
        const c = li.context;
        if (!c.children.length) return;
        if (!li.group) li.append(li.group = make("ul", { role: "group" }, c.children.map(item)));
        li.group.hidden = !open;
        li.setAttribute("aria-expanded", String(open));
        li.querySelector(".twist").textContent = open ? "\u25be" : "\u25b8";
    };
    let selected = null;
    const select = (c) => {
        for (const above of pathOf(c).slice(0, -1)) expand(items.get(above), true);
        const li = items.get(c);
        if (selected) { selected.setAttribute("aria-selected", "false"); selected.tabIndex = -1; }
        selected = li;
        li.setAttribute("aria-selected", "true");
        li.tabIndex = 0;
        expand(li, true);
        onSelect(c);
        const row = li.firstChild.getBoundingClientRect(), view = top.getBoundingClientRect();
        const name = li.firstChild.children[1].getBoundingClientRect(); /* scrolls the list only, not the page */
        if (name.left < view.left || name.right > view.right - 70) top.scrollLeft += name.left - view.left - 40;
        if (row.top < view.top || row.bottom > view.bottom) top.scrollTop += row.top - view.top - 80;
    };
    const visible = () => [...top.querySelectorAll("[role=treeitem]")].filter((li) => !li.closest("ul[hidden]"));
    top.addEventListener("keydown", (event) => {
        const li = event.target.closest("[role=treeitem]"), list = visible(), at = list.indexOf(li);
        const isOpen = li && li.getAttribute("aria-expanded") === "true";
        let to = null;
        if (!li) return;
        if (event.key === "ArrowDown") to = list[at + 1];
        else if (event.key === "ArrowUp") to = list[at - 1];
        else if (event.key === "Home") to = list[0];
        else if (event.key === "End") to = list[list.length - 1];
        else if (event.key === "ArrowRight") { if (isOpen) to = list[at + 1]; else expand(li, true); }
        else if (event.key === "ArrowLeft") { if (isOpen) expand(li, false); else to = li.parentElement.closest("[role=treeitem]"); }
        else if (event.key === "Enter" || event.key === " ") select(li.context);
        else return;
        event.preventDefault();
        if (to) to.focus();
    });
    top.append(item(contexts[0]));
    onTheme(() => items.forEach((li, c) => { if (c.is_call) li.querySelector(".swatch").style.background = functionColour(c.name); }));
    return { element: top, select };
}
