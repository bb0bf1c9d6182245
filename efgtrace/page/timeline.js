/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timeline of the recorded iterations: a row for each thread of a rank, calls by the colour of their
 * function, messages as lines.
 *
 * Calls are not drawn one by one: for each point of a row their colours are summed up, each weighed
 * by how much of the point it covers, and all rows become one picture. So calls that are too short
 * to be seen show as what they are together, and half a million of them are no slower to draw than
 * to go through.
 */
const LINES_MOST = 1500;
const LEAST_SEEN = .35; /* of the colour of a point where there is a call, however short */
const NEAR = 4;         /* points from a line of a message */
const ARROWS_MOST = 300; /* lines with heads */
const MARKS_APART = 6;  /* points between marks of iterations */
const MESSAGES_TOLD = 4; /* of a call, by the tip */

/* The document has gaps and durations; here are times: {begin, end, site} of each location. */
function unpackCalls(location) {
    const n = location.calls.length / 3, begin = new Float64Array(n), end = new Float64Array(n), site = new Uint32Array(n);
    for (let i = 0, t = 0; i < n; i++) {
        begin[i] = t + location.calls[3 * i];
        end[i] = t = begin[i] + location.calls[3 * i + 1];
        site[i] = location.calls[3 * i + 2];
    }
    return { ...location, begin, end, site, ...unpackWaits(location, n), name: "rank " + location.rank + (location.thread ? "." + location.thread : "") };
}

function unpackMessages(packed) {
    const n = packed.length / 5, messages = { n, from: new Uint32Array(n), to: new Uint32Array(n), sent: new Float64Array(n), received: new Float64Array(n), bytes: new Float64Array(n), longest: 0 };
    for (let i = 0, t = 0; i < n; i++) {
        messages.from[i] = packed[5 * i];
        messages.to[i] = packed[5 * i + 1];
        messages.sent[i] = t += packed[5 * i + 2];
        messages.received[i] = t + packed[5 * i + 3];
        messages.bytes[i] = packed[5 * i + 4];
        messages.longest = Math.max(messages.longest, Math.abs(packed[5 * i + 3]));
    }
    return messages;
}

/* Of each location, by its calls: the messages that they send or receive, [message, index of the other location]. */
function messagesOfCalls({ locations, messages: m }) {
    const ofCalls = locations.map(() => new Map());
    const add = (at, time, i, other) => {
        const { begin, end } = locations[at], call = firstFrom(end, time);
        if (call >= begin.length || begin[call] > time) return;
        if (!ofCalls[at].has(call)) ofCalls[at].set(call, []);
        ofCalls[at].get(call).push([i, other]);
    };
    for (let i = 0; i < m.n; i++) {
        add(m.from[i], m.sent[i], i, m.to[i]);
        add(m.to[i], m.received[i], i, m.from[i]);
    }
    return ofCalls;
}

