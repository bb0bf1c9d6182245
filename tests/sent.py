#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What was sent to whom as run.efg has it (read_run.py), against a trace of the same run (OTF2),
whose messages are counted here.

usage: sent.py DIR [--windows]

All sends of each rank by partner, number and bytes, and by size; and what was received of each
rank, as statuses said it. With --windows the trace is of windows: the sends in it are those
that run.efg has of windows, and all of these, but for those that were left out of the trace, since they
were received before it. Prints how many messages there were, to how many
partners; else what differs, and exits with 1."""
import sys
from collections import Counter

import otf2
import read_run
from otf2.events import MpiIrecv, MpiIsend, MpiRecv, MpiSend

LEFT_OUT = 33  # what run.efg says of the run

# The reader takes what an intercommunicator has of its own for more of what communicators have.
InterComm = otf2.definitions.InterComm
InterComm._fields = InterComm._fields[:1] + InterComm._fields[4:]


def rank_of(location):
    return int(location.group.name.rsplit(' ', 1)[1])


def partner_of(event, rank, peer):
    """The world rank of PEER of the communicator of EVENT, seen from RANK."""
    comm = event.communicator
    if isinstance(comm, InterComm):
        groups = [[rank_of(member) for member in group.members] for group in (comm.groupA, comm.groupB)]
        return groups[0 if rank in groups[1] else 1][peer]
    members = comm.group.members
    return rank_of(members[peer]) if members else rank  # MPI_COMM_SELF has no list


def of_trace(path):
    """{(rank, partner): [count, bytes]} of sends, of receives; {(rank, size): [count, bytes]}."""
    sends, receives, sizes = {}, {}, {}

    def add(table, key, length):
        count, total = table.get(key, (0, 0))
        table[key] = count + 1, total + length
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            rank = rank_of(location)
            if isinstance(event, (MpiSend, MpiIsend)):
                add(sends, (rank, partner_of(event, rank, event.receiver)), event.msg_length)
                add(sizes, (rank, event.msg_length.bit_length()), event.msg_length)
            elif isinstance(event, (MpiRecv, MpiIrecv)):
                add(receives, (partner_of(event, rank, event.sender), rank), event.msg_length)
    return sends, receives, sizes


def of_run(path, windows):
    """The same of run.efg: sends, sizes."""
    sends, sizes = Counter(), {}
    with open(path, 'rb') as file:
        run = list(read_run.sections(file.read()))
    found = {kind: payload for kind, _, payload in run}
    calls, paths = read_run.read_names(found[read_run.NAMES])
    groups = read_run.read_groups(found[read_run.GROUPS])

    def add(table, key, amounts):
        count, total = table.get(key, (0, 0))
        if amounts[0]:
            table[key] = count + amounts[0], total + amounts[1]
    for kind, rank, payload in run:
        if kind != read_run.RANK:
            continue
        shape = next(shape for ranks, shape in groups if rank in ranks)
        for partners, by_size, _ in read_run.read_rank(payload, shape, calls, rank).traffic:
            for partner, *amounts in partners:
                add(sends, (rank, partner), amounts[2:] if windows else amounts[:2])
            for size, *amounts in by_size:
                add(sizes, (rank, size), amounts[2:] if windows else amounts[:2])
            if not windows:  # in mode full all of the run is a window
                assert all(item[1:3] == item[3:] for item in partners + by_size), partners
    return sends, sizes, read_run.Reader(found[read_run.RUN]).fields().get(LEFT_OUT, 0)


def is_left_out(a, b, most):
    """Whether all that A lacks of B may be the MOST messages that were left out of the trace."""
    lacks = {key: b.get(key, (0, 0))[0] - a.get(key, (0, 0))[0] for key in {*a, *b}}
    return all(lack >= 0 for lack in lacks.values()) and sum(lacks.values()) <= most


def main(folder, *options):
    windows = '--windows' in options
    sends, receives, sizes = of_trace(folder + '/traces.otf2')
    kept, kept_sizes, left_out = of_run(folder + '/run.efg', windows)
    tables = [('sends', sends, kept), ('sizes', sizes, kept_sizes)]
    if not windows:
        tables.append(('receives', receives, kept))
    different = [f'{name} {key}: {a.get(key)} in the trace, {b.get(key)} in run.efg'
                 for name, a, b in tables if not is_left_out(a, b, left_out)
                 for key in sorted({*a, *b}) if a.get(key) != b.get(key)]
    if different:
        sys.exit('\n'.join(different[:5]))
    print(sum(count for count, _ in sends.values()), len(sends))


if __name__ == '__main__':
    main(*sys.argv[1:])
