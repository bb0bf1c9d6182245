#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pages of `efgtrace report --html` and `efgtrace compare -f html` in Chromium without a screen: DIR/report.html of each DIR, beside
DIR/json. Prints "NAME<tab>WHY NOT" for each test; "note" lines are for reading.

usage: page.py DIR...       environment: PAGE_BROWSER=firefox  not in Chromium"""
import json
import os
import re
import shutil
import sys
import time
from collections import Counter

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import firefox
from merged import ranks_of

PATIENCE = 300  # seconds: far more than a page takes beside a load of 40
NODES_MOST = 400  # in the tree with the ranks
PARTS = ['overview', 'loops', 'iterations', 'heat', 'slow', 'timeline', 'waiting', 'calls', 'flame', 'flow', 'messages', 'contexts', 'ranks', 'representative', 'growth']


def verdict(name, why=''):
    print(name, str(why).replace('\n', ' ')[:600], sep='\t', flush=True)


def same(name, wanted, got):
    verdict(name, '' if wanted == got else f'expected {wanted!r}, got {got!r}')


def browser():
    if os.environ.get('PAGE_BROWSER') == 'firefox':
        return firefox.Firefox(1280, 900)
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which('chromium')
    for argument in ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--window-size=1280,900'):
        options.add_argument(argument)
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    driver = webdriver.Chrome(service=Service(shutil.which('chromedriver')), options=options)
    driver.set_script_timeout(PATIENCE)
    return driver


class Page:
    def __init__(self, driver, name):
        self.driver, self.name = driver, name
        driver.get('file://' + os.path.abspath(f'{name}/report.html'))
        self.wait('return document.documentElement.dataset.drawn === "all"')

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition):
        end = time.monotonic() + PATIENCE
        while not self.js(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(.1)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def cells(self, caption, *columns):
        """Texts of these columns of a table, all rows of it."""
        return self.js('''
            const table = [...document.querySelectorAll("table")].find((t) => t.caption.textContent.startsWith(arguments[0]));
            return !table ? [] : [...table.tBodies[0].rows].map((row) => arguments[1].map((c) => row.cells[c].textContent));''', caption, columns)


def look(page, report):
    parts = [part for part in PARTS if part != 'slow' or report['slow']]
    same(f'{page.name}: every part is there', parts, [s.get_attribute('id') for s in page.all('main > section')])
    same(f'{page.name}: parts are drawn, or say why not', [], page.js('''
        return [...document.querySelectorAll("main > section")].filter((s) =>
            !s.querySelector("table, svg, canvas, .flame, .notice")).map((s) => s.id)'''))
    same(f'{page.name}: headings, captions, names', [], page.js('''
        return [...[...document.querySelectorAll("table")].filter((t) => !t.caption).map(() => "a table without a caption"),
            ...[...document.querySelectorAll("svg[role], canvas, [role=tree], [role=region]")].filter((e) => !e.getAttribute("aria-label")).map((e) => e.outerHTML.slice(0, 80)),
            ...[...document.querySelectorAll("button")].filter((b) => !b.textContent && !b.getAttribute("aria-label")).map(() => "a button without a name")]'''))
    title = report['overview']['application']
    same(f'{page.name}: names stay text', [title, 0, 0], page.js('''
        return [document.querySelector("h1").textContent, document.querySelectorAll("img, iframe, link, object").length,
            [...document.querySelectorAll("*")].filter((e) => [...e.attributes].some((a) => a.name.startsWith("on"))).length]'''))
    verdict(f'{page.name}: the title is the application', '' if page.driver.title.startswith(title.split()[0][:8]) else page.driver.title)


def figures(page, report):
    numbers = [(n, d) for n in (156.25, 0.5, 1.5, 2.5, 1.85, 1.15, 0.125, 0.375, 99.95, -0.25, 0, 1e15 + 0.5) for d in (0, 1, 2)]
    same(f'{page.name}: numbers as C prints them', [f'{n:.{d}f}' for n, d in numbers],
         page.js(f'return {[list(one) for one in numbers]}.map(([n, d]) => fixed(n, d))'))
    numbers = [(n, d) for n in (0, 0.125, 0.25, 2.5, 12.5, 1.25, 9.996, 99.5, 0.00125, 156.25, 99.96, 3.5e-4) for d in (1, 2, 3)]
    same(f'{page.name}: and with so many digits', [f'{n:.{d}g}' if n < 10 ** d - .5 else f'{n:.0f}' for n, d in numbers],
         page.js(f'return {[list(one) for one in numbers]}.map(([n, d]) => precise(n, d))'))
    cost = re.findall(r'^Cost  .*?([0-9]\S*|under \S+|over \S+) of the run', '\n'.join(report['overview']['summary']), re.M)
    same(f'{page.name}: what it costs', [f'{share} of the run' for share in cost], page.js("""
        return [...document.querySelectorAll("#overview .card")].filter((card) => card.textContent.startsWith("Cost")).map((card) => card.lastChild.textContent)""")[:len(cost)])
    summary = page.js('return [...document.querySelectorAll("#overview details pre")].map((p) => p.textContent)')
    same(f'{page.name}: the summary', ['\n'.join(report['overview']['summary'])], summary)
    shares = [report['overview']['efficiency']] + [l['efficiency'] for l in report['loops']]
    texts = [[f"{100 * e[w]:.1f}%" for w in ('parallel', 'balance', 'communication')] for e in shares]
    verdict(f'{page.name}: efficiencies', [row for row in page.cells('Efficiencies', 1, 2, 3) if row not in texts] or '')
    texts = ['/'.join(f"{100 * l['recorded'][w]:.1f}%" for w in ('serialisation', 'transfer')) if 'recorded' in l else '\u2013/\u2013'
             for l in report['loops']] + ['/']
    verdict(f'{page.name}: and in what was recorded', [row for row in page.cells('Efficiencies', 4, 5) if '/'.join(row) not in texts] or '')
    same(f'{page.name}: calls', [[c['call'], str(c['calls']), f"{100 * c['run_share']:.1f}%"] for c in report['calls']],
         page.cells('MPI functions by time', 0, 1, 4))
    same(f'{page.name}: loops', [[str(l['repetitions']), l['label']] for l in report['loops']], page.cells('Loops', 1, 5))
    same(f'{page.name}: clusters', [[str(c['count']), 'outlier' if c['is_outlier'] else ''] for c in report['clusters']],
         [[count, which[-7:] if which.endswith('outlier') else ''] for count, which in page.cells(f"{len(report['clusters'])} cluster", 1, 2)])
    same(f'{page.name}: groups', [[str(g['count']), str(g['nodes'])] for g in report['groups']],
         page.cells(f"{report['group_count']} group", 1, 2))


def figures_of(contexts):
    """Of each context, with the names on the way to it."""
    paths, found = [], Counter()
    for c in contexts:
        paths.append((paths[c['parent']] if c['parent'] is not None else '') + f"/{c['name']}:{c['line'] if c['is_call'] else ''}")
        found[paths[-1], c['calls'], c['bytes'], c['time']['sum']] += 1
    return found


def fits(page, report):
    """A page is small; what it has no room for is summed up, and it says so. Returns what it holds."""
    size = os.path.getsize(f'{page.name}/report.html')
    verdict(f'{page.name}: a few MB', '' if size < 7e6 else size)
    held = json.loads(page.js('return document.getElementById("document").textContent'))
    left, graph, whole = held.get('left_out', {}), held['graph'], report['graph']
    for part, have, all_of in (('contexts', held, report), ('sites', held, report), ('loops', held, report), ('nodes', graph, whole),
                               ('rows', held['representative'], report['representative'])):
        same(f'{page.name}: {part}, and those left out', len(all_of[part]), len(have[part]) + left.get(part, 0))
    same(f'{page.name}: contexts have the same figures', [], list(figures_of(held['contexts']) - figures_of(report['contexts'])))
    times = [sorted((c['time']['sum'] for c in d['contexts']), reverse=True)[:len(held['contexts']) // 2] for d in (held, report)]
    same(f'{page.name}: the largest contexts are there', times[1], times[0])
    sums = [[sum(n[what] for n in g['nodes']) for what in ('count', 'bytes', 'poll_time')] + [sum(n['time']['sum'] for n in g['nodes'])] for g in (graph, whole)]
    same(f'{page.name}: all calls are in the graph', sums[1], sums[0])
    sums = [[sum(e['count'] for e in g['edges']), sum(e['time']['sum'] for e in g['edges'])] for g in (graph, whole)]
    verdict(f'{page.name}: all transitions are in the graph', '' if sums[0] == sums[1] or left.get('edges') else sums)
    own = page.js('return flatProfile().reduce((sum, item) => sum + item.time, 0)')
    same(f'{page.name}: own times are all time', report['contexts'][0]['time']['sum'], own)
    for part, where, what in (('contexts', 'flow', 'contexts with less time'), ('sites', 'calls', 'call sites with less time')):
        said = page.js(f'return document.querySelector("#{where}").textContent')
        same(f'{page.name}: it says how many {part} are left out', part in left, f'{left.get(part)} {what}' in said)
    return held


def boxes(page):
    return page.js('return [...document.querySelectorAll("#flow .box")].map((b) => b.getAttribute("aria-label"))')


def select(page, report):
    """The tree by keys: what is selected is what the graph shows."""
    tree = page.all('#flow [role=treeitem][tabindex="0"]')[0]
    page.js('arguments[0].focus()', tree)
    before = boxes(page)
    tree.send_keys(Keys.HOME)
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    root = boxes(page)
    first = [c for c in report['contexts'] if c['parent'] == 0]
    same(f'{page.name}: the program itself has its children as boxes', len(first), len(root))
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    same(f'{page.name}: the selected one is marked', 1, len(page.all('#flow [role=treeitem][aria-selected=true]')))
    verdict(f'{page.name}: a selection shows another graph', '' if boxes(page) != root or before != root or len(report['contexts']) < 4 else root)
    inside = page.js('return document.querySelectorAll("#flow .box:not(.outside)").length')
    at = page.js('return document.querySelector("#flow [role=treeitem][aria-selected=true]").context.id')
    same(f'{page.name}: its children are boxes', sum(c['parent'] == at for c in report['contexts']), inside)


def expand(page):
    deep = page.js('''
        const graph = flowBelow(mainContext());
        return graph.boxes.filter((b) => !b.isOutside).reduce((sum, b) => sum + b.calls, 0)''')
    calls = page.js('return run.graph.nodes.filter((n) => isBelow(contexts[n.context], mainContext())).reduce((s, n) => s + n.count, 0)')
    same(f'{page.name}: deeper calls are folded into their boxes', calls, deep)
    ways = page.js('''
        const graph = flowBelow(contexts[0]);
        return [graph.ways.reduce((s, w) => s + w.count, 0), run.graph.edges.reduce((s, e) => s + e.count, 0)]''')
    same(f'{page.name}: all transitions are in the ways', ways[1], ways[0])


def rank_lists(page):
    for text in ('0', '0-3', '0-3,5', '1-61:2', '0,2,5-6', '3-15:4,100-9999', '0-1,3-4'):
        same(f'{page.name}: list of ranks {text}', text, page.js('return writeRanks(parseRanks(arguments[0]))', text))
    same(f'{page.name}: ranks with the same number', ['3 \u00d7', '5 \u00d7 (1)'], page.js("""
        return clusters([{ least: 1, most: 1, ranks: "0-2" }, { least: 2, most: 2, ranks: "0,2" }], "0,2").concat(
            clusters([{ least: 2, most: 2, ranks: "1" }, { least: 3, most: 3, ranks: "1" }], "0-2")).filter((c) => !c.startsWith("1 "))"""))


def transform(page, part):
    return page.js(f'return document.querySelector("#{part} .stage > svg > g").getAttribute("transform")')


def zoom(page):
    for part in ('flow', 'contexts'):
        before = transform(page, part)
        page.js(f'''document.querySelector("#{part} [aria-label='zoom in']").click()''')
        closer = transform(page, part)
        page.js(f'document.querySelector("#{part} .stage > svg").focus()')
        page.driver.switch_to.active_element.send_keys('0')
        verdict(f'{page.name}: {part} zooms', '' if closer != before else before)
        same(f'{page.name}: {part} fits', [], outside(page, part))


def outside(page, part):
    """Which sides of the picture are not in its stage."""
    return page.js('''
        const svg = document.querySelector(`#${arguments[0]} .stage > svg`), stage = svg.getBoundingClientRect(), picture = svg.firstChild.getBoundingClientRect();
        return ["left", "top"].filter((side) => picture[side] < stage[side] - 1).concat(["right", "bottom"].filter((side) => picture[side] > stage[side] + 1));''', part)


def wheel(page):
    """It scrolls the page; with Ctrl it zooms."""
    for selector in ('#flow .stage > svg', '#contexts .stage > svg', '#timeline canvas'):
        taken = page.js('''
            const stage = document.querySelector(arguments[0]);
            return stage && [false, true].map((ctrlKey) => !stage.dispatchEvent(new WheelEvent("wheel", { deltaY: -120, ctrlKey, bubbles: true, cancelable: true })));''', selector)
        same(f'{page.name}: the wheel over {selector}', taken and [False, True], taken)
    page.js('''document.querySelectorAll(".stage > svg, .stage > canvas").forEach((s) => s.dispatchEvent(new KeyboardEvent("keydown", { key: "0" })))''')


def whole_tree(page):
    page.js('''
        document.getElementById("least").value = "0";
        [...document.querySelectorAll("#contexts .bar button")].find((b) => b.textContent === "Whole tree").click()''')
    same(f'{page.name}: the whole tree fits', [], outside(page, 'contexts'))
    page.js('''const least = document.getElementById("least"); least.value = "0.01"; least.dispatchEvent(new Event("change"));''')


def labels(page):
    """No line goes through a text, unless the text is drawn later, with the colour of what is behind around it; the numbers of an axis differ."""
    same(f'{page.name}: labels are not struck through', [], page.js('''
        const struck = [];
        for (const svg of document.querySelectorAll("section svg[role]")) {
            const all = [...svg.querySelectorAll("*")], place = new Map(all.map((e, i) => [e, i])), lines = all.filter((e) => e.matches("path") && e.getAttribute("fill") !== "transparent" && !e.closest("defs") && getComputedStyle(e).opacity > .3);
            const points = lines.map((line) => { const length = line.getTotalLength(), at = line.getScreenCTM(); return [line, Array.from({ length: 60 }, (_, i) => line.getPointAtLength(length * i / 59).matrixTransform(at))]; });
            for (const text of svg.querySelectorAll("text")) {
                const box = text.getBoundingClientRect();
                if (!box.width) continue;
                for (const [line, on] of points)
                    if (on.some((p) => p.x > box.left + 2 && p.x < box.right - 2 && p.y > box.top + box.height * .3 && p.y < box.bottom - box.height * .3) && (!text.classList.contains("over") || place.get(line) > place.get(text)))
                        struck.push([svg.getAttribute("aria-label").slice(0, 30), text.textContent]);
            }
        }
        return struck.slice(0, 5);'''))
    same(f'{page.name}: no tick has the label of another', [], page.js('''
        return [...document.querySelectorAll("g.axis")].map((axis) => [...axis.querySelectorAll("text")].map((t) => t.textContent).filter(Boolean))
            .filter((texts) => new Set(texts).size < texts.length)'''))
    same(f'{page.name}: nor on axes of any range', [], page.js('''
        const ranges = [[0, 7], [0, 3e9], [1.234567e9, 1.234569e9], [0, 99], [5e5, 7e5], [0, 5e10]], repeated = [];
        for (const [format, scale] of [["time", 1], ["share", 1e-11]])
            for (const range of ranges) {
                const ticks = d3.scaleLinear(range.map((n) => n * scale), [0, 1]).ticks(7), texts = ticks.map(atTicks[format](ticks));
                if (new Set(texts).size < texts.length) repeated.push(texts);
            }
        return repeated'''))


def tables(page, report):
    """They are sorted and searched; a row opens, and leads to the graph."""
    order = [site['time'] for site in report['sites']]
    if len(order) < 2:
        return
    head = '[...document.querySelectorAll("#calls table")].find((t) => t.caption.textContent.startsWith("Call sites")).tHead.rows[0].cells[1]'
    for turn, wanted in (('descending', True), ('ascending', False), ('none', None)):
        page.js(f'{head}.querySelector("button").click()')
        same(f'{page.name}: sorted, {turn}', turn, page.js(f'return {head}.getAttribute("aria-sort") || "none"'))
        calls = [int(row[0]) for row in page.cells('Call sites', 1)]
        verdict(f'{page.name}: rows are {turn}', '' if wanted is None or calls == sorted(calls, reverse=wanted) else calls[:8])
    same(f'{page.name}: and as they were', [str(s['calls']) for s in report['sites'][:5]], [row[0] for row in page.cells('Call sites', 1)[:5]])
    same(f'{page.name}: a number is not broken from its unit', ['67.9 s', '12 kB'], page.js('return withNames("after 67.9 s, 12 kB, 4 ranks").filter((part) => part.className === "whole").map((part) => part.textContent)'))
    same(f'{page.name}: numbers with units', [1500, 2e9, -0.5, None, 3e6], page.js('return ["1.50 us", "2.00 s", "\u22120.5%", "\u2013", "3.00 million"].map(numberIn)'))
    if len(order) > 10:
        word = report['sites'][-1]['label'].split()[0]
        shown = page.js('''
            const search = document.querySelector("#calls input[aria-label^='Search: Call sites']");
            const find = (text) => { search.value = text; search.dispatchEvent(new Event("input")); return [...search.closest(".table").querySelectorAll("tbody tr:not([hidden])")].map((row) => row.textContent); };
            const found = find(arguments[0]);
            find("");
            return found;''', word)
        verdict(f'{page.name}: a search shows what has the word', '' if shown and all(word in text for text in shown) else shown[:3])
    opened = page.js('''
        const twist = document.querySelector("#calls button.twist");
        twist.click();
        const details = twist.closest("tr").nextSibling, text = details.textContent, button = [...details.querySelectorAll("button")].find((b) => b.textContent === "Show in the flow graph");
        button.click();
        const selected = document.querySelector("#flow [role=treeitem][aria-selected=true]");
        twist.click();
        return [text, selected.context.name, details.isConnected];''')
    context = report['contexts'][report['sites'][0]['context']]
    parent = report['contexts'][context['parent']]['name'] if context['is_call'] else context['name']
    same(f'{page.name}: a row leads to the graph, and closes', [parent, False], opened[1:])
    verdict(f'{page.name}: a row has the line of source', '' if context.get('code', '') in opened[0] else opened[0][:200])
    verdict(f'{page.name}: a row has path and ranks', '' if parent in opened[0] and 'Time over the ranks' in opened[0] else opened[0][:200])


def flame(page, report):
    """Bars of all contexts that are wide enough, as wide as their time."""
    whole = report['contexts'][0]['time']['sum']
    shown = page.js('''
        const stage = document.querySelector("#flame .flames"), room = stage.clientWidth;
        return [...stage.children].map((bar) => [bar.getAttribute("aria-label").split(",")[0], (parseFloat(bar.style.width) + 1) / room]);''')
    wanted = sorted(c['time']['sum'] / whole for c in report['contexts'] if c['time']['sum'] > .05 * whole)
    got = sorted(width for _, width in shown if width > .05)
    verdict(f'{page.name}: the flame graph', '' if len(wanted) == len(got) and all(abs(a - b) < .01 for a, b in zip(wanted, got)) else [wanted, got])
    same(f'{page.name}: bars that are buttons can be hit', [], page.js('''
        const small = (box) => box.width < 24 || box.height < 24;
        return [...document.querySelectorAll("#flame button.flame")].filter((bar) => small(bar.getBoundingClientRect())).map((bar) => bar.textContent);'''))
    same(f'{page.name}: a click makes a bar wide', True, page.js('''
        const bars = [...document.querySelectorAll("#flame .flame")];
        bars[bars.length - 1].click();
        const first = document.querySelector("#flame .flame"), wide = parseFloat(first.style.width) + 2 >= first.parentElement.clientWidth;
        document.querySelector("#flame .bar button").click();
        return wide;'''))


def links(page):
    """A link to a part opens there, and opens what is folded."""
    if not hasattr(page.driver, 'execute_cdp_cmd'):
        return
    for part in ('flow', 'growth'):
        page.driver.get('about:blank')
        page.driver.get('file://' + os.path.abspath(f'{page.name}/report.html') + '#' + part)
        page.wait('return document.documentElement.dataset.drawn === "all"')
        top, room, is_open = page.js('const p = document.getElementById(arguments[0]), d = p.querySelector(":scope > h2 + details"); return [p.getBoundingClientRect().top, innerHeight, !d || d.open]', part)
        verdict(f'{page.name}: a link to #{part} leads there', '' if 0 <= top < room and is_open else [top, room, is_open])


def narrow(page):
    """On a narrow page nothing but tables scrolls to the side, and they say so."""
    if not hasattr(page.driver, 'execute_cdp_cmd'):
        return
    for width in (420, 1000, 1900):
        page.driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride', {'width': width, 'height': 900, 'deviceScaleFactor': 1, 'mobile': False})
        page.js('return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
        same(f'{page.name}: {width} px are wide enough', True, page.js('return document.documentElement.scrollWidth <= innerWidth'))
        same(f'{page.name}: at {width} px a table that scrolls says so', [], page.js('''
            return [...document.querySelectorAll(".scroll")].filter((s) => !s.closest("details:not([open])") && s.scrollWidth > s.clientWidth + 1 !== (s.parentElement.querySelector(".hint").offsetHeight > 0)).map((s) => s.getAttribute("aria-label"))'''))
        same(f'{page.name}: at {width} px no word is broken', [], page.js('''
            const wrong = [], range = document.createRange();
            for (const cell of document.querySelectorAll("td.wide, .findings li, .said dd")) {
                const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
                for (let text = cell.offsetHeight ? texts.nextNode() : null; text; text = texts.nextNode())
                    for (const word of text.data.matchAll(/[A-Za-z0-9]+/g)) {
                        range.setStart(text, word.index);
                        range.setEnd(text, word.index + word[0].length);
                        if (word[0].length <= 20 && new Set([...range.getClientRects()].filter((r) => r.width).map((r) => r.top)).size > 1) wrong.push(word[0]);
                    }
            }
            return wrong.slice(0, 5)'''))
    page.driver.execute_cdp_cmd('Emulation.clearDeviceMetricsOverride', {})


def halos(page, report):
    shown = page.js('''
        document.querySelectorAll("#contexts .bar button").forEach((b) => { if (b.textContent === "Whole tree") b.click(); });
        const least = document.getElementById("least"), shown = {};
        for (const value of ["0", "0.1"]) {
            least.value = value;
            least.dispatchEvent(new Event("change"));
            shown[value] = document.querySelectorAll("#contexts .context").length;
            if (value === "0") shown.said = document.querySelector("#contexts").textContent;
        }
        least.value = "0.01";
        least.dispatchEvent(new Event("change"));
        return shown''')
    whole = report['contexts'][0]['time']['sum']
    if len(report['contexts']) <= NODES_MOST:
        same(f'{page.name}: everything is in the tree', len(report['contexts']), shown['0'])
    else:
        verdict(f'{page.name}: the largest are in the tree', '' if .9 * NODES_MOST < shown['0'] <= NODES_MOST else shown['0'])
        verdict(f'{page.name}: how many are not', '' if f"{len(report['contexts']) - shown['0']} smaller ones" in shown['said'] else shown['said'])
    same(f'{page.name}: a filter by share', sum(c['time']['sum'] >= .1 * whole for c in report['contexts']), shown['0.1'])
    page.js('''[...document.querySelectorAll("#contexts .bar button")].find((b) => b.textContent === "Hot path").click()''')
    verdict(f'{page.name}: the hot path', '' if page.all('#contexts .link.hot') else 'none')
    page.js('document.querySelector("#contexts .context").dispatchEvent(new MouseEvent("click"))')
    text = page.js('return document.querySelector("#contexts .beside > .panel").textContent')
    lists = [ranks.split(',')[0] for n, ranks in report['contexts'][0]['time']['thirds'] if n]
    verdict(f'{page.name}: ranks behind the colours are listed', [r for r in lists if r not in text] or '')
    page.js('document.querySelector("#contexts .flat").dispatchEvent(new MouseEvent("click"))')
    verdict(f'{page.name}: the flat profile leads to its contexts', '' if page.all('#contexts .beside > .panel li button') else 'no links')
    verdict(f'{page.name}: and is joined with them', '' if page.all('#contexts .joint.on') else 'no line')


def rings(page, report):
    """Arcs of the whole tree: those that are long enough, as long as their share of the time."""
    got = page.js('''
        [...document.querySelectorAll("#contexts .bar button")].find((b) => b.textContent === "Whole tree").click();
        return d3.selectAll("#contexts .arc").data().map((d) => [d.data.id, (d.x1 - d.x0) / 2 / Math.PI]).filter(([, share]) => share > .05)''')
    times = page.js('return contexts.map((c) => c.time.sum)')
    wanted = [i for i, time in enumerate(times) if time > .05 * times[0]]
    same(f'{page.name}: the rings have the tree', wanted, sorted(i for i, _ in got))
    verdict(f'{page.name}: arcs are as long as their time', [[i, share] for i, share in got if abs(share - times[i] / times[0]) > .01] or '')
    page.js('document.querySelectorAll("#contexts .arc")[arguments[0]].dispatchEvent(new MouseEvent("click"))', len(got) - 1)
    verdict(f'{page.name}: an arc tells of its context', '' if page.js('return document.querySelector("#contexts .beside > .panel h3").textContent') else 'nothing')


def choice(page, report):
    """Some ranks only: times are theirs, in the flame graph, the tree and the lists; and back."""
    ranks = report['times_of']
    if len(ranks) < 2:
        return same(f'{page.name}: nothing to choose', 0, len(page.all('.choice')))
    pick = '''const input = document.querySelector("#flame .choice input");
        input.value = arguments[0];
        input.dispatchEvent(new Event("change"));
        return [contexts[0].time.sum, document.querySelector("#contexts .choice input").value, document.querySelector("#flame .choice .note").textContent];'''
    whole = page.js('return contexts[0].time.sum')
    first, at = report['contexts'][0]['time_by'], len(ranks) - 1
    got = page.js(pick, f'{ranks[at]}')
    same(f'{page.name}: times of one rank', [first[at], str(ranks[at])], got[:2])
    verdict(f'{page.name}: it says how many', '' if got[2].startswith('1 of ') else got[2])
    longest = max(range(len(report['contexts'])), key=lambda i: report['contexts'][i].get('time_by', [0] * len(ranks))[at] if i else 0)
    wanted = f"{100 * report['contexts'][longest]['time_by'][at] / first[at]:.1f}%"
    verdict(f'{page.name}: in the flame graph, too', '' if any(b.endswith(', ' + wanted) for b in page.js('return [...document.querySelectorAll("#flame .flame")].map((b) => b.getAttribute("aria-label"))')) else wanted)
    same(f'{page.name}: what is no list is said', 'a list such as 0-3,8 is wanted', page.js(pick, 'x')[2])
    same(f'{page.name}: two ranks', sum(first[:2]), page.js(pick, f'{ranks[0]}, {ranks[1]}')[0])
    same(f'{page.name}: and all again', whole, page.js(pick, '')[0])
    if len(ranks) == report['overview']['ranks']:
        made = page.js('''
            const d = distributionOf(contexts[0].time_by.map((value, i) => [rankNumbers[i], value]));
            return Object.fromEntries(Object.keys(contexts[0].time).map((key) => [key, key === "median" ? Math.trunc(d[key]) : d[key]]))''')
        same(f'{page.name}: a distribution is made as the report makes it', *[
            values | {'thirds': [[n, ranks_of(text) if n else None] for n, text in values['thirds']]}
            for values in (report['contexts'][0]['time'], made)])


def iterations(page, report):
    series = report.get('iterations')
    if not series:
        return verdict(f'{page.name}: no iterations, and why', '' if page.all('#iterations .notice') else 'it does not say')
    drawn = page.js('return document.querySelectorAll("#iterations figure rect").length')
    verdict(f'{page.name}: iterations are drawn', '' if drawn > len(series['slots']) else drawn)
    same(f'{page.name}: outliers are named', [str(l[0]) for l in sorted(series['longest'], key=lambda l: -l[2])],
         [row[0] for row in page.cells('The longest', 0)])


def slow(page, report):
    for pair in report['slow']:
        same(f'{page.name}: iteration {pair["iteration"]} beside {pair["other"]}',
             [[row['label'], row['ranks']] for row in pair['differences']],
             page.cells(f'Iteration {pair["iteration"]} beside', 0, 6))
        said = page.js('return [...document.querySelectorAll("#slow .verdict")].map((p) => p.textContent)')
        verdict(f'{page.name}: what made it slow', '' if pair['sentence'] in said else said)


def waits(page, report):
    """What waits in the timeline is what waits in all; a wait leads to the call that ended it."""
    recorded, waiting = report.get('timeline'), report.get('waiting')
    if not recorded or not waiting or not waiting['all']['waiting']:
        return
    waited = sum(sum(location['waits'][1::4]) for location in recorded['locations'])
    if not recorded['left_out']:
        verdict(f'{page.name}: waiting in the timeline', '' if waited >= sum(waiting['all']['waiting'].values()) else [waited, waiting['all']])
    shown = page.js("""
        const view = timelineView(run.timeline), all = view.locations.flatMap(({ wait, other }, l) => [...wait.keys()].filter((i) => wait[i] && other[i] >= 0).map((i) => [l, i]));
        const apart = all.map(([l, i]) => { const { begin, end, wait, kind } = view.locations[l], cause = causeOf(view, l, i);
            return cause && view.timeline.kinds[kind[i]] !== "polls" && wait[i] < end[i] - begin[i] ? Math.abs(view.locations[cause.location].begin[cause.call] - begin[i] - wait[i]) : 0; });
        return [all.length, apart.filter((ns) => ns > 1).length];""")
    verdict(f'{page.name}: a wait ends when the other call begins', '' if not shown[1] else f'{shown[1]} of {shown[0]} do not')
    page.js('[...document.querySelectorAll("#timeline button")].find((b) => b.textContent === "Show").click()')
    page.wait('return document.querySelector("#timeline p[role=status]").textContent !== ""')
    said = page.js('return document.querySelector("#timeline p[role=status]").textContent')
    verdict(f'{page.name}: a wait says what it waits for', '' if said.startswith('rank ') and ' waits ' in said and (' until rank ' in said or 'not known' in said or 'not in the' in said) else said)
    page.js('document.querySelector("#timeline canvas").dispatchEvent(new KeyboardEvent("keydown", { key: "0" }))')
    message = page.js("""
        const view = timelineView(run.timeline), m = view.messages, canvas = document.querySelector("#timeline canvas"), box = canvas.getBoundingClientRect();
        const i = [...m.from.keys()].find((i) => m.from[i] !== m.to[i]);
        if (i === undefined) return null;
        [view.begin, view.end, view.width] = [0, view.timeline.end, box.width];
        const x = (view.x(m.sent[i]) + view.x(m.received[i])) / 2, y = view.top + view.row * (m.from[i] + m.to[i] + 1) / 2;
        const found = messageAt({ clientX: box.left + x, clientY: box.top + y }, view, canvas);
        tellMessage({ clientX: 0, clientY: 0 }, view, i);
        return [found, document.querySelector("#tip").textContent, m.from[i], m.to[i]];""")
    if message:
        verdict(f'{page.name}: an arrow tells its message', '' if message[0] >= 0 and 'Message from rank' in message[1] and 'bytes' in message[1] else message)
        page.js('hideTip()')
    pairs = [[str(rank), 'unknown' if other is None else str(other)] for rank, other, *_ in waiting['pairs'][:5]]
    objects = [one['name'] + ('' if one['kind'] == 'file' else f', {one["ranks"]} ranks') for one in waiting['objects'][:5]]
    same(f'{page.name}: communicators, windows and files', objects,
         [row[0] for row in page.cells('Communicators, RMA windows and files', 0)[:5]])
    same(f'{page.name}: who waits for whom', pairs, page.cells('Who waits for whom', 0, 1)[:5])
    same(f'{page.name}: as a matrix, too', any(other is not None for _, other, *_ in waiting['pairs']), bool(page.all('#waiting canvas')))


def heat_map(page, report):
    """Its cells are those of the document; the recorded ones lead to the timeline."""
    if 'heat' not in report:
        return verdict(f'{page.name}: no heat map, and why', '' if page.all('#heat .notice') else 'it does not say')
    rows = report['heat']['rows']
    same(f'{page.name}: rows of the heat map', len(rows), len(page.cells('Mean iteration by rank', 0)))
    for name in 'computation', 'in MPI', 'duration':
        page.js("""const choose = document.querySelector("#heat select");
            choose.value = [...choose.options].find((o) => o.textContent === arguments[0]).value;
            choose.dispatchEvent(new Event("change"));""", name)
        same(f'{page.name}: the heat map shows {name}', name, page.js('return document.querySelector("#heat canvas").dataset.quantity'))
    darkest = page.js("""
        const view = heatView(run.heat, 0), values = view.cells.flat().filter((v) => v !== null);
        const shares = values.map((v) => view.share(v));
        return [Math.min(...shares), Math.max(...shares), Math.min(...values)];""")
    same(f'{page.name}: colours from the least to the most', [0, min(t for row in rows for t in row['time'] if t is not None)], [darkest[0], darkest[2]])
    if 'timeline' not in report or not report['iterations']['recorded']:
        return
    first, last = report['iterations']['recorded'][0]
    same(f'{page.name}: buttons name the recorded iterations', f'Recorded: {first}' + (f' to {last - 1}' if last > first + 1 else ''),
         page.js('return [...document.querySelectorAll("#heat button")].find((b) => b.textContent.startsWith("Recorded")).textContent'))
    same(f'{page.name}: a range of one is one number', ['iteration 23', 'iterations 12 to 21'], page.js('return [iterationsFrom(23, 23), iterationsFrom(12, 21)]'))
    page.js('[...document.querySelectorAll("#heat button")].find((b) => b.textContent.startsWith("Recorded")).click()')
    begins = [(begin, end) for number, begin, end, *_ in report['timeline']['iterations'] if first <= number < last]
    if begins:
        page.wait('return document.querySelector("#timeline canvas").dataset.view !== undefined')
        begin, end = min(b for b, _ in begins), max(e for _, e in begins)
        page.wait(f'const [from, to] = document.querySelector("#timeline canvas").dataset.view.split(" ").map(Number); return from <= {begin} && {end} <= to && to - from <= 1.1 * ({end} - {begin})')
        verdict(f'{page.name}: a recorded iteration leads to the timeline')
    page.js('document.querySelector("#timeline canvas").dispatchEvent(new KeyboardEvent("keydown", { key: "0" })); scrollTo(0, 0)')


def timeline(page, report):
    recorded = report.get('timeline')
    if not recorded:
        return verdict(f'{page.name}: no timeline, and why', '' if page.all('#timeline .notice') else 'it does not say')
    page.wait('return document.querySelector("#timeline canvas").dataset.view !== undefined')
    view = 'return document.querySelector("#timeline canvas").dataset.view.split(" ").map(Number)'
    begin, end = page.js(view)
    page.js('window.drawn = document.querySelector("#timeline canvas").toDataURL().length')
    page.js('document.querySelector("#timeline [aria-label=\'zoom in\']").click()')
    page.wait(f'return document.querySelector("#timeline canvas").dataset.view !== "{begin} {end}"')
    closer = page.js(view)
    verdict(f'{page.name}: the timeline zooms', '' if closer[1] - closer[0] < .8 * (end - begin) and begin < closer[0] < closer[1] < end else [begin, end, closer])
    page.js('document.querySelector("#timeline canvas").focus()')
    page.driver.switch_to.active_element.send_keys('0')
    page.wait('const v = document.querySelector("#timeline canvas").dataset.view.split(" ");'
              f'return Math.abs(v[0] - {begin}) + Math.abs(v[1] - {end}) < 1e-6 * ({end} - {begin})')
    drawn, colour, idle = page.js("""
        const canvas = document.querySelector("#timeline canvas"), g = canvas.getContext("2d"), view = timelineView(run.timeline);
        [...document.querySelectorAll("#timeline button")].filter((b) => ["Messages", "Waiting"].includes(b.textContent)).forEach((b) => b.click());
        [view.begin, view.end] = canvas.dataset.view.split(" ").map(Number);
        view.width = canvas.getBoundingClientRect().width;
        let longest = 0, i = 0, k = 0;
        view.locations.forEach((l, row) => l.begin.forEach((begin, n) => { if (l.end[n] - begin > longest) { longest = l.end[n] - begin; i = row; k = n; } }));
        const l = view.locations[i];
        const look = () => {
            const row = g.getImageData(0, Math.round(view.top + view.row * (i + .3)), view.width, 1).data;
            const at = (time) => "#" + [...row.slice(4 * Math.round(view.x(time)), 4 * Math.round(view.x(time)) + 3)].map((n) => n.toString(16).padStart(2, "0")).join("");
            const colours = [.2, .35, .5, .65, .8].map((part) => at(l.begin[k] + part * longest)); // a line may be drawn across one of them
            const frequent = colours.sort((a, b) => colours.filter((c) => c === b).length - colours.filter((c) => c === a).length)[0];
            return [frequent, functionColour(run.timeline.functions[run.timeline.sites[l.site[k]].function]), at(view.end - (view.end - view.begin) / 500)];
        };
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(look()))));""")
    same(f'{page.name}: the longest call is drawn in its colour', colour, drawn)
    verdict(f'{page.name}: what is behind the last call is not', '' if idle != drawn else idle)
    calls = sum(len(location['calls']) // 3 for location in recorded['locations'])
    same(f'{page.name}: calls of the timeline', calls, sum(int(row[0]) for row in page.cells('Calls of the recorded', 1)))
    told = page.js("""
        const view = timelineView(run.timeline), ofCalls = view.ofCalls = messagesOfCalls(view), m = view.messages;
        let wrong = 0, ends = 0;
        ofCalls.forEach((calls, l) => calls.forEach((mine, i) => {
            ends += mine.length;
            const facts = messageFacts(view, l, i), [k, other] = mine[0], sends = m.from[k] === l;
            if (facts[0][0] !== (sends ? "sends" : "receives") || facts[0][1] !== `${bytes(m.bytes[k])} ${sends ? "to" : "from"} rank ${view.locations[other].name.slice(5)}`) wrong++;
        }));
        return [wrong, ends, 2 * m.n];""")
    verdict(f'{page.name}: calls tell bytes and partners of their messages', '' if not told[0] and (told[1] == told[2] or recorded['left_out']) else told)
    said = page.js("""
        const canvas = document.querySelector("#timeline canvas"), box = canvas.getBoundingClientRect();
        for (let x = 90; x < box.width; x += 3) {
            canvas.dispatchEvent(new MouseEvent("mousemove", { clientX: box.left + x, clientY: box.top + 30 }));
            if (/MPI_/.test(document.getElementById("tip").textContent)) return document.getElementById("tip").textContent;
        }""")
    page.js('showTip({ clientX: innerWidth - 5, clientY: 50 }, "a title of some length", [["at", "3.91 ms"], ["outside", "of MPI"]])')
    tip = page.js('const box = document.getElementById("tip").getBoundingClientRect(); hideTip(); return [box.width, box.right, innerWidth]')
    verdict(f'{page.name}: a tip at the edge is as wide as it needs', '' if tip[0] > 100 and tip[1] <= tip[2] else tip)
    verdict(f'{page.name}: a call of the timeline is named', '' if said and any(said.startswith(s['label'].split()[0]) for s in recorded['sites']) else said)


def messages(page, report):
    sent = report.get('messages')
    if not sent:
        return verdict(f'{page.name}: no messages, and why', '' if page.all('#messages .notice') else 'it does not say')
    largest = sorted(sent['all']['matrix'], key=lambda c: -c[3])[:50]
    same(f'{page.name}: the matrix', sorted(c[2] for c in largest), sorted(int(row[0]) for row in page.cells('The whole run', 2)))


def waiting(page, report):
    told = report.get('waiting')
    if not told:
        return verdict(f'{page.name}: not why ranks wait, and why not', '' if page.all('#waiting .notice') else 'it does not say')
    same(f'{page.name}: what time is made of', ['computation', *(f'waiting: {kind}' for kind in told['all']['waiting']),
         'the rest in MPI: transfer, software'], [row[0] for row in page.cells('What the time of all', 0)])
    waited = max(([sum(site['waiting'].values()), site['label']] for site in told['sites'] if site['waiting']), default=[0, ''])
    shown = [row[0] for row in page.cells('Where they wait', 0)]
    verdict(f'{page.name}: where ranks wait most comes first', '' if not shown or shown[0].startswith(waited[1]) else shown[:2])
    paths = [['MPI_Send', 'put', 'one', 'main'], ['MPI_Send', 'put', 'two', 'main'], ['MPI_Send', 'get', 'two'], ['MPI_Send', 'put']]
    same(f'{page.name}: what tells call sites apart', ['one', 'two', 'get', 'put'], page.js('return apart(arguments[0])', paths))
    same(f'{page.name}: who waits for whom', [[str(one), str(other)] for one, other, *_ in told['pairs'][:5] if other is not None],
         [row for row in page.cells('Who waits for whom', 0, 1)[:5] if row[1] != 'unknown'])


def representative(page, report):
    said = page.js('return document.querySelector("#representative .verdict").textContent')
    same(f'{page.name}: whether the recorded iterations stand for the run', report['representative']['sentence'], said)
    if report['representative']['rows']:
        same(f'{page.name}: the worst comes first', [row['label'] for row in report['representative']['rows'][:5]],
             page.js("""return [...document.querySelectorAll("#representative tbody tr")].slice(0, 5)
                .map((row) => row.cells[0].firstChild.firstChild.textContent)"""))


def contrast(page):
    """WCAG 2: texts 4.5, what pictures are made of 3, in light and dark; no function has the colour of the share of MPI, of marks or of fast ranks."""
    faint = page.js("""
        const part = (n) => n / 255 <= .03928 ? n / 255 / 12.92 : ((n / 255 + .055) / 1.055) ** 2.4;
        const light = (colour) => { const [r, g, b] = parse(colour).map(part); return .2126 * r + .7152 * g + .0722 * b; };
        const ratio = (a, b) => (Math.max(light(a), light(b)) + .05) / (Math.min(light(a), light(b)) + .05);
        const before = document.documentElement.dataset.theme, faint = [];
        for (const theme of ["light", "dark"]) {
            document.documentElement.dataset.theme = theme;
            const check = (least, colours, behind) => colours.forEach((c) => { if (ratio(c, behind) < least) faint.push([theme, c, behind, ratio(c, behind)]); });
            for (const behind of ["paper", "panel", "faint", "accent-soft"]) check(4.5, ["ink", "soft", "accent"].map(variable), variable(behind));
            check(4.5, ["accent", "slow"].map(variable), variable("panel"));
            check(4.5, [0, .1, .5, 1].map(heat), variable("ink"));
            for (const name of ["mpi", "mark", "fast"]) for (const c of [...(isDark() ? darkPalette : palette), functionColour("")])
                if (Math.hypot(...parse(c).map((n, i) => n - parse(variable(name))[i])) < 50) faint.push([theme, name, "is the colour of a function", c]);
            check(3, [...["fast", "near", "slow", "mark", "mpi", "good", "warn"].map(variable), ...(isDark() ? darkPalette : palette), functionColour("")], variable("panel"));
        }
        document.documentElement.dataset.theme = before;
        return faint""")
    same(f'{page.name}: contrasts', [], faint)


def spoken(page):
    """What a screen reader is told; the order of keys is that of the page."""
    same(f'{page.name}: the order of keys', [], page.js('return [...document.querySelectorAll("[tabindex]")].filter((e) => e.tabIndex > 0).map((e) => e.outerHTML.slice(0, 80))'))
    same(f'{page.name}: each column has a heading', [], page.js('return [...document.querySelectorAll("th")].filter((e) => !e.textContent.trim()).map((e) => e.closest("div").outerHTML.slice(0, 80))'))
    same(f'{page.name}: what has no role has no label of its own', [], page.js('return [...document.querySelectorAll("div[aria-label]:not([role]), span[aria-label]:not([role])")].map((e) => e.outerHTML.slice(0, 80))'))
    if not hasattr(page.driver, 'execute_cdp_cmd'):
        return
    nodes = [n for n in page.driver.execute_cdp_cmd('Accessibility.getFullAXTree', {})['nodes'] if not n['ignored']]
    needed = {'button', 'link', 'image', 'region', 'tree', 'treeitem', 'table', 'combobox', 'navigation', 'heading', 'columnheader', 'figure', 'Canvas'}
    same(f'{page.name}: all have names', [], [n['role']['value'] for n in nodes if n['role']['value'] in needed and not n.get('name', {}).get('value')])
    roles = {n['role']['value'] for n in nodes}
    same(f'{page.name}: roles', set(), {'main', 'navigation', 'table', 'columnheader', 'heading', 'link', 'button'} - roles)


def theme(page):
    before = page.js('return getComputedStyle(document.body).backgroundColor')
    page.js('document.getElementById("theme").click()')
    verdict(f'{page.name}: light and dark', '' if page.js('return getComputedStyle(document.body).backgroundColor') != before else before)
    page.js('document.getElementById("theme").click()')


def quiet(page):
    same(f'{page.name}: no error, nothing forbidden', [], [entry['message'] for entry in page.driver.get_log('browser')])
    same(f'{page.name}: no request', [], page.js('return performance.getEntriesByType("resource").map((e) => e.name)'))
    asked = page.js('''
        const refused = new Promise((done) => document.addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective)));
        return fetch("http://localhost:9/").then(() => "went out", () => Promise.race([refused, new Promise((done) => setTimeout(done, 1000, "failed"))]))''')
    same(f'{page.name}: none is possible, says the policy', 'connect-src', asked)
    page.driver.get_log('browser')
    print(f'note {page.name}: first picture after', round(page.js('return performance.getEntriesByName("first picture")[0].startTime')), 'ms, all after',
          round(page.js('return performance.getEntriesByName("all drawn")[0].startTime')), 'ms', flush=True)


def comparison(page, document):
    same(f'{page.name}: every part is there', ['overview', 'loops', 'differences'],
         [s.get_attribute('id') for s in page.all('main > section')])
    same(f'{page.name}: findings', document['findings'],
         page.js('return [...document.querySelectorAll(".findings li")].map((li) => li.textContent)'))
    same(f'{page.name}: the runs', [run['command'] in line for run, line in zip(document['runs'], page.js(
        'return [...document.querySelectorAll("header .meta")].map((p) => p.textContent)'))], [True, True])
    same(f'{page.name}: all differences', [d['label'] for d in document['differences']],
         [text.removeprefix('computing before ').removesuffix('A only').removesuffix('B only')
          for text, in page.cells('Calls and computation', 6)])
    theme(page)
    quiet(page)


def history(page, document):
    series = document['series']
    same(f'{page.name}: every series is there', ['series'] + [f'series-{i}' for i in range(len(series))],
         [s.get_attribute('id') for s in page.all('main > section')])
    same(f'{page.name}: a dot for each run, a line for each change', [[len(s['runs']), len(s['changes'])] for s in series],
         page.js('return [...document.querySelectorAll("main > section figure")].map((figure) => '
                 '[figure.querySelectorAll("circle").length, figure.querySelectorAll("line[stroke-dasharray], line[style*=dasharray]").length])'))
    same(f'{page.name}: what changed', [c['sites'][0]['name'] for s in series for c in s['changes']],
         page.js('return [...document.querySelectorAll(".findings li div:first-of-type")].map((line) => line.textContent.split(": ")[0])'))
    theme(page)
    contrast(page)
    quiet(page)


def main():
    driver = browser()
    try:
        for name in sys.argv[1:]:
            with open(f'{name}/json', encoding='utf-8') as file:
                report = json.load(file)
            page = Page(driver, name)
            if report['format'] == 'efgtrace-compare':
                comparison(page, report)
                continue
            if report['format'] == 'efgtrace-history':
                history(page, report)
                continue
            look(page, report)
            figures(page, report)
            if not report['graph']['nodes']:
                verdict(f'{page.name}: it says that there are no calls', '' if 'No MPI calls' in page.js('return document.querySelector("#flow").textContent') else 'it does not')
            elif page.js('return hasD3 && hasDagre'):
                held = fits(page, report)
                select(page, held)
                expand(page)
                rank_lists(page)
                labels(page)
                zoom(page)
                wheel(page)
                whole_tree(page)
                tables(page, held)
                flame(page, held)
                halos(page, held)
                rings(page, held)
                choice(page, held)
                iterations(page, report)
                slow(page, report)
                if not report['slow']:  # the page begins with the first window; the longest call is in another one
                    timeline(page, report)
                    heat_map(page, report)
                    waits(page, report)
            else:
                lists = page.js('return [...document.querySelectorAll("#flow table, #contexts table")].length')
                same(f'{page.name}: without libraries there are tables', 3, lists)
                verdict(f'{page.name}: and it says what it lacks', '' if 'built without D3' in page.js('return document.querySelector("#flow").textContent + document.querySelector("footer").textContent') else 'it does not')
            waiting(page, report)
            messages(page, report)
            representative(page, report)
            contrast(page)
            spoken(page)
            theme(page)
            quiet(page)
            narrow(page)
            links(page)
    finally:
        driver.quit()


if __name__ == '__main__':
    main()
