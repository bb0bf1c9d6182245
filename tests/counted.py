#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What counters counted in a run of tests/counters/counted.c, by run.efg, against what the program does.

usage: counted.py run.efg report.json SAID STEPS [threads]

SAID: what the program wrote to its standard error.

Prints the figures, or fails with what is wrong."""
import json
import re
import sys

from read_run import GROUPS, NAMES, RANK, Reader, read_groups, read_names, sections


def read_counts(text):
    """Of each thread: the names, and (word, number): values."""
    threads, names, present = {}, [], None
    for line in text.splitlines():
        word, *rest = line.split()
        if word == 'counters':
            names = rest
        elif word == 'thread':
            present = threads.setdefault(int(rest[0]), (names, {}))[1]
        elif word == 'rest':
            present[word, 0] = [int(value) for value in rest]
        else:
            values = [int(value) for value in rest]
            present[word, values.pop(0) if word in ('node', 'edge') else 0] = values
    return threads


def ways(shape, calls):
    """Number of each edge by the names of its ends."""
    _, nodes, edges = shape
    names = [calls[call] for (call, *_), _, _ in nodes]
    return {(names[a], names[b]): i for i, (a, b) in enumerate(edges)}


def near(what, value, wanted, part):
    assert abs(value - wanted) <= part * wanted, f'{what}: {value}, not {wanted}'


def read_worked(path):
    """Of each rank: ns of processor time that it worked, as it says."""
    with open(path, encoding='utf-8') as file:
        return {int(rank): float(time) for rank, time in re.findall(r'rank (\d+) worked (\d+) ns', file.read())}


def check_main(names, counts, edge, steps, time):
    faults, clock = names.index('page-faults'), names.index('task-clock')
    touched = counts['edge', edge['MPI_Barrier', 'MPI_Allreduce']]
    worked = counts['edge', edge['MPI_Allreduce', 'MPI_Reduce']]
    near('pages touched', touched[faults], 8 * steps, 0.03)
    assert 0.97 * time <= worked[clock] <= 1.1 * time, \
        f'time worked: {worked[clock]}, not {time}'  # what samples take is in it
    assert worked[faults] <= 0.2 * steps, f'pages while it worked: {worked[faults]}'
    count, *values = counts['all', 0]
    assert steps / 2 <= count <= steps, f'iterations: {count}'
    near('pages of an iteration', values[faults] / count, 8, 0.1)
    assert values[clock] >= 2e6 * count, 'time of iterations'
    recorded, *values = counts['recorded', 0]
    assert recorded == 10, f'recorded iterations: {recorded}'
    near('pages of a recorded one', values[faults] / recorded, 8, 0.05)
    return touched[faults] / steps, worked[clock] / steps / 1e6


def check_report(path, between, names):
    """The report has the sum of all ranks: BETWEEN MPI_Barrier and MPI_Allreduce."""
    with open(path, encoding='utf-8') as file:
        counters = json.load(file)['counters']
    said = [item for item in counters['between']
            if (item['from'].split()[0], item['to'].split()[0]) == ('MPI_Barrier', 'MPI_Allreduce')]
    assert counters['names'] == names and len(said) == 1
    assert said[0]['values'] == between, f'{said[0]["values"]} in the report, not {between}'
    for k, total in enumerate(counters['totals']):
        assert total['name'] == names[k]
        assert total['in_calls'] == sum(item['values'][k] for item in counters['in_calls'])
        assert total['between'] >= sum(item['values'][k] for item in counters['between'])
        assert total['in_recorded'] <= total['in_iterations'] <= total['between'] + total['in_calls']


def main(path, report, said, steps, *options):
    found, between, times = {}, [], read_worked(said)
    with open(path, 'rb') as file:
        for kind, number, payload in sections(file.read()):
            found.setdefault(kind, {})[number] = payload
    calls, paths = read_names(found[NAMES][0])
    shapes = {rank: shape for ranks, shape in read_groups(next(iter(found[GROUPS].values()))) for rank in ranks}
    for rank, payload in sorted(found[RANK].items()):
        threads = read_counts(Reader(payload).fields()[30])
        names, counts = threads[0]
        edge = ways(shapes[rank][0], calls)
        between.append(counts['edge', edge['MPI_Barrier', 'MPI_Allreduce']])
        figures = check_main(names, counts, edge, int(steps), times[rank])
        print(f'rank {rank}: %.2f pages, %.3f ms an iteration' % figures)
        if 'threads' in options:
            names, counts = threads[1]
            edge = ways(shapes[rank][1], calls)['MPI_Comm_dup', 'MPI_Comm_free']
            near('pages of the other thread', counts['edge', edge][names.index('page-faults')],
                 3 * int(steps), 0.05)
            assert len(threads) == 2
    check_report(report, [sum(values) for values in zip(*between)], names)


if __name__ == '__main__':
    main(*sys.argv[1:])
