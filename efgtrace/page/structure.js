/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops; the growth of the graph; and where the time in MPI goes, as tables.
 */
function loopTable() {
    const o = run.overview;
    return table(`Loops of all ranks; repetitions are those of rank ${run.curve.rank}, if it has the loop, times are means of a rank that runs it`, [
        { name: "loop", wide: true, value: (l) => nested(l.depth, breakable(l.name),
            l.is_main ? make("span.tag", null, "main loop") : null, l.irreducible ? make("span.tag", null, "several entries") : null) },
        { name: "repetitions", n: true, value: (l) => String(l.repetitions) },
        { name: "time", n: true, value: (l) => ns(of(l.time, l.efficiency.ranks)) },
        { name: "of the run", n: true, value: (l) => shareBar(of(l.time, o.time)) },
        { name: "MPI", n: true, value: (l) => shareBar(of(l.mpi_time, l.time), "var(--mpi)") },
        { name: "begins at", wide: true, value: (l) => make("span", null, breakable(l.label)) },
        { name: "ranks", value: (l) => ranksText(l.ranks) },
    ], run.loops, 30, (l) => l.is_main, loopDetails);
}

function phaseTable() {
    return table(`Phases of rank ${run.curve.rank}: main loops one after the other`, [
        { name: "phase", n: true, value: (p) => p.number ? String(p.number) : "\u2013" },
        { name: "loop", value: (p) => make("span", null, "in " + (p.function || "?"), p.is_main ? make("span.tag", null, "main loop") : null) },
        { name: "begins after", n: true, value: (p) => ns(p.start) },
        { name: "takes", n: true, value: (p) => ns(p.time) },
        { name: "of the run", n: true, value: (p) => shareBar(p.share) },
        { name: "iterations", n: true, value: (p) => count(p.iterations) },
        { name: "one takes", n: true, value: (p) => p.counted ? ns(p.iterations_time / p.counted) : "" },
        { name: "recorded", n: true, value: (p) => String(p.recorded) },
    ], run.phases, 30, (p) => p.is_main);
}

/* Times that are marked on axes of the run: {time, end, text}. */
function moments() {
    const c = run.curve, list = [];
    if (c.stable) list.push({ time: c.stable, text: "graph stable" });
    if (c.found) list.push({ time: c.found, text: "main loop found: armed" });
    for (const w of c.windows)
        list.push({ time: w.start, end: w.end, text: `recording of ${iterationsFrom(w.first, w.last - 1)} (${w.why})` });
    return list;
}

function curveChart() {
    const points = run.curve.points;
    const f = frame(`Nodes and edges of the graph of rank ${run.curve.rank} over the run`, 1080, 260, { left: 52, right: 130, top: 26, bottom: 40 });
    const end = Math.max(points[points.length - 1][0], ...moments().map((m) => m.end || m.time));
    const x = d3.scaleLinear([0, end], [0, f.width]);
    const y = d3.scaleLinear([0, d3.max(points, (p) => Math.max(p[2], p[3])) * 1.08], [f.height, 0]);
    axes(f, x, y, atTicks.time, atTicks.whole, "time since the start", "number");
    const lines = [["nodes", 2, "accent"], ["edges", 3, "ink"]];
    const marks = f.plot.append("g"), curves = f.plot.append("g"), names = f.plot.append("g");
    moments().forEach((m, i) => {
        marks.append("rect").attr("x", x(m.time)).attr("width", m.end ? Math.max(2, x(m.end) - x(m.time)) : 1.5)
            .attr("height", f.height).style("fill", m.end ? "var(--mark)" : "var(--soft)").style("opacity", m.end ? .28 : .9);
        names.append("text").attr("class", "soft over").attr("x", x(m.time) + 6).attr("y", f.height - 8 - 15 * i).text(m.text + ", " + ns(m.time));
    });
    const last = points[points.length - 1], apart = Math.max(0, 14 - Math.abs(y(last[2]) - y(last[3]))) / 2;
    for (const [name, column, colour] of lines) {
        const shift = last[column] < last[5 - column] || (column === 2 && last[2] === last[3]) ? apart : -apart;
        curves.append("path").datum(points).attr("fill", "none").style("stroke", `var(--${colour})`).attr("stroke-width", 2)
            .attr("d", d3.line().x((p) => x(p[0])).y((p) => y(p[column])).curve(d3.curveStepAfter));
        names.append("text").attr("x", x(last[0]) + 8).attr("y", y(last[column]) + 4 + shift).style("fill", `var(--${colour})`).text(`${last[column]} ${name}`);
    }
    return make("figure.panel", { "aria-label": f.label }, f.svg.node());
}

