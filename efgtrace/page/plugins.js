/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plug-ins: the numbers and lines that they have said at the end.
 */
function drawPlugins() {
    const said = run.plugins;
    if (!said)
        return;
    const shown = (row, value) => row.unit === "ns" ? ns(value) : row.unit === "B" ? bytes(value)
        : count(value) + (row.unit && " " + row.unit);
    const numbers = said.filter((row) => row.name !== undefined), lines = said.filter((row) => row.line !== undefined);
    section("plugins", "Plug-ins", "What the plug-ins of this run have said at its end, over the ranks that said it.", [
        numbers.length ? table("Numbers", [
            { name: "plug-in", value: (row) => row.plugin },
            { name: "number", wide: true, value: (row) => row.name },
            { name: "ranks", n: true, value: (row) => row.ranks },
            { name: "mean", n: true, value: (row) => shown(row, Math.trunc(row.sum / row.ranks)) },
            { name: "least", n: true, value: (row) => `${shown(row, row.least)} (rank ${row.least_rank})` },
            { name: "most", n: true, value: (row) => `${shown(row, row.most)} (rank ${row.most_rank})` }], numbers, 10) : null,
        lines.length ? table("Lines", [
            { name: "plug-in", value: (row) => row.plugin },
            { name: "line", wide: true, value: (row) => row.line },
            { name: "ranks", n: true, value: (row) => row.ranks > 1 ? row.ranks : `rank ${row.first_rank}` }], lines, 10) : null]);
}
