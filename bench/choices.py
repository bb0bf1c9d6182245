#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What it costs to keep iterations of several kinds, beside the first ones only.

usage: bench/choices.py [--runs N] [PROGRAM...]          default: lammps stencil2d polling messages

Each program runs N times (default 5) with each choice of iterations in turns, without a limit. Printed are medians
over the runs: what the library states that it has cost while the program ran, in percent of the processor time of
the ranks, which depends less on what else the machine does than wall time; ns a call; MB of the trace.
BUILD is where the build is.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get('BUILD', os.path.join(ROOT, 'build'))
TOOL = os.path.join(BUILD, 'efgtrace')
CHOICES = {'first': ['--select', 'first'], 'first,spread,slow': ['--select', 'first,spread,slow']}
PROGRAMS = {'stencil2d': ['tests/programs/stencil2d.c', '20000'], 'polling': ['tests/programs/polling.c', '20000'],
            'messages': ['bench/limit.c', 'messages', '20000']}


def command(work, program, tracer):
    if program == 'lammps':
        return [os.path.join(ROOT, 'bench/apps.sh'), 'run', 'lammps', os.path.join(work, 'case')] + tracer
    source, *arguments = PROGRAMS[program]
    binary = os.path.join(work, program)
    if not os.path.exists(binary):
        subprocess.run(['mpicc', '-O2', '-g', os.path.join(ROOT, source), '-o', binary, '-lm'], check=True)
    return ['mpirun', '--oversubscribe', '-np', '4' if program != 'messages' else '2'] + tracer + [binary] + arguments


def measure(work, program, options):
    """Percent of the processor time, ns a call, bytes of the trace."""
    trace = os.path.join(work, 'trace')
    subprocess.run(['rm', '-rf', trace], check=True)
    subprocess.run(command(work, program, [TOOL, 'run', '-o', trace, '--overhead', 'none'] + options), check=True,
                   stdin=subprocess.DEVNULL, capture_output=True)
    document = json.loads(subprocess.run([TOOL, 'report', '--json', trace], check=True, capture_output=True).stdout)
    values = {rank['name']: rank['values'] for rank in document['ranks']}
    cost, calls = document['overview']['cost']['calls'], document['overview']['calls']
    size = sum(os.path.getsize(f) for f in glob.glob(trace + '/traces*/**', recursive=True) if os.path.isfile(f))
    return 100 * cost / values['processor']['sum'], cost / calls, size / 1e6


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('programs', nargs='*', default=['lammps', *PROGRAMS])
    a = parser.parse_args()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
    with tempfile.TemporaryDirectory() as work:
        for program in a.programs:
            rows = {choice: [] for choice in CHOICES}
            for choice, options in list(CHOICES.items()) * a.runs:
                rows[choice].append(measure(work, program, options))
            for choice, values in rows.items():
                share, each, size = (statistics.median(column) for column in zip(*values))
                least, most = min(v[0] for v in values), max(v[0] for v in values)
                print(f'{program:10} {choice:18} {share:6.2f}% [{least:.2f}, {most:.2f}] of the processor time, '
                      f'{each:5.0f} ns a call, {size:7.3f} MB', flush=True)


if __name__ == '__main__':
    main()
