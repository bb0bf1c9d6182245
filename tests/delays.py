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


def moments(file):
    """{program: {rank: [moments]}}"""
    came = {}
    for line in open(file, encoding='ascii'):
        name, rank, *times = line.split()
        came.setdefault(name, {})[int(rank)] = [int(time) for time in times]
    return came


def waiting(name, came):
    """{rank: how long it is to wait}"""
    def after(rank, others):
        return sum(max(0, max(came[other][i] for other in others) - time) for i, time in enumerate(came[rank]))

    ranks = sorted(came)
    if name in ('late_sender', 'late_receiver', 'nonblocking'):
        return {0: after(0, [1])}
    if name == 'chain':     # and rank 0 for rank 1, which itself waits
        return {1: after(1, [2])}
    if name == 'broadcast':
        return {rank: after(rank, [1]) for rank in ranks if rank != 1}
    if name == 'reduce':
        return {0: after(0, ranks[1:])}
    return {rank: after(rank, ranks) for rank in ranks}


def main(tool, folder, output, *names):
    text = subprocess.run([tool, 'report', '--json', folder], check=True, stdout=subprocess.PIPE).stdout
    document = json.loads(text)['waiting']
    ranks = [location['rank'] for location in document['locations']]
    came, worst, all_of_it = moments(output), 0, 0
    for name in names:
        sites = [site for site in document['sites'] if site.get('label', '').endswith(' ' + name)]
        assert sites, f'no site in {name}'
        told = {rank: sum(row[3] for site in sites for row in site['by'] if ranks[row[0]] == rank) for rank in ranks}
        kinds = {kind for site in sites for kind in site['waiting']
                 if site['waiting'][kind] > 0.05 * sum(told.values())}
        assert kinds == {KINDS[name]}, (name, kinds)
        put_in = waiting(name, came[name])
        most = max(put_in.values())
        for rank, time in put_in.items():
            off = abs(told[rank] - time) / most
            assert off <= WITHIN, f'{name}: rank {rank} waits {told[rank]} ns, {time} were put in'
            worst = max(worst, off)
        all_of_it += sum(put_in.values())
    print(f'{len(names)} programs, {all_of_it / 1e9:.2f} s of waiting, {100 * worst:.2f}% off at most')


main(*sys.argv[1:])
