# SPDX-License-Identifier: BSD-3-Clause
"""What must hold for the trace of an MPI program: the checks of check_trace.py, which says what each finds.

A check is a function of a Trace (read_trace.py), what the ranks are (Ranks of mpi_calls.py), the calls in
it (Calls) and the options. It returns a Check: figures, and what is wrong.
"""
import itertools
from collections import defaultdict, namedtuple

import _otf2 as otf2
from mpi_calls import ENDS, STARTS, Calls, Ranks

NO_ROOT, ROOT_SELF, ROOT_THIS_GROUP = 2**32 - 1, 2**32 - 2, 2**32 - 3
YEAR_2000, YEAR_2200 = 946684800 * 10**9, 7258118400 * 10**9     # ns since 1970
EXAMPLES = 5

OPERATIONS = {value.value: name[len('COLLECTIVE_OP_'):] for name, value in vars(otf2).items()
              if name.startswith('COLLECTIVE_OP_')}
ROOTED = {'BCAST', 'GATHER', 'GATHERV', 'SCATTER', 'SCATTERV', 'REDUCE'}


class Check:
    def __init__(self, name, **figures):
        self.name, self.figures, self.faults, self.examples = name, figures, 0, []

    def fault(self, text):
        self.faults += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(text)

    def as_json(self):
        return {'ok': not self.faults, 'figures': self.figures, 'faults': self.faults, 'examples': self.examples}

    def __str__(self):
        figures = ', '.join(f'{name.replace("_", " ")} {value}' for name, value in self.figures.items())
        wrong = f' | faults {self.faults}, first: {self.examples[0]}' if self.faults else ''
        return f'{"FAIL" if self.faults else "ok  "} {self.name:12} {figures}{wrong}'


def check_regions(_trace, _ranks, calls, _options):
    check = Check('regions', calls=calls.number, deepest=calls.deepest)
    for fault in calls.faults:
        check.fault(fault)
    return check


# --- timestamps ---

def check_timestamps(trace, _ranks, _calls, _options):
    _, first, length, _ = trace.clock()
    check = Check('timestamps', events=sum(map(len, trace.events.values())), seconds=trace.nanoseconds(length) / 1e9)
    for location, events in trace.events.items():
        before, earliest = first, first
        for time, record, _ in events:
            if not (before if record == 'Metric' else earliest) <= time <= first + length:
                check.fault(f'location {location}: {time} behind {before}, of {first} .. {first + length}')
            before, earliest = time, time + (record != 'Metric')
    return check


# --- requests ---

def check_requests(_trace, _ranks, calls, options):
    """A request is of the location that starts it: readers look for it there."""
    check = Check('requests', started=0, completed=0, orphans=0, never_completed=0)
    for location, records in calls.records.items():
        under_way = {}
        for call in records:
            if call.record in STARTS or call.record in ENDS or call.record.startswith('MpiRequest'):
                follow_request(check, under_way, call)
        check.figures['never_completed'] += len(under_way)
        if options.full:
            for number, call in under_way.items():
                check.fault(f'location {location}: {call.record} of request {number} at {call.time} never ends')
    return check


def follow_request(check, under_way, call):
    number, where = call.arguments[-1], f'location {call.location} at {call.time}'
    if call.record in STARTS:
        check.figures['started'] += 1
        if number in under_way:
            check.fault(f'{where}: request {number} starts again before its end')
            check.figures['never_completed'] += 1
        under_way[number] = call
        return
    if number not in under_way:
        check.figures['orphans'] += call.record != 'MpiRequestTest'
        check.fault(f'{where}: {call.record} of request {number}, which was not started')
    elif call.record != 'MpiRequestTest':
        check.figures['completed'] += 1
        start = under_way.pop(number)
        if call.record in ENDS and ENDS[call.record] != start.record:
            check.fault(f'{where}: {call.record} of request {number}, which {start.record} started')


# --- messages ---

