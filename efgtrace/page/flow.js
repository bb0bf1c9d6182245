/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the flow graph shows below a context, after Fürlinger and Skinner: each child of it is a box,
 * deeper calls are folded into the child that leads to them; of what is outside, only those from
 * where a transition comes in or to where one goes, as dotted boxes.
 */

/* Visits of edges that are drawn as one, as long as the same ranks come by. */
function addVisits(sum, visits) {
    for (const v of visits) {
        const known = sum.find((s) => s.ranks === v.ranks);
        if (known) { known.least += v.least; known.most += v.most; }
        else sum.push({ ...v });
    }
}

function parseRanks(list) {
    return list.split(",").flatMap((range) => {
        const [, first, last, stride] = /^(\d+)(?:-(\d+))?(?::(\d+))?$/.exec(range).map(Number);
        if (isNaN(last)) return [first];
        const step = stride || 1;
        return Array.from({ length: (last - first) / step + 1 }, (_, i) => first + i * step);
    });
}

/* Ascending ranks as a list: "0-3,8-14:2". */
function writeRanks(ranks) {
    const parts = [];
    for (let i = 0, end; i < ranks.length; i = end + 1) {
        const stride = ranks[i + 1] - ranks[i];
        for (end = i; ranks[end + 1] - ranks[end] === stride;) end++;
        if (end - i === 1 && stride > 1) end = i;
        parts.push(end === i ? String(ranks[i]) : `${ranks[i]}-${ranks[end]}` + (stride > 1 ? ":" + stride : ""));
    }
    return parts.join(",");
}

/* What each rank does in all, the ranks with the same number together. */
function byNumber(visits) {
    if (visits.length < 2) return visits;
    const sums = new Map(), same = new Map();
    for (const v of visits)
        for (const rank of parseRanks(v.ranks)) {
            const sum = sums.get(rank) || { least: 0, most: 0 };
            sums.set(rank, { least: sum.least + v.least, most: sum.most + v.most });
        }
    for (const rank of [...sums.keys()].sort((a, b) => a - b)) {
        const { least, most } = sums.get(rank), key = least + " " + most;
        if (!same.has(key)) same.set(key, { least, most, ranks: [] });
        same.get(key).ranks.push(rank);
    }
    return [...same.values()].map((s) => ({ ...s, ranks: writeRanks(s.ranks) }));
}

/* Equal numbers are one cluster: "200 \u00d7 (0-2)", without ranks if it is all of them. */
function clusters(visits, allRanks) {
    const short = (list) => list.length > 24 ? list.slice(0, list.lastIndexOf(",", 24) > 0 ? list.lastIndexOf(",", 24) : 24) + ",\u2026" : list;
    return byNumber(visits).map((v) => fromTo(count(v.least), count(v.most)) + " \u00d7" +
        (v.ranks === allRanks ? "" : ` (${short(v.ranks)})`));
}

/* The boxes and ways below TOP: {boxes [{key, context, isOutside, isRest, nodes, time, bytes, calls}],
 * ways [{from, to, count, time, visits}]}. */
function flowBelow(top) {
    const graph = run.graph, boxes = new Map(), ways = new Map();
    const inside = graph.nodes.map((node) => isBelow(contexts[node.context], top));
    const boxOf = (node) => {
        const c = contexts[node.context], isInside = inside[node.id];
        let above = top;
        while (!isBelow(c, above)) above = contexts[above.parent];
        const at = c === above ? c : childTowards(c, above);
        const key = (isInside ? "in" : "out") + at.id;
        if (!boxes.has(key)) boxes.set(key, { key, context: at, isOutside: !isInside, isRest: c === above && !c.is_call, nodes: 0, time: 0, bytes: 0, calls: 0, first: node.id });
        return boxes.get(key);
    };
    for (const node of graph.nodes) {
        if (!inside[node.id]) continue;
        const box = boxOf(node);
        box.nodes++;
        box.time += node.time.sum + node.poll_time;
        box.bytes += node.bytes;
        box.calls += node.count;
    }
    for (const edge of graph.edges) {
        if (!inside[edge.from] && !inside[edge.to]) continue;
        const from = boxOf(graph.nodes[edge.from]), to = boxOf(graph.nodes[edge.to]);
        const key = from.key + " " + to.key;
        if (!ways.has(key)) ways.set(key, { from, to, count: 0, time: 0, visits: [], edges: 0 });
        const way = ways.get(key);
        way.count += edge.count;
        way.time += edge.time.sum;
        way.edges += edge.edges || 1;
        addVisits(way.visits, edge.visits);
    }
    return { boxes: [...boxes.values()].sort((a, b) => a.first - b.first), ways: [...ways.values()] };
}

/* A call right in a function that has no context of its own was left out with others. */
const titleOf = (box) => box.isRest ? "(smaller calls)" : label(box.context);

/* Only the MOST boxes with the most of QUANTITY inside, and their ways. */
function limited(flow, quantity, most) {
    if (flow.boxes.length <= most) return { ...flow, left: 0 };
    const kept = new Set([...flow.boxes].sort((a, b) => b[quantity] - a[quantity]).slice(0, most));
    return { boxes: flow.boxes.filter((b) => kept.has(b)), ways: flow.ways.filter((w) => kept.has(w.from) && kept.has(w.to)), left: flow.boxes.length - most };
}

function flowTables(flow, allRanks) {
    const name = (box) => titleOf(box) + (box.isOutside ? " (outside)" : "");
    return [table("Calls and functions below the selected one", [
        { name: "what", wide: true, value: (b) => name(b) },
        { name: "MPI calls", n: true, value: (b) => count(b.calls) },
        { name: "in MPI", n: true, value: (b) => ns(b.time) },
        { name: "bytes", n: true, value: (b) => bytes(b.bytes) }], flow.boxes.filter((b) => !b.isOutside), 20),
    table("Transitions", [
        { name: "from", wide: true, value: (w) => name(w.from) },
        { name: "to", wide: true, value: (w) => name(w.to) },
        { name: "how often", value: (w) => clusters(w.visits, allRanks).join("; ") },
        { name: "computation between", n: true, value: (w) => ns(w.time) }], [...flow.ways].sort((a, b) => b.time - a.time), 20)];
}
