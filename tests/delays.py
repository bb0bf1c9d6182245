#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What efgtrace says of tests/waits/delays.c, whose delays are known, against what that measured itself.

delays.py TOOL DIR OUTPUT NAME...   a line: how much was waited in these programs, and how far efgtrace is off
                                    at most; or what differs
"""
import json
import subprocess
import sys
from statistics import median

WITHIN = 0.02       # of what was put in
LEAST = 1e6         # ns: as if so much were put in, if it is less
CAUSED = 0.8        # of what a rank has caused by what it computed before the call
KINDS = {'late_sender': 'late sender', 'chain': 'late sender', 'late_receiver': 'late receiver',
         'all': 'wait at N x N', 'barrier': 'wait at barrier', 'broadcast': 'late broadcast',
         'reduce': 'early reduce', 'fence': 'wait at fence', 'nonblocking': 'late sender',
         'late_post': 'late post', 'late_complete': 'late complete', 'lock': 'wait for a lock',
         'rotating': 'wait at N x N', 'writing': 'wait at barrier', 'computing': 'wait at N x N'}

# Of those whose late rank calls another function than the waiting one does: which.
CALLS = {'late_sender': 'MPI_Send ', 'chain': 'MPI_Send ', 'late_receiver': 'MPI_Recv ', 'nonblocking': 'MPI_Send ',
         'late_post': 'MPI_Win_post ', 'late_complete': 'MPI_Win_complete ', 'lock': 'MPI_Win_unlock '}


def moments(file):
    """{program: {rank: [(left the barrier, came)]}}"""
    times = {}
    for line in open(file, encoding='ascii'):
        name, rank, *numbers = line.split()
        times.setdefault(name, {})[int(rank)] = list(zip(*[iter(map(int, numbers))] * 2))
    return times


def late_ones(name, ranks):
    """{rank that waits: ranks, for the last of which it waits}"""
    if name in ('late_sender', 'late_receiver', 'nonblocking', 'late_post', 'late_complete', 'lock'):
        return {0: [1]}
    if name == 'chain':     # and rank 0 for rank 1, which itself waits
        return {1: [2]}
    if name == 'broadcast':
        return {rank: [1] for rank in ranks if rank != 1}
    if name == 'reduce':
        return {0: ranks[1:]}
    return {rank: [other for other in ranks if other != rank] for rank in ranks}


def put_in(name, times):
    """{rank: how long it is to wait in each iteration}, {rank: how much of that its computation before the call
    causes}. The rest is caused by leaving the barrier late. On a machine that others use, too, more than one rank
    is late."""
    waiting, caused = {}, {rank: [0] * len(times[rank]) for rank in times}
    for rank, others in late_ones(name, sorted(times)).items():
        waiting[rank] = []
        for i, (left, came) in enumerate(times[rank]):
            late = max(others, key=lambda other: times[other][i][1])
            late_left, late_came = times[late][i]
            waits = max(0, late_came - came)
            mine = came - left if name not in CALLS else 0    # else before another call
            computed, left_later = max(0, late_came - late_left - mine), max(0, late_left - left)
            waiting[rank].append(waits)
            caused[late][i] += waits * computed / (computed + left_later) if waits else 0
    return waiting, caused


def waits(events, name, rank, iterations):
    """How long the calls of a program wait on a rank in each iteration."""
    calls = sorted((event['ts'], 1000 * event['args'].get('waiting_us', 0)) for event in events
                   if event['pid'] == rank and event['args']['site'].endswith(' ' + name))
    each = len(calls) // iterations
    assert each and each * iterations == len(calls), (name, rank, len(calls))
    return [sum(time for _, time in calls[i * each:(i + 1) * each]) for i in range(iterations)]


def quarter(numbers):
    numbers = sorted(numbers)
    return numbers[(len(numbers) - 1) // 4]


def compare(name, waiting, told):
    """How far waiting is off, in the best quarter of the iterations. The system may take the processor from a rank
    just between the moment that it has measured and its call; on a machine that is busy all the time in most of them,
    and the ranks that are to wait may come as late as the late one. What we count wrongly is wrong in all."""
    typical = max(LEAST, median(sum(times[i] for times in waiting.values()) for i in range(len(told[min(waiting)]))))
    off = {rank: quarter(abs(one - other) for one, other in zip(waiting[rank], told[rank])) / typical for rank in waiting}
    for rank in off:
        assert off[rank] <= WITHIN, f'{name}: rank {rank} waits {told[rank]}, {waiting[rank]} were put in'
    return max(off.values())


def main(tool, folder, output, *names):
    text = subprocess.run([tool, 'report', '--json', folder], check=True, stdout=subprocess.PIPE).stdout
    document = json.loads(text)['waiting']
    text = subprocess.run([tool, 'export', folder], check=True, stdout=subprocess.PIPE).stdout
    events = [event for event in json.loads(text)['traceEvents'] if event.get('cat') == 'mpi']
    ranks = [location['rank'] for location in document['locations']]
    times, worst, all_of_it, least = moments(output), 0, 0, 1
    for name in names:
        sites = [site for site in document['sites'] if site['label'].endswith(' ' + name)]
        assert sum(site['waiting'].get(KINDS[name], 0) for site in sites) > 0.8 * sum(
            sum(site['waiting'].values()) for site in sites), (name, sites)
        waiting, caused = put_in(name, times[name])
        told = {rank: waits(events, name, rank, len(times[name][rank])) for rank in waiting}
        worst = max(worst, compare(name, waiting, told))
        all_of_it += sum(map(sum, waiting.values()))
        for rank in ranks:
            direct = sum(row[4] for site in sites if site['label'].startswith(CALLS.get(name, 'MPI_'))
                         for row in site['by'] if ranks[row[0]] == rank)
            expected = sum(sorted(caused[rank])[:-1])   # but for the one iteration that may be odd
            if name != 'rotating':
                expected = min(expected, median(caused[rank]) * len(caused[rank]))
            assert direct >= CAUSED * expected, f'{name}: rank {rank} causes {direct} ns, {expected:.0f} were put in'
            least = min(least, direct / expected if expected > 1e6 else 1)
    print(f'{len(names)} programs, {all_of_it / 1e9:.2f} s of waiting, {100 * worst:.2f}% off at most; '
          f'of the causes at least {100 * least:.1f}% are found')


main(*sys.argv[1:])
