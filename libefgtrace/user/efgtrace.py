# SPDX-License-Identifier: BSD-3-Clause
"""What a Python program may tell efgtrace; efgtrace.h says what each function does.

    import efgtrace
    for step in range(steps):
        efgtrace.iteration()
        with efgtrace.region("solve"):
            ...

Where efgtrace was not preloaded, nothing happens.

And what efgtrace has written, as tables: for pandas, Hatchet, Pipit, or without any of them.

    run = efgtrace.Run("efgtrace.lmp.1")
    run.frame("calls")                      a pandas.DataFrame
    run.rows("calls")                       the same as a list of dictionaries

TABLES says which there are. Columns have their unit in their name; bytes are bytes. Moments of iterations are since
the run began; those of recorded ones, of events and messages, since the trace did. Numbers are whole, sums exact.
The tables come from the command efgtrace: that of EFGTRACE_TOOL, or beside this file, or in PATH.
"""
import contextlib
import ctypes

__all__ = ["Run", "TABLES", "begin", "end", "iteration", "record", "region"]

_tell = getattr(ctypes.PyDLL(None), "efgtrace_user", lambda what, name, iterations: None)
_END, _ITERATION, _BEGIN, _RECORD = -1, 0, 1, 2


def iteration():
    """An iteration of the main loop begins."""
    _tell(_ITERATION, None, ctypes.c_ulong(0))


def begin(name):
    """The region NAME begins: 1 to 63 printable ASCII characters."""
    _tell(_BEGIN, name.encode(), ctypes.c_ulong(0))


def end(name):
    """The region NAME ends."""
    _tell(_END, name.encode(), ctypes.c_ulong(0))


def record(iterations):
    """Record the next ITERATIONS of the main loop, on all ranks the same ones."""
    if iterations > 0:
        _tell(_RECORD, None, ctypes.c_ulong(iterations))