class Messages:
    """Sends and receives by channel: (communicator, sender, receiver, tag), the ranks of MPI_COMM_WORLD."""

    def __init__(self, check, ranks, calls):
        self.check, self.ranks = check, ranks
        self.channels = defaultdict(lambda: ([], []))
        for records in calls.records.values():
            posted = {}
            for call in records:
                if call.record == 'MpiIrecvRequest':
                    posted[call.arguments[-1]] = call
                elif call.record in ('MpiSend', 'MpiIsend'):
                    self.add(0, call, call)
                elif call.record == 'MpiRecv':
                    self.add(1, call, call)
                elif call.record == 'MpiIrecv':
                    self.add(1, call, posted.pop(call.arguments[-1], call))

    def add(self, end, call, post):
        """end: 0 of a send, 1 of a receive, which was posted by POST."""
        number, comm, tag, size = call.arguments[:4]
        rank = self.ranks.of_location[call.location]
        peers = self.ranks.peers(comm, rank)
        where = f'location {call.location} at {call.time}: {call.record}'
        if peers is None:
            self.check.fault(f'{where} of rank {rank} in communicator {comm}, of which it is no member')
        elif number >= len(peers):
            self.check.fault(f'{where}: communicator {comm} has no rank {number}')
        else:
            ends = (rank, peers[number]) if end == 0 else (peers[number], rank)
            self.channels[(comm, *ends, tag)][end].append((post.entered, post.location, post.place, call.time, size))


def check_messages(trace, ranks, calls, options):
    """The k-th send of a channel is what the k-th receive of it got, as they were posted: MPI keeps them in order."""
    check = Check('messages', matched=0, unmatched_sends=0, unmatched_receives=0, fraction=1.0, clock_violations=0,
                  worst_ns=0)
    lone = []
    for channel, (sends, receives) in Messages(check, ranks, calls).channels.items():
        sends.sort()
        receives.sort()
        who = f'communicator {channel[0]}, rank {channel[1]} to {channel[2]}, tag {channel[3]}'
        ahead = 0 if options.full else sent_before(sends, receives)
        pairs = list(zip(sends, receives[ahead:]))
        for send, receive in pairs:
            check_pair(check, who, send, receive, trace.nanoseconds)
        if len(pairs) < max(len(sends), len(receives)):
            lone.append(f'{who}: {len(sends)} sent, {len(receives)} received')
        check.figures['matched'] += len(pairs)
        check.figures['unmatched_sends'] += len(sends) - len(pairs)
        check.figures['unmatched_receives'] += len(receives) - len(pairs)
    check_fraction(check, lone, 1.0 if options.full else options.min_matched)
    return check


def wrong_pair(send, receive):
    return send[4] != receive[4] or receive[3] < send[3]


def sent_before(sends, receives):
    """How many receives of a window are of sends before it: as few as leave no pair that cannot be one."""
    for ahead in range(len(receives)):
        if not any(wrong_pair(*pair) for pair in zip(sends, receives[ahead:])):
            return ahead
    return 0


def check_pair(check, who, send, receive, nanoseconds):
    if send[4] != receive[4]:
        check.fault(f'{who}: {send[4]} bytes sent, {receive[4]} received')
    if receive[3] < send[3]:
        early = nanoseconds(send[3] - receive[3])
        check.fault(f'{who}: received {early} ns before it was sent')
        check.figures['clock_violations'] += 1
        check.figures['worst_ns'] = max(early, check.figures['worst_ns'])


def check_fraction(check, lone, least):
    matched = check.figures['matched']
    ends = matched + check.figures['unmatched_sends'] + check.figures['unmatched_receives']
    fraction = matched / ends if ends else 1.0
    check.figures['fraction'] = round(fraction, 6)
    if fraction < least:
        check.fault('unmatched: ' + '; '.join(lone[:EXAMPLES]))


# --- collectives ---

Collective = namedtuple('Collective', 'order kind operation root')


def check_collectives(trace, ranks, calls, _options):
    check = Check('collectives', calls=0, communicators=0)
    done = defaultdict(lambda: defaultdict(list))   # {communicator: {rank: [Collective]}}
    for location, records in calls.records.items():
        for comm, one in collectives_of(check, records):
            done[comm][ranks.of_location[location]].append(one)
    check.figures['calls'] = sum(len(some) for by_rank in done.values() for some in by_rank.values())
    check.figures['communicators'] = len(done)
    for comm, by_rank in done.items():
        if comm not in trace['Comm']:
            check.fault(f'communicator {comm}, which is not defined')
        else:
            compare_members(check, ranks, comm, by_rank)
    return check


