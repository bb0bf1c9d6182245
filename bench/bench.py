#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What efgtrace costs, beside no tool and beside its peers, measured in turns in one run.

calls: CPU time per MPI call, by kind of call, depth of the call path, number of distinct call
       paths, and state of efgtrace; one process for each, bench/calls.c
life:  wall time of MPI_Init and MPI_Finalize, memory and trace, of 4 ranks
apps:  wall time, trace and memory of whole applications: the bundled stencil, LAMMPS, OpenFOAM
pairs: LAMMPS, OpenFOAM and Quantum ESPRESSO, large cases on 4 ranks, bare, off and adaptive in
       turns, and the cost that the summary states
instructions: per call, under callgrind: the same on a busy machine

Writes OUT.json (all values), OUT.md (tables, goals, what has changed since the last results in
bench/results) and OUT.svg (picture); prints the tables.
bench/README.md says how to read them. Peers: see bench/tools.py.
"""
import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True
import instructions
import picture
import table
from tools import SHARED_MEMORY, Tool, peers, run, states_of_efgtrace

HERE = Path(__file__).resolve().parent
CALLS_PER_TURN = {"Comm_rank": 200000, "Type_size": 200000, "Wtime": 100000, "Test": 50000,
                  "Send_null": 50000}
TURNS = 5
RECORDED = ("Send_null", "Sendrecv", "Allreduce")  # loops of one call: found at once
LIFE_RANKS = 4
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                  OMP_NUM_THREADS="1")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=int(os.environ.get("BENCH_RUNS", "15")),
                        help="rounds of each measurement (BENCH_RUNS, 15); 3 take 6 minutes")
    parser.add_argument("--parts", default="calls,life,apps,pairs,instructions",
                        help="which of the above (all)")
    parser.add_argument("--apps", default="stencil,lammps,icofoam,pw",
                        help="with which programs, for apps and pairs (all)")
    parser.add_argument("--build", default=os.environ.get("BUILD", "build"),
                        help="where the build is (BUILD, build)")
    parser.add_argument("--out", help="path of the results, without .json (BUILD/bench/results)")
    parser.add_argument("--render", metavar="JSON", help="only write OUT.md and OUT.svg of it")
    options = parser.parse_args()
    options.build = Path(options.build).resolve()
    options.out = Path(options.out or options.build / "bench" / "results")
    options.parts = options.parts.split(",")
    options.apps = options.apps.split(",")
    if options.runs < 1 or set(options.parts) - set(PARTS):
        parser.error(f"--runs is 1 or more, --parts are of {','.join(PARTS)}")
    return options


def said(*command):
    """The first line that COMMAND prints, or nothing."""
    try:
        text = subprocess.run(command, capture_output=True, text=True, cwd=HERE).stdout
    except OSError:
        return ""
    return text.splitlines()[0].strip() if text else ""


def machine():
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
                if line.startswith("model name")), platform.processor())
    return {
        "cpu": cpu,
        "cores": len(os.sched_getaffinity(0)),
        "virtual": said("systemd-detect-virt", "--vm") or "unknown",
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()),
        "kernel": platform.release(),
        "mpi": said("mpirun", "--version"),
        "eztrace": said("dpkg-query", "-W", "-f", "${Version}", "eztrace"),
        "efgtrace": said("git", "describe", "--always", "--dirty", "--tags"),
    }


def busy():
    """Processes that want to run, of the last minute."""
    return round(os.getloadavg()[0], 1)


def build_programs(build):
    """Made aside: another run may be using the old ones."""
    folder = build / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    for source in ("bench/calls.c", "tests/programs/stencil2d.c"):
        program = folder / Path(source).stem
        subprocess.run(["mpicc", "-std=gnu11", "-O2", "-g", HERE.parent / source, "-o",
                        f"{program}.{os.getpid()}", "-lm"], check=True)
        os.replace(f"{program}.{os.getpid()}", program)


def save(results, path):
    """As JSON, a list of numbers on one line."""
    text = json.dumps(results, indent=1)
    text = re.sub(r"\[[^\[\]{}]*\]", lambda match: " ".join(match[0].split()), text)
    path.write_text(text + "\n")


class Progress:
    """On standard error, in one line where that is a terminal."""

    def __init__(self):
        self.end = "\r\033[K" if sys.stderr.isatty() else "\n"

    def tell(self, text):
        print(text, end=self.end, file=sys.stderr, flush=True)


progress = Progress()


def rounds(name, count, tools, measure):
    """MEASURE(tool) of all TOOLS in turns, COUNT times, each time another one first: a list of
    its results by the tool's name, None where it failed."""
    results = {tool.name: [] for tool in tools}
    for i in range(count):
        first = i % len(tools)
        for tool in tools[first:] + tools[:first]:
            progress.tell(f"{name}, round {i + 1} of {count}: {tool.name}")
            results[tool.name].append(measure(tool))
    return results


