/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages: who sends to whom, and how large; the whole run against the recorded iterations.
 */
const OF_MESSAGES = { what: "bytes from each rank (down) to each rank (across)", counted: "message", value: bytes, name: "bytes", down: "sender", across: "receiver", ends: ["from", "to"], between: "to", colour: () => (share) => volume(share * share), shade: (v, most) => Math.log1p(v) / Math.log1p(most), middle: (most) => Math.expm1(Math.log1p(most) / 2) };

/* MESSAGES, or what is of that form: cells [from, to, count, value] of lines of ranks; WORDS are about it. */
function matrix(title, messages, words = OF_MESSAGES) {
    const cells = messages.matrix, per = messages.per_line, n = Math.max(1, Math.ceil(messages.ranks / per));
    const name = (line) => per === 1 ? `rank ${line}` : `ranks ${line * per} to ${Math.min(messages.ranks, (line + 1) * per) - 1}`;
    const size = 400, edge = 26, canvas = make("canvas", { width: size * 2, height: size * 2, role: "img", tabindex: "0", "aria-label": `${title}: ${words.what}` });
    const by = new Map(cells.map((c) => [c[0] * n + c[1], c])), most = cells.reduce((m, c) => Math.max(m, c[3]), 1), cell = (size - edge) / n;
    canvas.style.width = "100%";
    canvas.style.maxWidth = size + "px";
    const legend = make("p.note");
    onTheme(() => {
        legend.replaceChildren(colourScale(words.colour(), "0", words.value(most), `${words.value(words.middle(most))} in the middle`));
        const g = canvas.getContext("2d"), gap = cell > 4 ? .6 : 0, each = Math.ceil(n / 8);
        g.setTransform(2, 0, 0, 2, 0, 0);
        g.clearRect(0, 0, size, size);
        g.fillStyle = variable("faint");
        g.fillRect(edge, edge, size, size);
        for (const [from, to, , value] of cells) {
            g.fillStyle = words.colour()(LEAST_SHADE + (1 - LEAST_SHADE) * words.shade(value, most));
            g.fillRect(edge + to * cell, edge + from * cell, Math.max(.5, cell - gap), Math.max(.5, cell - gap));
        }
        g.fillStyle = variable("soft");
        g.font = "10.5px system-ui, sans-serif";
        g.textAlign = "center";
        g.textBaseline = "middle";
        for (let i = 0; i < n; i += each) {
            g.fillText(i * per, edge + (i + .5) * cell, edge / 2);
            g.fillText(i * per, edge / 2, edge + (i + .5) * cell);
        }
    });
    canvas.addEventListener("mousemove", (event) => {
        const box = canvas.getBoundingClientRect(), line = (at, room) => Math.floor((at / room * size - edge) / cell);
        const to = line(event.clientX - box.left, box.width), from = line(event.clientY - box.top, box.height), c = by.get(from * n + to);
        if (to < 0 || from < 0 || to >= n || from >= n) return hideTip();
        showTip(event, `${name(from)} ${words.between} ${name(to)}`, c ? [[words.counted + "s", count(c[2])], [words.name, words.value(c[3])], ["mean", words.value(of(c[3], c[2]))]] : [[words.counted + "s", "none"]]);
    });
    canvas.addEventListener("mouseleave", hideTip);
    const total = cells.reduce((sum, c) => [sum[0] + c[2], sum[1] + c[3]], [0, 0]);
    return make("figure.panel", { "aria-label": title }, make("h3", null, title), canvas,
        legend,
        make("p.note", null, `${plural(total[0], words.counted)}, ${words.value(total[1])}, at most ${words.value(most)} a pair; down the ${words.down}, across the ${words.across}` +
            (per > 1 ? `; a line is ${per} ranks` : "") + (messages.others[0] ? `; ${count(messages.others[0])} to ranks that are not told apart` : "")),
        make("details", null, make("summary", null, "The largest, as a table"), table(title, [
            { name: words.ends[0], n: true, value: (c) => name(c[0]) }, { name: words.ends[1], n: true, value: (c) => name(c[1]) },
            { name: words.counted + "s", n: true, value: (c) => String(c[2]) }, { name: words.name, n: true, value: (c) => words.value(c[3]) }], [...cells].sort((a, b) => b[3] - a[3]).slice(0, 50), 20)));
}

function sizesChart(title, all, recorded, which) {
    const f = frame(`Sizes of ${title}, share of all`, 1080, 246, { left: 52, right: 20, top: 42, bottom: 40 });
    const sets = [["whole run", all, "accent"], ["recorded iterations", recorded, "mark"]].filter((s) => s[1]);
    const parts = sets.map(([, m]) => { const sum = d3.sum(m[which]); return m[which].map((n) => of(n, sum)); });
    const used = d3.range(32).filter((b) => parts.some((p) => p[b] > 0));
    const first = Math.max(0, used[0] - 2), last = Math.max(used[used.length - 1] + 3, first + 10);
    const x = d3.scaleBand([0, f.width]).domain(d3.range(first, last)).padding(.25);
    const y = d3.scaleLinear([0, d3.max(parts, (p) => d3.max(p)) || 1], [f.height, 0]);
    axes(f, x, y, atTicks.size, atTicks.share, "bytes, from", `share of ${title}`);
    sets.forEach(([name, m, colour], k) => {
        f.plot.append("g").selectAll("rect").data(x.domain()).enter().append("rect").attr("x", (b) => x(b) + k * x.bandwidth() / sets.length).attr("width", x.bandwidth() / sets.length)
            .attr("y", (b) => y(parts[k][b])).attr("height", (b) => f.height - y(parts[k][b])).style("fill", `var(--${colour})`)
            .append("title").text((b) => `${name}: ${m[which][b]} of ${bytes(2 ** b)} and more`);
        f.plot.append("text").attr("x", f.width - 150 * (sets.length - 1 - k)).attr("y", -26).attr("text-anchor", "end").style("fill", `var(--${colour})`).text(name);
    });
    return make("figure.panel", { "aria-label": f.label }, f.svg.node());
}

function drawMessages() {
    const m = run.messages;
    if (!m) return lacking("messages", "Messages", "messages");
    section("messages", "Messages", "Point-to-point messages: who sends to whom, and how large they are.",
        make("div.two", null, matrix("The whole run", m.all),
            m.recorded ? matrix("The recorded iterations", m.recorded) : make("p.notice", null, "Nothing was sent in recorded iterations.")),
        make("h3", null, "Sizes"),
        hasD3 ? [["messages", "sizes"], ["collectives", "collectives"]].filter(([, which]) => m.all[which].some((n) => n)).map(([title, which]) => sizesChart(title, m.all, m.recorded, which))
            : notDrawn("sizes are not shown.", "D3"));
}
