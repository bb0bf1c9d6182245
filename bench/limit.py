#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether watching keeps its limit, by a measurement of its own: bare and traced in turns.

usage: bench/limit.py [--pairs N] [--seconds S] [--ranks N] [OPTION=VALUE...]

For each program of bench/limit.c, on so many ranks (default: 2, and 1 where the machine has fewer cores): as many
iterations as take S seconds bare (default 30), N pairs (default 10) of a bare run and one under `efgtrace run` with
each set of OPTIONs (default: overhead=none, overhead=0.5%), in turns. Time is what the program says itself, from
before MPI_Init until after MPI_Finalize: wall time, and processor time of rank 0, which says more where the machine
has other work to do. Printed are the median and the spread of traced over bare of a pair, in percent of the bare
time, and the median of what the summaries say. BUILD is where the build is.
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOOL = os.path.join(os.environ.get('BUILD', os.path.join(ROOT, 'build')), 'efgtrace')
PROGRAMS = ['messages', 'polls']


def run(work, ranks, what, length, options=None):
    """Wall and processor seconds of a run, and what its summary says of the cost in percent; traced if there are
    OPTIONS."""
    command = ['mpirun', '--oversubscribe', '-np', str(ranks)]
    folder = os.path.join(work, 'trace')
    if options is not None:
        subprocess.run(['rm', '-rf', folder], check=True)
        command += [TOOL, 'run', '-o', folder]
        for option in options.split():
            command += ['--' + option]
    command += [os.path.join(work, 'limit'), what, str(length)]
    out = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    stated = re.search(r'a rank, ([0-9.e+-]+)% of the run', out.stderr)
    wall, cpu = map(float, out.stdout.split()[:2])
    return wall, cpu, float(stated.group(1)) if stated else None


def spread(values):
    return f'{statistics.median(values):+.2f}% [{min(values):+.2f}, {max(values):+.2f}]'


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--pairs', type=int, default=10)
    parser.add_argument('--seconds', type=float, default=30)
    parser.add_argument('--ranks', type=int, default=min(2, os.cpu_count()))
    parser.add_argument('--programs', default=' '.join(PROGRAMS))
    parser.add_argument('options', nargs='*', default=['overhead=none', 'overhead=0.5%'])
    a = parser.parse_args()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(['mpicc', '-O2', '-g', os.path.join(ROOT, 'bench/limit.c'), '-o',
                        os.path.join(work, 'limit')], check=True)
        for what in a.programs.split():
            trial = 20000
            length = int(trial * a.seconds / run(work, a.ranks, what, trial)[0])
            bare, wall, cpu, stated = [], {}, {}, {}
            for options in a.options * a.pairs:
                before = run(work, a.ranks, what, length)
                after = run(work, a.ranks, what, length, options)
                bare.append(before[0])
                wall.setdefault(options, []).append(100 * (after[0] / before[0] - 1))
                cpu.setdefault(options, []).append(100 * (after[1] / before[1] - 1))
                stated.setdefault(options, []).append(after[2])
            print(f'{what}: {length} iterations, bare {statistics.median(bare):.2f} s '
                  f'[{min(bare):.2f}, {max(bare):.2f}]')
            for options in a.options:
                print(f'  {options}: wall {spread(wall[options])}, processor {spread(cpu[options])}, '
                      f'stated {statistics.median(stated[options]):.2g}%', flush=True)


if __name__ == '__main__':
    main()
