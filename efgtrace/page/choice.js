/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A choice of ranks: the flame graph, the tree with the ranks and its rings are then of these only. The document has
 * the times by rank, where a context takes half a percent of the time, of all ranks or of 64 that stand for them.
 */
const rankNumbers = run.times_of || [], wholeTimes = contexts.map((c) => ({ time: c.time, mpi: c.mpi }));
const isChosen = new Set(rankNumbers);
const choiceHearers = []; /* functions that draw it anew */

/* As the document has distributions, of those ranks that have a value. */
function distributionOf(all) {
    const values = all.filter(([, value]) => value > 0).sort((a, b) => a[1] - b[1]), n = values.length;
    const sum = values.reduce((total, [, value]) => total + value, 0);
    if (!n) return { count: 0, sum: 0 };
    const mean = sum / n, [least_rank, least] = values[0], [most_rank, most] = values.find(([, value]) => value === values[n - 1][1]), near = Math.max((most - least) / 6, mean / 100);
    const histogram = new Array(24).fill(0), thirds = [[], [], []];
    for (const [rank, value] of values) {
        histogram[most > least ? Math.min(23, Math.trunc((value - least) / (most - least) * 24)) : 0]++;
        thirds[value - mean < -near ? 0 : value - mean > near ? 2 : 1].push(rank);
    }
    return { count: n, sum, mean, least, least_rank, most, most_rank, median: (values[(n - 1) >> 1][1] + values[n >> 1][1]) / 2, bins: histogram,
        thirds: thirds.map((ranks) => [ranks.length, writeRanks(ranks.sort((a, b) => a - b))]) };
}

/* The times of the contexts are those of RANKS from now on; of all, if there are none of them. */
function chooseRanks(ranks) {
    const known = rankNumbers.filter((rank) => ranks.has(rank)), whole = !known.length || ranks.size === rankNumbers.length && known.length === ranks.size;
    isChosen.clear();
    for (const rank of whole ? rankNumbers : known) isChosen.add(rank);
    const pick = (values) => distributionOf((values || []).map((value, i) => [rankNumbers[i], value]).filter(([rank]) => isChosen.has(rank)));
    contexts.forEach((c, id) => {
        c.time = whole ? wholeTimes[id].time : pick(c.time_by);
        c.mpi = whole ? wholeTimes[id].mpi : c.mpi_by ? pick(c.mpi_by) : c.time;
    });
    choiceHearers.forEach((hear) => hear());
}

/* What the flame graph and the tree have to choose with; nothing for a single rank. */
function rankChooser() {
    if (rankNumbers.length < 2) return null;
    const input = make("input", { type: "search", size: 14, placeholder: "all", "aria-label": "Ranks to show, such as 0-3,8", change: () => take() });
    const said = make("span.note", { role: "status" });
    const take = () => {
        const list = input.value.replace(/\s/g, ""), isList = /^(\d+(-\d+(:[1-9]\d*)?)?(,(?=\d)|$))*$/.test(list);
        if (list && !isList) { said.textContent = "a list such as 0-3,8 is wanted"; return; }
        chooseRanks(new Set(list ? rankNumbers.filter((rank) => list.split(",").some((range) => {
            const [first, last, stride] = range.split(/[-:]/).map(Number);
            return last === undefined ? rank === first : rank >= first && rank <= last && (rank - first) % (stride || 1) === 0;
        })) : rankNumbers));
        if (list && isChosen.size === rankNumbers.length && input.value === "") said.textContent = "none of these ranks is known: all are shown";
    };
    const button = (name, list) => make("button", { type: "button", click: () => { input.value = list; take(); } }, name);
    const clusterButtons = run.clusters.length > 1 ? run.clusters.slice(0, 5).map((c) => button(`cluster ${c.number}`, c.ranks)) : [];
    choiceHearers.push(() => {
        const whole = isChosen.size === rankNumbers.length;
        input.value = whole ? "" : writeRanks([...isChosen].sort((a, b) => a - b));
        said.textContent = whole ? rankNumbers.length < run.overview.ranks ? `${rankNumbers.length} of ${run.overview.ranks} ranks can be chosen` : ""
            : `${isChosen.size} of ${plural(run.overview.ranks, "rank")}; what takes less than 0.5% of all time is left out`;
    });
    return make("div.bar.choice", null, make("label", null, "Ranks ", input), button("all", ""), clusterButtons,
        run.alike.outliers !== "" ? button("outliers", run.alike.outliers) : null, said);
}
