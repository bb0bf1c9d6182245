/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks in the calling context tree. Around each context are three halos, after VIPACT: how many
 * ranks are fast there, near the mean, slow. Below the tree is the flat profile, each of its items
 * linked with all contexts that it is called in.
 */
const NODES_MOST = 400;
const STEP_LEAST = 175, STEP_MOST = 215; /* from a context to those below it */
const FLAT_LEAST = 6, FLAT_MOST = 30; /* items of the flat profile: in any case, at most */

/* Functions and calls by name: {name, is_call, contexts, time (their own), calls}. */
function flatProfile() {
    const flat = new Map(), leftOut = contexts.filter((c) => c.left_out);
    flat.set("", { name: "(left out)", is_call: false, contexts: leftOut, time: leftOut.reduce((sum, c) => sum + c.left_out, 0), calls: 0 });
    for (const c of contexts.slice(1)) {
        const key = (c.is_call ? "call " : "function ") + c.name;
        if (!flat.has(key)) flat.set(key, { name: c.name, is_call: c.is_call, contexts: [], time: 0, calls: 0 });
        const item = flat.get(key);
        item.contexts.push(c);
        item.time += c.time.sum - c.children.reduce((sum, child) => sum + child.time.sum, 0) - (c.left_out || 0);
        item.calls += c.is_call ? c.calls : 0;
    }
    return [...flat.values()].filter((item) => item.time > 0).sort((a, b) => b.time - a.time);
}

/* The part of the tree that is drawn: contexts with at least LEAST of the time below TOP. */
function pruned(top, least, quantity) {
    let kept = contexts.filter((c) => isBelow(c, top) && (c === top || c[quantity].sum >= least * contexts[0].time.sum));
    const all = kept.length;
    if (kept.length > NODES_MOST) {
        const limit = kept.map((c) => c[quantity].sum).sort((a, b) => b - a)[NODES_MOST];
        kept = kept.filter((c) => c === top || c[quantity].sum > limit);
    }
    const set = new Set(kept);
    const grow = (c) => ({ context: c, left: c.children.filter((child) => !set.has(child)).length, children: c.children.filter((child) => set.has(child)).map(grow) });
    return { ...grow(top), dropped: all - kept.length };
}

/* Three rings around a core: each as wide as its third has ranks. */
function halos(group, values, core) {
    const colours = thirdColours(), total = values.count || 1, room = 11;
    let radius = core;
    const rings = (values.thirds || [[0, ""], [0, ""], [0, ""]]).map(([n], i) => {
        const width = n ? Math.max(1.2, room * n / total) : 0;
        const ring = { inner: radius, width, i };
        radius += width;
        return ring;
    });
    for (const ring of rings.filter((r) => r.width).reverse())
        group.append("circle").attr("class", "halo").attr("r", ring.inner + ring.width / 2).attr("fill", "none")
            .attr("stroke", colours[ring.i]).attr("stroke-width", ring.width);
    return radius;
}

function drawContextNode(group, d, quantity, room) {
    const c = d.data.context, core = 2.5 + 6 * Math.sqrt(shareOf(c, quantity));
    const radius = halos(group, c[quantity], core);
    group.append("circle").attr("class", "core").attr("r", core).attr("fill", c.is_call ? functionColour(c.name) : variable("ink"));
    const most = Math.floor((room - radius - 12) / 6.2), name = label(c).length > most ? label(c).slice(0, most - 1) + "\u2026" : label(c);
    const more = percent(shareOf(c, quantity)) + (d.data.left ? `, ${d.data.left} smaller below` : "");
    group.attr("aria-label", name + " " + more);
    group.append("text").attr("class", "over").attr("x", radius + 5).attr("y", -4).text(name + " "); /* the line to what is below is between them */
    group.append("text").attr("class", "soft over").attr("x", radius + 5).attr("y", 13).style("font-size", "10.5px")
        .text(more);
}

