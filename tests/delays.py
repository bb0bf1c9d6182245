#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What efgtrace says of tests/waits/delays.c, whose delays are known, against what that measured itself.

delays.py TOOL DIR OUTPUT NAME...   a line: how much was waited in these programs, and how far efgtrace is off
                                    at most; or what differs
"""
import json
import subprocess
import sys

WITHIN = 0.02       # of what was put in
KINDS = {'late_sender': 'late sender', 'chain': 'late sender', 'late_receiver': 'late receiver',
         'all': 'wait at N x N', 'barrier': 'wait at barrier', 'broadcast': 'late broadcast',
         'reduce': 'early reduce', 'fence': 'wait at fence', 'nonblocking': 'late sender',
         'rotating': 'wait at N x N', 'writing': 'wait at barrier', 'computing': 'wait at N x N'}

# Of those whose late rank calls another function than the waiting one does: which.
CALLS = {'late_sender': 'MPI_Send ', 'chain': 'MPI_Send ', 'late_receiver': 'MPI_Recv ', 'nonblocking': 'MPI_Send '}
WHAT = 'waits', 'causes'


def moments(file):
    """{program: {rank: [(left the barrier, came)]}}"""
    times = {}
    for line in open(file, encoding='ascii'):
        name, rank, *numbers = line.split()
        times.setdefault(name, {})[int(rank)] = list(zip(*[iter(map(int, numbers))] * 2))
    return times


def late_ones(name, ranks):
    """{rank that waits: ranks, for the last of which it waits}"""
    if name in ('late_sender', 'late_receiver', 'nonblocking'):
        return {0: [1]}
    if name == 'chain':     # and rank 0 for rank 1, which itself waits
        return {1: [2]}
    if name == 'broadcast':
        return {rank: [1] for rank in ranks if rank != 1}
    if name == 'reduce':
        return {0: ranks[1:]}
    return {rank: [other for other in ranks if other != rank] for rank in ranks}


def put_in(name, times):
    """{rank: how long it is to wait}, {rank: how much of that its computation before the call causes}. The rest is
    caused by leaving the barrier late. On a machine that others use, too, more than one rank is late."""
    waiting, caused = {}, dict.fromkeys(times, 0)
    for rank, others in late_ones(name, sorted(times)).items():
        waiting[rank] = 0
        for i, (left, came) in enumerate(times[rank]):
            late = max(others, key=lambda other: times[other][i][1])
            late_left, late_came = times[late][i]
            waits = max(0, late_came - came)
            mine = came - left if name not in CALLS else 0    # else before another call
            computed, left_later = max(0, late_came - late_left - mine), max(0, late_left - left)
            waiting[rank] += waits
            caused[late] += waits * computed / (computed + left_later) if waits else 0
    return waiting, caused


def main(tool, folder, output, *names):
    text = subprocess.run([tool, 'report', '--json', folder], check=True, stdout=subprocess.PIPE).stdout
    document = json.loads(text)['waiting']
    ranks = [location['rank'] for location in document['locations']]
    everything = sum(document['all']['waiting'].values())
    assert abs(document['caused'] + document['unknown'] - everything) < 1e-6 * everything + 1000
    ranks = [location['rank'] for location in document['locations']]
    times, worst, all_of_it = moments(output), [0, 0], 0
    for name in names:
        sites = [site for site in document['sites'] if site.get('label', '').endswith(' ' + name)]
        assert sites, f'no site in {name}'
        kinds = {kind for site in sites for kind in site['waiting']}
        assert KINDS[name] in kinds and sum(site['waiting'].get(KINDS[name], 0) for site in sites) > 0.9 * sum(
            sum(site['waiting'].values()) for site in sites), (name, kinds)
        waiting, caused = put_in(name, times[name])
        said = dict.fromkeys(ranks, 0), dict.fromkeys(ranks, 0)
        for site in sites:
            for location, _, _, waited, direct, *_ in site['by']:
                said[0][ranks[location]] += waited
                if site['label'].startswith(CALLS.get(name, 'MPI_')):
                    said[1][ranks[location]] += direct
        for what, (mine, theirs) in enumerate(((waiting, said[0]), (caused, said[1]))):
            for rank, time in mine.items():
                off = abs(theirs[rank] - time) / sum(waiting.values())
                assert off <= WITHIN, f'{name}: rank {rank} {WHAT[what]} {theirs[rank]} ns, {time:.0f} were put in'
                worst[what] = max(worst[what], off)
        all_of_it += sum(waiting.values())
    print(f'{len(names)} programs, {all_of_it / 1e9:.2f} s of waiting, {100 * worst[0]:.2f}% off at most, '
          f'causes {100 * worst[1]:.2f}%')


main(*sys.argv[1:])