def collectives_of(check, records):
    """(communicator, Collective) of a location. It has its place where it was called, not where it ends."""
    begun, requests = None, {}
    for call in records:
        where = f'location {call.location} at {call.time}: {call.record}'
        if call.record == 'MpiCollectiveBegin':
            if begun:
                check.fault(f'{where}, the one before has no end')
            begun = call
        elif call.record == 'NonBlockingCollectiveRequest':
            requests[call.arguments[0]] = call
        elif call.record in ('MpiCollectiveEnd', 'NonBlockingCollectiveComplete'):
            blocking = call.record == 'MpiCollectiveEnd'
            begin = begun if blocking else requests.pop(call.arguments[-1], None)
            if not begin:
                check.fault(f'{where} without begin')
            begun = None if blocking else begun
            operation, comm, root = call.arguments[:3]
            name = OPERATIONS.get(getattr(operation, 'value', operation), operation)
            yield comm, Collective((begin or call)[:3], call.record, name, root)
    if begun:
        check.fault(f'location {begun.location} at {begun.time}: {begun.record} without end')


def compare_members(check, ranks, comm, by_rank):
    members = ranks.members(comm)
    for rank in by_rank.keys() - set(members) if None not in ranks.sides[comm] else ():
        check.fault(f'communicator {comm}: rank {rank} is no member')
    for some in by_rank.values():
        some.sort()
    members = members or sorted(by_rank, key=str)[:1]
    number = max(len(by_rank.get(rank, ())) for rank in members)
    for place in range(number):
        said = {rank: by_rank[rank][place] if place < len(by_rank.get(rank, ())) else None for rank in members}
        wrong = different(said) or wrong_root(ranks, comm, said)
        if wrong:
            check.fault(f'communicator {comm}, call {place}: {wrong}')


def different(said):
    """What two ranks say of one collective, if they differ."""
    first, *others = said
    for rank in others:
        if said[rank] is None or said[first] is None or said[rank][1:3] != said[first][1:3]:
            return f'{told(said[first])} on rank {first}, {told(said[rank])} on rank {rank}'
    return None


def told(one):
    return f'{one.kind} {one.operation} root {one.root}' if one else 'None'


def wrong_root(ranks, comm, said):
    sides = [list(said)] if len(ranks.sides[comm]) == 1 else ranks.sides[comm]
    operation = next(iter(said.values())).operation
    if operation not in ROOTED:
        odd = [rank for rank in said if said[rank].root != NO_ROOT]
        return f'{told(said[odd[0]])} on rank {odd[0]}' if odd else None
    if len(sides) == 1:
        roots = {one.root: rank for rank, one in said.items()}
        if len(roots) > 1:
            return ', '.join(f'{operation} root {root} on rank {rank}' for root, rank in roots.items())
        return None if max(roots) < len(sides[0]) else f'{operation} root {max(roots)} of {len(sides[0])} ranks'
    return wrong_root_between(sides, {rank: one.root for rank, one in said.items()}, operation)


def wrong_root_between(sides, roots, operation):
    """Of two groups: one has the root and says so, the other one its number."""
    for mine, others in (sides, sides[::-1]):
        owners = [place for place, rank in enumerate(mine) if roots[rank] == ROOT_SELF]
        if len(owners) == 1 and all(roots[rank] == owners[0] for rank in others) and \
                all(roots[rank] in (ROOT_SELF, ROOT_THIS_GROUP) for rank in mine):
            return None
    return f'{operation} between two groups has the roots {roots}'


# --- on and off ---

