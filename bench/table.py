# SPDX-License-Identifier: BSD-3-Clause
"""The results as text: goals first, then a table for each part."""
from spread import added, paired, ratio, spread, verdict

CHEAP = ("Comm_rank", "Type_size", "Wtime")
FLAT = 1.25  # cost with 100,000 call paths over that with 10, at most


def find(rows, **wanted):
    """The row of ROWS with these values, or None."""
    return next((row for row in rows if all(row[k] == v for k, v in wanted.items())), None)


def compare(rows, column, function, tool, reference="bare", **which):
    """Spread of COLUMN of TOOL against that of REFERENCE, or None."""
    a, b = find(rows, tool=tool, **which), find(rows, tool=reference, **which)
    return paired(a[column], b[column], function) if a and b else None


def floor_of(rows, tool, **which):
    """What the fastest turn of all under TOOL took more than the fastest one of all without."""
    least = [[ns for ns in row["least_ns"] if ns is not None] if row else [] for row in
             (find(rows, tool=tool, **which), find(rows, tool="bare", **which))]
    return min(least[0]) - min(least[1]) if all(least) else None


def difference(v, r):
    return v - r


def over(v, r):
    return v / r


# --- text ---

def number(value):
    size = abs(value)
    return f"{value:.0f}" if size >= 100 else f"{value:.1f}" if size >= 10 else f"{value:.2f}"


def interval(result, scale=1.0, shift=0.0):
    """median [low, high] of SCALE * (value - SHIFT)"""
    if result is None:
        return "-"
    low, mid, high = (number(scale * (result[k] - shift)) for k in ("low", "median", "high"))
    return f"{mid} [{low}, {high}]"


def binary(count):
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def middle(values, form=number):
    result = spread([v for v in values if v is not None])
    return form(result["median"]) if result else "-"


def table(head, rows):
    """Markdown whose columns also stand under each other as plain text."""
    rows = [[str(cell) for cell in row] for row in [head] + rows]
    width = [max(len(row[i]) for row in rows) for i in range(len(head))]
    lines = ["| " + " | ".join([row[0].ljust(width[0])] + [c.rjust(w) for c, w in zip(row[1:], width[1:])])
             + " |" for row in rows]
    rule = "|" + "|".join(["-" * (width[0] + 2)] + ["-" * (w + 1) + ":" for w in width[1:]]) + "|"
    return "\n".join([lines[0], rule] + lines[1:]) + "\n"


def names(rows, key):
    return list(dict.fromkeys(row[key] for row in rows))


def tools_of(rows):
    """All but bare, in the order of the row that has most of them."""
    most = max(names(rows, "kind"), key=lambda k: sum(r["kind"] == k for r in rows))
    return [t for t in names([r for r in rows if r["kind"] == most], "tool") if t != "bare"]


# --- goals ---

def flatness(rows):
    """How many times as much a call costs with 100,000 call paths as with 10, less the bare ones."""
    cost = {}
    for nodes in (10, 100000):
        which = {"kind": "Sendrecv", "depth": 16, "nodes": nodes}
        a, b = find(rows, tool="watching", **which), find(rows, tool="bare", **which)
        if not a or not b:
            return None
        cost[nodes] = [None if v is None or r is None else v - r for v, r in zip(a["cpu_ns"], b["cpu_ns"])]
    return ratio(cost[100000], cost[10])


def wall_added(rows, app, tool):
    wall = compare(rows, "wall", over, tool=tool, app=app)
    return [f"{app}, large, {tool}: wall time added, %", "noise", interval(wall, 100, 1), "-",
            "not measured" if wall is None else "met" if wall["low"] <= 1 else "missed"]


