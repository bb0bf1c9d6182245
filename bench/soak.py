# SPDX-License-Identifier: BSD-3-Clause
"""Whether memory grows with the length of a run: 10^8 calls of each of two ranks, cheap ones, as a
loop that is always the same (mix) and in an order that never repeats (chance). Each rank reads its
resident set from /proc after every hundredth of them."""
import os

from tools import SHARED_MEMORY, Tool, efgtrace, run

RANKS, TURNS, DEPTH = 2, 100, 16
FLAT_KB = 512  # what the resident set may grow by from 10% to the end: the C library's, MPI's


def soak(build, kind, tool, calls):
    command = ["mpirun", "-np", str(RANKS), "--oversubscribe"]
    program = [build / "bench" / "calls", kind, str(DEPTH), "1", str(calls // TURNS), str(TURNS), "0"]
    job = run(lambda prefix: [*command, *prefix, *program], tool, SHARED_MEMORY, limit=3600)
    ranks = job.measured()
    if job.failed or len(ranks) != RANKS:
        raise RuntimeError(f"{tool.name} failed with {job.code}: {job.errors[-300:]}")
    resident = [max(kb) for kb in zip(*(r["resident_kb"] for r in ranks))]
    growth = resident[-1] - resident[TURNS // 10]
    return {"kind": kind, "tool": tool.name, "ranks": RANKS, "calls": ranks[0]["calls"] * TURNS,
            "wall": job.wall, "resident_kb": resident, "growth_kb": growth, "flat": growth <= FLAT_KB}


def measure(options, tools):
    calls = int(float(os.environ.get("BENCH_SOAK", "1e8")))
    used = [Tool("bare"), efgtrace(options.build, "adaptive"),
            efgtrace(options.build, "graph", "--mode", "graph")]
    return [soak(options.build, kind, tool, calls) for kind in ("mix", "chance") for tool in used]
