/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: what they counted in an iteration, between calls and in them.
 */
function drawCounters() {
    const counters = run.counters;
    if (!counters)
        return;
    const shown = (name, value) => name === "task-clock" || name === "perf::TASK-CLOCK" ? ns(value) : value < 99.95 ? precise(value, 3) : count(value);
    const each = (sum, count, name) => count ? shown(name, sum / count) : "–";
    const columns = counters.names.map((name, k) => ({ name, n: true, value: (row) => shown(name, row.values[k]) }));
    const find = (...names) => counters.names.findIndex((name) => names.includes(name));
    const cycles = find("cycles", "PAPI_TOT_CYC"), instructions = find("instructions", "PAPI_TOT_INS");
    const loops = run.loops.filter((l) => l.counters);
    const ofLoop = counters.names.map((name) => ({ name, n: true, value: (l) => shown(name, l.counters[name]) }));
    if (cycles >= 0 && instructions >= 0)
        ofLoop.push({ name: "IPC", n: true, title: "instructions in a cycle", value: (l) => l.counters.ipc ? fixed(l.counters.ipc, 2) : "–" });
    if (cycles >= 0 && instructions >= 0)
        columns.push({ name: "IPC", n: true, title: "instructions in a cycle", value: (row) => row.values[cycles] ? fixed(row.values[instructions] / row.values[cycles], 2) : "–" });
    section("counters", "Counters", "What the kernel and the processor counted, on all ranks. What efgtrace itself does is in the calls." + (counters.left_out ? ` The ${counters.left_out} smallest lines are left out.` : ""), [
        table("Counters", [
            { name: "counter", wide: true, value: (row) => row.name },
            { name: "between calls", n: true, value: (row) => shown(row.name, row.between) },
            { name: "in calls", n: true, value: (row) => shown(row.name, row.in_calls) },
            { name: "an iteration", n: true, title: "of a rank, on average", value: (row) => each(row.in_iterations, row.iterations, row.name) },
            { name: "a recorded one", n: true, title: "of a rank, on average", value: (row) => each(row.in_recorded, row.recorded, row.name) }], counters.totals, 10),
        loops.length ? table("In an iteration of each loop, on average", [
            { name: "loop", wide: true, value: (l) => nested(l.depth, breakable(l.name), l.is_main ? make("span.tag", null, "main loop") : null) }, ...ofLoop], loops, 10, (l) => l.is_main) : null,
        table("Between calls", [
            { name: "from", wide: true, value: (row) => row.from },
            { name: "to", wide: true, value: (row) => row.to }, ...columns], counters.between, 10),
        table("In calls", [
            { name: "call", wide: true, value: (row) => row.label }, ...columns], counters.in_calls, 10)]);
}