def goals(results):
    """(what, goal, measured, from the least values, verdict)"""
    rows = []

    def goal(what, limit, unit, result, scale=1.0, shift=0.0, floor=None):
        scaled = result and {k: scale * (result[k] - shift) if k != "n" else result[k] for k in result}
        rows.append([what, f"<= {limit} {unit}".rstrip(), interval(scaled),
                     "-" if floor is None else number(floor), verdict(scaled, limit)])

    def call(what, limit, tool, **which):
        goal(what, limit, "ns", compare(c, "cpu_ns", difference, tool, **which),
             floor=floor_of(c, tool, **which))

    c = results.get("calls")
    if c:
        for tool, limit in (("watching", 50), ("recording", 100)):
            call(f"Sendrecv, depth 16, {tool}: added", limit, tool, kind="Sendrecv", depth=16, nodes=1)
        for kind in CHEAP:
            call(f"{kind}, watching: added", 5, "watching", kind=kind, depth=16, nodes=1)
        goal("added with 100,000 call paths over 10", FLAT, "times", flatness(c))
    if results.get("life"):
        for column, name in (("init_ms", "MPI_Init"), ("finalize_ms", "MPI_Finalize")):
            goal(f"{name}, 4 ranks: added", 50, "ms",
                 compare(results["life"], column, difference, "adaptive"))
    for app in names(results.get("pairs", []), "app"):
        which = {"tool": "adaptive", "app": app}
        stated = spread([v for v in find(results["pairs"], **which)["stated_percent"] if v is not None])
        goal(f"{app}, large: cost that is stated", 0.5, "%", stated)
        rows += [wall_added(results["pairs"], app, tool) for tool in ("off", "adaptive")]
    return table(["goal", "limit", "measured [interval]", "of the least", "verdict"], rows) if rows else ""


# --- parts ---

def calls_by(rows, key, label, fixed):
    """A table of the added CPU time per call; rows: values of KEY; columns: tools."""
    chosen = [r for r in rows if all(r[k] in v for k, v in fixed.items())]
    values, tools = names(chosen, key), tools_of(chosen)
    if key != "kind":
        values.sort()
        tools = [t for t in tools if all(find(chosen, tool=t, **{key: v}) for v in values)]
    lines = []
    for value in values:
        which = {k: v[0] for k, v in fixed.items()} | {key: value}
        bare = find(rows, tool="bare", **which)
        lines.append([value, middle(bare["cpu_ns"])] +
                     [interval(compare(rows, "cpu_ns", difference, t, **which)) for t in tools])
    return table([label, "bare"] + [f"+ {t}" for t in tools], lines)


def calls_text(rows):
    return "\n".join([
        "## ns of CPU time that a call costs, and what is added to it: median [interval]\n",
        calls_by(rows, "kind", "depth 16", {"depth": [16], "nodes": [1]}),
        calls_by(rows, "depth", "Sendrecv, depth", {"kind": ["Sendrecv"], "nodes": [1]}),
        calls_by([r for r in rows if r["kind"] == "Sendrecv"], "nodes", "Sendrecv, call paths",
                 {"kind": ["Sendrecv"], "depth": [16]})])


def life_text(rows):
    lines = [[r["tool"]] + [interval(compare(rows, c, difference, r["tool"])) if r["tool"] != "bare"
                            else middle(r[c]) for c in ("init_ms", "finalize_ms")]
             + [middle(r["peak_kb"], lambda kb: binary(1024 * kb)), middle(r["bytes"], binary)]
             for r in rows]
    return ("## 4 ranks, 800 steps of a ring: the slowest rank; tools: what they add\n\n"
            + table(["tool", "MPI_Init, ms", "MPI_Finalize, ms", "peak memory", "trace"], lines))


def stated(row, name, form=number):
    """Middle of what the summaries said, or "-"; older results have none."""
    return middle(row.get(name, []), form)


