#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often efgtrace finds the main loop of programs that it was not made for.

The programs, in programs/, are small and have the structure of real codes. programs.tsv says of each how
often the body of its main loop runs (own: as often as each rank says), and what is accepted as a
coarser answer, the loops around it. Each runs once without efgtrace, then RUNS times with it, beside
LOAD busy processes. A row of the output:

truth    iterations of the main loop
answers  how often efgtrace says that it ran, on the rank in the middle: one number for each run. Where its
         function is called from several places, with those of all of them, as the summary has it
verdict  right, coarser (a loop around it), finer (more), wrong (fewer), none (no main loop), each
         within 2; failed: the run was not as without efgtrace. It is that of most ranks which
         have the loop; "x 2": of so many runs, where they differ
same     the answers of all runs are within 2
equal    in each run, all ranks which have the loop have exactly the same number; of programs
         where they should, and with an answer
taken    iterations in the trace, of each run, mean of the ranks
matched  least share of the recorded messages whose both ends are in the trace
bare     seconds of the run without efgtrace

Exit code: 0 done, 1 a program did something else than without efgtrace, or than programs.tsv says.
"""
import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import median_low

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from tools import Tool, run

TOLERANCE = 2  # loops often have a first or a last iteration that is different
LIMIT = 300  # seconds of a run
VERDICTS = ("right", "coarser", "finer", "wrong", "none", "failed")
MPICC = os.environ.get("MPICC", "mpicc")
IS_MPICH = "mpich" in MPICC
PYTHON = os.environ.get("PYTHON", "/usr/bin/python3")  # with mpi4py and NumPy
MPIFORT = os.environ.get("MPIFORT", "mpif90.mpich" if IS_MPICH else "mpif90")
LAUNCHER = (["env", f"MPIEXEC_TIMEOUT={LIMIT}", "mpiexec.mpich"] if IS_MPICH else
            ["mpirun", "--oversubscribe", "--timeout", str(LIMIT)])
FLAGS = ["-O2", "-g", "-ffp-contract=off"]  # the same numbers with all processors
# It ends when the benchmark does, whatever ends that.
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(100000))"
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", PYTHONDONTWRITEBYTECODE="1")


def parser_of(doc, runs, what, example):
    """Of a campaign: so many runs of each WHAT, beside a load."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=runs, help=f"of each {what} ({runs})")
    parser.add_argument("--load", type=int, default=0, metavar="K", help="busy processes beside (0)")
    parser.add_argument("--only", metavar="NAMES", help=f"of these {what}s: {example}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all of it there, too")
    parser.add_argument("--build", type=Path, default=Path(os.environ.get("BUILD", "build")),
                        help="where the build is (BUILD, build)")
    return parser


def parse(parser, known):
    """The options, and the names that are asked for, of those that are KNOWN."""
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.names = options.only.split(",") if options.only else list(known)
    if options.runs < 1 or options.load < 0 or set(options.names) - set(known):
        parser.error("--runs is 1 or more, --load 0 or more, --only of " + ",".join(known))
    return options


def arguments():
    programs = read_programs()
    options = parse(parser_of(__doc__, 5, "program", "md,cg"), programs)
    options.programs = [programs[name] for name in options.names]
    return options


def is_near(a, b):
    return abs(a - b) <= TOLERANCE


# --- programs ---

class Program:
    """A line of programs.tsv; truth is None where each rank has its own."""

    def __init__(self, line):
        self.name, ranks, words, truth, coarser, self.loop = line.rstrip("\n").split("\t")
        self.ranks = int(ranks)
        self.words = [] if words == "-" else words.split()
        self.truth = None if truth == "own" else int(truth)
        self.coarser = [] if coarser == "-" else [int(n) for n in coarser.split(",")]
        self.path = None


def read_programs():
    lines = (HERE / "programs.tsv").read_text().splitlines()
    programs = [Program(line) for line in lines if not line.startswith("#")]
    return {program.name: program for program in programs}


def build(program, folder):
    """Made aside: another run may be using the old one."""
    folder.mkdir(parents=True, exist_ok=True)
    program.path = folder / program.name
    new, source = f"{program.path}.{os.getpid()}", HERE / "programs" / program.name
    if source.with_suffix(".py").exists():
        program.path, program.words = PYTHON, [str(source.with_suffix(".py")), *program.words]
        return
    if source.with_suffix(".c").exists():
        compiler = [*MPICC.split(), "-std=gnu11", *FLAGS, source.with_suffix(".c"), "-lm"]
    else:
        modules = folder / "modules"
        modules.mkdir(exist_ok=True)
        compiler = [MPIFORT, *FLAGS, f"-J{modules}", f"-I{source.parent}", source.with_suffix(".f90")]
    subprocess.run([*compiler, "-o", new], check=True)
    os.replace(new, program.path)