def complain(tool, job, why):
    text = (job.errors or job.output).strip().splitlines()
    print(f"bench: {tool.name}: {why}: {text[-1] if text else 'said nothing'}", file=sys.stderr)


# --- calls ---

def cells(tools):
    """(kind, depth, nodes, tools)"""
    state, others = tools
    bare = Tool("bare")
    for kind in ("Comm_rank", "Type_size", "Wtime", "Test", "Send_null", "Sendrecv", "Waitall",
                 "Allreduce"):
        states = ["off", "graph", "watching", "recording", "full"]
        if kind not in RECORDED:
            states.remove("recording")
        yield kind, 16, 1, [bare] + [state[s] for s in states] + others
    for depth in (2, 8, 32):
        yield "Sendrecv", depth, 1, [bare, state["watching"], state["recording"]] + others
    for nodes in (10, 100, 1000, 10000, 100000):
        yield "Sendrecv", 16, nodes, [bare, state["watching"], state["full"]] + others


def recorded(build, work):
    """Iterations of the window, if it lasted to the end of the run, else 0."""
    text = subprocess.run([build / "efgtrace", "report", work / "trace"], capture_output=True,
                          text=True).stdout
    traced = re.search(r"^Traced +(\d+) iterations?", text, re.M)
    return int(traced[1]) if traced and "it ended before the" in text else 0


def measure_calls(build, kind, depth, nodes, tool):
    arguments = [kind, depth, nodes, CALLS_PER_TURN.get(kind, 20000), TURNS, tool.warm]
    inspect = (lambda work: recorded(build, work)) if tool.name == "recording" else None
    job = run(lambda prefix: ["mpirun", "-np", "1", *prefix, build / "bench" / "calls",
                              *map(str, arguments)],
              tool, SHARED_MEMORY | {"EFGTRACE_SYMBOLS": "off"}, inspect=inspect)
    if job.failed:
        complain(tool, job, f"{kind} failed with {job.code}")
        return None
    result = job.measured()[0]
    if inspect and job.found < result["calls"] * TURNS:
        complain(tool, job, f"{kind} was not recorded all the time")
        return None
    return {"cpu_ns": median(result["cpu_ns"]), "wall_ns": median(result["wall_ns"]),
            "least_ns": min(result["cpu_ns"]), "peak_kb": result["peak_kb"]}


def calls(options, tools):
    rows = []
    for kind, depth, nodes, used in cells(tools):
        name = f"{kind}, depth {depth}, {nodes} call paths"
        for tool, values in rounds(name, options.runs, used, lambda tool: measure_calls(
                options.build, kind, depth, nodes, tool)).items():
            rows.append({"kind": kind, "depth": depth, "nodes": nodes, "tool": tool,
                         **columns(values, ("cpu_ns", "wall_ns", "least_ns", "peak_kb"))})
    return rows


def columns(values, names):
    """One list for each of NAMES, from a list of dictionaries, some of them None."""
    return {name: [None if v is None or v[name] is None else round(v[name], 3) for v in values]
            for name in names}


# --- life ---

def measure_life(build, tool):
    command = ["mpirun", "-np", str(LIFE_RANKS), "--oversubscribe"]
    job = run(lambda prefix: [*command, *prefix, build / "bench" / "calls", "ring", "16", "1", "3200", "1"], tool)
    ranks = job.measured()
    if job.failed or len(ranks) != LIFE_RANKS:
        complain(tool, job, f"ring failed with {job.code}")
        return None
    worst = {name: max(r[name] for r in ranks) for name in ("init_ms", "finalize_ms", "peak_kb")}
    return worst | {"wall": job.wall, "bytes": job.trace_bytes}


def life(options, tools):
    state, others = tools
    used = [Tool("bare")] + [state[s] for s in ("off", "graph", "adaptive", "full")] + others
    results = rounds("life", options.runs, used, lambda tool: measure_life(options.build, tool))
    return [{"tool": tool, **columns(values, ("init_ms", "finalize_ms", "peak_kb", "wall", "bytes"))}
            for tool, values in results.items()]


# --- apps, pairs ---

STEPS = {"lammps": "LAMMPS_STEPS", "icofoam": "ICOFOAM_STEPS", "pw": "PW_STEPS"}


def prepared(app, **variables):
    """command(prefix) that runs APP of bench/apps.sh, in a folder that is there until the next one is
    asked for; nothing if the application is not there."""
    os.environ.update(variables)
    with tempfile.TemporaryDirectory(prefix=f"efgtrace-bench-{app}.") as case:
        if subprocess.run([HERE / "apps.sh", "prepare", app, case],
                          stdout=subprocess.DEVNULL).returncode == 0:
            yield app, lambda prefix: [HERE / "apps.sh", "launch", app, case, *prefix]


