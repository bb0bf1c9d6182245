#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the iterations that matter are kept: slow ones, typical ones, the same on all ranks; beside a full trace.

usage: bench/keep.py [--runs N] [--seed N] [--delay US] [TABLE...]

Tables (default: all but large and hpcc):
  injected    N runs (default 20) of programs of several kinds on 4 to 16 ranks. In each, a plug-in (plugins/delay.c)
              delays one call of one rank, drawn at random, in the second half of the run, by US microseconds
              (default 6000: three times a usual iteration). With select = slow the iteration has to be in the trace of
              all ranks, with 99% of the messages that were recorded, and the report has to name the rank and the call.
              On a machine that is busy it has to be much longer than what others delay: 60000. OUTDONE is one that
              is not there, where all 10 that are took longer than the delay: that is as it should be. What the report
              says of an iteration whose cause it does not name is printed.
  drift       iterations that grow by 30% over the run (bench/keep.c): mean and median of those in windows, beside
              those of all, by the program's own clock; by how much a mean of as many that are drawn may be off (95%):
              one that the machine made slow moves it, so beside a load that is much. And the mean of how long they
              were to take: that depends on nothing but which ones were chosen, and is to be within 3%
  simulated   ranks that are simulated, on thousands of schedules: they keep the same iterations (unit tests)
  full        windows of first, spread and slow, of several sizes: the largest error of a call site's share of the
              time, the error of the mean iteration, and bytes; beside those of a trace of all (mode = full)
  large       kernels and applications (bench/apps.sh), 4 ranks: bare, with 10 iterations in a row, with accuracy = 2%,
              and in mode full: the largest error of a function's share of the time (computation is one) and of a call
              site's, of which the graph of the same run knows the truth, beside what efgtrace says of it (with 95%
              confidence); iterations; bytes; the load at the end, and seconds. APPS: which
  hpcc        the phases of HPCC as the report says them, with their windows