/* The first index whose value is at least TIME. */
function firstFrom(values, time) {
    let low = 0, high = values.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* What is drawn, and where: the view of the canvas. */
function timelineView(timeline) {
    const locations = timeline.locations.map(unpackCalls), messages = unpackMessages(timeline.messages);
    const left = 78, top = 22, height = Math.max(200, Math.min(700, locations.length * 26));
    return { timeline, locations, messages, ofCalls: null, left, top, row: height / Math.max(1, locations.length), height: height + top + 26, width: 900, lines: true, hatched: true, chosen: null,
        begin: 0, end: 1, home: [0, timeline.end],
        x(time) { return this.left + (time - this.begin) / (this.end - this.begin) * (this.width - this.left); },
        time(x) { return this.begin + (x - this.left) / (this.width - this.left) * (this.end - this.begin); } };
}

/* Add the calls of a location to SUMS of the points of a row: red, green, blue, and what of the
 * point is covered. COLOURS: three numbers for each site. */
function addCalls(sums, points, view, { begin, end, site }, colours) {
    const scale = points / (view.end - view.begin);
    for (let i = firstFrom(end, view.begin); i < begin.length && begin[i] < view.end; i++) {
        const from = Math.max(0, (begin[i] - view.begin) * scale), to = Math.min(points, (end[i] - view.begin) * scale);
        const colour = 3 * site[i], red = colours[colour], green = colours[colour + 1], blue = colours[colour + 2];
        for (let x = Math.trunc(from), last = Math.min(points - 1, Math.trunc(to)); x <= last; x++) {
            const share = Math.min(to, x + 1) - Math.max(from, x) + 1e-6, at = 4 * x;
            sums[at] += share * red;
            sums[at + 1] += share * green;
            sums[at + 2] += share * blue;
            sums[at + 3] += share;
        }
    }
}

/* Write SUMS, of COUNT locations, to the points DATA from AT on, over the colour BEHIND. */
function putRow(data, at, sums, points, count, behind) {
    for (let i = 0; i < 4 * points; i += 4) {
        const covered = sums[i + 3], share = covered ? Math.min(1, Math.max(LEAST_SEEN, covered / count)) : 0;
        for (let k = 0; k < 3; k++)
            data[at + i + k] = behind[k] + (share ? (sums[i + k] / covered - behind[k]) * share : 0);
        data[at + i + 3] = 255;
    }
}

/* The calls of all locations, a row of points for each; where there are more locations than points
 * from top to bottom, several share a row. */
function drawRows(g, view, ratio, bottom) {
    const points = Math.max(1, Math.round((view.width - view.left) * ratio)), many = view.locations.length;
    const rows = Math.min(many, Math.round((bottom - view.top) * ratio)), behind = parse(variable("faint"));
    const colours = new Float64Array(view.timeline.sites.flatMap((site) => parse(functionColour(view.timeline.functions[site.function]))));
    const picture = view.picture = view.picture || make("canvas");
    if (picture.width !== points || picture.height !== rows) Object.assign(picture, { width: points, height: rows });
    const context = picture.getContext("2d"), image = context.createImageData(points, rows), sums = new Float64Array(4 * points);
    for (let row = 0, i = 0; row < rows; row++) {
        const first = i;
        sums.fill(0);
        for (; i < many && i * rows < (row + 1) * many; i++) addCalls(sums, points, view, view.locations[i], colours);
        putRow(image.data, 4 * points * row, sums, points, i - first, behind);
    }
    context.putImageData(image, 0, 0);
    g.imageSmoothingEnabled = false;
    g.drawImage(picture, view.left, view.top, view.width - view.left, bottom - view.top);
    if (view.row > 5)
        view.locations.forEach((_, i) => g.clearRect(view.left, view.top + view.row * (i + 1) - 2, view.width, 2));
}

/* Of an arrow from the one point to the other. */
function drawHead(g, x0, y0, x, y) {
    const along = Math.atan2(y - y0, x - x0);
    for (const side of [-.4, .4]) {
        g.moveTo(x, y);
        g.lineTo(x - 6 * Math.cos(along + side), y - 6 * Math.sin(along + side));
    }
}

/* Returns one in how many messages is drawn: by their numbers, and a power of two, so that it is
 * the same ones while the view moves. */
function drawLines(g, view) {
    const m = view.messages, first = firstFrom(m.sent, view.begin - m.longest), last = firstFrom(m.sent, view.end + m.longest);
    const middle = (location) => view.top + view.row * (location + .5);
    const isSeen = (i) => Math.max(m.sent[i], m.received[i]) >= view.begin && Math.min(m.sent[i], m.received[i]) <= view.end;
    let seen = 0, step = 1;
    for (let i = first; i < last; i++) seen += isSeen(i);
    while (seen / step > LINES_MOST) step *= 2;
    g.strokeStyle = variable("ink");
    g.globalAlpha = Math.max(.12, Math.min(.75, 120 / (seen / step)));
    g.lineWidth = .9;
    g.beginPath();
    for (let i = Math.ceil(first / step) * step; i < last; i += step) {
        if (!isSeen(i)) continue;
        g.moveTo(view.x(m.sent[i]), middle(m.from[i]));
        g.lineTo(view.x(m.received[i]), middle(m.to[i]));
        if (seen / step <= ARROWS_MOST) drawHead(g, view.x(m.sent[i]), middle(m.from[i]), view.x(m.received[i]), middle(m.to[i]));
    }
    g.stroke();
    g.globalAlpha = 1;
    return step;
}

function drawFrame(g, view, bottom) {
    const soft = variable("soft"), line = variable("line"), skip = Math.ceil(13 / view.row);
    g.font = "11px system-ui, sans-serif";
    g.textBaseline = "middle";
    g.fillStyle = soft;
    view.locations.forEach((location, i) => { if (i % skip === 0) g.fillText(location.name, 6, view.top + view.row * (i + .5)); });
    g.textAlign = "center";
    let free = view.left, marked = -Infinity;
    for (const [number, begin] of view.timeline.iterations) {
        const x = view.x(begin);
        if (x < view.left || x > view.width || x - marked < MARKS_APART) continue;
        marked = x;
        g.fillStyle = line;
        g.fillRect(x, view.top - 4, 1, bottom - view.top + 4);
        g.fillStyle = soft;
        if (x - free > 20) { g.fillText("#" + number, x, 9); free = x + 16; }
    }
    drawTimes(g, view);
    g.textAlign = "left";
}

/* As many as have room. */
function drawTimes(g, view) {
    const ticks = (n) => d3.scaleLinear([view.begin, view.end], [view.left, view.width]).ticks(n), room = view.width - view.left;
    const wide = g.measureText(atTicks.time(ticks(7))(view.end)).width + 24, shown = ticks(Math.max(2, Math.min(7, room / wide))), say = atTicks.time(shown);
    for (const tick of shown)
        if (view.x(tick) < view.width - wide / 3) g.fillText(say(tick), view.x(tick), view.height - 10);
}

function drawTimelineOn(canvas, view) {
    const ratio = devicePixelRatio || 1, g = canvas.getContext("2d"), bottom = view.height - 26;
    view.width = canvas.getBoundingClientRect().width || 900;
    const width = Math.round(view.width * ratio), height = Math.round(view.height * ratio);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, view.width, view.height);
    drawRows(g, view, ratio, bottom);
    g.save();
    g.beginPath();
    g.rect(view.left, 0, view.width - view.left, view.height);
    g.clip();
    if (view.hatched) drawHatching(g, view);
    const step = view.lines ? drawLines(g, view) : 1;
    if (view.chosen) drawCause(g, view);
    g.restore();
    drawFrame(g, view, bottom);
    return step;
}

