# SPDX-License-Identifier: BSD-3-Clause
"""Of a Trace (read_trace.py): who the ranks are, and which records of MPI are in which calls."""
from collections import namedtuple

import _otf2 as otf2

STARTS = {'MpiIsend': 'MpiIsendComplete', 'MpiIrecvRequest': 'MpiIrecv',
          'NonBlockingCollectiveRequest': 'NonBlockingCollectiveComplete'}
ENDS = {end: start for start, end in STARTS.items()}
INSIDE = {*STARTS, *ENDS, 'MpiSend', 'MpiRecv', 'MpiRequestTest', 'MpiRequestCancelled', 'MpiCollectiveBegin',
          'MpiCollectiveEnd'}   # records that belong into a call of MPI


class Ranks:
    """Which rank a location is of, and who the members of communicators are: world ranks, which are places in
    the one group COMM_LOCATIONS of MPI."""

    def __init__(self, trace):
        self.trace = trace
        groups = trace['Group'].values()
        self.lists = [group[5] for group in groups if group[2] == otf2.GROUP_TYPE_COMM_LOCATIONS.value
                      and group[3] == otf2.PARADIGM_MPI.value]
        self.locations = list(self.lists[0]) if self.lists else []
        self.of_process = {}
        for rank, location in enumerate(self.locations):
            if location in trace['Location']:
                self.of_process.setdefault(trace['Location'][location][4], rank)
        self.of_location = {location: self.of_process.get(definition[4])
                            for location, definition in trace['Location'].items()}
        self.sides = {comm: self.find_sides(comm) for comm in trace['Comm']}

    def find_sides(self, comm):
        """The groups of a communicator: one, or two; None stands for MPI_COMM_SELF, of each rank itself."""
        places = (2, 3) if self.trace.kinds[comm] == 'InterComm' else (2,)
        groups = [self.trace['Group'].get(self.trace['Comm'][comm][place]) for place in places]
        return [None if group and group[2] == otf2.GROUP_TYPE_COMM_SELF.value else list(group[5]) if group else []
                for group in groups]

    def peers(self, comm, rank):
        """World ranks of those whom RANK reaches through a communicator; None if it is no member."""
        sides = [[rank] if side is None else side for side in self.sides.get(comm, ())]
        mine = [place for place, side in enumerate(sides) if rank in side]
        return sides[len(sides) - 1 - mine[0]] if mine else None

    def members(self, comm):
        return [rank for side in self.sides[comm] for rank in side or ()]


# A record of MPI; its place among the events of its location; the call that it is in, by when it began.
Call = namedtuple('Call', 'entered location place time record arguments')


class Calls:
    """One walk through the events of each location: how regions are nested, and what is in them.

    records: {location: [Call]} of MPI; switches: {location: [(time, mode)]}, which is None for an event while it
    was off; iterations: {location: [numbers]}; faults: what is wrong with all this."""

    def __init__(self, trace):
        self.trace = trace
        self.number, self.deepest, self.faults = 0, 0, []
        mpi = otf2.PARADIGM_MPI.value
        self.of_mpi = {number for number, region in trace['Region'].items() if region[5] == mpi}
        self.loops = {number for number in trace.loops if 'iteration' in self.region(number).lower()}
        self.records, self.switches, self.iterations = {}, {}, {}
        for location, events in trace.events.items():
            self.walk(location, events)

    def walk(self, location, events):
        stack, records, switches, iterations = [], [], [], []
        off = False
        for place, (time, name, arguments) in enumerate(events):
            if name == 'Enter':
                stack.append((arguments[0], time))
                self.number += 1
                self.deepest = max(self.deepest, len(stack))
                self.check_enter(location, time, arguments[0])
                if arguments[0] in self.loops:
                    iterations.append(arguments[1])
            elif name == 'Leave':
                self.leave(location, time, stack, arguments[0])
            elif name in INSIDE:
                region, entered = stack[-1] if stack else (None, time)
                if region not in self.of_mpi:
                    self.faults.append(f'location {location} at {time}: {name} is in no call of MPI')
                records.append(Call(entered, location, place, time, name, arguments))
            elif name == 'MeasurementOnOff':
                off = arguments[0] == otf2.MEASUREMENT_OFF
                switches.append((time, 'OFF' if off else 'ON'))
                continue
            if off:
                switches.append((time, None))
        for region, entered in stack:
            self.faults.append(f'location {location}: {self.region(region)} of {entered} is never left')
        self.records[location], self.switches[location], self.iterations[location] = records, switches, iterations

    def region(self, number):
        region = self.trace['Region'].get(number)
        return self.trace.name(region[1]) if region else f'region {number}'

    def check_enter(self, location, time, region):
        if region not in self.trace['Region']:
            self.faults.append(f'location {location} at {time}: region {region} is entered, which is not defined')

    def leave(self, location, time, stack, region):
        if not stack:
            self.faults.append(f'location {location} at {time}: {self.region(region)} is left, which was not entered')
            return
        entered, _ = stack.pop()
        if entered != region:
            self.faults.append(f'location {location} at {time}: {self.region(region)} is left in {self.region(entered)}')