def loops_said(errors):
    """What a program says of itself: the iterations of each rank, and of the loop around."""
    found = re.search(r"^loops:((?: \d+)+) around (\d+)$", errors, re.MULTILINE)
    return ([int(n) for n in found[1].split()], int(found[2])) if found else ([], 0)


def is_as_the_table_says(program, said, around):
    """Convergence may need an iteration more with another MPI or processor."""
    own = [n for n in said if n > 0]
    truths = [program.truth or n for n in own]
    return len(said) == program.ranks and own and all(map(is_near, own, truths)) and \
        len(program.coarser) == (around > 0) and all(is_near(n, around) for n in program.coarser)


@contextlib.contextmanager
def load(count):
    """So many busy processes while it lasts."""
    processes = []
    try:
        for _ in range(count):
            processes.append(subprocess.Popen([sys.executable, "-c", BUSY]))
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


# --- what efgtrace says ---

def said_by(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=LIMIT)
    return json.loads(done.stdout)


def iterations_of(graph):
    """What the summary and the loop tree say of the main loop."""
    return None if graph["main"] is None else graph["loops"][graph["main"]]["repetitions"]


def iterations_elsewhere(report):
    """Those of phases with the same loop as the main one, whose function is called from another place."""
    return sum(phase["iterations"] for phase in report["phases"] if phase["is_main_elsewhere"])


def answer_of(tool, trace, ranks):
    """What the run that wrote TRACE found: for each rank the iterations of its main loop or None,
    how many were recorded, as a mean of the ranks, and which share of the recorded messages is
    matched, None if there are no messages."""
    graphs = [said_by(tool, "graph", "-f", "json", "-r", str(r), trace) for r in range(ranks)]
    report = said_by(tool, "report", "--json", trace)
    recorded, elsewhere = report["overview"]["recorded"], iterations_elsewhere(report)
    either = recorded["sends"] + recorded["receives"] - recorded["matched"]
    counts = map(iterations_of, graphs)
    return {"counts": [None if count is None else count + elsewhere for count in counts],
            "recorded": recorded["iterations"] / ranks,
            "matched": recorded["matched"] / either if either else None}


# --- judging ---

def judge(count, truth, coarser):
    if count is None:
        return "none"
    if is_near(count, truth):
        return "right"
    if any(is_near(count, n) for n in coarser):
        return "coarser"
    return "finer" if count > truth else "wrong"


def judged_run(program, job, bare):
    """A run as it is kept; the lists are of the ranks that have the main loop."""
    said, _ = loops_said(job.errors)
    kept = {"seconds": job.wall, "code": job.code,
            "as_bare": (job.code, job.output) == (bare.code, bare.output), "verdict": "failed",
            "truths": [n for n in said if n > 0], "counts": [], "recorded": 0, "matched": None}
    if not kept["as_bare"]:
        kept["errors"] = job.errors.splitlines()[-5:]
    if job.found is None or not said:
        return kept
    kept |= job.found | {"counts": [n for n, truth in zip(job.found["counts"], said) if truth > 0]}
    if kept["as_bare"]:
        verdicts = [judge(n, truth, program.coarser) for n, truth in zip(kept["counts"], kept["truths"])]
        kept["verdict"] = Counter(verdicts).most_common(1)[0][0]
    return kept


def middle(kept):
    """The answer of a run in one number, or None."""
    found = [n for n in kept["counts"] if n is not None]
    return median_low(found) if found else None


def is_same(program, runs):
    """Whether all runs have the same answer; tasks that are dealt out anew have the same verdict."""
    verdicts = {kept["verdict"] for kept in runs}
    if program.truth is None or "failed" in verdicts:
        return len(verdicts - {"failed"}) == 1 and "failed" not in verdicts
    answers = [middle(kept) for kept in runs]
    if None in answers:
        return set(answers) == {None}
    return is_near(min(answers), max(answers))


def is_equal(program, runs):
    """Whether all ranks of each run have the same number; None where they should not, or none has."""
    found = [set(kept["counts"]) for kept in runs if middle(kept) is not None]
    return all(len(counts) == 1 for counts in found) if found and program.truth else None


# --- running ---