function drawFlat(layer, items, top, width, nodes, pick) {
    const columns = Math.max(2, Math.floor((width + 12) / 210)), at = (i) => [(i % columns) * 210, top + 40 + Math.floor(i / columns) * 42];
    const byContext = new Map(nodes.map((d) => [d.data.context, d]));
    const joints = layer.append("g"), boxes = layer.append("g");
    layer.append("text").attr("class", "soft").attr("y", top + 18).text("Flat profile: own time, wherever called from");
    items.forEach((item, i) => {
        const name = item.name.length > 27 ? item.name.slice(0, 25) + "\u2026" : item.name, more = `${ns(item.time)}, ${percent(of(item.time, contexts[0].time.sum))}; ${plural(item.contexts.length, "context")}`;
        const [x, y] = at(i), mine = item.contexts.map((c) => byContext.get(c)).filter(Boolean);
        const lines = mine.map((d) => joints.append("path").attr("class", "joint")
            .attr("d", `M${x + 100},${y}C${x + 100},${(y + d.x) / 2} ${d.y},${(y + d.x) / 2} ${d.y},${d.x}`));
        const box = boxes.append("g").attr("class", "flat").attr("transform", `translate(${x},${y})`).attr("tabindex", 0).attr("role", "button")
            .attr("aria-label", name + " " + more);
        box.append("rect").attr("width", 198).attr("height", 34).attr("rx", 5);
        if (item.is_call) box.append("rect").attr("width", 5).attr("height", 24).attr("x", 5).attr("y", 5).attr("fill", functionColour(item.name)).style("stroke", "none");
        box.append("text").attr("x", 15).attr("y", 15).text(name + " ");
        box.append("text").attr("class", "soft").attr("x", 15).attr("y", 28).style("font-size", "10.5px")
            .text(more);
        const light = (on) => { box.classed("on", on); lines.forEach((line) => line.classed("on", on)); };
        box.on("mouseenter", () => light(true)).on("mouseleave", () => light(item.picked));
        const act = () => { items.forEach((other) => { if (other.picked && other !== item) { other.picked = false; other.light(false); } }); item.picked = true; light(true); pick(item); };
        item.light = light;
        item.picked = false;
        box.on("click", act);
        onEnter(box.node(), act);
    });
    return top + 40 + Math.ceil(items.length / columns) * 42;
}

function rankDetails(c, quantity, actions) {
    const values = c[quantity];
    return [make("h3", null, label(c)),
        make("p.note", null, pathOf(c).map(label).join(" \u203a ")),
        make("dl.facts", null, [...contextFacts(c), ...spreadFacts(values)].map(([name, value]) => [make("dt", null, name), make("dd", null, value)])),
        make("h3", null, "Over the ranks"), bins(values, 280, 70),
        values.count ? thirdsList(values) : null, make("div.bar", null, actions)];
}

function flatDetails(item, choose) {
    return [make("h3", null, item.name), make("p.note", null, `${ns(item.time)} of its own, called in ${plural(item.contexts.length, "context")}:`),
        make("ul", null, [...item.contexts].sort((a, b) => b.time.sum - a.time.sum).slice(0, 60).map((c) => make("li", null,
            make("button", { type: "button", click: () => choose(c) }, pathOf(c).slice(-3, -1).map(label).join(" \u203a ") || "the program"), " " + ns(c.time.sum))))];
}

function contextTable() {
    return table("Contexts by time, over the ranks", [
        { name: "context", wide: true, value: (c) => make("span", { title: pathOf(c).map(label).join(" > ") }, breakable(pathOf(c).slice(-3).map(label).join(" \u203a "))) },
        { name: "time", n: true, value: (c) => ns(c.time.sum) },
        { name: "share", n: true, value: (c) => percent(shareOf(c)) },
        { name: "spread", value: (c) => bins(c.time) },
        { name: "mean", n: true, value: (c) => ns(c.time.mean || 0) },
        { name: "most", n: true, value: (c) => c.time.count ? `${ns(c.time.most)} (rank ${c.time.most_rank})` : "" },
        { name: "slow ranks", wide: true, value: (c) => c.time.count ? someRanks(c.time.thirds[2][1], 60) : "" }],
    [...contexts].sort((a, b) => b.time.sum - a.time.sum).slice(0, 200), 15);
}

