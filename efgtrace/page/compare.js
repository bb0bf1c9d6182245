/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The page of a comparison: the document of `efgtrace compare`.
 */
const times = (a, b) => a > 0 && b > 0 ? fixed(b / a, b / a < 10 ? 2 : 0) : "\u2013";
const signed = (time) => (time < 0 ? "\u2212" : "+") + ns(Math.abs(time));
const onlyIn = (pair) => pair.a && pair.b ? null : make("span.tag", null, pair.a ? "A only" : "B only");

function drawRuns() {
    const [a, b] = run.runs;
    document.title = `${a.application || "?"} and ${b.application || "?"} \u2013 efgtrace compare`;
    document.getElementById("head").append(make("h1", null, "Two runs"),
        ...run.runs.map((r, i) => make("p.meta", null, `${"AB"[i]}: ${r.command} \u00b7 ${plural(r.ranks, "rank")} \u00b7 ${r.folder} \u00b7 ${r.mpi}`)));
    const rows = [
        ["ranks", a.ranks, b.ranks, count],
        ["time of a rank", a.time, b.time, ns],
        ["in MPI", a.in_mpi, b.in_mpi, ns],
        ["outside MPI", a.time - a.in_mpi, b.time - b.in_mpi, ns],
        ["iterations watched", a.iterations, b.iterations, count],
        ["one of them", a.iteration, b.iteration, ns],
        ["parallel efficiency", a.parallel_efficiency, b.parallel_efficiency, percent],
        ["load balance", a.load_balance, b.load_balance, percent],
        ["communication efficiency", a.communication_efficiency, b.communication_efficiency, percent],
    ];
    section("overview", "Overview", null,
        make("ol.findings.panel", { "aria-label": "Findings" }, run.findings.map((text) => make("li", null, make("span", null, withNames(text))))),
        make("div.panel", null, table("The runs", [
            { name: "what", value: (r) => r[0] },
            { name: "A", n: true, value: (r) => r[1] ? r[3](r[1]) : "\u2013" },
            { name: "B", n: true, value: (r) => r[2] ? r[3](r[2]) : "\u2013" },
            { name: "B / A", n: true, value: (r) => times(r[1], r[2]) },
        ], rows)));
}

function drawMatchedLoops() {
    const of = (side, member) => (loop) => loop[side] ? loop[side][member] : 0;
    const share = (side) => (loop) => loop[side] ? percent(loop[side].mpi_time / loop[side].time || 0) : "\u2013";
    const isMain = (loop) => ["a", "b"].some((side, i) => loop[side] && loop[side].loop === run.runs[i].main_loop);
    section("loops", "Loops", "Loops are the same where they have the same calls. Times are those of a rank.",
        make("div.panel", null, table("Loops of both runs", [
            { name: "times in A", n: true, value: (l) => l.a ? count(l.a.repetitions) : "\u2013" },
            { name: "B", n: true, value: (l) => l.b ? count(l.b.repetitions) : "\u2013" },
            { name: "time in A", n: true, value: (l) => l.a ? ns(l.a.time) : "\u2013" },
            { name: "B", n: true, value: (l) => l.b ? ns(l.b.time) : "\u2013" },
            { name: "B / A", n: true, value: (l) => times(of("a", "time")(l), of("b", "time")(l)) },
            { name: "MPI in A", n: true, value: share("a") },
            { name: "B", n: true, value: share("b") },
            { name: "loop", wide: true, value: (l) => nested(l.depth, breakable(l.name), isMain(l) ? make("span.tag", null, "main loop") : null, onlyIn(l)) },
        ], run.loops, 40, isMain), leftOut("loops", "loops with less time")));
}

/* To the right: B takes longer. */
function differenceBar(difference, most) {
    const bar = make("i");
    bar.style.width = 50 * Math.abs(difference) / most + "%";
    bar.style.marginLeft = (difference < 0 ? 50 - 50 * -difference / most : 50) + "%";
    bar.style.background = `var(--${difference < 0 ? "good" : "warn"})`;
    return make("span", null, signed(difference), make("span.share", { "aria-hidden": "true" }, bar));
}

function drawDifferences() {
    const most = Math.max(1, ...run.differences.map((d) => Math.abs(d.difference)));
    section("differences", "Differences", "All calls and the computation before each, by the difference they make to the time of a rank.",
        make("div.panel", null, table("Calls and computation by the difference they make", [
            { name: "difference", n: true, value: (d) => differenceBar(d.difference, most) },
            { name: "time in A", n: true, value: (d) => d.a ? ns(d.a.time) : "\u2013" },
            { name: "B", n: true, value: (d) => d.b ? ns(d.b.time) : "\u2013" },
            { name: "B / A", n: true, value: (d) => times(d.a ? d.a.time : 0, d.b ? d.b.time : 0) },
            { name: "calls in A", n: true, value: (d) => d.a ? count(d.a.calls) : "\u2013" },
            { name: "B", n: true, value: (d) => d.b ? count(d.b.calls) : "\u2013" },
            { name: "where", wide: true, value: (d) => make("span", null, d.what === "compute" ? "computing before " : "", breakable(d.label), onlyIn(d)) },
        ], run.differences, 30), leftOut("differences", "smaller differences"),
        make("p.note", null, `Before the first call and behind the last one: ${signed(run.runs[1].rest - run.runs[0].rest)}.`)));
}
