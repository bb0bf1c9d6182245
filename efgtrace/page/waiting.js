/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why ranks wait in the recorded iterations: what their time is made of, where they wait, what causes it, who
 * waits for whom.
 */
function waitingKinds(w) {
    const kinds = Object.entries(w.all.waiting).map(([kind, time]) => ["waiting: " + kind, time]);
    return [["computation", w.all.computation], ...kinds, ["the rest in MPI: transfer, software", w.all.transfer]];
}

const waitedBy = (sum) => Object.values(sum.waiting).reduce((all, time) => all + time, 0);

const causedBy = (site) => Object.values(site.caused).reduce((all, cost) => all + cost.direct + cost.indirect, 0);

/* What SAY says of a call site as it is among those that wait; nothing if it is not, or waits little. */
function waitingOf(site, say) {
    const found = run.waiting.sites.find((one) => one.hash === site.hash);
    return found ? say(found) : "";
}

/* Both parts of each site that have caused any. */
function waitingCauses(w) {
    return w.sites.flatMap((site) => Object.entries(site.caused).map(([part, cost]) => ({
        site, isBefore: part === "computation", all: cost.direct + cost.indirect, direct: cost.direct, path: cost.path })))
        .filter((cause) => cause.all > 0).sort((a, b) => b.all - a.all);
}

const OF_WAITING = { what: "time that each rank (down) waits for each rank (across)", counted: "wait", value: ns, name: "time", down: "rank that waits", across: "rank that it waits for", ends: ["rank", "for"], between: "waits for", colour: () => heat, shade: (v, most) => v / most, middle: (most) => most / 2 };

/* Pairs as cells of a matrix of 64 lines at most. */
function waitingMatrix(w) {
    const ranks = run.overview.ranks, per = Math.ceil(ranks / 64), cells = new Map();
    for (const [rank, other, time, times] of w.pairs) {
        if (other === null) continue;
        const [from, to] = [Math.floor(rank / per), Math.floor(other / per)], cell = cells.get(from * ranks + to) || [from, to, 0, 0];
        cell[2] += times;
        cell[3] += time;
        cells.set(from * ranks + to, cell);
    }
    return cells.size ? matrix("Who waits for whom, as a matrix", { matrix: [...cells.values()], per_line: per, ranks, others: [0, 0] }, OF_WAITING) : null;
}

/* Communicators, RMA windows, files. A file's bytes a second are those of all ranks that use it. */
function waitingObjects(w) {
    const rate = (object) => object.bytes && object.time ? bytes(object.bytes / (object.time / object.locations / 1e9)) : "";
    return make("div.panel", null, table("Communicators, RMA windows and files", [
        { name: "of", wide: true, value: (object) => object.kind === "file" ? object.name : `${object.name}, ${plural(object.ranks, "rank")}` },
        { name: "in MPI", n: true, value: (object) => ns(object.time) },
        { name: "of all", n: true, value: (object) => percent(of(object.time, w.all.mpi)) },
        { name: "waiting", n: true, value: (object) => ns(object.waiting) },
        { name: "of its time", n: true, value: (object) => percent(of(object.waiting, object.time)) },
        { name: "calls", n: true, value: (object) => count(object.calls) },
        { name: "bytes", n: true, value: (object) => bytes(object.bytes) },
        { name: "a second", n: true, title: "bytes, of all ranks that use it", value: rate }], w.objects, 20),
        w.objects_left_out ? make("p.note", null, `${count(w.objects_left_out)} with less time are left out.`) : null);
}

function drawWaiting() {
    const w = run.waiting;
    if (!w) return lacking("waiting", "Waiting", "waiting");
    const waited = waitedBy(w.all), e = w.efficiency;
    const mainKind = (sum) => Object.entries(sum.waiting).reduce((most, one) => one[1] > most[1] ? one : most)[0];
    section("waiting", "Waiting", "Where ranks wait in the recorded iterations, for whom, and why. The cause is what the late rank spent more time on than the waiting one since they last met; indirect is what was passed on by ranks that waited themselves.",
        make("dl.facts.panel", null, [["parallel efficiency", e.parallel], ["= load balance", e.balance], ["\u00d7 serialisation (estimated)", e.serialisation], ["\u00d7 transfer", e.transfer]]
            .map(([name, value]) => [make("dt", null, name), make("dd", null, percent(value))])),
        make("div.panel", null, table("What the time of all ranks is made of", [
            { name: "part", value: ([name]) => name },
            { name: "share", n: true, value: ([, time]) => shareBar(of(time, w.all.time)) },
            { name: "time", n: true, value: ([, time]) => ns(time) }], waitingKinds(w))),
        make("div.panel", null, table("Where they wait", [
            { name: "at", wide: true, value: (site) => siteName(site) },
            { name: "waiting", n: true, value: (site) => ns(waitedBy(site)) },
            { name: "of all", n: true, value: (site) => shareBar(of(waitedBy(site), waited)) },
            { name: "of its time", n: true, value: (site) => percent(of(waitedBy(site), site.mpi)) },
            { name: "mostly", value: mainKind }], w.sites.filter(waitedBy).sort((a, b) => waitedBy(b) - waitedBy(a)), 20)),
        make("div.panel", null, table("What causes it", [
            { name: "by", wide: true, value: (cause) => siteName(cause.site, cause.isBefore ? make("span.tag", null, "computation before") : null) },
            { name: "caused", n: true, value: (cause) => ns(cause.all) },
            { name: "of all", n: true, value: (cause) => shareBar(of(cause.all, waited)) },
            { name: "direct", n: true, value: (cause) => percent(of(cause.direct, cause.all)) },
            { name: "critical path", n: true, title: "share of it", value: (cause) => percent(of(cause.path, w.path)) }], waitingCauses(w), 20)),
        make("div.panel", null, table("Who waits for whom", [
            { name: "rank", n: true, value: ([rank]) => String(rank) },
            { name: "for rank", n: true, value: ([, other]) => other === null ? "unknown" : String(other) },
            { name: "waiting", n: true, value: ([, , time]) => ns(time) },
            { name: "of all", n: true, value: ([, , time]) => shareBar(of(time, waited)) },
            { name: "times", n: true, value: ([, , , times]) => count(times) }], w.pairs, 20)),
        w.objects.length ? waitingObjects(w) : null,
        waitingMatrix(w), w.pairs_left_out ? make("p.note", null, `${plural(w.pairs_left_out, "pair")} with less waiting are left out.`) : null);
}