def check_onoff(_trace, _ranks, calls, _options):
    check = Check('onoff', brackets=0)
    for location, switches in calls.switches.items():
        is_off = False
        for time, mode in switches:
            where = f'location {location} at {time}'
            if mode is None:
                check.fault(f'{where}: an event while it is off')
            elif (mode == 'OFF') == is_off:
                check.fault(f'{where}: {mode} behind {"OFF" if is_off else "no OFF"}')
            else:
                is_off = mode == 'OFF'
                check.figures['brackets'] += not is_off
        if is_off:
            check.fault(f'location {location}: OFF without ON')
    return check


# --- definitions ---

def check_definitions(trace, ranks, _calls, _options):
    check = Check('definitions', ranks=len(ranks.of_process), locations=len(trace['Location']),
                  regions=len(trace['Region']), communicators=len(trace['Comm']),
                  call_sites=len(trace['SourceCodeLocation']))
    for fault in trace.faults:
        check.fault(fault)
    check_clock(check, trace)
    check_ranks(check, trace, ranks)
    check_hosts(check, trace)
    check_groups(check, trace, ranks)
    check_grids(check, trace, ranks)
    check_paradigm(check, trace)
    for location, (_, _, _, wanted, _) in trace['Location'].items():
        if wanted != len(trace.events[location]):
            check.fault(f'location {location} has {len(trace.events[location])} events, its definition says {wanted}')
    return check


def check_clock(check, trace):
    if len(trace['ClockProperties']) != 1:
        check.fault(f'{len(trace["ClockProperties"])} ClockProperties')
    for resolution, _, _, real in trace['ClockProperties']:
        if not resolution:
            check.fault('the clock has no resolution')
        if not YEAR_2000 < real < YEAR_2200:
            check.fault(f'the clock has no real time: {real}')


def check_ranks(check, trace, ranks):
    """A process is a rank, by the one location of it in COMM_LOCATIONS; and is called so."""
    if len(ranks.lists) != 1:
        check.fault(f'{len(ranks.lists)} groups COMM_LOCATIONS')
    for rank, location in enumerate(ranks.locations):
        if location not in trace['Location']:
            check.fault(f'rank {rank} is location {location}, which is not defined')
        elif trace['Location'][location][2] != otf2.LOCATION_TYPE_CPU_THREAD.value:
            check.fault(f'rank {rank} is location {location}, which is no thread of a CPU')
        elif ranks.of_location[location] != rank:
            check.fault(f'rank {rank} is the process of rank {ranks.of_location[location]}')
    for process, (_, name, kind, *_) in trace['LocationGroup'].items():
        rank = ranks.of_process.get(process)
        if kind != otf2.LOCATION_GROUP_TYPE_PROCESS.value:
            check.fault(f'location group {process} is no process')
        if trace.name(name) != f'MPI Rank {rank}':
            check.fault(f'rank {rank} is called {trace.name(name)}')


def check_hosts(check, trace):
    """Each process that has events has a host above it: a node whose memory is shared, which readers call so."""
    hosts = {node for node, domain in trace['SystemTreeNodeDomain']
             if domain == otf2.SYSTEM_TREE_DOMAIN_SHARED_MEMORY.value}
    seen = {trace['Location'][location][4] for location, events in trace.events.items() if events}
    for process, definition in trace['LocationGroup'].items():
        if process not in seen:
            continue
        node, above = definition[3], []
        while node in trace['SystemTreeNode'] and node not in above:
            above.append(node)
            node = trace['SystemTreeNode'][node][3]
        if not [node for node in above if node in hosts and trace.name(trace['SystemTreeNode'][node][2]) == 'node']:
            check.fault(f'location group {process} has no host')


def check_groups(check, trace, ranks):
    """Members are places in the list COMM_LOCATIONS of their paradigm: of ranks, or of threads in teams."""
    sizes = {group[3]: len(group[5]) for group in trace['Group'].values()
             if group[2] == otf2.GROUP_TYPE_COMM_LOCATIONS.value}
    members_of = {otf2.GROUP_TYPE_COMM_GROUP.value, otf2.GROUP_TYPE_COMM_SELF.value}
    for number, group in trace['Group'].items():
        kind, members = group[2], list(group[5])
        if kind == otf2.GROUP_TYPE_COMM_SELF.value and members:
            check.fault(f'group {number} is COMM_SELF and has members')
        if len(set(members)) != len(members):
            check.fault(f'group {number} has a member twice')
        size = len(ranks.locations) if group[3] == otf2.PARADIGM_MPI.value else sizes.get(group[3], 0)
        if kind == otf2.GROUP_TYPE_COMM_GROUP.value and not set(members) <= set(range(size)):
            check.fault(f'group {number} has the member {max(members)}, there are {size} ranks')
    for comm, definition in trace['Comm'].items():
        for place in (2, 3) if trace.kinds[comm] == 'InterComm' else (2,):
            group = trace['Group'].get(definition[place])
            if group and group[2] not in members_of:
                check.fault(f'communicator {comm} is of group {group[0]}, which is none of members')


