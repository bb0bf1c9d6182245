#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the iterations of a trace of tests/user/regions.c hold, on all ranks: the regions of the user and the calls of
MPI, each with the region that it is in. Prints what is not as the program has it.

usage: regions.py TRACE"""
import sys

import otf2
from otf2.events import Enter, Leave

STEP = """all: compute
compute: inner
all: exchange
exchange: MPI_Sendrecv_replace
exchange: MPI_Sendrecv_replace
all: MPI_Barrier
all: between
between: MPI_Sendrecv_replace
between: MPI_Barrier
all: across
across: MPI_Allreduce""".splitlines()


def ending_with(last):
    """What an iteration holds that ends with this call: first the regions that are open then, and a step."""
    region = last.split(':')[0]
    behind = STEP.index(last) + 1
    return ['all', *[f'all: {region}'] * (region != 'all'), *STEP[behind:], *STEP[:behind]]


# Any call that comes once in a step may be the one at which iterations begin.
EXPECTED = [ending_with(last) for last in STEP if 'MPI_' in last and STEP.count(last) == 1]


def is_users(region):
    return region.paradigm == otf2.Paradigm.USER and region.region_role == otf2.RegionRole.CODE


class Place:
    """A location, as far as it was read."""

    def __init__(self):
        self.open = []  # regions of the user
        self.held = None  # by the iteration that is under way

    def enter(self, region):
        if region.region_role == otf2.RegionRole.LOOP:
            self.held = []
        elif is_users(region) or region.paradigm == otf2.Paradigm.MPI:
            if self.held is not None:
                self.held.append(f'{self.open[-1]}: {region.name}' if self.open else region.name)
        if is_users(region):
            self.open.append(region.name)

    def leave(self, region):
        """Returns what the iteration held that ends."""
        if is_users(region):
            self.open.pop()
        if region.region_role == otf2.RegionRole.LOOP:
            held, self.held = self.held, None
            return held
        return None


ends = set()
with otf2.reader.open(sys.argv[1]) as trace:
    places = {location: Place() for location in trace.definitions.locations}
    for location, event in trace.events:
        if isinstance(event, Enter):
            places[location].enter(event.region)
        elif isinstance(event, Leave):
            held = places[location].leave(event.region)
            if held is not None:
                ends.add(held[-1])
            if held is not None and held not in EXPECTED:
                print(f'{location.group.name} at {event.time}:', *held, sep='\n')
print('' if len(ends) == 1 else f'iterations end with {sorted(ends) or "nothing"}', end='')