def measure(program, options):
    """A program as it is kept, with its runs."""
    tool = options.build / "efgtrace"
    traced = Tool("efgtrace", [str(tool), "run", "--summary", "off", "-o", "{out}", "--"])

    def command(prefix):
        return [*LAUNCHER, "-np", str(program.ranks), *prefix, str(program.path), *program.words]

    def inspect(work):
        try:
            return answer_of(tool, work / "trace", program.ranks)
        except subprocess.SubprocessError as error:
            print(f"{program.name}: {error}", file=sys.stderr)
            return None

    bare = run(command, Tool("bare"), limit=LIMIT + 30)
    jobs = [run(command, traced, limit=LIMIT + 30, inspect=inspect) for _ in range(options.runs)]
    runs = [judged_run(program, job, bare) for job in jobs]
    return {"program": program.name, "ranks": program.ranks, "truth": program.truth,
            "coarser": program.coarser, "loop": program.loop, "bare_seconds": bare.wall,
            "bare_code": bare.code, "is_as_said": is_as_the_table_says(program, *loops_said(bare.errors)),
            "said": loops_said(bare.errors), "same": is_same(program, runs),
            "equal": is_equal(program, runs), "runs": runs}


# --- output ---

def times(values):
    """In the order of their first one: "7 x 4, 5"."""
    counted = Counter("-" if value is None else str(value) for value in values)
    return ", ".join(value if n == 1 else f"{value} x {n}" for value, n in counted.items())


def once(values):
    """The same, and one alone where all are equal."""
    return times(values if len(set(values)) > 1 else values[:1])


def yes(value):
    return "-" if value is None else "yes" if value else "no"


def row(kept):
    runs, name = kept["runs"], kept["program"]
    if kept["truth"] is None:
        answers = [" ".join(map(str, r["counts"])) or None for r in runs[:1]]
    else:
        answers = [middle(r) for r in runs]
    matched = [r["matched"] for r in runs if r["matched"] is not None]
    share = f"{100 * min(matched):.1f}%" if matched else "-"
    truth = "own" if kept["truth"] is None else kept["truth"]
    taken = once([f"{r['recorded']:.4g}" for r in runs])
    return (f"{name:<11} {kept['ranks']:5} {truth:>6}  {once(answers):<28} "
            f"{once([r['verdict'] for r in runs]):<20} {yes(kept['same']):<5} {yes(kept['equal']):<6}"
            f"{taken:>6} {share:>8} {kept['bare_seconds']:5.1f}")


def complaints(kept):
    name = kept["program"]
    if kept["bare_code"] or not kept["is_as_said"]:
        yield f"{name}: bare, it ends with {kept['bare_code']} and says {kept['said']}; " \
            f"programs.tsv says {kept['truth']} and {kept['coarser']}"
    for r in kept["runs"]:
        if not r["as_bare"]:
            yield f"{name}: with efgtrace, it ends with {r['code']}, or its output is not as without; " \
                  f"its errors end with: {' / '.join(r['errors']) or 'nothing'}"


def totals(table):
    runs = [r for kept in table for r in kept["runs"]]
    verdicts = Counter(r["verdict"] for r in runs)
    comparable = [kept["equal"] for kept in table if kept["equal"] is not None]
    return {"runs": len(runs), "verdicts": {v: verdicts[v] for v in VERDICTS},
            "right_or_coarser": verdicts["right"] + verdicts["coarser"], "programs": len(table),
            "same": sum(kept["same"] for kept in table), "equal": sum(comparable),
            "comparable": len(comparable), "as_bare": sum(r["as_bare"] for r in runs)}


def print_totals(t):
    print(f"right or coarser: {t['right_or_coarser']} of {t['runs']} runs (" +
          ", ".join(f"{v} {t['verdicts'][v]}" for v in VERDICTS) + ")")
    print(f"same answer: {t['same']} of {t['programs']} programs; "
          f"equal numbers: {t['equal']} of {t['comparable']}; "
          f"output as without efgtrace: {t['as_bare']} of {t['runs']} runs")


def main():
    options, table, failed = arguments(), [], []
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and what runs with it
    for program in options.programs:
        build(program, options.build / "loops")
    print(f"{'program':<11} ranks  truth  {'answers':<28} {'verdict':<20} same  equal  taken  matched  bare")
    with load(options.load):
        for program in options.programs:
            table.append(measure(program, options))
            print(row(table[-1]), flush=True)
            failed += complaints(table[-1])
    print_totals(totals(table))
    print("\n".join(failed), file=sys.stderr, end="\n" if failed else "")
    if options.json:
        results = {"runs": options.runs, "load": options.load, "programs": table, "totals": totals(table)}
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    sys.exit(len(failed) > 0)


if __name__ == "__main__":
    main()
