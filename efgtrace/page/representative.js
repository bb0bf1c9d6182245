/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well the recorded iterations stand for the run: each call site and loop, the worst first.
 */
function compared(figure, format) {
    if (!figure) return "\u2013";
    const text = `${format(figure.recorded)} / ${format(figure.run)}`;
    const range = `\u00b1 ${format(figure.error)}`;
    return make("span", null, figure.differs ? make("strong", null, text) : text, make("span.note", null, " " + range));
}

function drawRepresentative() {
    const r = run.representative;
    if (!r) return lacking("representative", "Representative?", "representative");
    const exact = (n) => n >= 100 ? n.toFixed(0) : n.toFixed(2);
    section("representative", "Representative?", "Of each call site and loop: recorded iterations / whole run, with the half width of the 95% confidence interval. What differs is bold; the worst comes first.",
        make("p.findings.panel", null, r.sentence),
        make("div.panel", null, table("Recorded iterations against the whole run", [
            { name: "what", wide: true, value: (row) => make("span", null, row.label, make("span.tag", null, row.kind)) },
            { name: "impact", n: true, title: "share of the time of an iteration that it takes more or less in them", value: (row) => percent(row.impact) },
            { name: "share", n: true, value: (row) => compared(row.share, percent) },
            { name: "mean", n: true, value: (row) => compared(row.mean, ns) },
            { name: "calls an iteration", n: true, value: (row) => compared(row.calls, exact) },
            { name: "bytes a call", n: true, value: (row) => compared(row.bytes, bytes) }], r.rows, 25)));
}
