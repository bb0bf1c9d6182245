#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whatever happens to a job: it ends as it would without us, and what was recorded is readable.

Each accident happens to a small job of two ranks, bare and traced. The exit code and the output
must be the same, and of what the traced one leaves, `efgtrace trace`, `efgtrace report` and
otf2-print must read what is promised: a trace and a report, or a report, or, where nothing could
be written, nothing at all.

In --every, calls to the system fail one after the other: the k-th of all that our libraries make,
for every k (--step N: for every N-th), on one rank or on all, alone or with all that follow; and
at each of those that have to do with files the process is killed. That is a job each, thousands;
JOBS of them run at a time.

Prints a line "ok NAME" or "FAIL NAME: why" each, and last "N passed, N failed". With --table FILE
also what happened, as a table.

usage: accidents.py [--every] [--step N] [--jobs N] [--table FILE] --build BUILD --work WORK [NAME...]
WORK has program, late, liblate.so, module.so and mishap.so, made of the sources beside this file.
"""
import argparse
import collections
import concurrent.futures
import errno
import functools
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import session

LIMIT = 300  # seconds, then something hangs: far more than anything takes beside a load
LAUNCHER = os.environ.get('MPIRUN', 'mpirun --oversubscribe').split()
MISSES = 40  # jobs, one after the other, that did not make the call that was to fail
SETTINGS = {'INTERVAL': '1ms', 'STABLE': '1', 'ITERATIONS': '2', 'SAVE': '5ms', 'SUMMARY': 'off'}
EVERY = dict(SETTINGS, SAVE='1s')  # once, in the middle, where the program rests
BOTH, REPORT, NOTHING = 'trace and report', 'report', 'nothing'
HARMLESS = (1, 2)  # exit codes of the tool that says why it cannot
SMALL = {'OMPI_MCA_pml': 'ob1', 'OMPI_MCA_btl': 'self,vader', 'OMPI_MCA_osc': '^ucx'}  # starts in half the time
FOREIGN = re.compile(r'=|YOUR APPLICATION|This typically|Please see|\[\d+\.')  # lines of MPICH's launcher, and of UCX
NOT_KEPT = 'was not kept (EFGTRACE_SEQUENCE)'  # of the order of calls, for want of memory; all else was
NO_LOOP = 'nothing was recorded that could be a trace'


class Accident:
    """ARGUMENTS of the program; SETTINGS of efgtrace; ENVIRONMENT of traced runs; LEAST that must
    be readable; FOLDER below the one that the output goes to; LAUNCH: other than the program."""

    def __init__(self, name, arguments=None, least=BOTH, settings=None, environment=None, folder='',
                 launch=None, group='life'):
        self.name, self.least, self.folder, self.group = name, least, folder, group
        self.command = launch or ['./program', name if arguments is None else arguments]
        self.settings = dict(SETTINGS, **(settings or {}))
        self.environment = environment or {}


LIFE = [Accident('none', '')]
LIFE += [Accident(name) for name in (
    'exit', '_exit', 'abort', 'MPI_Abort', 'kill', 'SIGTERM', 'SIGTERM handled', 'exec', 'crash',
    'fork and exit', 'fork and exec', 'system', 'spawn', 'connect', 'longjmp', 'handler calls MPI',
    'stderr closed')]
LIFE += [Accident(f'{name}, full', name, settings={'MODE': 'full'}) for name in
         ('_exit', 'kill', 'crash', 'longjmp', 'spawn', 'modules', 'main thread ends')]
LIFE.append(Accident('MPI_Init from a library', settings={'MODE': 'full'}, launch=['./late', './liblate.so']))

AROUND = [
    Accident('file size 1000', least=NOTHING),
    Accident('file size 0', least=NOTHING),
    Accident('file size 1000, full', 'file size 1000', NOTHING, {'MODE': 'full'}),
    Accident('memory limited', least=REPORT),
    Accident('memory limited, full', 'memory limited', REPORT, {'MODE': 'full'}),
    Accident('memory used up', least=REPORT),
    Accident('memory used up, full', 'memory used up', REPORT, {'MODE': 'full'}),
    Accident('files used up', least=REPORT),
    Accident('folder removed', least=NOTHING),
    Accident('folder removed, full', 'folder removed', NOTHING, {'MODE': 'full'}),
    Accident('logs cut', least=REPORT),
    Accident('logs cut, full', 'logs cut', REPORT, {'MODE': 'full'}),
    Accident('folder cannot be written', '', NOTHING,
             environment={'MISHAP': 'files', 'MISHAP_AT': '1', 'MISHAP_HOW': 'on',
                          'MISHAP_ERROR': str(errno.EROFS)}),
    Accident('quota reached', '', NOTHING,
             environment={'MISHAP': 'files', 'MISHAP_AT': '20', 'MISHAP_HOW': 'on',
                          'MISHAP_ERROR': str(errno.EDQUOT)}),
    Accident('slow file system', '',
             environment={'MISHAP': 'files', 'MISHAP_AT': '1', 'MISHAP_HOW': 'slow'}),
    Accident('clock put forth', '', environment={'MISHAP': 'clock', 'MISHAP_AT': '1', 'MISHAP_HOW': 'forth',
                                                 'MISHAP_RANK': '1'}),
    Accident('clock put back', '', environment={'MISHAP': 'clock', 'MISHAP_AT': '1', 'MISHAP_HOW': 'back',
                                                'MISHAP_RANK': '1'}),
    Accident('large environment'),
    Accident('a path with spaces', '', folder='a path with spaces'),
    Accident('a path that is not ASCII', '', folder='naïve: Übung "1" \'2\' $HOME'),
    Accident('a path that is no UTF-8', '', folder='caf\udce9'),
    Accident('a long path', '', folder='/'.join(['x' * 200] * 8)),
]
for accident in AROUND:
    accident.group = 'surroundings'


# --- running ---

Ran = collections.namedtuple('Ran', 'code output errors')


def run(work, command):
    code, output, errors = session.run([*LAUNCHER, '-np', '2', *command],
                                       LIMIT, cwd=work,
                                       env=dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe='1',
                                                OMPI_MCA_mpi_yield_when_idle='1'))
    return Ran(code, ' '.join(sorted(line for line in output.splitlines() if not FOREIGN.match(line))), errors)


@functools.lru_cache(maxsize=None)
def run_bare(work, *command):
    return run(work, command)


def traced(build, work, accident, output):
    values = {f'EFGTRACE_{key}': value for key, value in accident.settings.items()}
    values.update(accident.environment, ACCIDENT_FOLDER=output, EFGTRACE_OUTPUT=output)
    libraries = [f'{work}/mishap.so'] if 'MISHAP' in values else []
    values['LD_PRELOAD'] = ':'.join([*libraries, f'{build}/libefgtrace.so'])
    return run(work, ['env', *(f'{name}={value}' for name, value in values.items()), *accident.command])


# --- reading ---

def call(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors='replace',
                              timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 'hangs', '', '')


def last_line(done):
    return (done.stderr.strip() or done.stdout.strip() or '?').splitlines()[-1]


def read_folder(tool, folder):
    """What can be read of FOLDER, and what is wrong. Of a run that was over before its main loop was found there is
    no trace, which is as good."""
    is_empty = False
    if not os.path.exists(f'{folder}/run.efg') or not os.path.exists(f'{folder}/traces.otf2'):
        done = call(tool, 'trace', folder)
        is_empty = NO_LOOP in done.stderr
        if done.returncode and done.returncode not in HARMLESS:
            return NOTHING, f'efgtrace trace: {done.returncode}: {last_line(done)}'
    has_trace, has_report = (os.path.exists(f'{folder}/{name}') for name in ('traces.otf2', 'run.efg'))
    if has_report:
        for command in 'report', 'graph', 'expand':
            done = call(tool, command, folder)
            if done.returncode and NOT_KEPT not in done.stderr:
                return NOTHING, f'efgtrace {command}: {last_line(done)}'
    if has_trace:
        done = call('env', 'GLIBC_TUNABLES=' + os.environ.get('large_pages', ''),
                    'otf2-print', '--silent', '-Werror', f'{folder}/traces.otf2')
        if done.returncode or done.stderr.strip():
            return NOTHING, f'otf2-print: {last_line(done)}'
    return (BOTH if (has_trace or is_empty) and has_report else REPORT if has_report else
            'trace' if has_trace else NOTHING), ''


def read(tool, output):
    """The least of all folders."""
    above = os.path.dirname(output)
    folders = [f'{above}/{name}' for name in (sorted(os.listdir(above)) if os.path.isdir(above) else ())]
    found = [read_folder(tool, folder) for folder in folders]
    wrong = [why for _, why in found if why]
    order = [NOTHING, 'trace', REPORT, BOTH]
    return min((what for what, _ in found), key=order.index, default=NOTHING), wrong[0] if wrong else ''


# --- verdicts ---

class Verdicts:
    def __init__(self):
        self.passed, self.failed, self.rows, self.notes = 0, 0, [], []

    def add(self, name, why):
        if why:
            self.failed += 1
            print(f'FAIL {name}: {why}', flush=True)
        else:
            self.passed += 1
            print(f'ok {name}', flush=True)

    def tell(self, group, name, bare, ends, readable):
        """A row of the table; BARE: an end; ENDS and READABLE: all that were seen."""
        seen = [', '.join(f'{what} ({count})' if len(counts) > 1 else what
                          for what, count in collections.Counter(counts).most_common())
                for counts in (ends, readable)]
        self.rows.append((group, name, bare, *seen))


def end_of(code):
    """Of mpirun, which adds 128 to the number of a signal; MPICH's does not."""
    if code == 'hangs' or code < 128:
        return f'exit code {code}' if code != 'hangs' else code
    return signal.Signals(code - 128).name


