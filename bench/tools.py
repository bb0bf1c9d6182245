# SPDX-License-Identifier: BSD-3-Clause
"""What is measured side by side: no tool, efgtrace in its modes, and its peers where there are any.

A peer joins when it is on PATH, or when the environment names its preload library:
    EZTrace   eztrace on PATH (Debian: eztrace)
    IPM       BENCH_IPM=/path/libipm.so, or ../lib/libipm.so beside ipm_parse on PATH
    mpiP      BENCH_MPIP=/path/libmpiP.so, or ../lib/libmpiP.so beside mpirun-mpip on PATH
    Score-P   BENCH_SCOREP=the LD_PRELOAD that scorep-preload-init --value-only prints
"""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

FOREVER = "1000000000"
SHARED_MEMORY = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader"}  # starts 0.2 s faster


class Tool:
    """NAME, what stands before the program on the command line, and what it needs to be in the
    state that is measured. In both, {out} is the folder of its output, not there yet."""

    def __init__(self, name, prefix=(), warm=50, environment=None):
        self.name = name
        self.prefix = list(prefix)
        self.warm = warm  # ms of calls before the measurement begins
        self.environment = environment or {}
        self.wants_folder = "{out}" in str(self.environment)

    def command(self, out):
        return [word.format(out=out) for word in self.prefix]

    def variables(self, out):
        return {name: value.format(out=out) for name, value in self.environment.items()}


def efgtrace(build, name, *options, warm=50):
    run = [f"{build}/efgtrace", "run", "--summary", "off", "-o", "{out}", "--log-limit", "8G"]
    return Tool(name, run + list(options), warm)


def states_of_efgtrace(build):
    """By name. watching: adaptive, the window never comes; recording: adaptive, the window has
    begun when the measurement begins, and lasts; adaptive: as a user has it."""
    states = [
        efgtrace(build, "off", "--mode", "off"),
        efgtrace(build, "graph", "--mode", "graph"),
        efgtrace(build, "watching", "--skip", FOREVER, "--memory", "1G"),
        efgtrace(build, "recording", "--iterations", "1000000", "--interval", "10ms",
                 "--level", "finer", warm=300),
        efgtrace(build, "full", "--mode", "full", "--memory", "1G"),
        efgtrace(build, "adaptive"),
    ]
    return {tool.name: tool for tool in states}


def beside(program, library):
    """LIBRARY in ../lib of where PROGRAM is, or None."""
    path = shutil.which(program)
    found = Path(path).resolve().parent.parent / "lib" / library if path else None
    return str(found) if found and found.exists() else None


def peers():
    found = []
    if shutil.which("eztrace"):
        found.append(Tool("eztrace", ["eztrace", "-t", "openmpi", "-o", "{out}"]))
    preloaded = {
        "ipm": os.environ.get("BENCH_IPM") or beside("ipm_parse", "libipm.so"),
        "mpip": os.environ.get("BENCH_MPIP") or beside("mpirun-mpip", "libmpiP.so"),
        "scorep": os.environ.get("BENCH_SCOREP"),
    }
    settings = {
        "ipm": {"IPM_LOGDIR": "{out}"},
        "mpip": {"MPIP": "-f {out}"},
        "scorep": {"SCOREP_EXPERIMENT_DIRECTORY": "{out}", "SCOREP_ENABLE_TRACING": "true"},
    }
    for name, library in preloaded.items():
        if library:
            found.append(Tool(name, ["env", f"LD_PRELOAD={library}"], 50, settings[name]))
    return found


class Job:
    """A command that ran: wall and CPU seconds of it and its descendants, resident set of the
    largest of them, the bytes that it left in the folder of its output, and what was FOUND in it."""

    def __init__(self, code, wall, usage, output, errors, trace_bytes, found):
        self.failed = code != 0
        self.code = code
        self.wall = wall
        self.cpu = usage.ru_utime + usage.ru_stime
        self.peak_kb = usage.ru_maxrss
        self.output = output
        self.errors = errors
        self.trace_bytes = trace_bytes
        self.found = found

    def measured(self):
        """What the ranks of bench/calls.c said of themselves."""
        return [json.loads(line) for line in self.output.splitlines() if line.startswith("{")]


def size_of(folder):
    return sum(f.stat().st_size for f in Path(folder).rglob("*") if f.is_file())


def wait(process, limit):
    """(exit code, rusage) of PROCESS, which leads a group of its own. The group ends with us, and
    after LIMIT seconds."""
    end = time.monotonic() + limit
    try:
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status), usage
            if time.monotonic() > end:
                os.killpg(process.pid, signal.SIGKILL)
                end = float("inf")
            time.sleep(0.002)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise


def run(command, tool, environment=None, limit=300, inspect=None):
    """COMMAND(prefix) under TOOL: a Job; INSPECT(folder) finds things in the folder
    where it ran, its output in trace/."""
    with tempfile.TemporaryDirectory(prefix="efgtrace-bench.") as work:
        out = f"{work}/trace"
        clean = {k: v for k, v in os.environ.items() if not k.startswith("EFGTRACE_")}
        variables = clean | (environment or {}) | tool.variables(out)
        if tool.wants_folder:
            os.mkdir(out)
        with open(f"{work}/out", "w+") as output, open(f"{work}/err", "w+") as errors:
            begin = time.monotonic()
            process = subprocess.Popen(command(tool.command(out)), cwd=work, env=variables,
                                       stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                       start_new_session=True)
            code, usage = wait(process, limit)
            wall = time.monotonic() - begin
            process.returncode = code
            output.seek(0)
            errors.seek(0)
            return Job(code, wall, usage, output.read(), errors.read(), size_of(out),
                       inspect(Path(work)) if inspect and code == 0 else None)