/* The call at a point: [index of its location, index], of which the latter is -1 between calls; null elsewhere. */
function callAt(event, view, canvas) {
    const box = canvas.getBoundingClientRect(), time = view.time(event.clientX - box.left), l = Math.floor((event.clientY - box.top - view.top) / view.row);
    if (!view.locations[l] || event.clientX - box.left < view.left) return null;
    const { begin, end } = view.locations[l], slack = (view.end - view.begin) / view.width * 2, i = firstFrom(end, time - slack);
    return [l, i >= begin.length || begin[i] > time + slack ? -1 : i];
}

/* The message whose line passes close to a point, -1 if there is none. */
function messageAt(event, view, canvas) {
    const m = view.messages, box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const middle = (location) => view.top + view.row * (location + .5), last = view.lines ? firstFrom(m.sent, view.end + m.longest) : 0;
    let best = -1, least = NEAR;
    for (let i = firstFrom(m.sent, view.begin - m.longest); i < last; i++) {
        const [y0, y1] = [middle(m.from[i]), middle(m.to[i])], share = (y - y0) / (y1 - y0);
        if (y0 === y1 || share < 0 || share > 1) continue;
        const x0 = view.x(m.sent[i]), x1 = view.x(m.received[i]), apart = Math.abs(x0 + share * (x1 - x0) - x) * Math.min(1, Math.abs(y1 - y0) / Math.hypot(x1 - x0, y1 - y0));
        if (apart < least) [best, least] = [i, apart];
    }
    return best;
}

function tellMessage(event, view, i) {
    const m = view.messages, name = (location) => view.locations[location].name;
    showTip(event, `Message from ${name(m.from[i])} to ${name(m.to[i])}`, [["bytes", bytes(m.bytes[i])], ["sent", ns(m.sent[i])], ["received", `${ns(m.received[i])}, ${ns(Math.abs(m.received[i] - m.sent[i]))} ${m.received[i] < m.sent[i] ? "earlier" : "later"}`]]);
}

function tellCall(event, view, canvas) {
    const at = callAt(event, view, canvas), message = at ? messageAt(event, view, canvas) : -1;
    if (!at) return hideTip();
    const [l, i] = at, location = view.locations[l];
    if (message >= 0 && !(i >= 0 && location.wait[i])) return tellMessage(event, view, message);
    if (i < 0)
        return showTip(event, location.name, [["at", ns(view.time(event.clientX - canvas.getBoundingClientRect().left))], ["outside", "of MPI"]]);
    const site = view.timeline.sites[location.site[i]];
    const iteration = view.timeline.iterations.find(([, begin, end]) => begin <= location.begin[i] && location.begin[i] < end);
    showTip(event, site.label, [["rank", location.name.slice(5)], ["from", ns(location.begin[i])], ["took", ns(location.end[i] - location.begin[i])],
        ...messageFacts(view, l, i), ...waitFacts(view, location, i), ...(iteration ? [["iteration", String(iteration[0])]] : [])]);
}

