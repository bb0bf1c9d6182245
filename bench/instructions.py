# SPDX-License-Identifier: BSD-3-Clause
"""Instructions per MPI call, counted by callgrind in one process: the same each time, however busy
the machine is, but for hundredths (MPI's progress looks at the clock). What time alone brings about
is kept out: samples of the graph (interval = 1h).

And cache lines of data and of code: those that efgtrace fetches in a call when the program has emptied the
caches before it, counted with callgrind's model of them."""
from statistics import median

from tools import SHARED_MEMORY, Tool, efgtrace, run

DEPTH, CALLS, RUNS = 16, 2000, 3
OURS = "libefgtrace"  # so its libraries are called; "full" records as a window does
CELLS = {"Comm_rank": ["watching"], "Test": ["watching"], "Sendrecv": ["off", "watching", "full"],
         "Waitall": ["watching"]}
COLD_CALLS = 300
CACHES = ["--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=1048576,16,64"]


def states(build):
    always = ("--interval", "1h", "--symbols", "off")
    return {"bare": Tool("bare"), "off": efgtrace(build, "off", "--mode", "off"),
            "watching": efgtrace(build, "watching", *always),
            "full": efgtrace(build, "full", "--mode", "full", *always)}


def read_profile(path, events):
    """Sum of the EVENTS by the object that they are in: what callgrind wrote to PATH. A line of costs
    after a line "calls=" is that of the called function, which has lines of its own."""
    cost, names, current, is_of_callee = {}, {}, None, False
    for line in open(path):
        key, _, value = line.strip().partition("=")
        if line.startswith("events:"):
            columns = [line.split().index(event) for event in events]
        if key in ("ob", "cob"):
            number, _, name = value.partition(" ")  # "(3) /lib/libc.so.6", later "(3)"
            names.setdefault(number, name.rsplit("/", 1)[-1])
            if key == "ob":
                current = names[number]
        elif key == "calls":
            is_of_callee = True
        elif line[0] in "0123456789+-*":
            if not is_of_callee:
                fields = line.split()  # zeros at the end are left out
                cost[current] = (cost.get(current, 0)
                                 + sum(int(fields[c]) for c in columns if c < len(fields)))
            is_of_callee = False
    return cost


def count(build, kind, tool, calls=CALLS, events=("Ir",), options=()):
    """(events per call, those in efgtrace's libraries)"""
    def command(prefix):
        valgrind = ["valgrind", "--tool=callgrind", "--collect-atstart=no", "--trace-children=yes",
                    "--callgrind-out-file=calls.%p.callgrind", *options]
        return ["mpirun", "-np", "1", *valgrind, *prefix, build / "bench" / "calls", kind, str(DEPTH),
                "1", str(calls), "1", "1"]

    def counted(work):
        profiles = [read_profile(p, events) for p in work.glob("calls.*.callgrind")]
        return max(profiles, key=lambda p: sum(p.values()), default={})

    job = run(command, tool, SHARED_MEMORY, inspect=counted)
    if job.failed or not job.found:
        raise RuntimeError(f"callgrind failed: {job.errors[-300:]}")
    total = sum(job.found.values())
    return total / calls, sum(cost for name, cost in job.found.items() if name.startswith(OURS)) / calls


def count_lines(build, tool, events=("DLmr", "DLmw")):
    """Lines of data that a call of efgtrace fetches."""
    return count(build, "cold", tool, COLD_CALLS, events, CACHES)[1]


def count_code(build, tool):
    """The same of code."""
    return count_lines(build, tool, ("ILmr",))


def measure(options, tools):
    rows = []
    state = states(options.build)
    for kind, used in CELLS.items():
        bare, _ = count(options.build, kind, state["bare"])
        for name in used:
            results = [count(options.build, kind, state[name]) for _ in range(RUNS)]
            total, own = map(median, zip(*results))
            rows.append({"kind": kind, "tool": name, "bare": bare, "total": total, "own": own,
                         "runs": [r[0] for r in results]})
            if kind == "Sendrecv":
                rows[-1]["lines"] = count_lines(options.build, state[name])
                rows[-1]["code"] = count_code(options.build, state[name])
    return rows
