#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether efgtrace finds the same main loop in each run of a real application.

The applications are those of bench/apps.sh that are installed, and its environment says how long they
run. Each runs RUNS times, beside LOAD busy processes. A row of the output:

main loop  its function, "x 9": in so many runs; and its iterations, as the summary has them
same       whether it was the same function in all runs
taken      iterations in the trace, of each run, mean of the ranks
matched    least share of the recorded messages whose both ends are in the trace
checked    runs whose trace tests/lib/check_trace.py accepts, with --min-matched 0.98
load       least and most load average at the end of a run

Below: of each run that failed its exit code and what it said last, of each whose trace is not accepted what
the checker says first.

Exit code: 0 done, 1 an application failed.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
from programs import load, once, parse, parser_of, said_by, yes
from tools import Tool, run

LIMIT = 900  # seconds of a run
APPS, CHECKER = HERE.parent / "apps.sh", HERE.parents[1] / "tests/lib/check_trace.py"
NEEDS = {"lammps": "lmp", "pw": "pw.x", "icofoam": "icoFoam", "ringtest": "python3", "hpcc": "hpcc"}
MAIN = re.compile(r"^Main loop    (?:in )?(.*?)(?:, (\d+) iterations.*)?$", re.MULTILINE)


def answer_of(tool, trace):
    """What a run found that wrote TRACE."""
    report = said_by(tool, "report", "--json", trace)
    overview = report["overview"]
    recorded = overview["recorded"]
    either = recorded["sends"] + recorded["receives"] - recorded["matched"]
    name, iterations = MAIN.search((trace / "summary.txt").read_text()).groups()
    check = subprocess.run([CHECKER, "--min-matched", "0.98", trace / "traces.otf2"],
                           stdout=subprocess.PIPE, text=True, check=False)
    return {"loop": name, "iterations": int(iterations or 0),
            "recorded": recorded["iterations"] / overview["ranks"],
            "matched": recorded["matched"] / either if either else None,
            "faults": [line for line in check.stdout.splitlines() if line.startswith("FAIL")],
            "is_right": check.returncode == 0, "load": os.getloadavg()[0],
            "phases": [[p["function"], p["time"]] for p in report.get("phases", [])]}


def measure(name, options):
    """The runs of an application, None for one that failed."""
    tool = options.build / "efgtrace"
    traced = Tool("efgtrace", [str(tool), "run", "--summary", "off", "-o", "{out}"])
    with tempfile.TemporaryDirectory(prefix="efgtrace-apps.") as case:
        subprocess.run([APPS, "prepare", name, case], check=True)

        def command(prefix):
            return [str(APPS), "launch", name, case, *prefix]

        jobs = [run(command, traced, limit=LIMIT, inspect=lambda work: answer_of(tool, work / "trace"))
                for _ in range(options.runs)]
        return [job.found or {"failed": failure(job)} for job in jobs]


def failure(job):
    said = [line for line in (job.output + job.errors).splitlines() if line.strip()]
    return f"exit code {job.code} after {job.wall:.0f} s: {said[-1] if said else 'nothing was said'}"


def row(name, runs):
    found = [r for r in runs if "failed" not in r]
    if not found:
        return f"{name:<9} failed"
    matched = [r["matched"] for r in found if r["matched"] is not None]
    share = f"{100 * min(matched):.1f}%" if matched else "-"
    loads = [r["load"] for r in found]
    counts = sorted({r["iterations"] for r in found})
    loops = once([r["loop"] for r in found]) + f", {counts[0]}" + (f" to {counts[-1]}" if counts[1:] else "")
    is_same = len(found) == len(runs) and len({r["loop"] for r in found}) == 1
    return (f"{name:<9} {loops:<44} {yes(is_same):<5}"
            f"{once([format(r['recorded'], '.4g') for r in found]):>6} {share:>8} "
            f"{sum(r['is_right'] for r in found):>4} of {len(runs):<3} {min(loads):.0f} to {max(loads):.0f}")


def faults(runs):
    """Of each run that failed, and of each that the checker does not accept."""
    said = [r["failed"] if "failed" in r else "".join(r["faults"][:1]) for r in runs]
    return [f"{'':<9} run {number}: {what}" for number, what in enumerate(said, 1) if what]


def main():
    options, table = parse(parser_of(__doc__, 10, "application", "lammps,pw"), NEEDS), {}
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and what runs with it
    print(f"{'':<9} {'main loop':<44} same   taken  matched  checked   load")
    with load(options.load):
        for name in options.names:
            if shutil.which(NEEDS[name]) is None:
                print(f"{name:<9} {NEEDS[name]} is not installed")
                continue
            table[name] = measure(name, options)
            print(row(name, table[name]), *faults(table[name]), sep="\n", flush=True)
    if options.json:
        options.json.write_text(json.dumps({"runs": options.runs, "load": options.load, "apps": table},
                                           indent=1) + "\n")
    sys.exit(any("failed" in run for runs in table.values() for run in runs))


if __name__ == "__main__":
    main()
