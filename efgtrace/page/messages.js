/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages: who sends to whom, and how large; the whole run against the recorded iterations.
 */
function matrix(title, messages) {
    const cells = messages.matrix, n = Math.max(messages.ranks || 0, 1 + cells.reduce((most, c) => Math.max(most, c[0], c[1]), 0));
    const size = 380, canvas = make("canvas", { width: size * 2, height: size * 2, role: "img", tabindex: "0", "aria-label": `${title}: bytes from each rank (down) to each rank (across)` });
    const by = new Map(cells.map((c) => [c[0] * n + c[1], c])), most = cells.reduce((m, c) => Math.max(m, c[3]), 1), cell = 2 * size / n;
    canvas.style.width = "100%";
    canvas.style.maxWidth = size + "px";
    onTheme(() => {
        const g = canvas.getContext("2d");
        g.fillStyle = variable("faint");
        g.fillRect(0, 0, 2 * size, 2 * size);
        for (const [from, to, , volume] of cells) {
            g.fillStyle = between(isDark() ? "#2b4054" : "#d4e5f5", isDark() ? "#a9d8ff" : "#08407a", Math.log1p(volume) / Math.log1p(most));
            g.fillRect(to * cell, from * cell, Math.max(1, cell - (cell > 6 ? 1 : 0)), Math.max(1, cell - (cell > 6 ? 1 : 0)));
        }
    });
    canvas.addEventListener("mousemove", (event) => {
        const box = canvas.getBoundingClientRect();
        const to = Math.floor((event.clientX - box.left) / box.width * n), from = Math.floor((event.clientY - box.top) / box.height * n), c = by.get(from * n + to);
        showTip(event, `rank ${from} to rank ${to}`, c ? [["messages", count(c[2])], ["bytes", bytes(c[3])], ["mean", bytes(of(c[3], c[2]))]] : [["messages", "none"]]);
    });
    canvas.addEventListener("mouseleave", hideTip);
    const total = cells.reduce((sum, c) => [sum[0] + c[2], sum[1] + c[3]], [0, 0]);
    return make("figure.panel", null, make("h3", null, title), canvas,
        make("p.note", null, `${plural(total[0], "message")}, ${bytes(total[1])}, ${plural(cells.length, "pair")} of ranks; from above to below the sender, from left to right the receiver; at most ${bytes(most)} a pair`),
        make("details", null, make("summary", null, "The largest, as a table"), table(title, [
            { name: "from", n: true, value: (c) => String(c[0]) }, { name: "to", n: true, value: (c) => String(c[1]) },
            { name: "messages", n: true, value: (c) => count(c[2]) }, { name: "bytes", n: true, value: (c) => bytes(c[3]) }], [...cells].sort((a, b) => b[3] - a[3]).slice(0, 50), 20)));
}

function sizesChart(all, recorded) {
    const f = frame("Sizes of messages, share of all", 1080, 230, { left: 52, right: 20, top: 26, bottom: 40 });
    const sets = [["whole run", all, "accent"], ["recorded iterations", recorded, "slow"]].filter((s) => s[1]);
    const parts = sets.map(([, m]) => { const sum = d3.sum(m.sizes); return m.sizes.map((n) => of(n, sum)); });
    const used = d3.range(32).filter((b) => parts.some((p) => p[b] > 0));
    const x = d3.scaleBand([0, f.width]).domain(d3.range(used[0] ?? 0, (used[used.length - 1] ?? 0) + 1)).padding(.2);
    const y = d3.scaleLinear([0, d3.max(parts, (p) => d3.max(p)) || 1], [f.height, 0]);
    axes(f, x, y, (b) => bytes(2 ** b), d3.format(".0%"), "bytes, from", "share of messages");
    sets.forEach(([name, m, colour], k) => {
        f.plot.append("g").selectAll("rect").data(x.domain()).enter().append("rect").attr("x", (b) => x(b) + k * x.bandwidth() / sets.length).attr("width", x.bandwidth() / sets.length)
            .attr("y", (b) => y(parts[k][b])).attr("height", (b) => f.height - y(parts[k][b])).style("fill", `var(--${colour})`)
            .append("title").text((b) => `${name}: ${m.sizes[b]} messages of ${bytes(2 ** b)} and more`);
        f.plot.append("text").attr("x", f.width - 8).attr("y", 4 + 16 * k).attr("text-anchor", "end").style("fill", `var(--${colour})`).text(name);
    });
    return make("figure.panel", null, f.svg.node());
}

function drawMessages() {
    const m = run.messages;
    if (!m || (!m.all && !m.recorded)) return lacking("messages", "Messages", "messages");
    section("messages", "Messages", "Point-to-point messages: who sends to whom, and how large they are.",
        make("div.two", null, m.all ? matrix("The whole run", m.all) : make("p.notice", null, run.missing.messages),
            m.recorded ? matrix("The recorded iterations", m.recorded) : make("p.notice", null, run.missing.recorded_messages || "There are no recorded messages that could be read.")),
        make("h3", null, "Sizes"), hasD3 ? sizesChart(m.all, m.recorded) : notDrawn("sizes are not shown.", "D3"));
}