What it costs is measured by bench/choices.py, beside watching, and by bench/limit.py. BUILD is where the build is.
"""
import argparse
import glob
import json
import os
import random
import re
import statistics
import subprocess
import tempfile
import time

import otf2
from otf2.events import Enter, Leave

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get('BUILD', os.path.join(ROOT, 'build'))
TOOL = os.path.join(BUILD, 'efgtrace')

# Sources below the root, ranks, arguments, iterations, a call that each rank makes once in each of them.
# The wavefront has ranks that rest for 20 times as long now and then: so little that it is less than the delay.
PROGRAMS = [
    ('tests/programs/stencil2d.c', 4, ['800', '2000'], 800, 'MPI_Waitall'),
    ('tests/programs/stencil2d.c', 16, ['300', '8000'], 300, 'MPI_Allreduce'),
    ('tests/programs/slow.c', 8, ['500', '4000', '0', '0', '1'], 500, 'MPI_Waitall'),
    ('tests/programs/wavefront.c', 6, ['600', '100'], 600, 'MPI_Recv'),
    ('tests/programs/ring_mpif.f90', 4, ['800'], 800, 'MPI_Waitall'),
    ('tests/programs/nested_solver.c', 4, ['300', '700'], 300, 'MPI_Bcast'),
    ('bench/keep.c', 4, ['1000'], 1000, 'MPI_Allreduce'),
]
SIMULATED = ['test_slow', 'test_spread', 'test_agree']
BESIDE = 2  # iterations are numbered by a call of their own
KERNELS = [('bench/kernels/sweep.c', ['1500']), ('bench/kernels/amr.c', ['1000']), ('bench/kernels/multigrid.c', ['1500']),
           ('tests/programs/stencil2d.c', ['5000', '2000'])]


def compiled(work, source):
    name = os.path.splitext(os.path.basename(source))[0]
    binary = os.path.join(work, name)
    if not os.path.exists(binary):
        compiler = 'mpifort' if source.endswith('.f90') else 'mpicc'
        subprocess.run([compiler, '-O1', '-g', os.path.join(ROOT, source), '-o', binary] +
                       (['-lm'] if compiler == 'mpicc' else []), check=True)
    return binary


def traced(work, ranks, command, options):
    """The report of a run with these OPTIONS, and the folder."""
    folder = os.path.join(work, 'trace')
    subprocess.run(['rm', '-rf', folder], check=True)
    subprocess.run(['mpirun', '--oversubscribe', '-np', str(ranks), TOOL, 'run', '-o', folder, *options, *command],
                   check=True, stdin=subprocess.DEVNULL, capture_output=True)
    return report_of(folder), folder


# --- injected ---

def iterations_in(folder):
    """Rank, attributes and duration of each iteration in the trace."""
    begun = {}
    with otf2.reader.open(os.path.join(folder, 'traces.otf2')) as trace:
        for location, event in trace.events:
            if isinstance(event, (Enter, Leave)) and event.region.name == 'iteration':
                if isinstance(event, Enter):
                    begun[location] = event
                    continue
                begin = begun.pop(location)
                yield (location.group.name, {key.name: value for key, value in begin.attributes.items()},
                       1000000000 * (event.time - begin.time) // trace.timer_resolution)


def kept_slow(folder):
    """{number of a slow iteration: on how many ranks it is}, and how many ns the shortest of them took"""
    found, longest = {}, {}
    for rank, said, took in iterations_in(folder):
        if said.get('kept') == 'slow':
            found.setdefault(said['iteration'], set()).add(rank)
            longest[said['iteration']] = max(took, longest.get(said['iteration'], 0))
    return {number: len(ranks) for number, ranks in found.items()}, min(longest.values(), default=0)


def why_not(folder):
    """What the summary says of what is not as it should be."""
    with open(os.path.join(folder, 'summary.txt')) as summary:
        said = [line[13:].strip() for line in summary
                if re.search('not kept(?!: it took)|not count these|other iterations|not the same|cross iterations',
                             line)]
    return ''.join(f'\n      {line}' for line in said[:3])


def judge(report, folder, ranks, where, delay):
    """Whether the delayed iteration, WHERE, is on all ranks, or all that are there took longer than the delay; the
    share of messages with both ends; what is said of it."""
    moved = report['overview']['recorded']
    messages = moved['matched'] / max(moved['sends'], moved['receives'], 1) if moved['sends'] else 1
    slow, shortest = kept_slow(folder)
    is_there = any(abs(number - where) <= BESIDE and count == ranks for number, count in slow.items())
    said = [pair['sentence'] for pair in report['slow'] if abs(pair['iteration'] - where) <= BESIDE]
    return is_there, not is_there and len(slow) >= 10 and shortest > delay, messages, said


def injected(work, a):
    draw, there, outdone, whole, named = random.Random(a.seed), 0, 0, 0, 0
    for i in range(a.runs):
        source, ranks, arguments, iterations, call = PROGRAMS[i % len(PROGRAMS)]
        rank, where = draw.randrange(ranks), draw.randrange(iterations // 2 + 5, iterations - 5)
        options = ['--select', 'slow', '-n', '10', '--plugins',
                   f'delay:call={call} rank={rank} us={a.delay} every={where}']
        report, folder = traced(work, ranks, [compiled(work, source), *arguments], options)
        is_there, is_outdone, messages, said = judge(report, folder, ranks, where, 1000 * a.delay)
        is_named = any(re.search(rf'\brank {rank}, .*{call}\b', sentence) for sentence in said)
        there, whole, named = there + is_there, whole + (messages >= .99), named + is_named
        outdone += is_outdone
        print(f'  {os.path.basename(source):16} {ranks:2} ranks, {call} number {where} of rank {rank}: '
              f'{"there" if is_there else "OUTDONE" if is_outdone else "MISSING"}, {100 * messages:.1f}% of messages, '
              f'{"named" if is_named else "NOT NAMED"}{why_not(folder)}', flush=True)
        for sentence in said if not is_named else []:
            print(f'      {sentence}', flush=True)
    print(f'injected: {there} of {a.runs} are in the trace of all ranks, {outdone} are not as 10 others took longer, '
          f'{whole} with 99% of the messages, {named} with their cause')


# --- drift, simulated, full ---

def mean_error(report):
    each = report['representative']['iterations']['each']
    return each['recorded'] / each['run'] - 1 if each else float('nan')


def share_error(stands):
    """The largest error of a call site's share of the time, a loop's, or that of computation."""
    return max((abs(row['share']['recorded'] - row['share']['run']) for row in stands['rows'] if row['share']),
               default=float('nan'))


def function_error(stands):
    """The largest error of a function's share of the time, or that of computation."""
    errors = {}
    for row in stands['rows']:
        if row['share'] and row['kind'] != 'loop':
            name = row['label'].split()[0]
            errors[name] = errors.get(name, 0) + row['share']['recorded'] - row['share']['run']
    return max(map(abs, errors.values()), default=float('nan'))


