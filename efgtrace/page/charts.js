/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pictures share: frames with axes, and stages that zoom. All of it needs D3.
 */

/* An SVG of a frame with room for axes, MOST wide at most: {svg, plot, label, width, height} of the inner part. On a
 * narrow page it is drawn narrow: made small as a whole, nobody could read it. */
function frame(label, most, height, margin) {
    const width = Math.max(340, Math.min(most, document.getElementById("report").clientWidth - 40));
    const svg = d3.create("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("aria-label", label);
    const plot = svg.append("g").attr("transform", `translate(${margin.left},${margin.top})`);
    return { svg, plot, label, width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
}

/* How what is at TICKS is written: as precisely as tells them apart. Each returns a function of a value. */
const stepOf = (ticks) => ticks.length > 1 ? ticks[1] - ticks[0] : 1;
const digitsOf = (step) => Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
const atTicks = {
    time(ticks) {
        const most = ticks[ticks.length - 1] || 0, [size, unit] = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]].find(([s]) => most >= s) || [1, "ns"];
        return (time) => (time / size).toFixed(digitsOf(stepOf(ticks) / size)) + " " + unit;
    },
    share: (ticks) => (share) => (100 * share).toFixed(digitsOf(100 * stepOf(ticks))) + "%",
    whole: () => (n) => Number.isInteger(n) ? d3.format("~s")(n) : "",
    size: () => (exponent) => bytes(2 ** exponent),
};

/* XFORMAT, YFORMAT: of atTicks. */
function axes(f, x, y, xFormat, yFormat, xLabel, yLabel) {
    const room = Math.max(3, Math.min(8, f.width / 80)), all = x.ticks ? x.ticks(room) : x.domain(), up = y.ticks(5);
    const across = all.filter((_, i) => i % Math.ceil(all.length / (2 * room)) === 0);
    f.plot.append("g").attr("class", "axis").attr("transform", `translate(0,${f.height})`)
        .call(d3.axisBottom(x).tickValues(across).tickFormat(xFormat(across)).tickSizeOuter(0));
    f.plot.append("g").attr("class", "axis").call(d3.axisLeft(y).tickValues(up).tickFormat(yFormat(up)).tickSizeOuter(0));
    f.plot.append("text").attr("class", "soft").attr("x", f.width).attr("y", f.height + 32).attr("text-anchor", "end").text(xLabel);
    f.plot.append("text").attr("class", "soft").attr("x", -4).attr("y", -8).text(yLabel);
}

/* The wheel scrolls the page; with Ctrl it zooms. A finger scrolls, two zoom. */
function zoomOf(selection, zoom) {
    zoom.filter(() => {
        const event = d3.event;
        if (event.type === "wheel") return event.ctrlKey || event.metaKey;
        return event.type.startsWith("touch") ? event.touches.length > 1 : !event.button && !event.ctrlKey;
    });
    return selection.call(zoom).on("dblclick.zoom", null).style("touch-action", "pan-x pan-y");
}

/* A stage, MOST high at most, with an SVG in it that zooms and pans, by mouse and by keys: + - 0 and arrows while
 * none of its parts does something else with them. Returns {element, svg, inner, room(), fit(w, h), whole()}. */
function zoomStage(label, most) {
    let height = most;
    const svg = d3.create("svg").attr("height", height).attr("tabindex", 0).attr("role", "group").attr("aria-label", label);
    const inner = svg.append("g");
    const room = () => svg.node().getBoundingClientRect().width || 800;
    const zoom = d3.zoom().extent(() => [[0, 0], [room(), height]]).scaleExtent([.01, 8]).on("zoom", () => inner.attr("transform", d3.event.transform));
    zoomOf(svg, zoom);
    let size = [1, 1];
    const wholeScale = () => Math.min(1.15, (room() - 24) / size[0], (most - 24) / size[1]);
    const inside = (length, extent, at) => Math.max(length - extent - 12, Math.min(12, length / 2 - at));
    const show = (scale, focus) => {
        const [width, tall] = size.map((length) => length * scale);
        height = Math.max(260, Math.min(most, tall + 24));
        svg.attr("height", height);
        const across = width + 24 <= room() ? (room() - width) / 2 : inside(room(), width, focus.x * scale);
        const down = tall + 24 <= height ? 12 : inside(height, tall, focus.y * scale);
        svg.call(zoom.transform, d3.zoomIdentity.translate(across, down).scale(scale));
    };
    const whole = () => show(wholeScale(), { x: 0, y: 0 });
    svg.on("keydown", () => {
        const key = d3.event.key;
        if (key === "+" || key === "=") svg.call(zoom.scaleBy, 1.3);
        else if (key === "-") svg.call(zoom.scaleBy, 1 / 1.3);
        else if (key === "0") whole();
        else if (d3.event.target !== svg.node()) return;
        else if (key === "ArrowLeft") svg.call(zoom.translateBy, 60, 0);
        else if (key === "ArrowRight") svg.call(zoom.translateBy, -60, 0);
        else if (key === "ArrowUp") svg.call(zoom.translateBy, 0, 60);
        else if (key === "ArrowDown") svg.call(zoom.translateBy, 0, -60);
        else return;
        d3.event.preventDefault();
    });
    return {
        element: svg.node(), svg, inner, room, whole,
        buttons: [make("button", { type: "button", "aria-label": "zoom in", click: () => svg.call(zoom.scaleBy, 1.3) }, "+"),
            make("button", { type: "button", "aria-label": "zoom out", click: () => svg.call(zoom.scaleBy, 1 / 1.3) }, "\u2212"),
            make("button", { type: "button", click: whole }, "Fit")],
        /* Show a picture of this size as a whole, but no smaller than LEAST, so that it can be read: if it is larger,
         * what is at FOCUS in it is in the middle. */
        fit(width, tall, least, focus) {
            const box = inner.node().getBBox(); /* names may be wider than was thought */
            size = [Math.max(width, box.x + box.width), Math.max(tall, box.y + box.height)];
            show(Math.max(least, wholeScale()), focus);
        },
    };
}