def small_cases(folder, quick):
    """name, command(prefix), on as many ranks as there are cores, and 4 at most."""
    ranks = str(min(4, len(os.sched_getaffinity(0))))
    stencil = [folder / "stencil2d", "1000" if quick else "2000", "500"]
    steps = {"lammps": "800" if quick else "4000", "icofoam": "400" if quick else "1000"}

    yield "stencil", lambda prefix: ["mpirun", "-np", ranks, "--oversubscribe", *prefix, *stencil]
    for app, count in steps.items():
        yield from prepared(app, RANKS=ranks, CASE="small", **{STEPS[app]: count})


def large_cases(quick):
    """name, command(prefix), on 4 ranks, of 10 to 40 s: as large as such cases are in earnest."""
    steps = {"lammps": "600", "icofoam": "4", "pw": "3"}
    for app, count in steps.items():
        yield from prepared(app, RANKS="4", CASE="large",
                            **{STEPS[app]: str(max(1, int(count) // 4)) if quick else count})


def stated_cost(build, work):
    """What the summary says that efgtrace cost: % of the run, and ns for each call."""
    text = subprocess.run([build / "efgtrace", "report", work / "trace"], capture_output=True,
                          text=True).stdout
    cost = re.search(r"^Cost .*?([0-9.]+)% of the run:.*\n.* ([0-9.]+) (ns|us) each", text, re.M)
    return cost and (float(cost[1]), float(cost[2]) * (1000 if cost[3] == "us" else 1))


def measure_app(build, command, tool):
    inspect = (lambda work: stated_cost(build, work)) if tool.name == "adaptive" else None
    job = run(command, tool, inspect=inspect)
    if job.failed:
        complain(tool, job, f"failed with {job.code}")
        return None
    percent, each = job.found or (None, None)
    return {"wall": job.wall, "cpu": job.cpu, "peak_kb": job.peak_kb, "bytes": job.trace_bytes,
            "stated_percent": percent, "stated_ns": each}


def applications(options, cases, used):
    rows = []
    os.environ["MPIRUN_OPTIONS"] = "--mca mpi_yield_when_idle 1"
    for name, command in (case for case in cases if case[0] in options.apps):
        run(command, used[0])  # the files come from the disk once
        results = rounds(name, options.runs, used,
                         lambda tool: measure_app(options.build, command, tool))
        rows += [{"app": name, "tool": tool,
                  **columns(values, ("wall", "cpu", "peak_kb", "bytes", "stated_percent", "stated_ns"))}
                 for tool, values in results.items()]
    return rows


def apps(options, tools):
    state, others = tools
    return applications(options, small_cases(options.build / "bench", options.runs < 6),
                        [Tool("bare")] + [state[s] for s in ("graph", "adaptive", "full")] + others)


def pairs(options, tools):
    """Off, too, which does nothing: how far it is from bare says what the wall time can tell."""
    used = [Tool("bare"), tools[0]["off"], tools[0]["adaptive"]]
    return applications(options, large_cases(options.runs < 6), used)


def last_kept(parts):
    """(name, results) of the last ones in bench/results that have one of PARTS; ("", None) if there are none."""
    for path in sorted((HERE / "results").glob("*.json"), reverse=True):
        results = json.load(open(path))
        if set(parts) & {"calls", "instructions"} & set(results):
            return path.name, results
    return "", None


PARTS = {"calls": calls, "life": life, "apps": apps, "pairs": pairs, "instructions": instructions.measure}


def main():
    options = arguments()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    if options.render:
        results = json.load(open(options.render))
    else:
        build_programs(options.build)
        tools = states_of_efgtrace(options.build), peers()
        begin = datetime.datetime.now()
        results = {"date": begin.isoformat(timespec="seconds"), "runs": options.runs,
                   "machine": machine(), "load": [busy()]}
        for part in options.parts:
            try:
                results[part] = PARTS[part](options, tools)
            except (RuntimeError, OSError) as error:
                print(f"bench: {part}: {error}", file=sys.stderr)
            results["load"].append(busy())
            results["seconds"] = round((datetime.datetime.now() - begin).total_seconds())
            save(results, options.out.with_suffix(".json"))
    name, kept = last_kept(options.parts)
    text = table.render(results, options.out.with_suffix(".svg").name, kept, name)
    options.out.with_suffix(".md").write_text(text)
    print(text)
    picture.draw(results, options.out.with_suffix(".svg"))


if __name__ == "__main__":
    main()
