#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The phases of a run, as report, summary and trace have them.

usage: phases.py TOOL DIR COMMAND...

  functions          the functions of the loops, as they began, one line
  main               the function of the one that is the main loop's; and "not", and that of the first one, if
                     that takes about as long as the longest
  iterations         the iterations of each, one line
  over               the functions of those that have counted more iterations than they have; - for none
  first              the numbers of the first iterations that were recorded of each, one line; - for none
  recorded [FUNCTION]  the iterations that were recorded of each, one line; or of this one
  part FUNCTION      its time in percent of that of the longest one, rounded down; 0 if it is no phase
  gap FUNCTION       1 if it lasted for less time than it has from its begin to its end by a tenth, else 0
  loops              the loops that the trace says phases have, as they began, one line; - for none
  trace              the phases of the iterations in the trace, with their numbers of iterations on rank 0,
                     in the same order as recorded; and whether all ranks have the same"""
import json
import subprocess
import sys

import otf2
from otf2.events import Enter


def main():
    tool, folder, command, *rest = sys.argv[1:]
    report = json.loads(subprocess.check_output([tool, "report", "--json", folder]))
    phases = report["phases"]
    one = next((p for p in phases if rest and p["function"] == rest[0]), None)
    if command == "functions":
        print(*[p["function"] for p in phases])
    elif command == "main":
        print(*main_and_first(phases))
    elif command == "iterations":
        print(*[p["iterations"] for p in phases])
    elif command == "over":
        print(*[p["function"] for p in phases if p["counted"] > p["iterations"]] or "-")
    elif command == "first":
        windows = report["curve"]["windows"]
        print(*[min((w["first"] for w in windows if w["phase"] == p["number"]), default="-") for p in phases])
    elif command == "recorded":
        print(*[p["recorded"] for p in phases if p is one or not rest])
    elif command == "part":
        print(int(100 * one["time"] / max(p["time"] for p in phases)) if one else 0)
    elif command == "gap":
        print(int(one["time"] < 0.9 * (one["end"] - one["start"])))
    elif command == "loops":
        print(*loops_in(folder + "/traces.otf2", [p["number"] for p in phases]))
    else:
        print(*in_trace(folder + "/traces.otf2", [p["number"] for p in phases]))


def main_and_first(phases):
    """Beside a load, times say little."""
    names = [p["function"] for p in phases if p["is_main"]]
    is_level = phases[0]["time"] >= 0.9 * max(p["time"] for p in phases)
    return names + (["not", phases[0]["function"]] if is_level and not phases[0]["is_main"] else [])


def iterations(path):
    """Rank and attributes of each."""
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            if isinstance(event, Enter) and event.region.name == "iteration":
                yield location.group.name, {a.name: v for a, v in (event.attributes or {}).items()}


def loops_in(path, numbers):
    loops = {}
    for _, attributes in iterations(path):
        loops.setdefault(attributes["phase"], set()).add(attributes.get("phase_loop", "-"))
    return ["/".join(sorted(loops.get(n, ["-"]))) for n in numbers]


def in_trace(path, numbers):
    ranks = {}
    for rank, attributes in iterations(path):
        counts = ranks.setdefault(rank, {})
        counts[attributes["phase"]] = counts.get(attributes["phase"], 0) + 1
    first = next(iter(ranks.values()))
    return [first.get(n, 0) for n in numbers] + ([] if all(r == first for r in ranks.values()) else ["ranks differ"])


main()
