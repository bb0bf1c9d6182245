#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether a long run of a program that does all kinds of things (bench/soak.c) stays as it is: 4
ranks, for an hour. Each rank looks at itself now and then; printed is the largest of the ranks. What
grows does so with calls, so parts of the run are parts of its calls.

    memory        the resident set, less what is of files (libraries, the log of a window), is in
                  the second half of the run at most FLAT_KB larger than it ever was in the first:
                  the order of calls takes more and more until it is written to its file
    cost          a call through efgtrace takes as many times as long as one past it as it did:
                  the median of the last third of the samples is at most FLAT_COST times that of
                  the first third
    descriptors   no file is left open
    calls         run.efg has as many as the program made

Prints a line "ok NAME" or "FAIL NAME: why" each, and last "N passed, N failed"; writes all samples
as JSON.

usage: soak.py [--seconds N] [--samples N] [--short] [--bare] [--build BUILD] [--out FILE]

--short: of seconds, which say nothing of growth and of times: memory stays within its limit.
--bare: without efgtrace, to see what the MPI library does by itself.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
COMPILER = os.environ.get("MPICC", "mpicc").split()
LAUNCHER = ["mpiexec.mpich"] if "mpich" in COMPILER[0] else ["mpirun", "--oversubscribe"]
RANKS = 4
FLAT_KB = 512
FLAT_COST = 1.15
MEMORY_KB = 16 << 10  # the key memory, by default
COLUMNS = ("calls", "resident_kb", "own_kb", "files", "threads")


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--bare", action="store_true")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("BUILD", "build")))
    parser.add_argument("--out", type=Path, help="of the samples (default BUILD/bench/soak.json)")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.out = options.out or options.build / "bench" / "soak.json"
    return options


def build_program(work):
    subprocess.run([*COMPILER, "-std=gnu11", "-O2", "-g", HERE / "soak.c", "-o", work / "soak", "-ldl",
                    "-lpthread"], check=True)


class Samples:
    """What the ranks say, as they say it; a row is of all of them."""

    def __init__(self):
        self.rows, self.all_calls, self.waiting = [], {}, {}

    def take(self, line):
        said = json.loads(line)
        if "all_calls" in said:
            self.all_calls[said["rank"]] = said["all_calls"]
            return
        others = self.waiting.setdefault(said["seconds"], [])
        others.append(said)
        if len(others) == RANKS:
            self.add(self.waiting.pop(said["seconds"]))

    def add(self, ranks):
        row = {name: max(r[name] for r in ranks) for name in COLUMNS}
        row["seconds"] = ranks[0]["seconds"]
        row["traced_ns"] = median(r["traced_ns"] for r in ranks)
        row["cost"] = median(r["traced_ns"] / r["bare_ns"] for r in ranks)
        if not self.rows:
            print(f"{'seconds':>8} {'calls':>12} {'kB':>8} {'own':>8} {'files':>6} {'ns':>7}  times bare")
        print(f"{row['seconds']:8.1f} {row['calls']:12d} {row['resident_kb']:8d} {row['own_kb']:8d} "
              f"{row['files']:6d} {row['traced_ns']:7.1f}  {row['cost']:.3f}", flush=True)
        self.rows.append(row)

    def between(self, name, first, last):
        """The values of NAME, from one part of all calls to another."""
        calls = self.rows[-1]["calls"]
        return [row[name] for row in self.rows if first * calls <= row["calls"] <= last * calls]


def run(options, work, samples):
    """Exit code of the program."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("EFGTRACE_")}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                    "OMPI_MCA_mpi_yield_when_idle": "1", "MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}
    tool = [] if options.bare else [options.build / "efgtrace", "run", "--summary", "off", "--overhead", "none", "-o", "trace"]
    command = [*LAUNCHER, "-np", str(RANKS), *tool, "./soak", str(options.seconds), str(options.samples)]
    with subprocess.Popen(command, cwd=work, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True) as job:
        try:
            for line in job.stdout:
                if line.startswith("{"):
                    samples.take(line)
        except BaseException:
            job.terminate()
            raise
    return job.returncode


def calls_kept(options, work):
    """Of all ranks, as the tool reads them from run.efg."""
    graph = subprocess.run([options.build / "efgtrace", "graph", "--format", "json", work / "trace"],
                           capture_output=True, text=True, check=True).stdout
    return sum(node["count"] + node["polls"] for node in json.loads(graph)["nodes"])


def judge(options, samples, work):
    """(name, why not) of each test."""
    rows = samples.rows
    early, late = (max(samples.between("own_kb", *half), default=0) for half in ((0, 0.5), (0.5, 1)))
    growth, allowed = late - early, MEMORY_KB if options.short else FLAT_KB
    yield f"memory: up to {early} kB, then {late}", growth > allowed and f"more than {allowed}"
    files = rows[-1]["files"] - rows[0]["files"]
    yield "descriptors", files and f"{files} more than at the beginning"
    if not options.short:
        early, late = (median(samples.between("cost", *part)) for part in ((0, 1 / 3), (2 / 3, 1)))
        yield (f"cost: {early:.3f} times bare, then {late:.3f}",
               late > early * FLAT_COST and f"more than {FLAT_COST} times as much")
    if not options.bare:
        made, kept = sum(samples.all_calls.values()), calls_kept(options, work)
        yield f"calls: {made}", made != kept and f"run.efg has {kept}"


def main():
    options, samples, failed, passed = arguments(), Samples(), 0, 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and the job with it
    with tempfile.TemporaryDirectory(prefix="efgtrace-soak.") as work:
        work = Path(work)
        build_program(work)
        code = run(options, work, samples)
        tests = [("the program ends well", code and f"exit code {code}"),
                 ("samples", len(samples.rows) != options.samples and f"{len(samples.rows)} of them")]
        if samples.rows and not code:
            tests += judge(options, samples, work)
    for name, why in tests:
        print(f"FAIL {name}: {why}" if why else f"ok {name}")
        failed, passed = failed + bool(why), passed + (not why)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"ranks": RANKS, "samples": samples.rows, "failed": failed},
                                      indent=1) + "\n")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
