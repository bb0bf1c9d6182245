#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a rank pays for efgtrace in MPI_Init and MPI_Finalize, taken apart: the calls of MPI that efgtrace makes, and the
rest, which is its own; beside MPI's own part (a run without efgtrace) and a barrier of all ranks.

    bench/life.py [--build DIR] [--ranks 64] [--runs 3] [efgtrace OPTION...]

Bare and traced in turns; means over the ranks, medians over the runs. Wall time has what a rank waits for others, and for
a core, too; CPU time has what it waits busily. Prints a table for bench/README.md."""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean, median

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from tools import SHARED_MEMORY, Tool, efgtrace, run

LEAST = 0.05  # ms of CPU that a line of its own is worth


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("words", nargs="*", metavar="option", help="of efgtrace run, behind --")
    return parser.parse_args()


def times_of(program, tool, ranks):
    """{what: (calls, wall ms, CPU ms)}, means over the ranks."""
    job = run(lambda prefix: ["mpirun", "--oversubscribe", "-np", str(ranks), *prefix, str(program)], tool, SHARED_MEMORY)
    lines = job.measured()
    if job.failed or len(lines) != ranks:
        raise RuntimeError(job.errors[-300:])
    parts = {what for line in lines for what in line}
    return {what: tuple(mean(line.get(what, (0, 0, 0))[i] for line in lines) for i in range(3)) for what in parts}


def middle(runs, what, i):
    return median(r[what][i] for r in runs)


def rows(bare, traced):
    """(what, calls, wall, CPU) of both ends."""
    for end, whole in (("init", "MPI_Init"), ("end", "MPI_Finalize")):
        all_of_it = [middle(traced, whole, i) for i in (1, 2)]
        bare_part = [middle(bare, whole, i) for i in (1, 2)]
        ours = [a - b for a, b in zip(all_of_it, bare_part)]
        yield f"**{whole}**, traced", "", *all_of_it
        yield "bare", "", *bare_part
        yield "what efgtrace adds", "", *ours
        parts = {w: [middle(traced, w, i) for i in range(3)] for w in traced[0] if w.startswith(end + " ")}
        shown = sorted((p for p in parts.items() if p[1][2] >= LEAST), key=lambda p: -p[1][2])
        for what, values in shown:
            yield f"of it in MPI_{what.split()[1]}", f"{values[0]:.0f}", values[1], values[2]
        yield "of it in efgtrace itself", "", *(ours[i - 1] - sum(p[i] for p in parts.values()) for i in (1, 2))
    yield "a barrier, bare", "", middle(bare, "a barrier", 1), middle(bare, "a barrier", 2)


def main():
    options = parse()
    tools = Tool("bare"), efgtrace(options.build.resolve(), "traced", *options.words)
    with tempfile.TemporaryDirectory(prefix="efgtrace-life.") as folder:
        program = Path(folder) / "life"
        subprocess.run(["mpicc", "-std=gnu11", "-O2", HERE / "life.c", "-rdynamic", "-ldl", "-o", program], check=True)
        runs = [[times_of(program, tool, options.ranks) for tool in tools] for _ in range(options.runs)]
    bare, traced = zip(*runs)
    print(f"| {options.ranks} ranks, ms a rank | calls | wall | CPU |\n|---|---:|---:|---:|")
    for what, calls, wall, cpu in rows(bare, traced):
        print(f"| {what} | {calls} | {wall:.2f} | {cpu:.2f} |")


if __name__ == "__main__":
    main()
