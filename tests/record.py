#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turn one rank of a full trace (mode full) into a sequence that the unit tests replay.

Prints the text format of tests/unit/replay.h. A call path is the function and the stack of
open regions, as far as the trace tells (call sites in one function that have no source line
are one), and is numbered by its first appearance. A poll is a call that the trace marks as one.

The comment at the top says what was recorded, and in lines of their own

    # relative        times are the time since the last call and in the call
    # iterations N    how many iterations the main loop truly had
    # scale N         times are to be multiplied by so much when replayed, so that a
                      recording of a part of a second has as many samples as a run

usage: record.py TRACE --rank N --iterations N [--scale N] --case TEXT >tests/unit/sequences/NAME
"""
import argparse
import os
import re
import subprocess
import sys

LOCATION = re.compile(r'^LOCATION +(\d+) .*Group: "MPI Rank (\d+)"')
GROUP = re.compile(r'^GROUP +(\d+) .* (\d+) Members')
COMM = re.compile(r'^COMM +(\d+) .*Group: ".*?" <(\d+)>')
CLOCK = re.compile(r'^CLOCK_PROPERTIES .*Ticks per Seconds: (\d+)')
REGION = re.compile(r'^REGION +(\d+) +Name: "(.*?)" <\d+>.*Paradigm: "?(\w+)')
EVENT = re.compile(r'^([A-Z_]+) +(\d+) +(\d+) +(.*)')
POLLS = re.compile(r'"polls" <\d+>; UINT64; (\d+)')
SITE = re.compile(r'"SOURCE_CODE_LOCATION" <\d+>; SOURCE_CODE_LOCATION; (".*?" <\d+>)')
ENTERED = re.compile(r'Region: ".*" <(\d+)>$')
COMMUNICATOR = re.compile(r'Communicator: ".*?" <(\d+)>')

WORLD = re.compile(r'MPI_(Barrier|Bcast|Gatherv?|Scatterv?|Allgatherv?|Alltoall[vw]?|Reduce'
                   r'|Allreduce|Reduce_scatter(_block)?|Scan|Exscan)$')
POLL = re.compile(r'MPI_(Test(all|any|some)?|Im?probe|Request_get_status|Win_test)$')
UNORDERED = re.compile(r'MPI_(Wait(any|some)|M?[Pp]robe)$')
ENVIRONMENT = {**os.environ, 'GLIBC_TUNABLES': os.environ.get('large_pages', '')}  # see frame.sh
PER_US = 5  # times are rounded to 0.2 us


def otf2_print(trace, *options):
    with subprocess.Popen(['otf2-print', *options, trace], stdout=subprocess.PIPE,
                          text=True, errors='replace', env=ENVIRONMENT) as process:
        yield from process.stdout
    if process.returncode:
        sys.exit(f'record: otf2-print cannot read {trace}')


def find(pattern, lines):
    return [match.groups() for match in map(pattern.match, lines) if match]


class Definitions:
    """What the events refer to, as far as it matters: of these lines, or of those that otf2-print says of TRACE."""

    def __init__(self, trace, lines=None):
        lines = lines or list(otf2_print(trace, '-G'))
        self.locations = [(location, int(rank)) for location, rank in find(LOCATION, lines)]
        self.ranks = {rank: location for location, rank in reversed(self.locations)}
        self.us = int(find(CLOCK, lines)[0][0]) / 1e6
        sizes = {group: int(count) for group, count in find(GROUP, lines)}
        self.comms = {comm: sizes.get(group, 0) for comm, group in find(COMM, lines)}
        regions = find(REGION, lines)
        self.regions = {ref: name for ref, name, _ in regions}
        self.mpi = {ref: name for ref, name, paradigm in regions if paradigm == 'MPI'}


class Call:
    """A visit of an MPI function, from its Enter to its Leave."""

    def __init__(self, name, stack, enter):
        self.name, self.stack, self.enter = name, stack, enter
        self.site, self.is_world, self.is_poll = '', False, False

    def flags(self):
        if self.is_poll:
            return 'p'
        if POLL.match(self.name):
            return 'u'
        return ('w' if self.is_world and WORLD.match(self.name) else
                'u' if UNORDERED.match(self.name) else '')


class Walk:
    """Through the events of a location, each of which may have several lines."""

    def __init__(self, definitions):
        self.definitions, self.stack, self.call = definitions, [], None

    def take(self, line, event):
        """The call that ends with this line, and when; or None."""
        call = self.call
        if not event:
            site = SITE.search(line)
            if site and call:
                call.site = site[1]
            if call and POLLS.search(line):
                call.is_poll = True
            return None
        kind, _, time, rest = event.groups()
        if kind in ('ENTER', 'LEAVE'):
            return self.move(kind, int(time), ENTERED.search(rest)[1])
        if call:
            comm = COMMUNICATOR.search(rest)
            call.is_world |= (kind == 'MPI_COLLECTIVE_END' and bool(comm) and
                              self.definitions.comms.get(comm[1]) == len(self.definitions.ranks))
        return None

    def move(self, kind, time, region):
        call, mpi = self.call, self.definitions.mpi
        if kind == 'ENTER' and region in mpi:
            self.call = Call(mpi[region], tuple(self.stack), time)
        elif kind == 'ENTER':
            self.stack.append(region)
        elif region in mpi:
            self.call = None
            return call, time
        else:
            self.stack.pop()
        return None


def calls(trace, rank, definitions):
    """The calls of a rank, each with its time of leaving."""
    location = definitions.ranks[rank]
    for one, ended in calls_of(otf2_print(trace, '-L', location), definitions):
        if one == location:
            yield ended


def calls_of(lines, definitions):
    """(location, (call, time of leaving)) of all events in what otf2-print says."""
    walks = {location: Walk(definitions) for location, _ in definitions.locations}
    walk = location = None
    for line in lines:
        event = EVENT.match(line)
        if event:
            location = event[2]
            walk = walks.get(location)
        ended = walk and walk.take(line, event)
        if ended:
            yield location, ended


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('trace', help='traces.otf2, made with mode full')
    parser.add_argument('--rank', type=int, required=True)
    parser.add_argument('--iterations', type=int, required=True, help='true ones')
    parser.add_argument('--scale', type=int, default=1)
    parser.add_argument('--case', required=True, help='application and case, for the comment')
    args = parser.parse_args()
    definitions = Definitions(args.trace)
    if args.rank not in definitions.ranks:
        sys.exit(f'record: there is no rank {args.rank} in {args.trace}')
    print(f'# {args.case}; rank {args.rank} of {len(definitions.ranks)}; made by record.py\n'
          f'# iterations {args.iterations}\n# scale {args.scale}\n'
          '# relative\n# path compute call flags, see replay.h')
    paths, before = {}, 0
    for call, leave in calls(args.trace, args.rank, definitions):
        path = paths.setdefault((call.name, call.stack, call.site), len(paths) + 1)
        enter, leave = (round(time / definitions.us * PER_US) for time in (call.enter, leave))
        print(path, *(f'{time / PER_US:g}' for time in (enter - before, leave - enter)),
              *call.flags())
        before = leave


if __name__ == '__main__':
    main()
