#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Logs of a run on one host, as if ranks 2 and 3 had been on another one.

logs.py bend DIR LATE2 LATE3   the run began 300 s earlier and ended 300 s later than it did,
                               and in the middle the clocks of ranks 2 and 3 were late by so
                               many ns. Both are one clock, compared well with the other one at
                               the start and at the end if the two are the same; else it was
                               wrong at the end.
logs.py drift DIR              in the middle of what was recorded all clocks are right, but those
                               of ranks 2 and 3 run slower by 5 %
logs.py flight DIR             how many messages were under way when the window began
logs.py clocks DIR             how many different clocks the logs are of
logs.py count DIR              how many receives are before their sends, of the k-th send and
                               receive between two ranks by tag: for programs whose messages
                               do not cross the edges of the window
"""
import struct
import sys
from collections import defaultdict

FAR = 300 * 10**9
HEADER = 4096
WINDOW_BEGIN, SEND, RECV, ISEND, IRECV, DEFINITION = 1, 7, 8, 9, 12, 128    # files/log/record.h


def header(log):
    log.seek(40)
    return list(struct.unpack('<5Q', log.read(40)))     # sync[0], sync[1], used


def bend(folder, late):
    for rank, ns in enumerate((0, 0, *late)):
        with open(f'{folder}/logs/{rank}.0.log', 'r+b') as log:
            sync = header(log)[:4]
            sync = [sync[0] - FAR, sync[1] - FAR, sync[2] + FAR, sync[3] + FAR]
            if rank > 1:                # of a node of its own
                sync[1] -= late[0]
                sync[3] -= 2 * ns - late[0]
            log.seek(40)
            log.write(struct.pack('<4Q', *sync))


def records(folder, rank):
    """The synchronisations of a log, then its records but definitions: (time, kind, call, a, b, c,
    d, e). files/log/log.h says how they are written."""
    with open(f'{folder}/logs/{rank}.0.log', 'rb') as log:
        *sync, used = header(log)
        log.seek(HEADER)
        words = struct.unpack(f'<{used}I', log.read(used * 4))
    yield sync
    at, time = 0, [0, 0]
    while at < used:
        head = words[at]
        fields, kind, call = head & 255, head >> 8 & 255, head >> 16
        at += 1
        values = time + [0] * 7         # both halves of the time, a to e, upper halves of d and e
        for i in range(9):
            if fields >> min(i, 7) & 1:
                values[i] = words[at]
                at += 1
        *time, a, b, c, d, e, high_d, high_e = values
        if kind >= DEFINITION:
            at += at % 2 * (d > 0) + -(-d // 4)
        else:
            yield (time[1] << 32 | time[0], kind, call, a, b, c, high_d << 32 | d,
                   high_e << 32 | e)


def events(folder, rank):
    """(channel, is_receive, ns) of each message of a rank."""
    log = records(folder, rank)
    sync = next(log)
    for time, kind, _, _, partner, tag, _, _ in log:
        ns = sync[1] + (time - sync[0]) * (sync[3] - sync[1]) // (sync[2] - sync[0])
        if kind in (SEND, ISEND):
            yield (rank, partner, tag), False, ns
        elif kind in (RECV, IRECV):
            yield (partner, rank, tag), True, ns


def drift(folder):
    """Both lines go through the same moment of the true one, so that the two are one clock."""
    start, end, bent = [], [], (2, 3)
    for rank in range(4):
        sync, *log = records(folder, rank)
        start.append(log[0][0] - sync[0] + sync[1])
        end.append(log[-1][0] - sync[0] + sync[1])
    middle = (min(start) + max(end)) // 2
    for rank in bent:
        with open(f'{folder}/logs/{rank}.0.log', 'r+b') as log:
            sync = header(log)[:4]
            base = sync[1] - sync[0]
            sync = [middle - base - FAR, middle - FAR + FAR // 20, middle - base + FAR,
                    middle + FAR - FAR // 20]
            log.seek(40)
            log.write(struct.pack('<4Q', *sync))


def flight(folder):
    counts = (record[3] for rank in range(4) for record in list(records(folder, rank))[1:]
              if record[1] == WINDOW_BEGIN)
    print(sum(counts) % 2**32)


def clocks(folder):
    print(len({tuple(next(records(folder, rank))) for rank in range(4)}))


def count(folder):
    channels = defaultdict(lambda: ([], []))
    for rank in range(4):
        for channel, is_receive, ns in events(folder, rank):
            channels[channel][is_receive].append(ns)
    print(sum(receive < send for both in channels.values() for send, receive in zip(*both)))


if sys.argv[1] == 'bend':
    bend(sys.argv[2], [int(ns) for ns in sys.argv[3:5]])
else:
    {'drift': drift, 'flight': flight, 'clocks': clocks, 'count': count}[sys.argv[1]](sys.argv[2])
