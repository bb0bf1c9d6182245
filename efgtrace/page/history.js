/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The page of a history: the document of `efgtrace history`. Times in it are seconds.
 */
const seconds = (time) => ns(1e9 * time);
const more = (change) => (change.before > 0 ? (change.after < change.before ? "\u2212" : "+") + percent(Math.abs(change.after / change.before - 1)) : "new");
const begun = (start) => new Date(1000 * start).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
const whatTakes = (series) => (series.loop ? "an iteration" : "a run");

/* From each change to the next one: [first, behind the last, level]. */
function levelsOf(series) {
    const ends = [...series.changes.map((change) => change.run), series.runs.length];
    return ends.map((end, i) => [i ? ends[i - 1] : 0, end, i ? series.changes[i - 1].after : series.changes.length ? series.changes[0].before : null]);
}

/* A dot for each run, in the order in which they began, and the levels between two changes. */
function seriesChart(series) {
    const { runs, changes } = series, values = runs.map((r) => r.value), most = d3.max(values), least = d3.min(values);
    const f = frame(`How long ${whatTakes(series)} took in each run`, 1080, 260, { left: 62, right: 24, top: 26, bottom: 40 });
    const room = (most - least || most || 1) * .08;
    const x = d3.scaleLinear([.5, runs.length + .5], [0, f.width]);
    const y = d3.scaleLinear([1e9 * Math.max(0, least - room), 1e9 * (most + room)], [f.height, 0]);
    axes(f, x, y, atTicks.whole, atTicks.time, "run", whatTakes(series));
    for (const change of changes)
        f.plot.append("line").attr("x1", x(change.run + .5)).attr("x2", x(change.run + .5)).attr("y2", f.height).style("stroke", `var(--${change.after > change.before ? "warn" : "good"})`).style("stroke-dasharray", "4 3");
    for (const [from, to, level] of levelsOf(series))
        if (level !== null)
            f.plot.append("line").attr("x1", x(from + .5)).attr("x2", x(to + .5)).attr("y1", y(1e9 * level)).attr("y2", y(1e9 * level)).style("stroke", "var(--accent)").style("stroke-width", 2);
    f.plot.append("g").selectAll("circle").data(runs).enter().append("circle").attr("cx", (r, i) => x(i + 1)).attr("cy", (r) => y(1e9 * r.value)).attr("r", runs.length > 300 ? 2 : 3.5).style("fill", "var(--accent)").style("fill-opacity", .65);
    f.plot.append("rect").attr("width", f.width).attr("height", f.height).style("fill", "transparent").on("mousemove", function () {
        const i = Math.max(0, Math.min(runs.length - 1, Math.round(x.invert(d3.mouse(this)[0])) - 1)), r = runs[i];
        showTip(d3.event, `run ${i + 1}`, [["begun", begun(r.start)], [whatTakes(series), seconds(r.value)], ["in MPI", percent(r.mpi_share)], ["user", r.user], ["folder", r.folder]]);
    }).on("mouseleave", hideTip);
    return make("figure.panel", { "aria-label": f.label }, f.svg.node());
}

function changeItem(series, change) {
    const run = series.runs[change.run];
    const sites = change.sites.map((site) => make("div.note", null, `${site.name}: ${seconds(site.after)}, before ${seconds(site.before)} (${more(site)})`));
    return make("li", null, make("span", null, `From run ${change.run + 1} on, ${begun(run.start)}, ${whatTakes(series)} takes ${seconds(change.after)}, before ${seconds(change.before)} (${more(change)}): ${run.folder}`, sites));
}

function drawHistory() {
    document.title = "History \u2013 efgtrace";
    document.getElementById("head").append(make("h1", null, "History"), make("p.meta", null, `${count(run.series.length)} series of runs with the same command and number of ranks`));
    const last = (series) => series.runs[series.runs.length - 1];
    section("series", "Series", "The one with the latest run first; what changed is the latest change of its level.",
        make("div.panel", null, table("Series of runs", [
            { name: "runs", n: true, value: (s) => count(s.runs.length) },
            { name: "last", value: (s) => begun(last(s).start) },
            { name: "each", n: true, value: (s) => seconds(s.level) },
            { name: "changed", n: true, value: (s) => s.changes.length ? more(s.changes[s.changes.length - 1]) : "\u2013" },
            { name: "ranks", n: true, value: (s) => count(s.ranks) },
            { name: "command", wide: true, value: (s) => make("a", { href: `#series-${run.series.indexOf(s)}` }, s.command) },
        ], run.series, 40), leftOut("series", "series")));
}

function drawEachSeries() {
    run.series.forEach((series, at) => section(`series-${at}`, series.command.length > 60 ? series.command.slice(0, 59) + "\u2026" : series.command, `${series.application} \u00b7 ${plural(series.ranks, "rank")}${series.loop ? " \u00b7 main loop " + series.loop : ""}`,
        series.changes.length ? make("ol.findings.panel", { "aria-label": "Changes" }, series.changes.map((change) => changeItem(series, change))) : make("p.note", null, series.enough ? "Nothing has changed for certain." : "These are too few runs to tell a change from chance."),
        hasD3 ? seriesChart(series) : notDrawn("runs are a table.", "D3"),
        make("details", null, make("summary", null, "Runs"), make("div.panel", null, table("Runs", [
            { name: "run", n: true, value: (r) => String(series.runs.indexOf(r) + 1) },
            { name: "begun", value: (r) => begun(r.start) },
            { name: "user", value: (r) => r.user },
            { name: "time", n: true, value: (r) => seconds(r.seconds) },
            { name: "iterations", n: true, value: (r) => r.iterations ? count(r.iterations) : "\u2013" },
            { name: "each", n: true, value: (r) => seconds(r.value) },
            { name: "in MPI", n: true, value: (r) => percent(r.mpi_share) },
            { name: "efficiency", n: true, value: (r) => r.parallel ? percent(r.parallel) : "\u2013" },
            { name: "folder", wide: true, value: (r) => r.folder + (r.ended ? "" : " (killed)") },
        ], series.runs, 20)))));
}
