/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterations of the main loop over the run: duration and MPI share, the recorded ones marked, the
 * longest named. A slot is a row of iterations: [first, count, start, sum, min, max, mpi].
 */
const isRecorded = (first, n) => run.iterations.recorded.some(([from, to]) => first < to && first + n > from);

function iterationChart() {
    const slots = run.iterations.slots;
    const f = frame("Duration and MPI share of the iterations over the run", 1080, 330, { left: 62, right: 24, top: 26, bottom: 40 });
    const last = slots[slots.length - 1], high = f.height * .68, low = f.height - high - 26;
    const x = d3.scaleLinear([slots[0][0], last[0] + last[1]], [0, f.width]);
    const y = d3.scaleLinear([0, d3.max(slots, (s) => s[5]) * 1.06], [high, 0]);
    const share = d3.scaleLinear([0, 1], [f.height, f.height - low]);
    axes(f, x, y, atTicks.whole, atTicks.time, "number of the iteration", "duration");
    f.plot.append("g").attr("class", "axis").call(d3.axisLeft(share).ticks(2).tickFormat(d3.format(".0%")));
    f.plot.append("text").attr("class", "soft").attr("x", -4).attr("y", f.height - low - 6).text("in MPI");
    for (const [from, to] of run.iterations.recorded)
        f.plot.append("rect").attr("x", x(from)).attr("width", Math.max(3, x(to) - x(from))).attr("height", f.height).style("fill", "var(--mark)").style("opacity", .22)
            .append("title").text(`recorded: ${fromTo(from, to - 1)}`);
    const wide = (s) => Math.max(.8, x(s[0] + s[1]) - x(s[0]));
    const each = (tag) => f.plot.append("g").selectAll(tag).data(slots).enter().append(tag);
    each("rect").attr("x", (s) => x(s[0])).attr("width", wide).attr("y", (s) => y(s[5])).attr("height", (s) => Math.max(1, y(s[4]) - y(s[5]))).style("fill", "var(--accent-soft)");
    each("rect").attr("x", (s) => x(s[0])).attr("width", wide).attr("y", (s) => y(s[3] / s[1]) - 1).attr("height", 2).style("fill", "var(--accent)");
    each("rect").attr("x", (s) => x(s[0])).attr("width", wide).attr("y", (s) => share(of(s[6], s[3]))).attr("height", (s) => f.height - share(of(s[6], s[3]))).style("fill", "var(--mpi)");
    const dots = f.plot.append("g"), names = f.plot.append("g"), named = []; /* where: no name upon another one */
    for (const [number, , time] of run.iterations.longest.slice(0, 5)) {
        dots.append("circle").attr("cx", x(number + .5)).attr("cy", y(time)).attr("r", 3.5).style("fill", "var(--ink)");
        const at = [Math.min(x(number + .5) + 6, f.width - 40), y(time) + 4];
        if (named.some((other) => Math.abs(other[0] - at[0]) < 40 && Math.abs(other[1] - at[1]) < 12)) continue;
        named.push(at);
        names.append("text").attr("class", "soft over").attr("x", at[0]).attr("y", at[1]).style("font-size", "11px").text("#" + number);
    }
    f.plot.append("rect").attr("width", f.width).attr("height", f.height).style("fill", "transparent").on("mousemove", function () {
        const at = x.invert(d3.mouse(this)[0]), s = slots[Math.max(0, d3.bisector((slot) => slot[0]).right(slots, at) - 1)];
        showTip(d3.event, iterationsFrom(s[0], s[0] + s[1] - 1),
            [["mean", ns(s[3] / s[1])], ["least, most", `${ns(s[4])}, ${ns(s[5])}`], ["in MPI", percent(of(s[6], s[3]))], ["start", ns(s[2])], ["recorded", isRecorded(s[0], s[1]) ? "yes" : "no"]]);
    }).on("mouseleave", hideTip);
    return make("figure.panel", { "aria-label": f.label }, f.svg.node());
}

function drawIterations() {
    const it = run.iterations;
    if (it) it.longest.sort((a, b) => b[2] - a[2]);
    if (!it || !it.slots.length) return lacking("iterations", "Iterations", "iterations");
    const longest = table("The longest iterations", [
        { name: "number", n: true, value: (l) => String(l[0]) }, { name: "start", n: true, value: (l) => ns(l[1]) },
        { name: "duration", n: true, value: (l) => ns(l[2]) }, { name: "in MPI", n: true, value: (l) => percent(of(l[3], l[2])) },
        { name: "recorded", value: (l) => isRecorded(l[0], 1) ? "yes" : "" }], it.longest, 10);
    section("iterations", "Iterations", `Every iteration of the main loop since it was found, on rank ${it.of_rank}: mean, least and most of each slot, and the share of MPI below. The recorded ones are marked.`,
        hasD3 ? iterationChart() : notDrawn("iterations are a table.", "D3"), make("div.panel", null, longest));
}