def told(errors):
    """What mpirun says, and Open MPI's own list of calls after a signal."""
    calls = re.findall(r'\] \[ *\d+\] (.*)', errors)
    return ' < '.join(calls[:8]) if calls else ' '.join(errors.split())[-300:]


def judge(bare, ran, least, readable, wrong):
    if ran.code != bare.code:
        return f'{end_of(ran.code)}, not {end_of(bare.code)}: {told(ran.errors)}'
    if ran.output != bare.output:
        return f'output "{ran.output}", not "{bare.output}"'
    if wrong:
        return wrong
    if least == BOTH and readable != BOTH or least == REPORT and readable in (NOTHING, 'trace'):
        return f'readable: {readable}; {told(ran.errors)}'
    return ''


def fresh(work, folder=''):
    shutil.rmtree(f'{work}/output', ignore_errors=True)
    os.makedirs(f'{work}/output/{folder}'.encode('utf-8', 'surrogateescape'))
    return f'{work}/output/{folder}/run' if folder else f'{work}/output/run'


def try_accident(build, work, accident, verdicts):
    output = fresh(work, accident.folder)
    bare = run_bare(work, *accident.command)
    ran = traced(build, work, accident, output)
    readable, wrong = read(f'{build}/efgtrace', output)
    verdicts.add(accident.name, judge(bare, ran, accident.least, readable, wrong))
    verdicts.tell(accident.group, accident.name, end_of(bare.code), [end_of(ran.code)], [wrong or readable])


