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

/* Only those numbers at the left that ISTICK allows. */
function axes(f, x, y, xFormat, yFormat, xLabel, yLabel, isTick = () => true) {
    f.plot.append("g").attr("class", "axis").attr("transform", `translate(0,${f.height})`)
        .call(d3.axisBottom(x).ticks(Math.max(3, Math.min(8, f.width / 80))).tickFormat(xFormat).tickSizeOuter(0));
    f.plot.append("g").attr("class", "axis").call(d3.axisLeft(y).tickValues(y.ticks(5).filter(isTick)).tickFormat(yFormat).tickSizeOuter(0));
    f.plot.append("text").attr("class", "soft").attr("x", f.width).attr("y", f.height + 32).attr("text-anchor", "end").text(xLabel);
    f.plot.append("text").attr("class", "soft").attr("x", -4).attr("y", -8).text(yLabel);
}

/* A stage, HEIGHT high at most, with an SVG in it that zooms and pans, by mouse and by keys: + - 0 and arrows while
 * none of its parts does something else with them. Returns {element, svg, inner, room(), fit(w, h)}. */
function zoomStage(label, most) {
    let height = most;
    const svg = d3.create("svg").attr("height", height).attr("tabindex", 0).attr("role", "group").attr("aria-label", label);
    const inner = svg.append("g");
    const room = () => svg.node().getBoundingClientRect().width || 800;
    const zoom = d3.zoom().extent(() => [[0, 0], [room(), height]]).scaleExtent([.05, 8]).on("zoom", () => inner.attr("transform", d3.event.transform));
    svg.call(zoom).on("dblclick.zoom", null);
    let home = d3.zoomIdentity;
    const reset = () => svg.call(zoom.transform, home);
    svg.on("keydown", () => {
        const key = d3.event.key;
        if (key === "+" || key === "=") svg.call(zoom.scaleBy, 1.3);
        else if (key === "-") svg.call(zoom.scaleBy, 1 / 1.3);
        else if (key === "0") reset();
        else if (d3.event.target !== svg.node()) return;
        else if (key === "ArrowLeft") svg.call(zoom.translateBy, 60, 0);
        else if (key === "ArrowRight") svg.call(zoom.translateBy, -60, 0);
        else if (key === "ArrowUp") svg.call(zoom.translateBy, 0, 60);
        else if (key === "ArrowDown") svg.call(zoom.translateBy, 0, -60);
        else return;
        d3.event.preventDefault();
    });
    return {
        element: svg.node(), svg, inner, room,
        buttons: [make("button", { type: "button", "aria-label": "zoom in", click: () => svg.call(zoom.scaleBy, 1.3) }, "+"),
            make("button", { type: "button", "aria-label": "zoom out", click: () => svg.call(zoom.scaleBy, 1 / 1.3) }, "\u2212"),
            make("button", { type: "button", click: reset }, "Fit")],
        /* Show a picture of this size as a whole, but no smaller than LEAST: if it is larger, what is
         * at the height MIDDLE in it is in the middle. */
        fit(width, tall, least = .45, middle = 0) {
            const scale = Math.max(least, Math.min(1.15, (room() - 24) / width, (most - 24) / tall));
            height = Math.max(260, Math.min(most, tall * scale + 24));
            svg.attr("height", height);
            const down = tall * scale + 24 <= height ? 12 : Math.max(height - tall * scale - 12, Math.min(12, height / 2 - middle * scale));
            home = d3.zoomIdentity.translate(Math.max(12, (room() - width * scale) / 2), down).scale(scale);
            reset();
        },
    };
}
