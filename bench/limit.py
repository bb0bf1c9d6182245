#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether watching keeps its limit, by a measurement of its own: bare and traced in turns.

usage: bench/limit.py [--pairs N] [--seconds S] [--ranks N] [--core C] [--verbose] [--table FILE] [OPTION=VALUE...]

For each program of bench/limit.c, on so many ranks (default: 2, and 1 where the machine has fewer cores): as many
iterations as take S seconds bare (default 30), N pairs (default 10) of a bare run and one under `efgtrace run` with
each set of OPTIONs (default: overhead=none, overhead=0.5%), in turns. Time is what the program says itself, from
before MPI_Init until after MPI_Finalize: wall time, and processor time of rank 0, which says more where the machine
has other work to do. Printed are the median and the spread of traced over bare of a pair, in percent of the bare
time, and the median of what the summaries say, and for how much of the time was watched. Each program as soon as it is
measured. FILE gets the same as a table. BUILD is where the build is.

How many iterations take so long is found by runs that get longer, until one is a quarter of it: the first ones are
mostly what starting MPI takes, and on a machine with other work to do one of them says little.

The OPTIONs "record" stand for a record, as a machine with site = on has one of each job; its summary says no cost.

With --core, both runs of a pair run at the same time, all ranks of both on core C, where several ranks yield to each
other: turns of milliseconds, so that what else the machine does meets both of them. S is processor time of rank 0 then, and
wall time is not printed, as each run waits for the other one.
"""
import argparse
import datetime
import os
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(os.environ.get('BUILD', os.path.join(ROOT, 'build')), 'efgtrace')
PROGRAMS = ['messages', 'polls', 'overlap']


ONE_CORE = ['--bind-to', 'none', '--mca', 'mpi_yield_when_idle']


def start(work, a, what, length, options=None):
    """A run, traced with these OPTIONS if there are any."""
    command = ['mpirun', '--oversubscribe', '-np', str(a.ranks)]
    if a.core is not None:
        command = ['taskset', '-c', str(a.core), *command, *ONE_CORE, str(int(a.ranks > 1))]
    environment = dict(os.environ)
    if options == 'record':
        spool = os.path.join(work, 'spool')
        os.makedirs(spool, exist_ok=True)
        environment.update(LD_PRELOAD=os.path.join(os.path.dirname(TOOL), 'libefgtrace.so'),
                           EFGTRACE_SITE='on', EFGTRACE_SPOOL=spool)
    elif options is not None:
        folder = os.path.join(work, 'trace')
        subprocess.run(['rm', '-rf', folder], check=True)
        command += [TOOL, 'run', '-o', folder, *('--' + option for option in options.split())]
    command += [os.path.join(work, 'limit'), what, str(length)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=environment)


def end(process):
    """Wall and processor seconds of the run, and what its summary says of the cost in percent."""
    out, err = process.communicate()
    if process.returncode:
        sys.exit(f'{process.args} has ended with {process.returncode}: {err}')
    stated = re.search(r'a rank, ([0-9.e+-]+)% of the run', err)
    watched = re.search(r'watched for ([0-9.e+-]+)% of the time, with pauses', err)
    wall, cpu = map(float, out.split()[:2])
    return wall, cpu, float(stated.group(1)) if stated else None, float(watched.group(1)) if watched else 100


def pair(work, a, what, length, options):
    bare = start(work, a, what, length)
    if a.core is not None:
        traced = start(work, a, what, length, options)
        return end(bare), end(traced)
    before = end(bare)
    return before, end(start(work, a, what, length, options))


def calibrate(time_of, seconds, length=20000):
    """How many iterations take SECONDS, the start of MPI included, if time_of(LENGTH) is what LENGTH of them take."""
    before = 100, time_of(100)
    while True:
        now = time_of(length)
        each = max(now - before[1], now / 100) / (length - before[0])
        if now >= seconds / 4:
            return max(1, int(length + (seconds - now) / each))
        before = length, now
        length *= 4


def check():
    """The length that is found, where starting takes half a second, and an iteration 30 us."""
    for seconds in 2, 18, 30, 300:
        length = calibrate(lambda length: 0.5 + 30e-6 * length, seconds)
        assert abs(0.5 + 30e-6 * length - seconds) < 0.01 * seconds, (seconds, length)


def measure(work, a, what):
    length = calibrate(lambda length: end(start(work, a, what, length))[0 if a.core is None else 1], a.seconds)
    bare, wall, cpu, stated, watched = [], {}, {}, {}, {}
    for options in a.options * a.pairs:
        before, after = pair(work, a, what, length, options)
        bare.append(before[0 if a.core is None else 1])
        wall.setdefault(options, []).append(100 * (after[0] / before[0] - 1))
        cpu.setdefault(options, []).append(100 * (after[1] / before[1] - 1))
        stated.setdefault(options, []).append(after[2])
        watched.setdefault(options, []).append(after[3])
        if a.verbose:
            print(f'  {options}: processor {cpu[options][-1]:+.2f}%, stated {after[2]}%', flush=True)
    print(f'{what}: {length} iterations, bare {statistics.median(bare):.2f} s [{min(bare):.2f}, {max(bare):.2f}]')
    for options in a.options:
        said = [s for s in stated[options] if s is not None]
        row = [what, options or 'default', f'{statistics.median(bare):.1f}',
               spread(wall[options]) if a.core is None else '', spread(cpu[options]),
               f'{statistics.median(said):.2g}%' if said else '', f'{statistics.median(watched[options]):.2g}%']
        a.rows.append(row)
        print(f'  {options}: {"wall " + spread(wall[options]) + ", " if a.core is None else ""}'
              f'processor {spread(cpu[options])}' + (f', stated {statistics.median(said):.2g}%' if said else ''), flush=True)


def spread(values):
    return f'{statistics.median(values):+.2f}% [{min(values):+.2f}, {max(values):+.2f}]'


def write(a):
    commit = subprocess.run(['git', '-C', ROOT, 'rev-parse', '--short', 'HEAD'], stdout=subprocess.PIPE, text=True)
    command = ' '.join(argument if argument.isprintable() and ' ' not in argument else f"'{argument}'"
                       for argument in sys.argv[1:])
    head = ['program', 'options', 'bare, s', 'wall', 'processor', 'stated', 'watched']
    with open(a.table, 'w', encoding='utf-8') as out:
        out.write(f'# What watching takes, beside a bare run\n\n{datetime.date.today()}, commit '
                  f'{commit.stdout.strip() or "unknown"}, load {os.getloadavg()[1]:.0f} on {os.cpu_count()} cores:\n'
                  f'`bench/limit.py {command}`\n\n')
        for row in [head, ['---'] * len(head), *a.rows]:
            out.write('| ' + ' | '.join(row) + ' |\n')


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace('%', '%%'))
    parser.add_argument('--pairs', type=int, default=10)
    parser.add_argument('--seconds', type=float, default=30)
    parser.add_argument('--ranks', type=int, default=min(2, os.cpu_count()))
    parser.add_argument('--core', type=int)
    parser.add_argument('--table')
    parser.add_argument('--check', action='store_true', help='this script itself')
    parser.add_argument('--verbose', action='store_true', help='each pair, too')
    parser.add_argument('--programs', default=' '.join(PROGRAMS))
    parser.add_argument('options', nargs='*', default=['overhead=none', 'overhead=0.5%'])
    a = parser.parse_args()
    if a.check:
        return check()
    a.rows = []
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(['mpicc', '-O2', '-g', os.path.join(ROOT, 'bench/limit.c'), '-o',
                        os.path.join(work, 'limit')], check=True)
        for what in a.programs.split():
            measure(work, a, what)
            if a.table:
                write(a)


if __name__ == '__main__':
    main()
