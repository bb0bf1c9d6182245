/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flow graph beside the calling context tree.
 */
const BOXES_MOST = 60;

function textWidth(text, size, weight = 400) {
    textWidth.context = textWidth.context || document.createElement("canvas").getContext("2d");
    textWidth.context.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
    return textWidth.context.measureText(text).width;
}

function layOut(flow, allRanks) {
    const g = new dagre.graphlib.Graph({ multigraph: true }).setGraph({ nodesep: 34, edgesep: 22, ranksep: 46, marginx: 8, marginy: 8 });
    for (const box of flow.boxes) {
        box.title = titleOf(box);
        if (box.title.length > 38) box.title = box.title.slice(0, 36) + "\u2026";
        box.lines = box.isOutside ? ["outside"]
            : [`${count(box.calls)} \u00d7 ${ns(of(box.time, box.calls))}`, `${percent(of(box.time, wholeTime))} of the time` + (box.bytes ? ", " + bytes(box.bytes) : "")];
        const width = 26 + Math.max(textWidth(box.title, 13.5, 620), ...box.lines.map((line) => textWidth(line, 11.5)));
        g.setNode(box.key, { width, height: 24 + 15 * box.lines.length });
    }
    for (const way of flow.ways) {
        const all = clusters(way.visits, allRanks);
        way.lines = all.length > 3 ? [...all.slice(0, 2), `${all.length - 2} more`] : all;
        const room = 8 + Math.max(...way.lines.map((line) => textWidth(line, 11)));
        g.setEdge(way.from.key, way.to.key, {
            /* That of a loop on a box: dagre knows no side of it, and has half of the room on each. */
            width: way.from === way.to ? 2 * room : room, height: 4 + 13 * way.lines.length, labelpos: "r", labeloffset: 5,
            weight: way.from.isOutside || way.to.isOutside ? 1 : 1 + Math.log10(1 + way.count),
        });
    }
    dagre.layout(g);
    return g;
}

/* Where the name of a line is across: where it bends, on the outer side; further away from one that leans. */
function nameAside(at) {
    const bend = at.points.reduce((near, p, i) => Math.abs(p.y - at.y) < Math.abs(at.points[near].y - at.y) ? i : near, 0);
    const p = at.points[bend], [before, after] = [at.points[bend - 1] || p, at.points[bend + 1] || p];
    if (before.y === after.y) return at.x;
    const away = at.x - p.x + Math.min(14, 7 * Math.abs((after.x - before.x) / (after.y - before.y)));
    return before.x + after.x > 2 * p.x + 4 ? p.x - away : p.x + away;
}

function drawWays(layer, flow, g) {
    const most = Math.max(1, ...flow.ways.map((w) => w.count));
    const curve = d3.line().x((p) => p.x).y((p) => p.y).curve(d3.curveCatmullRom), lines = layer.append("g"), names = layer.append("g");
    for (const way of flow.ways) {
        const at = g.edge(way.from.key, way.to.key), outside = way.from.isOutside || way.to.isOutside;
        const width = outside ? 1.2 : 1 + 3 * Math.log1p(way.count) / Math.log1p(most);
        const path = lines.append("path").attr("class", outside ? "way outside" : "way").attr("d", curve(at.points))
            .attr("stroke-width", width).attr("marker-end", "url(#arrow)").style("opacity", outside ? .7 : .85);
        const text = names.append("text").attr("class", "way-label over").attr("text-anchor", "middle");
        const x = way.from === way.to ? at.x - at.width / 4 : nameAside(at);
        way.lines.forEach((line, i) => text.append("tspan").attr("x", x).attr("y", at.y + 4 + 13 * (i - (way.lines.length - 1) / 2)).text(line));
        const tell = (event) => showTip(event, `${titleOf(way.from)} \u2192 ${titleOf(way.to)}`,
            [["transitions", count(way.count) + (way.edges > 1 ? `, of ${way.edges} kinds` : "")], ["computation between", `${ns(way.time)}, ${ns(of(way.time, way.count))} each`],
                ...clusters(way.visits, "").slice(0, 8).map((line) => ["each rank", line])]);
        withTip(path.node(), tell);
        withTip(text.node(), tell);
    }
}

