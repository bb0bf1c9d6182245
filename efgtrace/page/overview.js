/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The overview: what ran, how well, what was recorded, what it cost.
 */
function card(label, value, more) {
    return make("div.panel.card", null, make("div.label", null, label), make("div.value", null, value), make("div.more", null, more || "\u00a0"));
}

function efficiencyTable() {
    const byTime = [...run.loops].sort((a, b) => b.time - a.time).slice(0, 6);
    const shown = run.loops.filter((loop) => loop.is_main || byTime.includes(loop));
    const inRecorded = (part) => (r) => r.recorded ? percent(r.recorded[part]) : r.isRun ? "" : "\u2013";
    const rows = [{ what: "the run", efficiency: run.overview.efficiency, isRun: true }].concat(shown.map((loop) => ({
        what: nested(loop.depth, breakable(`${loop.repetitions} \u00d7 ${loop.name}`),
            loop.is_main ? make("span.tag", null, "main loop") : null),
        efficiency: loop.efficiency,
        recorded: loop.recorded,
        isMain: loop.is_main,
    })));
    return table("Efficiencies, as the POP model and TALP have them: parallel = load balance \u00d7 communication", [
        { name: "of", value: (r) => r.what, wide: true },
        { name: "parallel", n: true, value: (r) => shareBar(r.efficiency.parallel), title: "mean useful time / time" },
        { name: "load balance", n: true, value: (r) => shareBar(r.efficiency.balance), title: "mean useful time / most useful time" },
        { name: "communication", n: true, value: (r) => shareBar(r.efficiency.communication), title: "most useful time / time" },
        { name: "serialisation", n: true, value: inRecorded("serialisation"), title: "in the recorded iterations: most useful time / time if messages needed none" },
        { name: "transfer", n: true, value: inRecorded("transfer"), title: "in the recorded iterations: time if messages needed none / time" },
        { name: "ranks", n: true, value: (r) => String(r.efficiency.ranks) },
        { name: "time", n: true, value: (r) => ns(r.efficiency.time), title: "of the rank that took longest" },
    ], rows, 0, (r) => r.isMain);
}

/* What the summary says besides its tables: [{name, lines}], the name in the first columns, which are blank where it goes
 * on. A line that is further in belongs to the one above it. */
function paragraphs(summary) {
    const found = [];
    for (const line of summary.slice(1)) {
        const [, name, hang, text] = /^([A-Z][\w /-]{11}| {12}) ( {2})?(.*)$/.exec(line) || [];
        if (text === undefined) continue;
        const lines = found.length ? found[found.length - 1].lines : null;
        if (name.trim()) found.push({ name: name.trim(), lines: [text] });
        else if (hang && lines) lines.push(lines.pop() + " " + text);
        else if (lines) lines.push(text);
    }
    return found.filter(({ name }) => name !== "Files" && name !== "Next");
}

/* What the summary warns of, first of all. */
const warnings = (summary) => paragraphs(summary).filter(({ name }) => name === "Warning")
    .map(({ lines }) => make("div.notice.warning", { role: "note" }, make("strong", null, "Warning"), lines.map((line) => make("div", null, line))));

function drawOverview() {
    const o = run.overview, e = o.efficiency;
    document.title = (o.application || "a run") + " \u2013 efgtrace report";
    document.getElementById("head").append(make("h1", null, o.application || "?"),
        make("p.meta", null, [plural(o.ranks, "rank") + " on " + plural(o.hosts, "host"), ns(o.duration), o.started && o.started.replace("T", " ").replace("Z", " UTC"), o.mpi].filter(Boolean).join(" \u00b7 ")));
    const part = section("overview", "Overview", null,
        warnings(o.summary),
        make("ol.findings.panel", { "aria-label": "Findings" }, o.findings.map((text) => make("li", null, make("span", null, withNames(text))))),
        make("div.cards", null,
            card("Run time", ns(o.duration), count(o.calls) + " calls"),
            card("In MPI", percent(of(o.mpi_time, o.time)), ns(of(o.mpi_time, o.ranks)) + " a rank"),
            card("Efficiency", percent(e.parallel), "parallel"),
            card("Load balance", percent(e.balance), "efficiency"),
            card("Communication", percent(e.communication), "efficiency"),
            o.recorded.events ? card("Recorded", short(o.recorded.events), "events, " + bytes(o.recorded.bytes)) : card("Recorded", "nothing", "mode " + o.mode),
            card("Cost", ns(of(o.cost.time, o.ranks)), smallPercent(o.cost.share) + " of the run")),
        make("div.panel", null, efficiencyTable(),
            make("p.note", null, "Useful time of a rank is its time outside MPI; the time of all is that of the rank that takes longest. Serialisation and transfer, as estimated, are those of the recorded iterations, where the loop is in them: what communication loses to waiting, and to messages.")),
        make("h3", null, "What ran, and what was recorded"),
        make("div.panel", null,
            make("dl.facts", null,
                make("dt", null, "command"), make("dd.mono", null, o.command),
                make("dt", null, "folder"), make("dd.mono", null, o.folder),
                make("dt", null, "where"), make("dd", null, o.places.slice(0, 5).map((line) => make("div", null, line)),
                    o.places.length > 5 ? make("details", null, make("summary", null, "More hosts"), o.places.slice(5).map((line) => make("div", null, line))) : null)),
            make("dl.facts.said", null, paragraphs(o.summary).filter(({ name }) => name !== "Warning").map(({ name, lines }) => [make("dt", null, name), make("dd", null, lines.map((line) => make("div", null, withNames(line))))]))),
        make("details", null, make("summary", null, "The summary, as it was printed"), make("pre", { tabindex: "0" }, o.summary.join("\n"))));
    return part;
}
