#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `efgtrace export` says of a trace, against the trace as python3-otf2 reads it: each call,
iteration and message with its times. For programs without intercommunicators.

recorded.py TOOL DIR    a line: calls, iterations, messages with both ends; or what differs
"""
import json
import subprocess
import sys
from collections import Counter, defaultdict

import otf2
from otf2.events import (Enter, Leave, MpiIrecv, MpiIrecvRequest, MpiIsend, MpiRecv, MpiSend)


class Trace:
    """Calls (rank, thread, name, begin, duration), iterations (rank, thread, number, begin,
    duration) and messages (from, to, sent, received, bytes), as Counters."""

    def __init__(self, path):
        self.calls, self.iterations, self.messages = Counter(), Counter(), Counter()
        self.sends = Counter()
        self.sites = defaultdict(set)   # name -> places in the source, as the trace has them
        self.begun = {}                 # what is open on a location
        self.open = defaultdict(list)   # functions, outermost first
        self.stacks = {}                # (rank, thread, begin of a call): the functions around it
        channels, posted = defaultdict(lambda: ([], [])), {}
        with otf2.reader.open(path) as trace:
            offset = trace.definitions.clock_properties.global_offset
            for place, (location, event) in enumerate(trace.events):
                me = self.me(location)
                now = event.time - offset
                if isinstance(event, Enter):
                    self.enter(me, event, now)
                elif isinstance(event, Leave):
                    self.leave(me, event, now)
                elif isinstance(event, (MpiSend, MpiIsend)):
                    target = self.world(event.communicator, event.receiver, me[0])
                    channel = event.communicator, me[0], target, event.msg_tag
                    channels[channel][0].append((place, now, event.msg_length))
                    self.sends[me[0], target, event.msg_length] += 1
                elif isinstance(event, MpiIrecvRequest):
                    posted[me, event.request_id] = place
                elif isinstance(event, (MpiRecv, MpiIrecv)):
                    if isinstance(event, MpiIrecv):
                        place = posted.pop((me, event.request_id), place)
                    source = self.world(event.communicator, event.sender, me[0])
                    channel = event.communicator, source, me[0], event.msg_tag
                    channels[channel][1].append((place, now, event.msg_length))
        for (_, source, target, _), both in channels.items():
            for send, receive in zip(*map(sorted, both)):
                self.messages[source, target, send[1], receive[1], send[2]] += 1

    @staticmethod
    def me(location):
        rank = int(location.group.name.rsplit(' ', 1)[1])
        thread = location.name.rsplit(' ', 1)[1]
        return rank, int(thread) if thread.isdigit() else 0

    @staticmethod
    def world(communicator, rank, mine):
        """The world rank of RANK in a communicator."""
        if communicator.group.group_type == otf2.GroupType.COMM_SELF:
            return mine
        return Trace.me(communicator.group.members[rank])[0]

    def enter(self, me, event, now):
        attributes = {key.name: value for key, value in (event.attributes or {}).items()}
        self.begun[me, event.region] = now, attributes
        if event.region.paradigm == otf2.Paradigm.COMPILER:
            self.open[me].append(event.region.name)
        elif event.region.paradigm == otf2.Paradigm.MPI:
            self.stacks[(*me, now)] = list(self.open[me])

    def leave(self, me, event, now):
        begin, attributes = self.begun.pop((me, event.region))
        if event.region.paradigm == otf2.Paradigm.COMPILER:
            self.open[me].pop()
        if event.region.paradigm == otf2.Paradigm.MPI:
            self.calls[(*me, event.region.name, begin, now - begin)] += 1
        elif event.region.region_role == otf2.RegionRole.LOOP:
            self.iterations[(*me, attributes['iteration'], begin, now - begin)] += 1


def export(tool, folder, kind):
    text = subprocess.run([tool, 'export', '-f', kind, folder], check=True,
                          stdout=subprocess.PIPE).stdout
    return json.loads(text)


def ns(microseconds):
    return round(microseconds * 1000)


def stacks_of(document):
    """Of trace events: the functions around each call, and whether all of them end."""
    tracks, stacks = defaultdict(list), {}
    for event in document['traceEvents']:
        track = tracks[event['pid'], event['tid']]
        if event['ph'] == 'B':
            assert event['cat'] == 'function', event
            track.append((event['name'], event['ts']))
        elif event['ph'] == 'E':
            assert event['ts'] >= track.pop()[1], event
        elif event['ph'] == 'X' and event['cat'] == 'mpi':
            assert all(begin <= event['ts'] for _, begin in track), (event, track)
            stacks[event['pid'], (event['tid'] - 1) // 2, ns(event['ts'])] = [name for name, _ in track]
    assert not any(tracks.values()), 'functions that do not end'
    return stacks


def from_perfetto(document):
    calls, iterations, messages, ends = Counter(), Counter(), Counter(), defaultdict(dict)
    spans, slices = defaultdict(set), defaultdict(list)
    for event in document['traceEvents']:
        if event['ph'] in 'MBE':
            continue
        me, begin = (event['pid'], (event['tid'] - 1) // 2), ns(event['ts'])
        if event['ph'] == 'X' and event['cat'] == 'mpi':
            calls[(*me, event['name'], begin, ns(event['dur']))] += 1
            spans[me].add((begin, begin + ns(event['dur'])))
        elif event['ph'] == 'X':
            assert event['tid'] % 2 == 1, event
            iterations[(*me, event['args']['iteration'], begin, ns(event['dur']) + 1)] += 1
            slices[me].append((event['ts'], event['ts'] + event['dur']))
        else:
            assert event['ph'] not in ends[event['id']], event
            ends[event['id']][event['ph']] = me, begin, event['args']
    for of_location in map(sorted, slices.values()):  # as readers see them, in floating point
        assert all(end < begin for (_, end), (begin, _) in zip(of_location, of_location[1:]))
    for both in ends.values():
        (source, sent, at_send), (target, received, at_receive) = both['s'], both['f']
        assert at_send == at_receive and (source[0], target[0]) == (at_send['from'],
                                                                    at_send['to'])
        messages[source[0], target[0], sent, received + 1, at_send['bytes']] += 1
        for me, time in (source, sent), (target, received):
            assert any(begin <= time <= end for begin, end in spans[me]), both
    return calls, iterations, messages


def triples(numbers, size=3):
    return zip(*[iter(numbers)] * size)


def from_timeline(timeline):
    calls, iterations, messages = Counter(), Counter(), Counter()
    for location in timeline['locations']:
        me, now = (location['rank'], location['thread']), 0
        for gap, duration, site in triples(location['calls']):
            function = timeline['functions'][timeline['sites'][site]['function']]
            calls[(*me, function, now + gap, duration)] += 1
            now += gap + duration
        for number, begin, duration in triples(location['iterations']):
            iterations[(*me, number, begin, duration)] += 1
    sent, ranks = 0, [location['rank'] for location in timeline['locations']]
    for source, target, later, flight, size in triples(timeline['messages'], 5):
        sent += later
        messages[ranks[source], ranks[target], sent, sent + flight, size] += 1
    all_iterations = {number: (begin, end) for number, begin, end in timeline['iterations']}
    assert sorted(all_iterations) == [number for number, _, _ in timeline['iterations']]
    assert {tuple(kept) for kept in timeline['kept']} <= {('first', 0), ('spread', 0)}
    assert len(timeline['kept']) == len(timeline['iterations'])
    for number, span in all_iterations.items():
        mine = [(begin, begin + duration) for _, _, n, begin, duration in iterations if n == number]
        assert span == (min(mine)[0], max(end for _, end in mine)), number
    return calls, iterations, messages


def from_matrix(messages):
    return {(source, target): (count, size) for source, target, count, size in messages['matrix']}


def differences(what, wanted, got):
    for name, one, other in zip(('call', 'iteration', 'message'), wanted, got):
        for thing, count in list(((one - other) + (other - one)).items())[:2]:
            yield f'{what}: {name} {thing}: {one[thing]} in the trace, {other[thing]}'


def main():
    tool, folder = sys.argv[1:]
    trace = Trace(f'{folder}/traces.otf2')
    wanted = trace.calls, trace.iterations, trace.messages
    document = export(tool, folder, 'json')
    timeline, messages = document['timeline'], document['messages']
    events = export(tool, folder, 'perfetto')
    wrong = [*differences('perfetto', wanted, from_perfetto(events)),
             *differences('json', wanted, from_timeline(timeline))]
    stacks = stacks_of(events)
    wrong += [f'stack of {call}: {stack} in the trace, {stacks.get(call)}'
              for call, stack in trace.stacks.items() if stacks.get(call) != stack][:2]
    matrix, bins = defaultdict(lambda: (0, 0)), [0] * 32
    for (source, target, size), count in trace.sends.items():
        matrix[source, target] = tuple(map(sum, zip(matrix[source, target], (count, count * size))))
        bins[max(size.bit_length() - 1, 0)] += count
    if matrix != from_matrix(messages) or bins != messages['sizes']:
        wrong.append(f'matrix: {dict(matrix)} in the trace, {messages}')
    if timeline['left_out']:
        wrong.append(timeline['left_out'])
    print(*wrong or [' '.join(str(sum(counter.values())) for counter in wanted)], sep='\n')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
