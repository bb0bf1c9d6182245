#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two rules for the main loop, compared within minutes: see README.md beside this file.

    loops.py replay             programs and recordings through the rule of this build: a table
    loops.py record [NAME...]   run real programs and record them, once (default: all there are)
    loops.py compare A B        what differs between two results (replay --json FILE)
    loops.py list               what can be recorded

"replay" is the default. It passes on options of build/bench/replay (whose --help has them), names of
programs, and folders.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
from tools import Tool, run, size_of

LIMIT = 300  # seconds of a run
LARGEST = 30 << 20  # bytes of a recording
LAMMPS = Path("/usr/share/lammps/examples")
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


# --- what can be recorded ---

class Case:
    """COMMAND(prefix) runs in an empty folder. TRUTH(output, errors) is a line of the file "truth"
    for each rank, the last one for all further ranks: [iterations, coarser...]."""

    def __init__(self, name, command, truth, environment=None, prepare=None):
        self.name, self.command, self.truth = name, command, truth
        self.environment = environment or {}
        self.prepare = prepare or (lambda build: None)


def mpirun(prefix, *command, ranks=4):
    return ["mpirun", "-np", str(ranks), "--oversubscribe", *prefix, *command]


def application(name, truth, **environment):
    """Of bench/apps.sh, which says what its main loop is."""
    def command(prefix):
        return [str(HERE.parent / "apps.sh"), "run", name, "case", *prefix]
    return Case(name, command, truth, environment)


def known(*lines):
    return lambda output, errors: lines


def lammps_truth(output, errors):
    """All steps of all runs; coarser are those that rebuild the neighbour lists."""
    steps = sum(map(int, re.findall(r"^Loop time of .* for (\d+) steps", output, re.MULTILINE)))
    return [(steps, sum(map(int, re.findall(r"^Neighbor list builds = (\d+)", output, re.MULTILINE))))]


def lammps(example, steps):
    """An example of LAMMPS, each of its runs no longer than so many STEPS."""
    def command(prefix):
        source = LAMMPS / example
        script = f"cp {source}/* . && sed -Ei 's/^(run[[:space:]]+)[0-9]+/\\1{steps}/' in.{example} && " \
            'exec "$@"'
        return ["sh", "-c", script, "sh", *mpirun(prefix, "lmp", "-in", f"in.{example}", "-log", "none")]
    return Case(f"lammps_{example}", command, lammps_truth, {"OMP_NUM_THREADS": "1"})


def test_program(name, steps, *counts, truth=None):
    """Of tests/programs."""
    def prepare(build):
        target = build / "loops" / f"test_{name}"  # programs of both kinds have the same names
        target.parent.mkdir(parents=True, exist_ok=True)
        source = ROOT / "tests/programs" / f"{name}.c"
        subprocess.run(["mpicc", "-O2", "-g", "-o", target, source, "-lm"], check=True)
        case.path = target

    def command(prefix):
        return mpirun(prefix, str(case.path), str(steps))
    case = Case(f"test_{name}", command, truth or known(counts), prepare=prepare)
    return case


def loops_program(program):
    """Of programs/ beside this file; a program says itself how often its loop ran, on each rank."""
    import programs

    def prepare(build):
        programs.build(program, build / "loops")

    def command(prefix):
        return [*programs.LAUNCHER, "-np", str(program.ranks), *prefix, str(program.path), *program.words]

    def truth(output, errors):
        said, _ = programs.loops_said(errors)
        return [(n, *program.coarser) if n else (0,) for n in said]
    return Case(f"loops_{program.name}", command, truth, prepare=prepare)


def loops_programs():
    if not (HERE / "programs.tsv").exists():
        return []
    import programs
    return [loops_program(program) for program in programs.read_programs().values()]


def cases():
    """By name. Runs of some seconds at most."""
    found = [
        application("lammps", lammps_truth),
        application("icofoam", known([300]), ICOFOAM_STEPS="300"),
        application("pw", known([15]), PW_STEPS="15"),
        application("hpcc", known([0])),
        application("ringtest", known([20000]), RINGTEST_LOOPS="20000"),
        lammps("peptide", 300), lammps("crack", 3000), lammps("micelle", 2000), lammps("eim", 300),
        lammps("friction", 3000), lammps("shear", 300),
        test_program("alternating", 500, 500, 250), test_program("collectives", 100, 100),
        test_program("comms", 100, 100), test_program("coupled", 1000, truth=known([1000], [1000], [500])),
        test_program("driver", 500, 1500, 3), test_program("freed", 300, 300),
        test_program("helper_reuse", 500, 500), test_program("io_end", 500, 500, 5),
        test_program("io_start", 500, 500, 5), test_program("mpiio", 100, 100),
        test_program("nested_solver", 300, 300), test_program("persistent", 500, 500),
        test_program("phases", 300, 300), test_program("pingpong", 1000, 1000),
        test_program("polling", 500, 500), test_program("probes", 500, 500),
        test_program("recursion", 300, 300), test_program("rma", 200, 200),
        test_program("sendrecv_self", 500, 500), test_program("sends", 100, 100),
        test_program("shuffled", 500, 500), test_program("stencil2d", 500, 500),
        test_program("waitany", 500, 500), test_program("wavefront", 500, 500),
    ] + loops_programs()
    return {case.name: case for case in found}


