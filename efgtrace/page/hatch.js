/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waiting in the timeline: the part of a call that waits is hatched; what made it wait is found by a click: the call
 * of the other rank that began when the waiting ended, and what that rank did before.
 */
const HATCH_LEAST = 3;   /* points that a wait takes, to be hatched */
const WAITS_LISTED = 12;

/* Of each call of a location: how long it waits, why, for which rank (-1: not known). */
function unpackWaits(location, n) {
    const waits = location.waits || [], wait = new Float64Array(n), kind = new Uint8Array(n), other = new Int32Array(n).fill(-1);
    for (let i = 0, call = 0; i < waits.length; i += 4) {
        call += waits[i];
        [wait[call], kind[call], other[call]] = [waits[i + 1], waits[i + 2], waits[i + 3]];
    }
    return { wait, kind, other };
}

function hatching(g) {
    const tile = make("canvas", { width: 6, height: 6 }), t = tile.getContext("2d");
    t.strokeStyle = variable("ink");
    t.lineWidth = 1.1;
    t.beginPath();
    for (const x of [-6, 0, 6]) { t.moveTo(x, 6); t.lineTo(x + 6, 0); }
    t.stroke();
    return g.createPattern(tile, "repeat");
}

function drawHatching(g, view) {
    const room = (view.end - view.begin) / (view.width - view.left) * HATCH_LEAST, high = view.row > 5 ? view.row - 2 : view.row;
    if (view.row < 3) return;
    g.fillStyle = hatching(g);
    g.globalAlpha = .55;
    view.locations.forEach(({ begin, end, wait }, l) => {
        for (let i = firstFrom(end, view.begin); i < begin.length && begin[i] < view.end; i++)
            if (wait[i] >= room) g.fillRect(view.x(begin[i]), view.top + l * view.row, view.x(begin[i] + wait[i]) - view.x(begin[i]), high);
    });
    g.globalAlpha = 1;
}

/* What call I of location L waits for: {location, call} of the other rank, and how long that one computed before;
 * null if that is not in the timeline. */
function causeOf(view, l, i) {
    const { begin, wait, other } = view.locations[l], until = begin[i] + wait[i];
    let best = null, least = Infinity;
    view.locations.forEach((location, at) => {
        if (location.rank !== other[i] || !location.begin.length) return;
        const near = firstFrom(location.begin, until), call = near < location.begin.length && location.begin[near] - until <= 1 ? near : Math.max(0, near - 1);
        const apart = Math.abs(location.begin[call] - until);
        if (apart < least) [best, least] = [{ location: at, call, before: call ? location.begin[call] - location.end[call - 1] : null }, apart];
    });
    return best;
}

const waitFacts = (view, { wait, kind, other }, i) => wait[i] ? [["waits", `${ns(wait[i])}, ${view.timeline.kinds[kind[i]]}`], ["for", other[i] < 0 ? "unknown" : `rank ${other[i]}: a click shows it`]] : [];

function causeText(view, l, i) {
    const mine = view.locations[l], cause = causeOf(view, l, i), what = `${mine.name} waits ${ns(mine.wait[i])} (${view.timeline.kinds[mine.kind[i]]}) in ${view.timeline.sites[mine.site[i]].label}`;
    if (!cause) return what + (mine.other[i] < 0 ? "; for whom is not known." : `, for rank ${mine.other[i]}, whose call is not in the timeline.`);
    const other = view.locations[cause.location], site = view.timeline.sites[other.site[cause.call]].label;
    return `${what}, until ${other.name} begins ${site}` + (cause.before === null ? "." : `, after ${ns(cause.before)} of computation.`);
}

/* From where the waiting ends to the call that ended it; and that call, with the computation before it. */
function drawCause(g, view) {
    const [l, i] = view.chosen, mine = view.locations[l], cause = causeOf(view, l, i);
    const box = (at, from, to) => g.strokeRect(view.x(from), view.top + at * view.row + 1, Math.max(2, view.x(to) - view.x(from)), Math.max(2, view.row - 4));
    g.strokeStyle = variable("accent");
    g.lineWidth = 2;
    box(l, mine.begin[i], mine.begin[i] + mine.wait[i]);
    if (!cause) return;
    const other = view.locations[cause.location], call = cause.call, x = view.x(mine.begin[i] + mine.wait[i]);
    box(cause.location, other.begin[call] - (cause.before || 0), other.begin[call]);
    g.beginPath();
    g.moveTo(x, view.top + (l + .5) * view.row);
    g.lineTo(view.x(other.begin[call]), view.top + (cause.location + .5) * view.row);
    g.stroke();
}

/* The longest waits, each with a button that shows it. */
function waitsTable(view, show) {
    const all = view.locations.flatMap((location, l) => [...location.wait.keys()].filter((i) => location.wait[i]).map((i) => [l, i]))
        .sort((a, b) => view.locations[b[0]].wait[b[1]] - view.locations[a[0]].wait[a[1]]).slice(0, WAITS_LISTED);
    return all.length ? table("The longest waits", [
        { name: "rank", value: ([l]) => view.locations[l].name.slice(5) }, { name: "waits", n: true, value: ([l, i]) => ns(view.locations[l].wait[i]) },
        { name: "in", wide: true, value: ([l, i]) => view.timeline.sites[view.locations[l].site[i]].label },
        { name: "why", value: ([l, i]) => view.timeline.kinds[view.locations[l].kind[i]] },
        { name: "for rank", n: true, value: ([l, i]) => view.locations[l].other[i] < 0 ? "unknown" : String(view.locations[l].other[i]) },
        { name: "timeline", value: ([l, i]) => make("button", { type: "button", "aria-label": `show what ${view.locations[l].name} waits for`, click: () => show(l, i) }, "Show") }], all, WAITS_LISTED) : null;
}