function drawBoxes(layer, flow, g, quantity, onOpen) {
    const most = Math.max(...flow.boxes.map((b) => b[quantity]), 1);
    for (const box of flow.boxes) {
        const at = g.node(box.key), isOpen = !box.isOutside && !box.isRest && box.context.children.length > 0;
        const group = layer.append("g").attr("class", "box" + (box.isOutside ? " outside" : "") + (isOpen ? " inner" : ""))
            .attr("transform", `translate(${at.x - at.width / 2},${at.y - at.height / 2})`)
            .attr("tabindex", 0).attr("role", isOpen || box.isOutside ? "button" : "img")
            .attr("aria-label", [box.title, ...box.lines].join(" "));
        const rect = group.append("rect").attr("width", at.width).attr("height", at.height);
        const share = box[quantity] / most;
        if (!box.isOutside) rect.attr("fill", quantity === "bytes" ? volume(share) : heat(share));
        group.append("text").attr("x", at.width / 2).attr("y", 18).attr("text-anchor", "middle").style("font-weight", 620).style("font-size", "13.5px").text(box.title + " ");
        box.lines.forEach((line, i) => group.append("text").attr("x", at.width / 2).attr("y", 34 + 15 * i).attr("text-anchor", "middle").style("font-size", "11.5px").text(line + " "));
        if (box.context.is_call)
            group.append("rect").attr("width", 5).attr("height", at.height - 12).attr("x", 5).attr("y", 6).attr("fill", functionColour(box.context.name)).style("stroke", "none");
        const act = () => onOpen(box.isOutside && !box.isRest ? contexts[box.context.parent] : box.context);
        if (isOpen || box.isOutside) { group.on("click", act); onEnter(group.node(), act); }
        withTip(group.node(), (event) => showTip(event, titleOf(box), box.isRest ? box.lines.map((line) => [line, ""]) : contextFacts(box.context)));
    }
}

function drawFlow() {
    const allRanks = run.graph.ranks;
    const tables = make("details", null, make("summary", null, "As tables"));
    const way = make("div.bar", { role: "group", "aria-label": "Where the selected function is" });
    const colour = make("select", { "aria-label": "Colour by", change: () => show(shown) },
        make("option", { value: "time" }, "time in MPI"), make("option", { value: "bytes" }, "volume"));
    const canDraw = hasD3 && hasDagre;
    const stage = canDraw ? zoomStage("Flow graph below the selected function; + and - zoom, 0 fits, arrows move", 620) : null;
    const left = make("p.note", { hidden: true });
    let shown = contexts[0];
    const draw = () => {
        const flow = limited(flowBelow(shown), colour.value, BOXES_MOST);
        left.hidden = !flow.left;
        left.textContent = `${flow.left} more boxes with less are left out; the tables have them.`;
        stage.inner.selectAll("*").remove();
        if (!flow.boxes.length) {
            stage.inner.append("text").attr("class", "soft").attr("x", 12).attr("y", 24).text("No MPI calls were made.");
            return;
        }
        stage.inner.append("defs").append("marker").attr("id", "arrow").attr("viewBox", "0 0 8 8").attr("refX", 7).attr("refY", 4)
            .attr("markerWidth", 8).attr("markerHeight", 8).attr("markerUnits", "userSpaceOnUse").attr("orient", "auto")
            .append("path").attr("d", "M0 0L8 4L0 8z").style("fill", "var(--soft)");
        const g = layOut(flow, allRanks), size = g.graph();
        drawWays(stage.inner.append("g"), flow, g);
        drawBoxes(stage.inner.append("g"), flow, g, colour.value, (c) => tree.select(c));
        const largest = flow.boxes.reduce((a, b) => b[colour.value] > a[colour.value] ? b : a);
        stage.fit(size.width, size.height, .8, g.node(largest.key));
    };
    const show = (context) => {
        shown = context;
        way.replaceChildren(...pathButtons(context, tree.select));
        tables.replaceChildren(tables.firstElementChild, ...flowTables(flowBelow(context), allRanks));
        if (canDraw) draw();
    };
    const tree = contextTree("Calling context tree", show);
    section("flow", "Flow graph", "Which call follows which. Select a function in the tree of callers: the graph shows the functions and calls right below it, with all deeper ones folded into them; what is dotted is outside. A number is how often each rank comes by, with the ranks unless all do.",
        leftOut("contexts", "contexts with less time are part of those that call them: they"), leftOut("edges", "transitions with less time between them"),
        make("div.beside", null, make("div.panel", null, tree.element),
            make("div", null, way, make("div.bar", null, make("label", null, "Colour by ", colour), stage ? stage.buttons : null),
                canDraw ? make("div.stage", null, stage.element) : notDrawn("the flow graph is tables.", hasD3 ? "a library for layout (dagre)" : "D3"), left)), tables);
    if (!canDraw) tables.open = true;
    showInFlow = (context) => {
        tree.select(context);
        document.getElementById("flow").scrollIntoView();
    };
    tree.select(mainContext());
    if (canDraw) redraws.push(draw);
}