function drawHalos(panel) {
    const stage = zoomStage("Calling context tree with the ranks; + and - zoom, 0 fits, arrows move", 660);
    const quantity = make("select", { "aria-label": "Quantity", change: () => draw(true) }, make("option", { value: "time" }, "all time"), make("option", { value: "mpi" }, "time in MPI"));
    const least = make("select", { id: "least", "aria-label": "Least share", change: () => draw(true) },
        [["0.1", "10%"], ["0.05", "5%"], ["0.02", "2%"], ["0.01", "1%"], ["0.002", "0.2%"], ["0", "everything"]].map(([value, text]) => make("option", { value, selected: value === "0.01" }, text)));
    const hot = make("button", { type: "button", "aria-pressed": "false", click: () => { hot.setAttribute("aria-pressed", String(hot.getAttribute("aria-pressed") !== "true")); draw(); } }, "Hot path");
    const up = make("button", { type: "button", click: () => { top = contexts[0]; draw(true); stage.whole(); } }, "Whole tree");
    let top = mainContext(), selected = null;
    const choose = (c) => {
        selected = c;
        const below = make("button", { type: "button", click: () => { top = c; draw(true); } }, "Only what is below");
        panel.replaceChildren(...rankDetails(c, quantity.value, c.children.length ? [below] : []).filter(Boolean));
    };
    const dropped = make("p.note");
    const rings = ringChart(choose, (c) => { top = c; draw(true); });
    const draw = (refit) => {
        const tree = d3.hierarchy(pruned(top, Number(least.value), quantity.value));
        dropped.textContent = tree.data.dropped ? `${tree.data.dropped} smaller ones are left out: at most ${NODES_MOST} are drawn. "Only what is below" a context shows more there; a larger share shows less.` : "";
        dropped.hidden = !tree.data.dropped;
        d3.tree().nodeSize([38, 1])(tree);
        const nodes = tree.descendants(), leftMost = d3.min(nodes, (d) => d.x);
        const depth = d3.max(nodes, (d) => d.depth), step = Math.max(STEP_LEAST, Math.min(STEP_MOST, stage.room() / (depth + 1)));
        nodes.forEach((d) => { d.x += 30 - leftMost; d.y = 20 + d.depth * step; });
        const width = Math.max(stage.room() - 24, (depth + 1) * step), tall = d3.max(nodes, (d) => d.x) + 30;
        const hotSet = new Set(hot.getAttribute("aria-pressed") === "true" ? hotPath(top, quantity.value) : []);
        const layer = stage.inner;
        layer.selectAll("*").remove();
        const links = layer.append("g");
        const shown = flatProfile().slice(0, FLAT_MOST).filter((item, i) => i < FLAT_LEAST || item.time >= Number(least.value) * contexts[0].time.sum);
        const end = drawFlat(layer, shown, tall, width, nodes, (item) => panel.replaceChildren(...flatDetails(item, choose)));
        links.selectAll("path").data(tree.links()).enter().append("path")
            .attr("class", (l) => "link" + (hotSet.has(l.target.data.context) ? " hot" : ""))
            .attr("d", (l) => `M${l.source.y},${l.source.x}C${l.source.y + 100},${l.source.x} ${l.target.y - 100},${l.target.x} ${l.target.y},${l.target.x}`);
        layer.append("g").selectAll("g").data(nodes).enter().append("g").attr("class", (d) => "context" + (hotSet.has(d.data.context) ? " hot" : ""))
            .attr("transform", (d) => `translate(${d.y},${d.x})`).attr("tabindex", 0).attr("role", "button")
            .each(function (d) {
                const c = d.data.context;
                drawContextNode(d3.select(this), d, quantity.value, step);
                withTip(this, (event) => showTip(event, label(c), spreadFacts(c[quantity.value]), bins(c[quantity.value], 220, 44)));
                onEnter(this, () => choose(c));
            }).on("click", (d) => choose(d.data.context)).on("dblclick", (d) => { if (d.data.context.children.length) { top = d.data.context; draw(true); } });
        rings.draw(top, quantity.value);
        if (refit) stage.fit(width, end, .75, { x: nodes[0].y, y: nodes[0].x });
    };
    const start = () => {
        draw(true);
        choose(top);
        redraws.push(() => { draw(); choose(selected); });
        choiceHearers.push(() => {
            if (!top.time.sum) top = contexts[0]; /* these ranks do not come there */
            draw(true);
            choose(selected);
        });
    };
    return { start, rings: rings.element, parts: [make("div.bar", null, make("label", null, "Halos of ", quantity), make("label", null, "at least ", least, " of the time"), hot, up, stage.buttons), make("div.stage", null, stage.element), dropped] };
}

function legendOfThirds() {
    return make("div.legend", null, thirdNames.map((name, i) => {
        const colour = make("span.swatch");
        onTheme(() => { colour.style.background = thirdColours()[i]; });
        return make("span", null, colour, ["fast: more than a sixth of the range below the mean", "near the mean", "slow: more than a sixth above"][i]);
    }), make("span", null, "a halo is the wider, the more ranks it stands for"));
}