/* What call I of location L sends and receives; of a call without messages, what its call site has on average. */
function messageFacts(view, l, i) {
    view.ofCalls = view.ofCalls || messagesOfCalls(view);
    const m = view.messages, mine = view.ofCalls[l].get(i) || [], site = view.timeline.sites[view.locations[l].site[i]];
    const facts = mine.slice(0, MESSAGES_TOLD).map(([k, other]) => [m.from[k] === l ? "sends" : "receives", `${bytes(m.bytes[k])} ${m.from[k] === l ? "to" : "from"} ${view.locations[other].name}`]);
    if (mine.length > MESSAGES_TOLD) facts.push(["and", plural(mine.length - MESSAGES_TOLD, "more message")]);
    const known = mine.length ? null : run.sites.find((s) => s.hash === site.hash);
    return known && known.bytes ? [["bytes", `${bytes(known.bytes / known.calls)}, mean of its call site`]] : facts;
}

function timelineTable(view) {
    const by = view.timeline.functions.map((name) => ({ name, calls: 0, time: 0, longest: 0 }));
    for (const location of view.locations)
        location.site.forEach((site, i) => {
            const item = by[view.timeline.sites[site].function], time = location.end[i] - location.begin[i];
            item.calls++;
            item.time += time;
            item.longest = Math.max(item.longest, time);
        });
    return table("Calls of the recorded iterations, all ranks", [
        { name: "function", value: (f) => swatch(f.name) }, { name: "calls", n: true, value: (f) => String(f.calls) },
        { name: "time", n: true, value: (f) => ns(f.time) }, { name: "longest", n: true, value: (f) => ns(f.longest) }], by.filter((f) => f.calls).sort((a, b) => b.time - a.time));
}

/* Zoom and pan in time only, by wheel, by dragging, by keys. Returns {by(factor), reset(), to(begin, end)}. */
function moveBy(canvas, view, draw) {
    const [from, to] = view.home;
    const zoom = d3.zoom().extent(() => [[view.left, 0], [view.width, view.height]]).scaleExtent([1, 1e6])
        .translateExtent([[0, -Infinity], [Infinity, Infinity]])
        .on("zoom", () => {
            const t = d3.event.transform, room = view.width - view.left, span = (view.home[1] - view.home[0]) / t.k;
            view.begin = view.home[0] - (t.x - view.left * (1 - t.k)) / room * span;
            view.end = view.begin + span;
            draw();
        });
    [view.begin, view.end] = [from, to];
    const selection = zoomOf(d3.select(canvas), zoom);
    const by = (factor) => selection.call(zoom.scaleBy, factor), pan = (share) => selection.call(zoom.translateBy, share * (view.width - view.left) / d3.zoomTransform(canvas).k, 0);
    const reset = () => selection.call(zoom.transform, d3.zoomIdentity);
    const keys = { "+": () => by(1.5), "=": () => by(1.5), "-": () => by(1 / 1.5), "0": reset, ArrowLeft: () => pan(.2), ArrowRight: () => pan(-.2) };
    canvas.addEventListener("keydown", (event) => {
        if (!keys[event.key]) return;
        keys[event.key]();
        event.preventDefault();
    });
    const show = (begin, end) => {
        const [least, most] = view.home, k = (most - least) / (end - begin), room = view.width - view.left;
        selection.call(zoom.transform, d3.zoomIdentity.translate(view.left * (1 - k) - (begin - least) * room * k / (most - least), 0).scale(k));
    };
    return { by, reset, to: show };
}

/* Those with a colour of their own first, by their time. */
function legendOf(functions) {
    const place = (name) => colourOf.has(name) ? colourOf.get(name) : Infinity;
    return make("div.legend", null, functions.slice().sort((a, b) => place(a) === place(b) ? 0 : place(a) - place(b)).map((name) => swatch(name)));
}

/* Go to the timeline, and show iterations FROM to TO, but not TO, of those that it has. */
let showInTimeline = () => location.assign("#timeline");

