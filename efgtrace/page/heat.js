/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Iterations x ranks: a heat map of the whole run, of how long iterations took on each rank, and how much of that
 * was computation or in MPI. A row is a rank, or ranks that are alike; a column some consecutive iterations. Those
 * that were recorded are marked, and open the timeline.
 */
const HEAT_QUANTITIES = [["duration", (time) => time], ["computation", (time, mpi) => time - mpi], ["in MPI", (time, mpi) => mpi]];

/* The map, and where it is drawn: values of cells, null where there are none, and the colours' ends. */
function heatView(map, quantity) {
    const [name, value] = HEAT_QUANTITIES[quantity];
    const cells = map.rows.map((row) => row.time.map((time, c) => time === null ? null : value(time, row.mpi[c])));
    const sorted = cells.flat().filter((v) => v !== null).sort((a, b) => a - b);
    const least = sorted[0] || 0, most = sorted[Math.floor(.995 * (sorted.length - 1))] || 0; /* a few outliers are as dark as the next */
    const row = Math.max(6, Math.min(24, 420 / map.rows.length));
    const names = map.rows.map((row) => (row.rank_count > 1 ? "ranks " : "rank ") + someRanks(row.ranks, 9));
    return { map, name, names, cells, least, most, row, left: 96, top: 18, width: 900, columns: map.rows[0].time.length, height: row * map.rows.length + 18 + 24,
        x(column) { return this.left + column / this.columns * (this.width - this.left); },
        share(v) { return this.most > this.least ? Math.min(1, (v - this.least) / (this.most - this.least)) : 0; },
        number(column) { return this.map.first + column * this.map.width; } };
}

const isColumnRecorded = (view, column) => isRecorded(view.number(column), view.map.width);

/* A colour for each cell; from a pale one on, so that what has no value is seen. */
function drawHeatOn(canvas, view) {
    const ratio = devicePixelRatio || 1, g = canvas.getContext("2d");
    g.font = "11px system-ui, sans-serif";
    view.left = Math.min(96, Math.ceil(Math.max(...view.names.map((name) => g.measureText(name).width))) + 12);
    view.width = canvas.getBoundingClientRect().width || 900;
    Object.assign(canvas, { width: Math.round(view.width * ratio), height: Math.round(view.height * ratio) });
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, view.width, view.height);
    view.cells.forEach((row, i) => row.forEach((v, c) => {
        if (v === null) return;
        g.fillStyle = heat(LEAST_SHADE + (1 - LEAST_SHADE) * view.share(v));
        g.fillRect(view.x(c), view.top + i * view.row, view.x(c + 1) - view.x(c) + .3, view.row - (view.row > 9 ? 1 : 0));
    }));
    g.font = "11px system-ui, sans-serif";
    g.textBaseline = "middle";
    g.fillStyle = variable("soft");
    const skip = Math.ceil(12 / view.row), below = view.height - 10;
    view.names.forEach((name, i) => { if (i % skip === 0) g.fillText(name, 4, view.top + (i + .5) * view.row, view.left - 8); });
    g.textAlign = "center";
    for (let c = 0, free = 0; c < view.columns; c++) {
        if (view.x(c) < free || view.x(c) > view.width - 20) continue;
        g.fillText("#" + view.number(c), Math.max(view.x(c), view.left + 14), below);
        free = view.x(c) + 90;
    }
    g.textAlign = "left";
    g.fillStyle = variable("mark");
    for (let c = 0; c < view.columns; c++)
        if (isColumnRecorded(view, c)) g.fillRect(view.x(c), 5, Math.max(3, view.x(c + 1) - view.x(c)), 8);
}

/* The cell at a point: [row, column], or null. */
function heatCell(event, view, canvas) {
    const box = canvas.getBoundingClientRect(), column = Math.floor((event.clientX - box.left - view.left) / (view.width - view.left) * view.columns);
    const row = Math.floor((event.clientY - box.top - view.top) / view.row);
    return column >= 0 && column < view.columns && row < view.map.rows.length ? [Math.max(0, row), column] : null;
}

function tellHeat(event, view, canvas) {
    const cell = heatCell(event, view, canvas);
    if (!cell) return hideTip();
    const [row, column] = cell, { ranks, time, mpi } = view.map.rows[row], first = view.number(column), last = first + view.map.width - 1;
    const known = time[column] === null ? [["no iteration", "of this loop"]]
        : [["duration", ns(time[column])], ["computation", ns(time[column] - mpi[column])], ["in MPI", `${ns(mpi[column])}, ${percent(of(mpi[column], time[column]))}`]];
    showTip(event, iterationsFrom(first, last) + (first === last ? "" : ", mean"),
        [["rank", someRanks(ranks, 40)], ...known, ["recorded", isColumnRecorded(view, column) ? "yes: a click shows them" : "no"]]);
}

function heatLegend(view) {
    return make("span.note", null, colourScale(heat, ns(view.least), ns(view.most)));
}

function heatTable(map) {
    return table("Mean iteration by rank", [
        { name: "ranks", wide: true, value: (r) => someRanks(r.ranks, 60) }, { name: "duration", n: true, value: (r) => ns(r.mean_time) },
        { name: "computation", n: true, value: (r) => ns(r.mean_time - r.mean_mpi) },
        { name: "in MPI", n: true, value: (r) => percent(of(r.mean_mpi, r.mean_time)) }], map.rows, 15);
}

function drawHeat() {
    const map = run.heat;
    if (!map || !map.rows.length) return lacking("heat", "Iterations by rank", "iterations");
    const alike = map.apart ? `, ranks of a row differ by ${percent(map.apart)} at most` : "";
    const lead = `How long the iterations took on each rank, over the whole run: a column is ${plural(map.width, "iteration")}${alike}. Those marked above were recorded: a click shows them in the timeline.`;
    if (!hasD3) return section("heat", "Iterations by rank", lead, notDrawn("the heat map is a table.", "D3"), heatTable(map));
    const canvas = make("canvas", { role: "img", "aria-label": `Heat map of ${plural(map.rows.length, "row")} of ranks over the iterations` });
    const legend = make("span");
    let view = heatView(map, 0);
    const draw = () => {
        canvas.style.height = view.height + "px";
        legend.replaceChildren(heatLegend(view));
        drawHeatOn(canvas, view);
        canvas.dataset.quantity = view.name;
    };
    const choose = make("select", { "aria-label": "What is shown", change: () => { view = heatView(map, Number(choose.value)); draw(); } },
        HEAT_QUANTITIES.map(([name], i) => make("option", { value: i }, name)));
    const recorded = run.timeline ? run.iterations.recorded.slice(0, 6).map(([from, to]) => make("button", { type: "button", click: () => showInTimeline(from, to) },
        `Recorded: ${fromTo(from, to - 1)}`)) : [];
    canvas.addEventListener("mousemove", (event) => tellHeat(event, view, canvas));
    canvas.addEventListener("mouseleave", hideTip);
    canvas.addEventListener("click", (event) => {
        const cell = heatCell(event, view, canvas);
        if (cell && isColumnRecorded(view, cell[1])) showInTimeline(view.number(cell[1]), view.number(cell[1] + 1));
    });
    section("heat", "Iterations by rank", lead, make("div.bar", null, choose, legend, recorded), make("div.stage", null, canvas),
        map.without ? make("p.note", null, `Ranks ${someRanks(map.without, 60)} do not have the loop.`) : null,
        make("details", null, make("summary", null, "As a table"), heatTable(map)));
    addEventListener("resize", draw);
    onTheme(draw);
}