def try_two_jobs(build, work, verdicts):
    """At once, and to the same folder."""
    output, accident = fresh(work), Accident('two jobs in a folder', '')
    bare = run_bare(work, *accident.command)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        both = list(pool.map(lambda _: traced(build, work, accident, output), range(2)))
    readable, wrong = read(f'{build}/efgtrace', output)
    folders = len(os.listdir(os.path.dirname(output)))
    why = next(filter(None, (judge(bare, ran, BOTH, readable, wrong) for ran in both)), '')
    verdicts.add(accident.name, why or ('' if folders == 2 else f'{folders} folders'))
    verdicts.tell('surroundings', accident.name, end_of(bare.code), [end_of(ran.code) for ran in both],
                  [wrong or readable])


# --- every call to the system ---

Way = collections.namedtuple('Way', 'what mode how rank')  # RANK: '' for all


class Every:
    """Jobs that mishaps happen to, several at a time, each in a folder of its own."""

    def __init__(self, build, work, jobs):
        self.build, self.work = build, work
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.numbers = itertools.count()

    def run(self, way, at=0):
        """What becomes of a job whose call number AT fails, 0 for none: Ran, what can be read, what
        is wrong with that, and how many calls its ranks made (of those that came to their end)."""
        folder = f'{self.work}/every/{next(self.numbers)}'
        os.makedirs(f'{folder}/output')
        environment = dict(SMALL, MISHAP=way.what, MISHAP_COUNT=f'{folder}/counts', MISHAP_HOW=way.how)
        if at:
            environment['MISHAP_AT'] = str(at)
        if way.rank:
            environment['MISHAP_RANK'] = way.rank
        accident = Accident('rest', settings=dict(EVERY, MODE=way.mode), environment=environment)
        ran = traced(self.build, self.work, accident, f'{folder}/output/run')
        readable, wrong = read(f'{self.build}/efgtrace', f'{folder}/output/run')
        counts = read_counts(f'{folder}/counts')
        shutil.rmtree(folder)
        return ran, readable, wrong, counts

    def count(self, what, mode):
        """Calls of each rank; a job that takes longer saves more often, so the most of some."""
        counts = {'0': 0, '1': 0}
        for _, _, _, seen in self.pool.map(lambda _: self.run(Way(what, mode, 'once', '')), range(8)):
            counts.update({rank: max(count, counts[rank]) for rank, count in seen.items()})
        return counts


def read_counts(path):
    if not os.path.exists(path):
        return {}
    with open(path, encoding='ascii') as lines:
        return {rank: int(count) for rank, count in map(str.split, lines)}


