# SPDX-License-Identifier: BSD-3-Clause
"""The results as a picture: four panels, drawn by gnuplot."""
import subprocess
import sys

from table import compare, difference, find, names, tools_of
from spread import spread

COLOURS = {"off": "#999999", "graph": "#56b4e9", "watching": "#0072b2", "adaptive": "#0072b2",
           "recording": "#009e73", "full": "#e69f00", "eztrace": "#cc79a7", "bare": "#000000"}
OTHERS = ("#d55e00", "#f0e442", "#7f3b08")  # peers that are named


class Plot:
    """A gnuplot script that grows panel by panel."""

    def __init__(self, path):
        self.lines = ["set terminal svg noenhanced size 1000,720 font 'sans-serif,12' background 'white'",
                      f"set output '{path}'", "set multiplot layout 2,2 margins 0.08,0.98,0.08,0.95 "
                      "spacing 0.1,0.16", "set grid ytics lc rgb '#dddddd'", "set border 3",
                      "set tics nomirror", "set key top left Left reverse samplen 1.5 font ',10'",
                      "set style fill solid 0.9 noborder", "set pointintervalbox 0"]
        self.blocks = 0

    def block(self, rows):
        self.blocks += 1
        self.lines += [f"$d{self.blocks} << END"] + [" ".join(map(str, r)) for r in rows] + ["END"]
        return f"$d{self.blocks}"

    def panel(self, title, label, *settings):
        self.lines += [f"set title '{title}'", f"set ylabel '{label}'", *settings]

    def draw(self, plots):
        self.lines += ["plot " + ", \\\n ".join(plots) if plots else "set multiplot next"]

    def run(self):
        subprocess.run(["gnuplot"], input="\n".join(self.lines + ["unset multiplot", ""]), text=True,
                       check=True)


def colour(tool, tools):
    unknown = [t for t in tools if t not in COLOURS]
    return COLOURS.get(tool) or OTHERS[unknown.index(tool) % len(OTHERS)]


def bars(plot, groups, tools, value):
    """A group of bars for each of GROUPS; VALUE(group, tool) is (median, low, high) or None."""
    width = 0.8 / max(1, len(tools))
    plots = []
    for i, tool in enumerate(tools):
        points = [(g + (i - (len(tools) - 1) / 2) * width, *v) for g, v in
                  enumerate(value(group, tool) for group in groups) if v]
        if not points:
            continue
        data = plot.block(points)
        c = colour(tool, tools)
        plots.append(f"{data} using 1:2:({0.9 * width}) with boxes lc rgb '{c}' title '{tool}'")
        plots.append(f"{data} using 1:2:3:4 with yerrorbars pt 0 ps 0 lc rgb '#444444' notitle")
    plot.draw(plots)


def three(result):
    return result and (result["median"], result["low"], result["high"])


def labels(groups):
    return "set xtics (" + ", ".join(f"'{g}' {i}" for i, g in enumerate(groups)) + ")"


def kinds_panel(plot, rows):
    chosen = [r for r in rows if r["depth"] == 16 and r["nodes"] == 1]
    kinds, tools = names(chosen, "kind"), tools_of(chosen)
    plot.panel("Added to a call, by kind (depth 16)", "ns of CPU time", labels(kinds),
               f"set xrange [-0.6:{len(kinds) - 0.4}]", "set yrange [0:*]", "set xtics rotate by 20 right")
    bars(plot, kinds, tools,
         lambda kind, tool: three(compare(rows, "cpu_ns", difference, tool, depth=16, nodes=1,
                                          kind=kind)))


def lines_panel(plot, rows, key, title, fixed, *settings):
    chosen = [r for r in rows if r["kind"] == "Sendrecv" and all(r[k] == v for k, v in fixed.items())]
    tools = [t for t in names(chosen, "tool") if t != "bare"]
    plot.panel(title, "ns of CPU time", "set xrange [*:*]", "set yrange [0:*]",
               "set xtics norotate center auto", *settings)
    plots = []
    for tool in tools:
        points = [(v, three(compare(rows, "cpu_ns", difference, tool, kind="Sendrecv", **fixed, **{key: v})))
                  for v in sorted({r[key] for r in chosen})]
        points = [(x, *y) for x, y in points if y]
        if len(points) > 1:
            data, c = plot.block(points), colour(tool, tools)
            plots += [f"{data} using 1:2 with linespoints pt 7 ps 0.5 lw 2 lc rgb '{c}' title '{tool}'",
                      f"{data} using 1:2:3:4 with yerrorbars pt 0 ps 0 lc rgb '{c}' notitle"]
    plot.draw(plots)


def sizes_panel(plot, rows):
    apps, tools = names(rows, "app"), [t for t in names(rows, "tool") if t not in ("bare", "graph")]

    def size(app, tool):
        row = find(rows, app=app, tool=tool)
        return three(spread([b for b in row["bytes"] if b])) if row else None

    most = max((size(app, tool) or (0,))[0] for app in apps for tool in tools)
    plot.panel("Trace of a whole application", "", labels(apps), "set logscale y",
               "set format y '%.0s %cB'", f"set xrange [-0.6:{len(apps) - 0.4}]",
               f"set yrange [1000:{max(10000, 20 * most)}]")
    bars(plot, apps, tools, size)


def draw(results, path):
    if not results.get("calls"):
        return
    plot = Plot(path)
    rows = results["calls"]
    kinds_panel(plot, rows)
    lines_panel(plot, rows, "depth", "Added to MPI_Sendrecv, by depth of the call path", {"nodes": 1})
    lines_panel(plot, rows, "nodes", "Added to MPI_Sendrecv, by distinct call paths", {"depth": 16},
                "set logscale xy", "set yrange [10:*]", "set format x '%.0f'")
    plot.lines += ["unset logscale", "set format x"]
    if results.get("apps"):
        sizes_panel(plot, results["apps"])
    try:
        plot.run()
    except OSError as error:
        print(f"bench: no picture: gnuplot: {error.strerror}", file=sys.stderr)