function curvePart() {
    const points = run.curve.points;
    if (!points.length) return make("p.notice", null, "No samples of the graph were taken: the run was shorter than EFGTRACE_INTERVAL.");
    const rows = points.filter((_, i) => i === points.length - 1 || i % Math.ceil(points.length / 12) === 0);
    const asTable = table(`Size of the graph of rank ${run.curve.rank} over the run`, [
        { name: "after", n: true, value: (p) => ns(p[0]) }, { name: "calls", n: true, value: (p) => count(p[1]) },
        { name: "nodes", n: true, value: (p) => String(p[2]) }, { name: "edges", n: true, value: (p) => String(p[3]) }], rows);
    if (!hasD3) return make("div", null, notDrawn("the curve is a table.", "D3"), asTable);
    return make("div", null, curveChart(), make("details", null, make("summary", null, "As a table"), asTable));
}

function drawLoops() {
    section("loops", "Loops", "The loops that were found in the event flow graph, merged over all ranks. A line of source is where a repetition begins. A row opens where its loop is, and leads to the flow graph.",
        run.loops.length ? make("div.panel", null, loopTable()) : make("p.notice", null, "No call was made in a loop."), leftOut("loops", "loops with less time"),
        run.phases.length > 1 ? make("div.panel", null, phaseTable()) : null);
}

function drawGrowth() {
    section("growth", "Growth", null, make("details", null, make("summary", null, `How the graph of rank ${run.curve.rank} grew`), curvePart()));
}

function drawCalls() {
    const perRank = [
        { name: "spread", value: (c) => bins(c.time) },
        { name: "least", n: true, value: (c) => ns(c.time.least || 0) },
        { name: "median", n: true, value: (c) => ns(c.time.median || 0) },
        { name: "most", n: true, value: (c) => ns(c.time.most || 0) }];
    section("calls", "MPI calls", "Where the time in MPI goes. Histograms are over the ranks that make the call. A call site opens its path, sizes and ranks, and leads to the flow graph.",
        make("div.panel", null, table("MPI functions by time, all ranks", [
            { name: "function", value: (c) => swatch(c.call) },
            { name: "calls", n: true, value: (c) => String(c.calls) },
            { name: "time", n: true, value: (c) => ns(c.time.sum) },
            { name: "of MPI", n: true, value: (c) => shareBar(c.mpi_share) },
            { name: "of the run", n: true, value: (c) => percent(c.run_share) },
            { name: "bytes", n: true, value: (c) => bytes(c.bytes) }, ...perRank], run.calls, 20)),
        make("h3", null, "Call sites"),
        make("div.panel", null, table("Call sites by time, all ranks", [
            { name: "call site", wide: true, value: (s) => siteName(s) },
            { name: "calls", n: true, value: (s) => String(s.calls) },
            { name: "time", n: true, value: (s) => ns(s.time) },
            { name: "of MPI", n: true, value: (s) => shareBar(s.mpi_share) },
            { name: "of the run", n: true, value: (s) => percent(s.run_share) },
            { name: "mean", n: true, value: (s) => ns(s.mean) },
            { name: "longest", n: true, value: (s) => s.longest === null ? "-" : ns(s.longest) },
            ...(run.waiting ? [{ name: "waiting", n: true, title: "of its time in the recorded iterations", value: (s) => waitingOf(s, (w) => percent(of(waitedBy(w), w.mpi))) },
                { name: "caused", n: true, title: "of all waiting in the recorded iterations, with the computation before it", value: (s) => waitingOf(s, (w) => percent(of(causedBy(w), waitedBy(run.waiting.all)))) }] : []),
            { name: "bytes", n: true, value: (s) => bytes(s.bytes) }], run.sites, 15, null, siteDetails)), leftOut("sites", "call sites with less time"));
}