def ways(what, mode):
    found = [Way(what, mode, how, rank) for how in ('once', 'on') for rank in ('0', '1', '')]
    return found + [Way(what, mode, 'kill', rank) for rank in ('0', '1')] if what == 'files' else found


def happened(way, at, ran, counts):
    """Jobs do not make the same number of calls each time."""
    if way.how == 'kill' or ran.code != 0:
        return ran.code != 0
    return any(count >= at for rank, count in counts.items() if way.rank in ('', rank))


def try_way(every, way, places, verdicts):
    """The calls whose numbers are PLACES, one in each job, until jobs do not make as many any more."""
    ends, seen, misses = [], [], 0
    killed = run_bare(every.work, './program', 'kill').code
    futures = [every.pool.submit(every.run, way, at) for at in places]
    for at, future in zip(places, futures):
        if misses == MISSES:
            future.cancel()
            continue
        ran, readable, wrong, counts = future.result()
        misses = 0 if happened(way, at, ran, counts) else misses + 1
        if misses:
            continue
        bare = Ran(killed, ran.output, '') if way.how == 'kill' else Ran(0, 'ok rest', '')
        verdicts.add(f'{way.what}, {way.mode}, {way.how}, rank {way.rank or "all"}, call {at}',
                     judge(bare, ran, NOTHING, readable, wrong))
        ends.append(end_of(ran.code))
        seen.append(wrong or readable)
    end = end_of(killed if way.how == 'kill' else 0)
    verdicts.tell(f'every call, {way.mode}', f'{way.what}, {way.how}, rank {way.rank or "all"}', end, ends, seen)


def try_every(every, what, mode, step, verdicts):
    counts = every.count(what, mode)
    before = verdicts.passed + verdicts.failed
    for way in ways(what, mode):
        most = counts[way.rank] if way.rank else max(counts.values())
        try_way(every, way, range(1, most + 1, step), verdicts)
    verdicts.notes.append(
        f'{what}, {mode}: {counts["0"]} calls of rank 0 and {counts["1"]} of rank 1 at the most, '
        f'{"each of them" if step == 1 else f"one in {step}"}, '
        f'{verdicts.passed + verdicts.failed - before} jobs to which it happened')


# --- the table ---

def write_table(rows, notes, path):
    with open(path, 'w', encoding='utf-8') as out:
        out.write('What happened to a job of two ranks, how it ended bare and traced, and what was readable\n'
                  'afterwards by `efgtrace trace` and `efgtrace report`: `make accidents`.\n\n')
        if notes:
            out.write('Every call to the system that our libraries make, failing or killing (--every):\n\n')
            out.write(''.join(f'- {note}\n' for note in notes) + '\n')
        out.write('| | accident | bare | traced | readable |\n|---|---|---|---|---|\n')
        group = None
        for row in rows:
            out.write('| ' + ' | '.join([row[0] if row[0] != group else '', *row[1:]]) + ' |\n')
            group = row[0]


def make_modules(work):
    if os.path.isdir(f'{work}/modules'):
        return
    os.mkdir(f'{work}/modules')
    for i in range(600):
        shutil.copy(f'{work}/module.so', f'{work}/modules/{i}.so')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--build', required=True)
    parser.add_argument('--work', required=True)
    parser.add_argument('names', nargs='*', help='of accidents (default: all)')
    parser.add_argument('--every', action='store_true', help='every call to the system fails, too')
    parser.add_argument('--step', type=int, default=1, help='... or every so manieth')
    parser.add_argument('--jobs', type=int, default=6 * (os.cpu_count() or 1), help='of these at a time')
    parser.add_argument('--table', help='write what happened to this file')
    options = parser.parse_args()
    work, verdicts = os.path.abspath(options.work), Verdicts()
    os.environ['ACCIDENT_MODULES'] = f'{work}/modules'
    make_modules(work)
    if run_bare(work, './program', '').output != 'ok ':
        sys.exit('accidents: the program does not run as it is')
    for accident in LIFE + AROUND:
        if not options.names or accident.name in options.names:
            try_accident(options.build, work, accident, verdicts)
    if not options.names or 'two jobs in a folder' in options.names:
        try_two_jobs(options.build, work, verdicts)
    every = Every(options.build, work, options.jobs)
    for what in ('files', 'memory') if options.every else ():
        for mode in 'adaptive', 'full':
            if not options.names or f'{what} {mode}' in options.names:
                try_every(every, what, mode, options.step, verdicts)
    if options.table:
        write_table(verdicts.rows, verdicts.notes, options.table)
    print(f'{verdicts.passed} passed, {verdicts.failed} failed')
    sys.exit(1 if verdicts.failed else 0)


if __name__ == '__main__':
    main()
