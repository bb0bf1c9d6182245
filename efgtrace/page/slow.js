/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slow iterations, each beside a typical one: what took the difference, on which ranks.
 */
function drawSlow() {
    const signed = (time) => (time < 0 ? "\u2212" : "+") + ns(Math.abs(time));
    const besides = (run.slow || []).map((pair) => make("div.panel", null, make("p.verdict.no", null, pair.sentence),
        table(`Iteration ${pair.iteration} beside ${pair.other}`, [
            { name: "what", wide: true, value: (row) => row.label },
            { name: "difference", n: true, title: "of the times of all ranks", value: (row) => signed(row.difference) },
            { name: "share", n: true, title: "of the difference of the iterations", value: (row) => percent(row.share) },
            { name: `in ${pair.iteration}`, n: true, title: "all ranks", value: (row) => ns(row.time) },
            { name: `in ${pair.other}`, n: true, title: "all ranks", value: (row) => ns(row.other_time) },
            { name: "of a rank", n: true, title: "the largest difference of one rank", value: (row) => signed(row.most) },
            { name: "ranks", title: "with at least half of that", value: (row) => row.ranks }], pair.differences, 10)));
    if (besides.length)
        section("slow", "Slow iterations", "Iterations that were kept because they were slow, each beside the one before it: which call paths, on which ranks, took the difference. Computation is what comes before a call.", besides, leftOut("differences", "smaller differences"));
}
