#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long the timeline of a page takes to draw, in Chromium without a screen: for what is done (zoom, pan) the milliseconds of
script in a frame, and from frame to frame, each as median and 90th percentile of 60; without anything drawn, first.

usage: frames.py PAGE.html"""
import os
import sys

import page

MEASURE = '''
const done = arguments[0], canvas = document.querySelector("#timeline canvas"), lines = [], script = [], next = requestAnimationFrame.bind(window);
window.requestAnimationFrame = (draw) => next((time) => { const begin = performance.now(); draw(time); script.push(performance.now() - begin); });
const spread = (values) => { const s = values.slice().sort((a, b) => a - b); return s.length ? `${s[s.length >> 1].toFixed(1)} (${s[Math.floor(s.length * .9)].toFixed(1)})` : "-"; };
const frame = () => new Promise((come) => next(come));
const key = (name) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
async function run(name, act) {
    const gaps = [];
    script.length = 0;
    for (let i = 0, last = performance.now(); i < 60; i++) {
        act(i);
        await frame();
        gaps.push(performance.now() - last);
        last = performance.now();
    }
    lines.push([name, spread(script), spread(gaps)]);
}
(async () => {
    canvas.scrollIntoView({ block: "center", behavior: "instant" });
    await frame();
    await run("nothing", () => {});
    await run("all of it", () => key("0"));
    await run("zoom in and out", (i) => key(i < 30 ? "+" : "-"));
    key("0"); key("+"); key("+");
    await frame();
    await run("pan, half of it", (i) => key(i < 30 ? "ArrowLeft" : "ArrowRight"));
    for (let i = 0; i < 8; i++) key("+");
    await frame();
    await run("pan, 1/60 of it", (i) => key(i < 30 ? "ArrowLeft" : "ArrowRight"));
    done(lines);
})();'''


def main():
    driver = page.browser()
    try:
        driver.set_script_timeout(120)
        driver.get('file://' + os.path.abspath(sys.argv[1]))
        while not driver.execute_script('return document.documentElement.dataset.drawn === "all"'):
            pass
        calls, ranks = driver.execute_script('return [run.timeline.locations.reduce((sum, l) => sum + l.calls.length / 3, 0), run.timeline.locations.length]')
        print(f'{calls} calls of {ranks} threads')
        print(f"{'':18}{'script, ms':>16}{'a frame, ms':>16}")
        for name, script, gap in driver.execute_async_script(MEASURE):
            print(f'{name:18}{script:>16}{gap:>16}')
    finally:
        driver.quit()


if __name__ == '__main__':
    main()
