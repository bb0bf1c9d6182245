/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well the recorded iterations stand for the run: each call site and loop, the worst first.
 */
function compared(figure, format) {
    if (!figure) return "\u2013";
    const text = `${format(figure.recorded)} / ${format(figure.run)}`;
    return make("span", null, figure.differs ? make("strong", null, text) : text, make("span.error", null, `\u00b1 ${format(figure.error)}`));
}

function drawRepresentative() {
    const r = run.representative;
    const exact = (n) => fixed(n, n >= 100 ? 0 : 2);
    const kinds = { site: null, loop: "loop", compute: "computation" };
    section("representative", "Representative?", "Whether the recorded iterations stand for the run. Figures are of recorded iterations / of all, with the half width of the 95% confidence interval; what differs is bold, the worst comes first.",
        make((r.rows.length ? "p.panel" : "p.notice") + ".verdict." + r.verdict, null, r.sentence),
        r.accuracy ? make("p.panel.accuracy", null, "Accuracy: " + r.accuracy.sentence) : null,
        r.rows.length ? make("div.panel", null, table("Recorded iterations against the whole run", [
            { name: "what", wide: true, value: (row) => make("span", null, make("span", null, breakable(row.label)), kinds[row.kind] ? make("span.tag", null, kinds[row.kind]) : null) },
            { name: "impact", n: true, title: "time that it takes more or less in a recorded iteration, as a share of that of an iteration", value: (row) => (row.impact > 0 ? "+" : "") + percent(row.impact) },
            { name: "share", n: true, value: (row) => compared(row.share, percent) },
            { name: "mean", n: true, value: (row) => compared(row.mean, ns) },
            { name: "per iteration", n: true, title: "calls, or repetitions, of all ranks", value: (row) => compared(row.calls, exact) },
            { name: "bytes", n: true, title: "of a call", value: (row) => compared(row.bytes, bytes) }], r.rows, 20)) : null, leftOut("rows", "lines that differ less"));
    if (!r.rows.length) document.querySelector("#contents li:last-child a").classList.add("lacking");
}