# --- recording ---

def say(*words):
    print("loops:", *words, file=sys.stderr, flush=True)


def write_truth(folder, case, output, errors):
    lines = [" ".join(map(str, counts)) for counts in case.truth(output, errors)]
    (folder / "truth").write_text("".join(line + "\n" for line in lines))


def record_run(case, build, folder):
    """Returns what was wrong, or None."""
    full = Tool("full", [f"{build}/efgtrace", "run", "--mode", "full", "--keep-logs", "on", "--depth", "128",
                         "--summary", "off", "--symbols", "off", "--sequence", "off",
                         "--memory", "1G", "-o", "{out}", "--"])

    def inspect(work):
        return subprocess.run([build / "bench/record", work / "trace/logs", folder],
                              stdout=subprocess.DEVNULL).returncode

    case.prepare(build)
    job = run(case.command, full, case.environment, LIMIT, inspect)
    if job.code or job.found:
        return f"exit code {job.code}: " + "".join((job.errors or job.output).splitlines(True)[-3:])
    if size_of(folder) > LARGEST:
        return f"{size_of(folder) >> 20} MB are too many"
    write_truth(folder, case, job.output, job.errors)
    return None


def record_case(case, build):
    """1 if that went wrong."""
    recordings = build / "loops/recordings"
    new, folder = recordings / f".{case.name}", recordings / case.name
    recordings.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(new, ignore_errors=True)
    wrong = record_run(case, build, new)
    if wrong:
        shutil.rmtree(new, ignore_errors=True)
        say(f"{case.name} was not recorded:", wrong)
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    say(f"{case.name}: {size_of(folder) / 1e6:.1f} MB, truth", *(folder / "truth").read_text().split("\n"))
    return 0


def record(options, rest):
    found = cases()
    unknown = [name for name in rest if name not in found]
    if unknown:
        sys.exit(f"loops: nothing is known of {' '.join(unknown)}; see loops.py list")
    there = options.build / "loops/recordings"
    names = rest or [name for name in found if not (there / name).exists()]
    return sum(record_case(found[name], options.build) for name in names) > 0


# --- replaying and comparing ---

def replay(options, rest):
    recordings = options.recordings or options.build / "loops/recordings"
    return subprocess.run([options.build / "bench/replay", "--recordings", recordings, *rest]).returncode


def answers(recording):
    counts = sorted({a["iterations"] if a["function"] else 0 for a in recording["answers"]})
    return " ".join(map(str, counts[:4])) + (" ..." if len(counts) > 4 else "")


def row(recording):
    held = f"{recording['held']:.2f} s {100 * recording['held_share']:3.0f}%"
    return f"{recording['right']:5} {recording['coarser']:7} {recording['same']:>5} {held:>13}  " + \
        answers(recording)


def differs(a, b):
    fields = ("right", "coarser", "finer", "wrong", "none", "same")
    return any(a[f] != b[f] for f in fields) or answers(a) != answers(b)


def print_totals(a, b):
    print(f"\n{'':42}{'A':>8} {'B':>8}")
    for name, key in (("right in all runs", "right"), ("right or coarser in all runs", "right_or_coarser"),
                      ("the same answer in all seeds", "same_in_seeds"),
                      ("the same answer in all seeds and ranks", "same"),
                      ("replaced in a run, at most", "most_replaced")):
        print(f"{name:42}{a[key]:8} {b[key]:8}")
    for key, unit, scale in (("held", "s", 1), ("held_share", "%", 100)):
        for quantile in ("median", "p90"):
            words = f"the loop that holds: {quantile}, {unit}"
            print(f"{words:42}{scale * a[key][quantile]:8.2f} {scale * b[key][quantile]:8.2f}")


def compare(options, rest):
    if len(rest) != 2:
        sys.exit("loops: compare takes two files that replay --json wrote")
    a, b = (json.loads(Path(name).read_text()) for name in rest)
    ones, others = ({r["name"]: r for r in result["recordings"]} for result in (a, b))
    print(f"{'recording':28}    right coarser  same          held  answers")
    for name in (name for name in ones if name in others and differs(ones[name], others[name])):
        print(f"{name:28} A {row(ones[name])}\n{'':28} B {row(others[name])}")
    alone = [name for name in {**ones, **others} if (name in ones) != (name in others)]
    if alone:
        print("only in one of them:", " ".join(alone))
    settings = [key for key in ("seeds", "sigma", "stalls", "interval", "fixed_pauses") if a[key] != b[key]]
    if settings:
        print("not made with the same", " ".join(settings))
    print_totals(a["total"], b["total"])
    return 0


def list_cases(options, rest):
    print("\n".join(cases()))
    return 0


def main():
    commands = {"replay": replay, "record": record, "compare": compare, "list": list_cases}
    parser = argparse.ArgumentParser(description=__doc__, usage="loops.py [COMMAND] [OPTION...] [NAME...]",
                                     allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("BUILD", "build")),
                        help="where the build is (BUILD, build)")
    parser.add_argument("--recordings", type=Path, help="of another build (BUILD/loops/recordings)")
    options, rest = parser.parse_known_args()
    options.build = options.build.resolve()
    command = rest.pop(0) if rest and rest[0] in commands else "replay"
    sys.exit(commands[command](options, rest))


if __name__ == "__main__":
    main()