function drawTimeline() {
    const timeline = run.timeline;
    if (!timeline || !timeline.locations.length) return lacking("timeline", "Timeline", "timeline");
    const lead = "The recorded iterations: MPI calls of each rank in the colour of their function, hatched while they wait; what is in between is computation; arrows are messages. A click on a waiting call shows what it waits for. Ctrl + wheel, or + and -, zooms; dragging, or the arrows, moves.";
    const view = timelineView(timeline), asTable = timelineTable(view);
    if (!hasD3) return section("timeline", "Timeline", lead, notDrawn("the timeline is a table.", "D3"), asTable);
    const canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": `Timeline of ${plural(view.locations.length, "location")}; + and - zoom, arrows move, 0 shows all` });
    const sampled = make("span.note"), said = make("p.note", { role: "status" });
    canvas.style.height = view.height + "px";
    let pending = false;
    const drawNow = () => {
        const step = drawTimelineOn(canvas, view);
        sampled.textContent = step > 1 ? `one message in ${step} is drawn` : "";
        canvas.dataset.view = view.begin + " " + view.end;
    };
    const draw = () => {
        if (!pending) requestAnimationFrame(() => { pending = false; drawNow(); });
        pending = true;
    };
    const toggle = (what, name) => {
        const button = make("button", { type: "button", "aria-pressed": "true", click: () => { view[what] = !view[what]; button.setAttribute("aria-pressed", String(view[what])); draw(); } }, name);
        return button;
    };
    const windows = (timeline.windows || []).map(([from, to]) => [from, Math.min(to, timeline.end)]);
    const home = (from, to) => { view.home = [from - (to - from) * .01, to + (to - from) * .01]; move.reset(); };
    const show = (from, to) => {
        if (from < view.home[0] || to > view.home[1]) {
            home(0, timeline.end);
            if (choose) choose.value = JSON.stringify([0, timeline.end]);
        }
        move.to(from - (to - from) * .01, to + (to - from) * .01);
    };
    const choose = windows.length > 1 ? make("select", { "aria-label": "Window", change: () => home(...JSON.parse(choose.value)) },
        windows.map((w, i) => make("option", { value: JSON.stringify(w) }, `window ${i + 1}, from ${ns(w[0])}`)), make("option", { value: JSON.stringify([0, timeline.end]) }, "all")) : null;
    const move = moveBy(canvas, view, draw);
    const say = (chosen) => {
        view.chosen = chosen;
        said.textContent = chosen ? causeText(view, ...chosen) : "";
        draw();
    };
    const chooseWait = (l, i) => {
        const cause = causeOf(view, l, i), { begin, end, wait } = view.locations[l], room = wait[i];
        show(Math.min(begin[i], cause && cause.before ? begin[i] + wait[i] - Math.min(cause.before, 4 * room) : begin[i]), Math.max(end[i], begin[i] + wait[i]) + room / 4);
        say([l, i]);
        canvas.scrollIntoView({ block: "center" });
    };
    const longest = waitsTable(view, chooseWait);
    section("timeline", "Timeline", lead,
        make("div.bar", null, choose, toggle("lines", "Messages"), timeline.kinds ? toggle("hatched", "Waiting") : null, make("button", { type: "button", "aria-label": "zoom in", click: () => move.by(1.5) }, "+"),
            make("button", { type: "button", "aria-label": "zoom out", click: () => move.by(1 / 1.5) }, "\u2212"), make("button", { type: "button", click: () => move.reset() }, "Fit"), sampled),
        make("div.stage", null, canvas), said, legendOf(timeline.functions),
        timeline.left_out ? make("p.note", null, `To keep the page small, ${timeline.left_out}.`) : null, make("details", null, make("summary", null, "As a table"), asTable),
        longest ? make("details", null, make("summary", null, "The longest waits"), longest) : null);
    home(...(windows[0] || [0, timeline.end]));
    showInTimeline = (from, to) => {
        const shown = timeline.iterations.filter(([number]) => from <= number && number < to);
        if (shown.length) show(Math.min(...shown.map((i) => i[1])), Math.max(...shown.map((i) => i[2])));
        document.getElementById("timeline").scrollIntoView();
    };
    canvas.addEventListener("mousemove", (event) => tellCall(event, view, canvas));
    canvas.addEventListener("click", (event) => {
        const [l, i] = callAt(event, view, canvas) || [0, -1];
        say(i >= 0 && view.locations[l].wait[i] ? [l, i] : null);
    });
    canvas.addEventListener("mouseleave", hideTip);
    addEventListener("resize", draw);
    redraws.push(drawNow); /* no frame comes before paper is printed */
}
