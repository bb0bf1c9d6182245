/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a row of a call site or of a loop opens: its call path with lines of source, sizes and partners, times of the
 * ranks; and a way to the flow graph.
 */

/* Select a context in the flow graph, and go there. */
let showInFlow = () => location.assign("#flow");

const factsList = (facts) => make("dl.facts", null, facts.map(([name, value]) => [make("dt", null, name), make("dd", null, value)]));

/* From the call outwards; the line is where the function calls what is above it. */
function pathList(context) {
    const path = pathOf(context).reverse();
    return make("ol.path", null, path.filter((c) => !c.is_call || path.length === 1).map((c, i) => {
        const called = path[i], at = called && called.line ? called : null;
        return make("li", null, make("span", null, breakable(c.name)), make("span.from", null, at ? baseName(c.file) + ":" + at.line : baseName(c.module)),
            at && at.code ? make("code.line", null, at.code) : null);
    }));
}

/* Sizes and partners of messages that calls of a site have sent or received in the recorded iterations. */
function recordedSizes(hash) {
    if (!run.timeline) return [];
    const view = recordedSizes.view = recordedSizes.view || timelineView(run.timeline), m = view.messages, sizes = [], pairs = new Set();
    view.ofCalls = view.ofCalls || messagesOfCalls(view);
    view.ofCalls.forEach((calls, l) => calls.forEach((mine, i) => {
        if (view.timeline.sites[view.locations[l].site[i]].hash !== hash) return;
        for (const [k, other] of mine) {
            sizes.push(m.bytes[k]);
            pairs.add(`${view.locations[l].rank} ${m.from[k] === l ? "\u2192" : "\u2190"} ${view.locations[other].rank}`);
        }
    }));
    if (!sizes.length) return [];
    sizes.sort((a, b) => a - b);
    const shown = [...pairs].slice(0, 12).join(", ");
    return [["in the recorded iterations", `${plural(sizes.length, "message")} of ${fromTo(bytes(sizes[0]), bytes(sizes[sizes.length - 1]))}, median ${bytes(sizes[sizes.length >> 1])}`],
        ["between ranks", pairs.size > 12 ? `${shown} and ${pairs.size - 12} more` : shown]];
}

/* How long calls took, by powers of two. */
function timesOf(nodes) {
    const by = new Map();
    for (const [bin, n] of nodes.flatMap((node) => node.time.histogram)) by.set(bin, (by.get(bin) || 0) + n);
    const used = [...by.keys()].sort((a, b) => a - b), all = [...by.values()].reduce((a, b) => a + b, 0);
    return used.map((bin) => `${percent(by.get(bin) / all)} from ${ns(2 ** bin)}`);
}

function contextDetails(context, facts) {
    const flow = make("button", { type: "button", click: () => showInFlow(context.is_call ? contexts[context.parent] : context) }, "Show in the flow graph");
    return make("div.two", null,
        make("div", null, make("h3", null, "Call path"), pathList(context), make("div.bar", null, flow)),
        make("div", null, make("h3", null, "Figures"), factsList(facts),
            make("h3", null, "Time over the ranks"), bins(context.time, 280, 50), factsList(spreadFacts(context.time)), thirdsList(context.time)));
}

function siteDetails(site) {
    const nodes = run.graph.nodes.filter((node) => node.hash === site.hash); /* in a large page there are none */
    const size = site.bytes ? [["bytes of a call, mean", bytes(site.bytes / site.calls)]] : [];
    return contextDetails(contexts[site.context], [["calls", count(site.calls)], ...size, ...recordedSizes(site.hash), ...(nodes.length ? [["a call takes", timesOf(nodes).join(", ")]] : [])]);
}

function loopDetails(loop) {
    return contextDetails(contexts[loop.context], [["repetitions", String(loop.repetitions)], ["entered", `${count(loop.entries)} times`], ["begins at", loop.label], ["ranks", ranksText(loop.ranks)],
        ["MPI calls", count(loop.events)]]);
}
