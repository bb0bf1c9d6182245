#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How long efgtrace takes until it has found the main loop, and until it records.

Of the programs in programs/, of those in ../kernels, and of the applications of ../apps.sh that are installed, one
run each (--runs), with the defaults. A row of the output, medians over the runs:

run      seconds, from MPI_Init to MPI_Finalize
found    when the loop was accepted that held to the end, on the rank that stands for the run: seconds, % of the run
window   when the first window began, likewise

A dash: none was. Exit code: 0 done, 1 a program failed.
"""
import json
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
from apps import APPS, NEEDS
from programs import FLAGS, LAUNCHER, LIMIT, MPICC, build, load, parse, parser_of, read_programs, said_by
from tools import Tool, run

KERNELS = {"amr": ["150"], "multigrid": ["400"], "sweep": ["2000"]}  # steps: some seconds
RANKS = 4


class Case:
    """What is run: COMMAND(prefix), for which PREPARE(folder) was called."""

    def __init__(self, prepare, command):
        self.prepare, self.command = prepare, command


def of_program(program):
    return Case(lambda folder: build(program, folder),
                lambda _, prefix: [*LAUNCHER, "-np", str(program.ranks), *prefix, str(program.path), *program.words])


def of_kernel(name):
    def prepare(folder):
        source = HERE.parent / "kernels" / f"{name}.c"
        subprocess.run([*MPICC.split(), "-std=gnu11", *FLAGS, source, "-o", folder / name, "-lm"], check=True)

    return Case(prepare, lambda folder, prefix: [*LAUNCHER, "-np", str(RANKS), *prefix, str(folder / name),
                                                 *KERNELS[name]])


def of_application(name):
    return Case(lambda folder: subprocess.run([APPS, "prepare", name, folder], check=True),
                lambda folder, prefix: [str(APPS), "launch", name, str(folder), *prefix])


def cases():
    found = {f"kernel {name}": of_kernel(name) for name in KERNELS}
    found |= {name: of_program(program) for name, program in read_programs().items()}
    return found | {f"app {name}": of_application(name) for name in NEEDS if shutil.which(NEEDS[name])}


def times_of(tool, trace):
    """(seconds of the run, until the loop was found, until the first window); None: never."""
    report = said_by(tool, "report", "--json", trace)
    curve = report["curve"] or {}
    begins = [w["start"] for w in curve.get("windows", [])]
    found = curve.get("found")
    return report["overview"]["duration"] / 1e9, found and found / 1e9, min(begins) / 1e9 if begins else None


def measure(case, options):
    """times_of each run; None for one that failed."""
    tool = options.build / "efgtrace"
    traced = Tool("efgtrace", [str(tool), "run", "--summary", "off", "-o", "{out}"])
    with tempfile.TemporaryDirectory(prefix="efgtrace-window.") as folder:
        case.prepare(Path(folder))
        return [run(lambda prefix: case.command(Path(folder), prefix), traced, limit=LIMIT,
                    inspect=lambda work: times_of(tool, work / "trace")).found for _ in range(options.runs)]


def middle(values):
    known = [v for v in values if v is not None]
    return median(known) if known else None


def cells(seconds, whole):
    return f"{seconds:8.2f} {100 * seconds / whole:5.1f}%" if seconds is not None else f"{'-':>8} {'-':>6}"


def row(name, runs):
    if None in runs:
        return f"{name:<18} failed"
    whole, found, window = (middle(column) for column in zip(*runs))
    return f"{name:<18} {whole:7.2f} {cells(found, whole)} {cells(window, whole)}"


def print_totals(table):
    rows = [[middle(column) for column in zip(*runs)] for runs in table.values() if None not in runs]
    for what, column in (("found", 1), ("window", 2)):
        known = [(r[column], 100 * r[column] / r[0]) for r in rows if r[column] is not None]
        seconds, shares = zip(*known) if known else ((0,), (0,))
        print(f"{what}: {len(known)} of {len(rows)}, median {median(seconds):.2f} s, {median(shares):.1f}% of the run; "
              f"most {max(seconds):.2f} s")


def main():
    known = cases()
    options, table = parse(parser_of(__doc__, 1, "case", "'kernel amr,app lammps'"), known), {}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and what runs with it
    print(f"{'':<18} {'run s':>7} {'found s':>8} {'':>6} {'window s':>8}")
    with load(options.load):
        for name in options.names:
            table[name] = measure(known[name], options)
            print(row(name, table[name]), flush=True)
    print_totals(table)
    if options.json:
        options.json.write_text(json.dumps(table, indent=1) + "\n")
    sys.exit(any(None in runs for runs in table.values()))


if __name__ == "__main__":
    main()
