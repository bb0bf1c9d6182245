#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `efgtrace export -f simgrid` has written, as a reader of its own sees it.

simgrid.py TOOL DIR TRACE [WANTED]    DIR: the run; TRACE: the folder that was written
    A line: messages, bytes. Or what is wrong: an end of a message without the other, a wait for nothing, a rank that
    does other collectives than rank 0. With WANTED "exact" also a pair of ranks that sends another number of
    messages, or of bytes, than was counted while the run went on; with "messages", only of messages.
"""
import json
import subprocess
import sys
from collections import Counter

PLAIN = {'init', 'compute', 'sleep', 'finalize'}


def read(folder):
    """Sends and receives by (from, to, tag), messages and bytes by (from, to), collectives by rank."""
    ends, pairs, meetings = (Counter(), Counter()), {}, []
    for rank, name in enumerate(open(f'{folder}/trace')):
        opened, met = Counter(), []
        for line in open(f'{folder}/{name.strip()}'):
            me, action, *rest = line.split()
            assert int(me) == rank, f'{name}: a line of rank {me}'
            if action in ('send', 'isend', 'recv', 'irecv'):
                is_send = 'send' in action
                peer, tag, size = map(int, rest)
                key = (rank, peer, tag) if is_send else (peer, rank, tag)
                ends[is_send][key] += 1
                opened[is_send, key] += action[0] == 'i'
                if is_send:
                    count, total = pairs.get(key[:2], (0, 0))
                    pairs[key[:2]] = count + 1, total + size
            elif action == 'wait':
                key = tuple(map(int, rest))
                way = key[0] == rank and (key[1] != rank or opened[True, key] > 0), key
                opened[way] -= 1
                assert opened[way] >= 0, f'rank {rank} waits for nothing: {line}'
            elif action not in PLAIN:
                met.append(line.split()[1:])
        assert not +opened, f'rank {rank} does not wait for {list(+opened)[0]}'
        meetings.append(met)
    assert ends[0] == ends[1], f'ends without the other: {list((ends[0] - ends[1]) + (ends[1] - ends[0]))[0]}'
    for rank, met in enumerate(meetings):
        assert met == meetings[0], f'rank {rank} does other collectives than rank 0'
    return pairs


def counted(tool, folder):
    report = subprocess.run([tool, 'report', '--json', folder], stdout=subprocess.PIPE, check=True).stdout
    return {(a, b): (count, total) for a, b, count, total in json.loads(report)['messages']['all']['matrix']}


def main():
    tool, folder, trace, *wanted = sys.argv[1:]
    pairs = read(trace)
    if wanted:
        until = 2 if wanted == ['exact'] else 1
        found, real = ({pair: of[pair][:until] for pair in of} for of in (pairs, counted(tool, folder)))
        assert found == real, f'by pair of ranks: {found}, but counted were {real}'
    print(sum(count for count, _ in pairs.values()), sum(total for _, total in pairs.values()))


try:
    main()
except AssertionError as wrong:
    sys.exit(str(wrong))