def asked_for(number, iterations):
    """How long bench/keep.c rests in the iteration that the trace has by this NUMBER: from one Allreduce to the
    next."""
    return 1000000 + 300000 * (number + 1) / iterations


def drift(work, a):
    """The program says how long each iteration took; the trace, which of them were recorded."""
    said = os.path.join(work, 'times')
    program = [compiled(work, 'bench/keep.c'), '3000', said]
    for select in 'first', 'spread':
        _, folder = traced(work, 4, program, ['--select', select, '-n', '50'])
        with open(said) as lines:
            times = [int(line) for line in lines]
        numbers = {attributes['iteration'] for rank, attributes, took in iterations_in(folder)}
        wanted = [asked_for(number, 3000) for number in range(3000)]
        kept = [times[number] for number in numbers if number < len(times)]
        print(f'drift: {select}, {len(kept)} of {len(times)} iterations: the mean is '
              f'{100 * (statistics.mean(kept) / statistics.mean(times) - 1):+.1f}% off, the median '
              f'{100 * (statistics.median(kept) / statistics.median(times) - 1):+.1f}%; '
              f'by chance {196 * statistics.stdev(times) / statistics.mean(times) / len(kept) ** .5:.1f}%; '
              f'by what was asked for '
              f'{100 * (statistics.mean(wanted[number] for number in numbers) / statistics.mean(wanted) - 1):+.1f}%',
              flush=True)


def simulated(work, a):
    for name in SIMULATED:
        start = time.monotonic()
        out = subprocess.run([os.path.join(BUILD, 'tests', name)], capture_output=True, text=True)
        passed = len(re.findall(r'\[ +OK \]', out.stdout + out.stderr))
        print(f'simulated: {name}: {passed} tests hold, {"none" if out.returncode == 0 else "SOME"} fails, '
              f'{time.monotonic() - start:.1f} s', flush=True)


def full(work, a):
    for source, ranks, arguments, _, _ in (PROGRAMS[0], PROGRAMS[5], PROGRAMS[6]):
        program = [compiled(work, source), *arguments]
        report, _ = traced(work, ranks, program, ['--mode', 'full'])
        whole = report['overview']['recorded']['bytes']
        print(f'full: {os.path.basename(source)}: all is {whole / 1e6:.2f} MB')
        for select in 'first', 'spread', 'first,spread,slow':
            for n in 5, 10, 20, 40:
                report, _ = traced(work, ranks, program, ['--select', select, '-n', str(n)])
                size = report['overview']['recorded']['bytes']
                count = report['representative']['iterations']['recorded']
                print(f'  {select:17} n = {n:2}: {count:3} iterations, shares to '
                      f'{100 * share_error(report["representative"]):4.1f} points, mean {100 * mean_error(report):+6.1f}%, '
                      f'{size / 1e6:.3f} MB, 1/{whole / size:.0f}', flush=True)


# --- large ---

def kernel_of(name):
    """Its source and arguments; None for an application."""
    return next((kernel for kernel in KERNELS if os.path.basename(kernel[0]).startswith(name + '.')), None)


