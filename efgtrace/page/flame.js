/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flame graph of the whole run: a bar for each calling context, as wide as its time, those it calls below it. Needs no
 * library. A click makes a bar as wide as the picture; those too narrow to be hit are for the tip, and Tab leaves them out.
 */
const FLAME_ROW = 25, FLAME_LEAST = 1.5, FLAME_TARGET = 24; /* points: a bar's height; narrower ones are not drawn; or are no target */

/* Bars below TOP: {context, x, width (shares of TOP), depth}. */
function flameBars(top, quantity, least) {
    const bars = [], whole = top[quantity].sum || 1;
    const add = (context, x, depth) => {
        const width = context[quantity].sum / whole;
        if (width < least) return;
        bars.push({ context, x, width, depth });
        let at = x;
        for (const child of context.children) {
            add(child, at, depth + 1);
            at += child[quantity].sum / whole;
        }
    };
    add(top, 0, 0);
    return bars;
}

/* A quiet colour of its own for each module, so that libraries are told apart. */
function flameColour(context) {
    if (context.is_call) return functionColour(context.name);
    let hash = 7;
    for (const letter of context.module) hash = (hash * 31 + letter.charCodeAt(0)) % 997;
    return isDark() ? between("#2a3138", "#46515c", hash / 997) : between("#eef0f2", "#d5dadf", hash / 997);
}

function flameBar(bar, room, words, choose) {
    const { context } = bar, own = of(context.time.sum - context.children.reduce((sum, c) => sum + c.time.sum, 0), contexts[0].time.sum), width = bar.width * room - 1;
    const isTarget = width >= FLAME_TARGET, said = { "aria-label": `${label(context)}, ${percent(shareOf(context))}`, click: () => choose(context) };
    const element = isTarget ? make("button.flame", { type: "button", ...said }, label(context)) : make("div.flame", { role: "img", ...said });
    const background = flameColour(context);
    Object.assign(element.style, { left: bar.x * room + "px", top: bar.depth * FLAME_ROW + "px", width: Math.max(1, width) + "px", background, color: inkOn(background) });
    element.classList.toggle("found", Boolean(words) && label(context).toLowerCase().includes(words));
    withTip(element, (event) => showTip(event, label(context), [...contextFacts(context), ["own time", percent(own)]]));
    return element;
}

function drawFlame() {
    if (!contexts.length || !wholeTime) return lacking("flame", "Flame graph", "contexts");
    const stage = make("div.flames", { role: "group", "aria-label": "Flame graph: Tab goes through the bars, Enter makes one as wide as the picture" }), way = make("div.bar", { role: "group", "aria-label": "What the flame graph is of" });
    const said = make("p.note", { role: "status" });
    const quantity = make("select", { "aria-label": "Width of the bars", change: () => draw() }, make("option", { value: "time" }, "all time"), make("option", { value: "mpi" }, "time in MPI"));
    const search = make("input", { type: "search", placeholder: "Search", "aria-label": "Search functions of the flame graph", input: () => draw() });
    let top = contexts[0];
    const choose = (context) => { top = context; hideTip(); draw(); };
    const draw = () => {
        const room = stage.clientWidth || 800, words = search.value.trim().toLowerCase(), bars = flameBars(top, quantity.value, FLAME_LEAST / room);
        stage.style.height = (1 + Math.max(0, ...bars.map((bar) => bar.depth))) * FLAME_ROW + "px";
        stage.replaceChildren(...bars.map((bar) => flameBar(bar, room, words, choose)));
        way.replaceChildren(...pathButtons(top, choose));
        const found = words ? contexts.filter((c) => label(c).toLowerCase().includes(words) && !pathOf(c).slice(0, -1).some((above) => label(above).toLowerCase().includes(words))) : [];
        said.textContent = words ? `${plural(found.length, "context")}, ${percent(found.reduce((sum, c) => sum + shareOf(c), 0))} of the time` : "";
    };
    section("flame", "Flame graph", "Where the time of all ranks goes, in the whole run: the wider, the more time; below a function is what it calls. MPI functions have their colours, the others are grey by module; a function that has bars only below a part of it computes in the rest. A click makes a bar as wide as the picture.",
        leftOut("contexts", "contexts with less time"), way, rankChooser(), make("div.bar", null, make("label", null, "Width is ", quantity), search, said), make("div.panel", null, stage),
        make("p.note", null, make("code", null, "efgtrace export -f folded DIR"), " writes the same as folded stacks."));
    onTheme(draw);
    choiceHearers.push(draw);
    new ResizeObserver(draw).observe(stage);
}