function drawRanks() {
    const panel = make("div.panel", { "aria-live": "polite" }), halos = hasD3 ? drawHalos(panel) : null;
    section("contexts", "Ranks in the tree", "How the time of each context is spread over the ranks. Click a context for its ranks, double-click for what is below it, also in the rings, which have the same tree; an item of the flat profile is linked with all contexts that it is called in.",
        leftOut("contexts", "contexts with less time"),
        halos ? [legendOfThirds(), rankChooser(), make("div.beside", null, panel, make("div.tall", null, halos.parts), make("div.panel.rings", null, make("h3", null, "The tree as rings"), halos.rings))] : notDrawn("the tree of contexts is a table.", "D3"),
        make("details", { open: !hasD3 }, make("summary", null, "As a table"), contextTable()));
    if (halos) halos.start();
}

const differenceWords = { in: "in", before: "computing before", calls: "calls of" };

function clusterDifference(d) {
    const by = d.what === "calls" ? count(Math.abs(d.by)) : ns(Math.abs(d.by));
    return make("div", null, `${d.by < 0 ? "\u2212" : "+"} ${by} ${differenceWords[d.what]} `, siteName(d));
}

function drawClusters() {
    const { range, range_rank: far, outliers } = run.alike;
    const said = run.clusters.length > 1 ? outliers === "" ? "No rank is an outlier." : `Outliers: rank ${ranksText(outliers)}.`
        : `No rank and no group of ranks stands out: rank ${far} differs most, by ${percent(range)} of the time or of the calls.`;
    return [make("h3", null, "Clusters of ranks that behave alike"),
        make("div.panel", null, table(`${plural(run.clusters.length, "cluster")}, by size`, [
            { name: "cluster", n: true, value: (c) => String(c.number) }, { name: "ranks", n: true, value: (c) => count(c.count) },
            { name: "which", wide: true, value: (c) => make("span", null, someRanks(c.ranks, 200), c.is_outlier ? make("span.tag", null, "outlier") : null) },
            { name: "differs", n: true, title: "share of the time, or of the calls, that is not as in the first cluster", value: (c) => percent(c.apart) },
            { name: "time", n: true, value: (c) => ns(c.time) }, { name: "in MPI", n: true, value: (c) => percent(of(c.mpi, c.time)) },
            { name: "a rank has, in the mean, more and less than in the first cluster", wide: true, value: (c) => make("div", null, c.differences.slice(0, 3).map(clusterDifference)) }], run.clusters, 12)),
        make("p.note", null, said), leftOut("clusters", "smaller clusters")];
}

function drawRankTable() {
    section("ranks", "Ranks", "What each rank did, which ranks behave alike, which ones are outliers, and which ranks made the same calls in the same order.",
        make("div.panel", null, table("Per rank", [
            { name: "what", value: (q) => q.name },
            { name: "least", n: true, value: (q) => units[q.unit](q.values.least || 0) },
            { name: "rank", value: (q) => q.values.count ? String(q.values.least_rank) : "" },
            { name: "median", n: true, value: (q) => units[q.unit](q.values.median || 0) },
            { name: "most", n: true, value: (q) => units[q.unit](q.values.most || 0) },
            { name: "rank", value: (q) => q.values.count ? String(q.values.most_rank) : "" },
            { name: "mean", n: true, value: (q) => units[q.unit](q.values.mean || 0) },
            { name: "above", n: true, title: "how much more the rank with the most has than the mean", value: (q) => q.values.count ? percent(of(q.values.most - q.values.mean, q.values.mean)) : "" },
            { name: "spread", value: (q) => bins(q.values, 160, 24, units[q.unit]) },
            { name: "slow or large", wide: true, value: (q) => q.values.count ? someRanks(q.values.thirds[2][1], 80) : "" }], run.ranks)),
        drawClusters(),
        make("h3", null, "Groups of ranks with the same graph"),
        make("div.panel", null, table(`${plural(run.group_count, "group")}, by size`, [
            { name: "group", n: true, value: (g) => String(g.number) }, { name: "ranks", n: true, value: (g) => count(g.count) },
            { name: "nodes", n: true, value: (g) => String(g.nodes) }, { name: "edges", n: true, value: (g) => String(g.edges) },
            { name: "which", wide: true, value: (g) => ranksText(g.ranks) }], run.groups, 12)), leftOut("groups", "smaller groups"));
}