def launch(work, name, options):
    """Seconds of a run of this application or kernel; OPTIONS is None: bare. The trace is in WORK."""
    folder, log = os.path.join(work, 'trace'), os.path.join(work, 'printed')
    subprocess.run(['rm', '-rf', folder], check=True)
    prefix = [] if options is None else [TOOL, 'run', '-o', folder, '--summary', 'off', *options]
    kernel = kernel_of(name)
    if kernel:
        command = ['mpirun', '--oversubscribe', '-np', '4', *prefix, compiled(work, kernel[0]), *kernel[1]]
    else:
        command = [os.path.join(ROOT, 'bench/apps.sh'), 'launch', name, os.path.join(work, name), *prefix]
    start = time.monotonic()
    with open(log, 'w') as printed:
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed)
    return time.monotonic() - start


def prepare(work, name):
    if not kernel_of(name):
        subprocess.run([os.path.join(ROOT, 'bench/apps.sh'), 'prepare', name, os.path.join(work, name)], check=True)


def report_of(folder):
    out = subprocess.run([TOOL, 'report', '--json', folder], check=True, capture_output=True).stdout
    return json.loads(out)


def cells(work, options):
    """Iterations, errors and bytes of the run in WORK."""
    folder = os.path.join(work, 'trace')
    if options is None:
        return '| | | |'
    size = sum(os.path.getsize(f) for f in glob.glob(folder + '/traces*') + glob.glob(folder + '/traces/*')
               if os.path.isfile(f))
    if 'full' in options:
        return f'all | - | - | - | {size}'
    stands = report_of(folder)['representative']
    counts, said = stands['iterations'], stands['accuracy']
    return (f'{counts["recorded"]} of {counts["run"]} | {100 * function_error(stands):.1f} | '
            f'{100 * share_error(stands):.1f} | {"-" if not said else "{:.1f}".format(100 * (said["error"] or 1))} | {size}')


def large(work, a):
    names = os.environ.get('APPS', 'sweep amr multigrid stencil2d lammps icofoam pw hpcc').split()
    print('| program | which | iterations | error of a function, points | of a call site | as efgtrace says | bytes |'
          ' s | load |\n'
          '|---|---|---|---|---|---|---|---|---|')
    for name in names:
        prepare(work, name)
        for which, options in (('bare', None), ('10 in a row', ['--select', 'first']),
                               ('`accuracy = 2%`', ['--accuracy', '2%']), ('`mode = full`', ['--mode', 'full'])):
            took = launch(work, name, options)
            print(f'| {name} | {which} | {cells(work, options)} | {took:.0f} | {os.getloadavg()[0]:.0f} |', flush=True)


def hpcc(work, a):
    prepare(work, 'hpcc')
    launch(work, 'hpcc', [])
    said = report_of(os.path.join(work, 'trace'))
    print('| phase | its loop | begins at, s | takes, s | share of the run, % | iterations | windows |\n'
          '|---|---|---|---|---|---|---|')
    for phase in said['phases']:
        windows = [w for w in said['curve']['windows'] if w['phase'] == phase['number']]
        print(f'| {phase["number"]}{" (main)" if phase["is_main"] else ""} | {phase["function"]} | '
              f'{phase["start"] / 1e9:.2f} | {phase["time"] / 1e9:.2f} | {100 * phase["share"]:.1f} | '
              f'{phase["iterations"]} | {", ".join(str(w["first"]) + " to " + str(w["last"] - 1) for w in windows)} |')


TABLES = {'injected': injected, 'drift': drift, 'simulated': simulated, 'full': full, 'large': large, 'hpcc': hpcc}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.replace('%', '%%'))
    parser.add_argument('--runs', type=int, default=20)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--delay', type=int, default=6000)
    parser.add_argument('tables', nargs='*', default=[t for t in TABLES if t not in ('large', 'hpcc')])
    a = parser.parse_args()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT='1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
    with tempfile.TemporaryDirectory() as work:
        for table in a.tables:
            TABLES[table](work, a)


if __name__ == '__main__':
    main()
