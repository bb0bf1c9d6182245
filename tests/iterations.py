#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The iterations that run.efg has of each rank (read_run.py), against those that are in a trace of
all of the run (mode full): times to the nanosecond, of MPI, too. For programs of one thread whose
pivot is a call that comes once in an iteration.

usage: iterations.py DIR

Prints how many iterations of how many ranks are the same; else what differs, and exits with 1."""
import sys

import otf2
import read_run
from otf2.events import Enter, Leave

STARTING = 'MPI_Send', 'MPI_Isend', 'MPI_Irecv', 'MPI_Start', 'MPI_Startall'  # cut before, not behind


def calls_of_trace(path):
    """[(name, enter, leave)] of MPI calls of each rank, in ns since 1970."""
    calls = {}
    with otf2.reader.open(path) as trace:
        clock = trace.definitions.clock_properties
        origin = clock.realtime_timestamp - clock.global_offset
        for location, event in trace.events:
            if not isinstance(event, (Enter, Leave)) or not event.region.name.startswith('MPI_'):
                continue  # the functions around them are in the trace, too
            rank = calls.setdefault(int(location.group.name.rsplit(' ', 1)[1]), [])
            if isinstance(event, Enter):
                rank.append((event.region.name, event.time + origin, None))
            else:
                rank[-1] = rank[-1][0], rank[-1][1], event.time + origin
    return calls


def ranks_of_run(path):
    """(rank, what it measured, the name of its pivot's call, when it started in ns since 1970) of those
    that have a pivot."""
    with open(path, 'rb') as file:
        run = list(read_run.sections(file.read()))
    found = {kind: payload for kind, _, payload in run}
    names, paths = read_run.read_names(found[read_run.NAMES])
    groups = read_run.read_groups(found[read_run.GROUPS])
    for kind, rank, payload in run:
        if kind == read_run.RANK:
            shape = next(shape for ranks, shape in groups if rank in ranks)
            measured = read_run.read_rank(payload, shape, names, rank)
            if measured.pivots[0] is not None:
                call = names[shape[0][1][measured.pivots[0]][0][0]]
                yield rank, measured, call, read_run.Reader(payload).fields()[10]


def iterations_of(calls, pivot, first, end):
    """[(start, time, in MPI)] of the iterations from FIRST to END."""
    cuts = [(enter if pivot in STARTING else leave) for name, enter, leave in calls if name == pivot]
    cuts = [cut for cut in cuts if first <= cut <= end]
    assert cuts[0] == first and cuts[-1] == end, 'it begins or ends elsewhere'
    inside, at = [0] * len(cuts), 0
    for _, enter, leave in calls:
        while at < len(cuts) and (leave > cuts[at] or enter >= cuts[at]):
            at += 1
        if 0 < at < len(cuts):
            inside[at - 1] += leave - enter
    return list(zip(cuts, (b - a for a, b in zip(cuts, cuts[1:])), inside))


def down(value, unit):
    return value // unit * unit


def check(measured, calls, pivot, started):
    (count, time, mpi), _ = measured.iterations[0]
    first, start, slots, longest = measured.series[0]
    found = iterations_of(calls, pivot, started + start, started + start + time)
    assert len(found) == count, f'{len(found)} instead of {count}'
    assert sum(inside for *_, inside in found) == mpi, 'time in MPI'
    for number, begin, took, inside in longest:
        assert found[number - first] == (started + begin, took, inside), f'iteration {number}'
    assert sorted((took for _, _, took, _ in longest)) == sorted(took for _, took, _ in found)[-len(longest):]
    at = seen = seen_mpi = 0
    unit = 1 << max(0, (time // count).bit_length() - 10)
    unit_of_slots = unit * slots[0][0] if len(slots) > 1 else 1
    for here, took, inside, least, most in slots:
        part = found[at:at + here]
        at, seen, seen_mpi = at + here, seen + took, seen_mpi + inside
        if at < count:
            assert seen == down(sum(t for _, t, _ in found[:at]), unit_of_slots), 'time of a slot'
            assert seen_mpi == down(sum(m for *_, m in found[:at]), unit_of_slots), 'of a slot in MPI'
        if slots[0][0] > 1:
            assert least == down(min(t for _, t, _ in part), unit), 'least of a slot'
            assert most == down(max(t for _, t, _ in part), unit), 'most of a slot'
    assert (at, seen, seen_mpi) == (count, time, mpi)
    return count


def main(folder):
    calls, total, ranks = calls_of_trace(folder + '/traces.otf2'), 0, 0
    for rank, measured, pivot, started in ranks_of_run(folder + '/run.efg'):
        try:
            total += check(measured, calls[rank], pivot, started)
        except AssertionError as error:
            sys.exit(f'rank {rank}, from {pivot} to {pivot}: {error}')
        ranks += 1
    print(f'{total} iterations of {ranks} ranks')


if __name__ == '__main__':
    main(sys.argv[1])