class region(contextlib.ContextDecorator):
    """All that is done within is in the region NAME."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        begin(self.name)

    def __exit__(self, *error):
        end(self.name)


# --- what was written ---

TABLES = {
    "calls": "of the whole run: each call site of each thread of each rank",
    "nodes": "of the event flow graph, merged over the ranks: each call site",
    "edges": "of that: from one call to the next, with the computation between them",
    "loops": "the loops of the program, outermost first",
    "iterations": "of the main loop, of the rank that represents the run: COUNT of them from FIRST on",
    "ranks": "each rank: what its calls take",
    "traffic": "who sent how much to whom in the whole run; a line may be of several ranks",
    "recorded": "each recorded iteration, on each thread of each rank",
    "events": "each recorded call",
    "messages": "each recorded message that has both ends in the trace",
}


class Run:
    """The run that efgtrace has written to FOLDER. What cannot be read is an OSError, with what the tool says."""

    def __init__(self, folder, tool=None):
        self.folder, self.tool, self._known = folder, tool or _find_tool(), {}

    def rows(self, table):
        """A list of dictionaries, one of TABLES."""
        if table not in TABLES:
            raise KeyError(f"no table {table!r}: there are {', '.join(TABLES)}")
        return list(getattr(self, "_" + table)())

    def frame(self, table):
        """The same as a pandas.DataFrame."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError(f"a data frame needs pandas, which is not installed; without it: rows({table!r})") from error
        return pandas.DataFrame(self.rows(table))

    def __getitem__(self, table):
        return self.frame(table)

    def report(self):
        """All that `efgtrace report` says, as its manual describes it."""
        return self._json("efgtrace-report", 1, "report", "--json")

    def graph(self):
        """The event flow graph, as `efgtrace graph --help` describes it."""
        return self._json("efgtrace-graph", 3, "graph", "--format", "json")

    def timeline(self):
        """The recorded iterations, as `efgtrace export --help` describes them."""
        return self._json("efgtrace-recorded", 1, "export", "--format", "json", "--calls", str(10**9))["timeline"]

    # --- for other programs ---

    def hatchet(self):
        """A hatchet.GraphFrame of the calling contexts: seconds of all ranks, calls, bytes."""
        import hatchet
        return hatchet.GraphFrame.from_literal(self.hatchet_literal())

    def hatchet_literal(self):
        """What hatchet.GraphFrame.from_literal takes."""
        nodes = [_literal(context) for context in self.report()["contexts"]]
        for node, context in zip(nodes, self.report()["contexts"]):
            if context["parent"] is not None:
                parent = nodes[context["parent"]]
                parent["children"].append(node)
                parent["metrics"]["time"] -= node["metrics"]["time (inc)"]
        for node in nodes:                      # computed in whole ns
            for name in ("time", "time (inc)"):
                node["metrics"][name] = max(node["metrics"][name], 0) / 1e9
        return nodes[:1]

    def pipit(self):
        """A pipit.Trace of the recorded calls. With all functions and messages: Trace.from_otf2(FOLDER)."""
        import pipit
        return pipit.Trace(None, self.pipit_events())

    def pipit_events(self):
        """What pipit.Trace takes: a row where a call begins, and where it ends."""
        import pandas
        events = []
        for number, call in enumerate(self.rows("events")):
            for time, what in ((call["begin_ns"], "Enter"), (call["begin_ns"] + call["duration_ns"], "Leave")):
                events.append((time, number, {"Timestamp (ns)": time, "Event Type": what, "Name": call["call"],
                                              "Process": call["rank"], "Thread": call["thread"],
                                              "Attributes": {"place": call["place"], "hash": call["hash"]}}))
        events.sort(key=lambda event: event[:2])
        frame = pandas.DataFrame([event for _, _, event in events])
        return frame.astype({name: "category" for name in ("Event Type", "Name", "Process", "Thread")}
                            if len(frame) else {})

    # --- tables ---

    def _calls(self):
        import csv
        import io
        words = {"call", "place", "hash"}
        for row in csv.DictReader(io.StringIO(self._ask("export", "--format", "csv"))):
            yield {name: value if name in words else int(value) for name, value in row.items()}

    def _nodes(self):
        for node in self.graph()["nodes"]:
            yield {**{name: node[name] for name in ("id", "call", "label", "hash", "loop", "count", "bytes", "polls")},
                   **_times(node), "ranks": node["ranks"]}

    def _edges(self):
        nodes = self.graph()["nodes"]
        for edge in self.graph()["edges"]:
            yield {"id": edge["id"], "from": edge["from"], "to": edge["to"], "from_label": nodes[edge["from"]]["label"],
                   "to_label": nodes[edge["to"]]["label"], "count": edge["count"], **_times(edge),
                   "ranks": edge["ranks"]}

    def _loops(self):
        for loop in self.report()["loops"]:
            efficiency = loop.get("efficiency") or {}
            yield {**{name: loop[name] for name in ("id", "parent", "depth", "function", "name", "is_main", "ranks",
                                                    "repetitions", "entries", "events")},
                   "time_ns": loop["time"], "mpi_ns": loop["mpi_time"],
                   **{name: efficiency.get(name) for name in ("parallel", "balance", "communication")}}

    def _iterations(self):
        names = ("first", "count", "start_ns", "time_ns", "least_ns", "most_ns", "mpi_ns")
        for slot in (self.report().get("iterations") or {}).get("slots", ()):
            yield dict(zip(names, slot))

    def _ranks(self):
        ranks = {}
        for call in self.rows("calls"):
            rank = ranks.setdefault(call["rank"], {"rank": call["rank"], "calls": 0, "polls": 0, "bytes": 0,
                                                   "mpi_ns": 0, "computation_ns": 0})
            for to, name in (("calls", "calls"), ("polls", "polls"), ("bytes", "bytes"), ("mpi_ns", "time_ns"),
                             ("computation_ns", "before_ns")):
                rank[to] += call[name]
        return [ranks[rank] for rank in sorted(ranks)]

    def _traffic(self):
        sent = self.report()["messages"]["all"]
        for source, to, count, size in sent["matrix"]:
            yield {"from": source * sent["per_line"], "to": to * sent["per_line"], "ranks": sent["per_line"],
                   "count": count, "bytes": size}

    def _recorded(self):
        timeline = self.timeline()
        kept = dict(zip((one[0] for one in timeline["iterations"]), timeline["kept"]))
        for place in timeline["locations"]:
            for number, begin, duration in _by(3, place["iterations"]):
                yield {"rank": place["rank"], "thread": place["thread"], "iteration": number, "begin_ns": begin,
                       "duration_ns": duration, "kept": kept.get(number, [""])[0]}

    def _events(self):
        timeline = self.timeline()
        for place in timeline["locations"]:
            iterations, end = list(_by(3, place["iterations"])), 0
            for gap, duration, site in _by(3, place["calls"]):
                begin, end = end + gap, end + gap + duration
                while iterations and begin >= iterations[0][1] + iterations[0][2]:
                    iterations.pop(0)
                inside = bool(iterations) and begin >= iterations[0][1]
                call, _, where = timeline["sites"][site]["label"].partition("  ")
                yield {"rank": place["rank"], "thread": place["thread"], "call": call, "place": where,
                       "hash": timeline["sites"][site]["hash"], "begin_ns": begin, "duration_ns": duration,
                       "iteration": iterations[0][0] if inside else None}

    def _messages(self):
        timeline, sent = self.timeline(), 0
        places = [(place["rank"], place["thread"]) for place in timeline["locations"]]
        for source, to, later, flight, size in _by(5, timeline["messages"]):
            sent += later
            yield {"from": places[source][0], "from_thread": places[source][1], "to": places[to][0],
                   "to_thread": places[to][1], "sent_ns": sent, "flight_ns": flight, "bytes": size}

    # --- from the tool ---

    def _ask(self, *arguments):
        import subprocess
        if arguments not in self._known:
            done = subprocess.run([self.tool, *arguments, str(self.folder)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False, encoding="utf-8", errors="replace")
            if done.returncode:
                raise OSError(done.stderr.strip() or f"{self.tool} failed with exit code {done.returncode}")
            self._known[arguments] = done.stdout
        return self._known[arguments]

    def _json(self, wanted, version, *arguments):
        import json
        key = (wanted,)
        if key not in self._known:
            said = json.loads(self._ask(*arguments))
            if said.get("format") != wanted or said.get("version") != version:
                raise ValueError(f"{self.tool} writes {said.get('format')} of version {said.get('version')}; "
                                 f"this module reads {wanted} of version {version}")
            self._known[key] = said
        return self._known[key]


def _find_tool():
    """That beside this file as it is installed, or built; then that of PATH."""
    import os
    import shutil
    here = os.path.dirname(os.path.abspath(__file__))
    for tool in (os.environ.get("EFGTRACE_TOOL"), os.path.join(here, "../../bin/efgtrace"),
                 os.path.join(here, "../../build/efgtrace"), shutil.which("efgtrace")):
        if tool and os.path.isfile(tool) and os.access(tool, os.X_OK):
            return tool
    raise FileNotFoundError("the command efgtrace is neither beside efgtrace.py nor in PATH: "
                            "say where by EFGTRACE_TOOL, or Run(folder, tool)")


def _times(of):
    """Sum, and one visit."""
    return {to: of["time"].get(name) for to, name in (("time_ns", "sum"), ("least_ns", "min"), ("most_ns", "max"))}


def _by(count, numbers):
    return zip(*[iter(numbers)] * count)


def _literal(context):
    """A node of Hatchet without its children; times in ns."""
    kind = "mpi" if context["is_call"] else "function"
    return {"frame": {"name": context["name"], "type": kind, "file": context["file"], "line": context["line"]},
            "metrics": {"time": context["time"]["sum"], "time (inc)": context["time"]["sum"],
                        "calls": context["calls"], "bytes": context["bytes"]}, "children": []}
