/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ring chart of the tree of callers, after VIPACT: in the middle a function, around it what it calls, farther out what
 * these call; an arc is as long as its share of the time. A click tells of a context, a double click puts it into the middle.
 */
const RINGS_SIZE = 320, RINGS_LEAST = .004; /* points; shorter arcs, of the whole ring, are not drawn */

/* CHOOSE(context), OPEN(context): what clicks do. Returns {element, draw(top, quantity)}. */
function ringChart(choose, open) {
    const half = RINGS_SIZE / 2, svg = d3.create("svg").attr("viewBox", `${-half} ${-half} ${RINGS_SIZE} ${RINGS_SIZE}`)
        .attr("role", "group").attr("aria-label", "Ring chart of the tree of callers: Tab goes through the arcs, Enter chooses one");
    const arc = d3.arc().startAngle((d) => d.x0).endAngle((d) => d.x1).innerRadius((d) => d.y0).outerRadius((d) => d.y1 - 1).padAngle(.003);
    const own = (c, quantity) => Math.max(0, c[quantity].sum - c.children.reduce((sum, child) => sum + child[quantity].sum, 0));
    const draw = (top, quantity) => {
        const tree = d3.hierarchy(top).sum((c) => own(c, quantity)), whole = tree.value || 1, rings = tree.height + 1;
        d3.partition().size([2 * Math.PI, half])(tree);
        const shown = tree.descendants().filter((d) => d.value >= RINGS_LEAST * whole), depth = d3.max(shown, (d) => d.depth) + 1, scale = rings / (depth || 1);
        shown.forEach((d) => { d.y0 *= scale; d.y1 *= scale; });
        svg.selectAll("*").remove();
        const arcs = svg.selectAll("path").data(shown).enter().append("path").attr("class", "arc").attr("d", arc)
            .attr("fill", (d) => flameColour(d.data)).attr("tabindex", 0).attr("role", "button")
            .attr("aria-label", (d) => `${label(d.data)}, ${percent(shareOf(d.data, quantity))}`)
            .on("click", (d) => choose(d.data)).on("dblclick", (d) => open(d.depth ? d.data : contexts[d.data.parent] || d.data));
        arcs.each(function (d) {
            withTip(this, (event) => showTip(event, label(d.data), contextFacts(d.data)));
            onEnter(this, () => choose(d.data));
        });
        svg.append("text").attr("class", "over").attr("text-anchor", "middle").attr("dy", 4).style("pointer-events", "none")
            .text(percent(shareOf(top, quantity)));
    };
    return { element: svg.node(), draw };
}