def apps_text(rows, title="Applications: small cases, whole jobs, and their ratio to bare"):
    lines = []
    for r in rows:
        which = {"app": r["app"]}
        lines.append([f"{r['app']}, {r['tool']}", middle(r["wall"]),
                      interval(compare(rows, "wall", over, r["tool"], **which)),
                      interval(compare(rows, "cpu", over, r["tool"], **which)),
                      middle(r["peak_kb"], lambda kb: binary(1024 * kb)), middle(r["bytes"], binary),
                      stated(r, "stated_percent"), stated(r, "stated_ns")])
    return (f"## {title}\n\n"
            + table(["application", "wall, s", "wall, ratio", "CPU, ratio", "peak memory", "trace",
                     "stated, %", "ns a call"], lines))


def pairs_text(rows):
    return apps_text(rows, "Applications: large cases on 4 ranks, in pairs")


def instructions_text(rows):
    lines = [[f"{r['kind']}, {r['tool']}", f"{r['bare']:.1f}", f"{r['total']:.1f}",
              f"{r['total'] - r['bare']:+.1f}", f"{r['own']:.1f}",
              f"{max(r['runs']) - min(r['runs']):.2f}",
              f"{r['lines']:.0f}" if "lines" in r else "", f"{r['code']:.0f}" if "code" in r else ""] for r in rows]
    return ("## Instructions per call, and cache lines of data and of code where the caches were emptied"
            " (callgrind), depth 16\n\n"
            + table(["call", "bare", "traced", "added", "in efgtrace", "between runs", "lines", "of code"],
                    lines))


PARTS = {"calls": calls_text, "life": life_text, "apps": apps_text, "pairs": pairs_text,
         "instructions": instructions_text}


# --- what has changed ---

def costs(results):
    """By name: what efgtrace adds to a call, as a spread; instructions are the same each time."""
    found = {}
    for row in results.get("instructions", []):
        found[f"{row['kind']}, {row['tool']}: instructions"] = spread([row["own"]])
    calls = results.get("calls", [])
    for row in (r for r in calls if r["tool"] in ("watching", "recording", "full")):
        which = {k: row[k] for k in ("kind", "depth", "nodes")}
        name = f"{row['kind']}, depth {row['depth']}, {row['nodes']} call paths, {row['tool']}: ns"
        found[name] = compare(calls, "cpu_ns", difference, row["tool"], **which)
    return {name: cost for name, cost in found.items() if cost}


def is_apart(now, kept):
    return now["low"] > kept["high"] or now["high"] < kept["low"]


def changes(results, kept, name):
    """What costs another amount than in KEPT, the results in the file NAME: intervals that do not touch."""
    now, before = costs(results), costs(kept)
    both = [what for what in now if what in before]
    moved = [what for what in both if before[what]["median"] and is_apart(now[what], before[what])]
    lines = [[what, interval(before[what]), interval(now[what]),
              f"{over(now[what]['median'], before[what]['median']):.2f}"] for what in moved]
    if not both:
        return ""
    return (f"## Since {name}, {kept['date']}, efgtrace {kept['machine']['efgtrace']}\n\n"
            f"{len(both)} of the same, {len(both) - len(lines)} within what they vary.\n\n"
            + (table(["added to a call", "then", "now", "ratio"], lines) if lines else ""))


def render(results, picture, kept=None, name=""):
    m = results["machine"]
    text = [f"# efgtrace {m['efgtrace']}, {results['date']}\n",
            ", ".join(f"{k}: {v}" for k, v in m.items() if k != "efgtrace") + ".\n",
            f"{results['runs']} rounds, {results['seconds']} s. Load at the start, and after each part: "
            + ", ".join(map(str, results["load"])) + ".\n"]
    if results["load"][0] > 0.5 * m["cores"]:
        text.append("**The machine was busy with other things: times say little.**\n")
    text += ["## Goals\n", goals(results)]
    text += [PARTS[part](results[part]) for part in PARTS if results.get(part)]
    if kept:
        text.append(changes(results, kept, name))
    if results.get("calls"):
        text.append(f"![cost of a call and size of a trace]({picture})\n")
    return "\n".join(text)