def check_grids(check, trace, ranks):
    """A topology is of a communicator, which has as many ranks as it has places; each rank has its own one."""
    places = defaultdict(dict)
    for topology, rank, place in trace['CartCoordinate']:
        places[topology][rank] = tuple(place)
    for topology, (_, _, comm, dimensions) in trace['CartTopology'].items():
        sizes = [trace['CartDimension'][one][2] for one in dimensions if one in trace['CartDimension']]
        members = len(ranks.sides[comm][0]) if comm in ranks.sides else 0
        wanted = set(itertools.product(*map(range, sizes)))
        if len(sizes) != len(dimensions) or len(wanted) != members:
            check.fault(f'topology {topology} is {" x ".join(map(str, sizes))}, communicator {comm} has {members} ranks')
        elif set(places[topology]) != set(range(members)) or set(places[topology].values()) != wanted:
            check.fault(f'topology {topology}: {len(places[topology])} ranks at {len(set(places[topology].values()))} '
                        f'places of {len(wanted)}')
    for comm, definition in trace['Comm'].items():
        parent = definition[4 if trace.kinds[comm] == 'InterComm' else 3]
        if parent in trace['Comm'] and parent >= comm:
            check.fault(f'communicator {comm} has the parent {parent}, which is not before it')


def check_paradigm(check, trace):
    mpi = otf2.PARADIGM_MPI.value
    paradigm = trace['Paradigm'].get(mpi)
    if not paradigm or paradigm[2] != otf2.PARADIGM_CLASS_PROCESS.value:
        check.fault('the paradigm MPI is not one of processes, or not defined')
    for region, definition in trace['Region'].items():
        name = trace.name(definition[1])
        if name.startswith('MPI_') and definition[5] != mpi:
            check.fault(f'region {region}, {name}, is not of the paradigm MPI')


# --- iterations ---

def check_iterations(_trace, ranks, calls, options):
    check = Check('iterations', least=0, most=0, numbered_alike=None)
    by_rank = {rank: [] for rank in range(len(ranks.locations))}
    for location, iterations in calls.iterations.items():
        by_rank.setdefault(ranks.of_location[location], []).extend(iterations)
    counts = {rank: len(some) for rank, some in by_rank.items()}
    wanted = options.iterations if options.iterations is not None else max(counts.values(), default=0)
    check.figures['least'], check.figures['most'] = min(counts.values(), default=0), max(counts.values(), default=0)
    for rank, count in counts.items():
        if count != wanted:
            check.fault(f'rank {rank} has {count} iterations, not {wanted}')
    attributes = {attribute for some in by_rank.values() for numbers in some for attribute in numbers}
    if attributes:
        alike = any(is_numbered_alike(by_rank.values(), attribute) for attribute in attributes)
        check.figures['numbered_alike'] = alike
        if not alike:
            check.fault('no attribute numbers the iterations alike on all ranks')
    return check


def is_numbered_alike(ranks, attribute):
    """All ranks have the same numbers in one order. They may come again: of another loop."""
    columns = {tuple(numbers.get(attribute) for numbers in some) for some in ranks}
    return len(columns) == 1 and None not in next(iter(columns))


CHECKS = (check_timestamps, check_regions, check_messages, check_requests, check_collectives, check_onoff,
          check_definitions, check_iterations)


def run(trace, options):
    ranks, calls = Ranks(trace), Calls(trace)
    return [check(trace, ranks, calls, options) for check in CHECKS]
