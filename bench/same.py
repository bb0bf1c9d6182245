#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether two builds keep the same of a run: the graph without its times, and the order of all calls.

    bench/same.py BEFORE AFTER [PROGRAM...]     build folders; sources (default: those of tests/programs, bench/kernels
                                                and bench/loops/programs)

Each program runs under both, with few iterations, and what is in the two runs is compared: nodes and edges of
`efgtrace graph -f json`, as counts, bytes and names have it, all of `efgtrace expand --paths`, and what each
rank sent to whom, as run.efg has it. Where they differ, both run up to four times: what is done by timing (polls,
MPI_ANY_SOURCE) is not the same twice under BEFORE either. Loops are found by the clock: they are compared too,
but a difference is said only.

A line for each program; exit code 1 if one of them differs."""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import read_run  # noqa: E402
FOLDERS = ("tests/programs", "bench/kernels", "bench/loops/programs")
BY_CLOCK = {"time", "mpi_time", "loop", "name", "rank", "poll_time", "polls", "duration"}  # names: by what takes most time
COMPILERS = {".c": ["mpicc", "-std=gnu11"], ".f90": ["mpifort"]}
RANKS, LIMIT, RUNS = 4, 90, 4
ARGUMENTS = {"tests/programs": ["60", "20"], "bench/kernels": ["10"], "bench/loops/programs": []}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("programs", nargs="*", type=Path, metavar="program")
    options = parser.parse_args()
    if not options.programs:
        found = [p for folder in FOLDERS for p in sorted((ROOT / folder).iterdir()) if p.suffix in COMPILERS]
        options.programs = [p for p in found if p.name != "programs.inc"]
    return options


def compile_program(source, work):
    program = work / source.stem
    if source.suffix == ".c":
        subprocess.run([*COMPILERS[".c"], "-O1", "-g", source, "-o", program, "-lm", "-pthread"],
                       check=True, capture_output=True)
    else:
        subprocess.run([*COMPILERS[".f90"], "-O1", "-g", f"-I{source.parent}", f"-J{work}", source, "-o", program],
                       check=True, capture_output=True)
    return program


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in BY_CLOCK}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def read_sent(path):
    """Of each rank: what it sent, by partner and by size."""
    run = list(read_run.sections(path.read_bytes()))
    found = {kind: payload for kind, _, payload in run}
    calls, _ = read_run.read_names(found[read_run.NAMES])
    groups = read_run.read_groups(found[read_run.GROUPS])
    sent = {}
    for kind, rank, payload in run:
        if kind == read_run.RANK:
            shape = next(shape for ranks, shape in groups if rank in ranks)
            traffic = read_run.read_rank(payload, shape, calls, rank).traffic
            sent[rank] = [[[item[:3] for item in items] for items in kinds] for kinds in traffic]
    return sent


def run(build, program, arguments, work):
    """{part: what is in the run of it}; ends the whole group, if it takes too long."""
    out = tempfile.mkdtemp(dir=work)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("EFGTRACE_")}
    environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_pml": "ob1",
                    "OMPI_MCA_mpi_yield_when_idle": "1"}
    tool = (build / "efgtrace").resolve()
    command = [tool, "run", "-o", f"{out}/run", "--summary", "off", "mpirun", "--oversubscribe", "-np", str(RANKS),
               program, *arguments]
    with open(f"{out}/said", "w") as said:
        job = subprocess.Popen(command, cwd=out, env=environment, stdout=said, stderr=said, start_new_session=True)
        try:
            job.wait(LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()
            return None
    asked = [subprocess.run([tool, *words, f"{out}/run"], capture_output=True, text=True)
             for words in (("graph", "-f", "json"), ("expand", "--paths"))]
    if any(a.returncode for a in asked):
        return None
    graph = without_times(json.loads(asked[0].stdout))
    return {"graph": (graph["nodes"], graph["edges"]), "order": asked[1].stdout,
            "sent": read_sent(Path(out) / "run" / "run.efg"), "loops": (graph["loops"], graph.get("pivot"), graph.get("main"))}


def compare(options, source, work):
    """(verdict, whether it is a fault)"""
    try:
        program = compile_program(source.resolve(), work)
    except subprocess.CalledProcessError as error:
        return f"not compiled: {error.stderr.decode().strip().splitlines()[-1:]}", False
    arguments = ARGUMENTS.get(str(source.resolve().parent.relative_to(ROOT)), [])
    before, after = [], []
    for _ in range(RUNS):
        for build, runs in ((options.before, before), (options.after, after)):
            runs.append(run(build, program, arguments, work))
            if not runs[-1]:
                return f"no run under {'BEFORE' if build == options.before else 'AFTER'}", True
        calls = f"{before[0]['order'].count(chr(10))} calls"
        other = [part for part in before[0] if not any(b[part] == a[part] for b in before for a in after)]
        if not set(other) - {"loops"}:
            return f"same, {calls}" + (", but other loops" if other else "") + \
                (f" (in one of {len(before)} runs)" if len(before) > 1 else ""), False
    by_timing = [part for part in other if any(b[part] != before[0][part] for b in before)]
    faults = [part for part in other if part not in by_timing and part != "loops"]
    if faults:
        return f"DIFFERENT: {', '.join(faults)}; {calls}", True
    return f"by timing, under BEFORE too: {', '.join(by_timing)}; {calls}", False


def main():
    options = parse()
    faults = 0
    for source in options.programs:
        with tempfile.TemporaryDirectory(prefix="efgtrace-same.") as work:
            verdict, is_fault = compare(options, source, Path(work))
        print(f"{source.stem:20} {verdict}", flush=True)
        faults += is_fault
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
