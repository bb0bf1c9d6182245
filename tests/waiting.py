#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Why ranks wait, by `efgtrace report --json`, against what python3-otf2 reads in the trace and the
definitions in efgtrace/waits/waits.h. For programs without intercommunicators.

waiting.py TOOL DIR     a line: how much they wait in the recorded iterations, by kind; or what differs
"""
import json
import subprocess
import sys
from collections import Counter, defaultdict

import causes
import epochs
import otf2

WITHIN = 0.01       # of a time, or NEAR ns: where several ranks come at the same moment, either may be the last
NEAR = 2000
KINDS = ('late sender', 'late receiver', 'wait at N x N', 'wait at barrier', 'wait at fence', 'late broadcast',
         'early reduce', 'early scan', 'late post', 'late complete', 'wait for a lock')
WHERE_WAITED = 'late receiver', 'early scan', 'late post', 'wait for a lock'    # else not needed
POLLS_EXPLAINED = 64
FIRST = 'MPI_Waitsome', 'MPI_Testsome'
PROBES = 'MPI_Probe', 'MPI_Mprobe', 'MPI_Iprobe', 'MPI_Improbe'
FROM_ROOT = 'BCAST', 'SCATTER', 'SCATTERV'
TO_ROOT = 'GATHER', 'GATHERV', 'REDUCE'
SCANS = 'SCAN', 'EXSCAN'


class Call:
    def __init__(self, thread, site, begin, polls):
        self.thread, self.number, self.begin, self.polls = thread, len(thread.calls), begin, polls
        self.function, _ = self.site = site     # and its call path
        self.span = thread.iteration            # or None
        self.window = len(thread.windows)
        before = thread.calls[-1:]
        self.since = before[0].end if before and before[0].window == self.window else thread.window[0]
        self.end = None
        self.needs = []     # (kind, call whose begin it needs)
        self.all = []       # calls whose begins it needs in any case
        self.cause = None   # of polls
        self.object, self.moved = None, 0   # kind and what; bytes
        self.found = None

    def ideal(self):
        """Calls whose begins it would need if messages took no time."""
        waited, kind, call = self.wait()
        needs = self.all + ([call] if waited and kind in WHERE_WAITED else [])
        return [other for other in needs if other.begin <= self.end]

    def wait(self):
        """How long, for what, for whom."""
        if not self.found:
            self.found = self.look()
        return self.found

    def look(self):
        if self.polls:
            return self.end - self.begin, 'polls', self.cause
        needs = [(min(max(call.begin, self.begin), self.end), kind, call) for kind, call in self.needs
                 if call.thread is not self.thread]
        if not needs:
            return 0, None, None
        sign = 1 if self.function in FIRST else -1
        moment, kind, call = min(needs, key=lambda need: (sign * need[0], KINDS.index(need[1])))
        return moment - self.begin, kind, call


class Thread:
    def __init__(self, rank, number):
        self.rank, self.number = rank, number
        self.calls, self.iterations, self.windows = [], [], []
        self.open = self.iteration = self.window = None
        self.requests, self.isends = {}, {}


def name_of(operation):
    return str(operation).rsplit('.', 1)[-1]


class Trace:
    def __init__(self, anchor):
        self.threads = {}
        self.sends, self.receives = defaultdict(list), defaultdict(list)    # by channel
        self.meetings = defaultdict(lambda: defaultdict(list))  # by context and window, by rank
        self.accesses = defaultdict(list)   # by RMA window, and window
        self.sizes = {}
        self.meets = defaultdict(list)  # of two threads: calls of both in which they meet
        self.place = 0
        with otf2.reader.open(anchor) as trace:
            self.start = trace.definitions.clock_properties.global_offset
            for location, event in trace.events:
                self.place += 1
                self.take(self.thread(location), event)
        for thread in self.threads.values():
            self.end_window(thread)
        for channel, sends in self.sends.items():
            for send, receive in zip(sorted(sends, key=lambda end: end[0]),
                                     sorted(self.receives[channel], key=lambda end: end[0])):
                self.link(send[1:], receive[1:])
        for context, by_rank in self.meetings.items():
            self.meet(self.sizes[context[:2]], by_rank)
        for accesses in self.accesses.values():
            epochs.needs(self, accesses)
        for thread in self.threads.values():
            thread.ends = [call.end for call in thread.calls]

    def thread(self, location):
        rank = int(location.group.name.rsplit(' ', 1)[1])
        number = location.name.rsplit(' ', 1)[1]
        me = rank, int(number) if number.isdigit() else 0
        return self.threads.setdefault(me, Thread(*me))

    @staticmethod
    def world(communicator, rank, thread):
        if communicator.group.group_type == otf2.GroupType.COMM_SELF:
            return thread.rank
        return int(communicator.group.members[rank].group.name.rsplit(' ', 1)[1])

    @staticmethod
    def touch(thread, what, moved=0):
        """The call has to do with WHAT, if not with something else before."""
        if thread.open:
            thread.open.object = thread.open.object or what
            thread.open.moved += moved

    # --- events ---

    def take(self, thread, event):
        now = event.time - self.start
        if thread.window is None:
            thread.window = [now, now]
        thread.window[1] = now
        handler = getattr(self, 'on_' + type(event).__name__, None)
        if handler:
            handler(thread, event, now)

    @staticmethod
    def end_window(thread):
        if thread.window:
            thread.windows.append(thread.window)
        thread.window = None

    def on_MeasurementOnOff(self, thread, event, now):
        if event.measurement_mode == otf2.MeasurementMode.OFF:
            self.end_window(thread)

    def on_Enter(self, thread, event, now):
        attributes = {key.name: value for key, value in (event.attributes or {}).items()}
        if event.region.paradigm == otf2.Paradigm.MPI:
            site = event.region.name, attributes.get('call_path')
            thread.open = Call(thread, site, now, attributes.get('polls', 0))
            thread.calls.append(thread.open)
        elif event.region.region_role == otf2.RegionRole.LOOP:
            thread.iteration = attributes.get('phase', 0), attributes['iteration']
            thread.iterations.append([thread.iteration, now, None])

    def on_Leave(self, thread, event, now):
        if event.region.paradigm == otf2.Paradigm.MPI:
            thread.open.end, thread.open = now, None
        elif event.region.region_role == otf2.RegionRole.LOOP:
            thread.iterations[-1][2], thread.iteration = now, None

    def on_MpiSend(self, thread, event, now, done=True):
        channel = event.communicator, thread.rank, self.world(event.communicator, event.receiver, thread), event.msg_tag
        end = [self.place, thread.open, thread.open if done else None]
        self.touch(thread, ('communicator', event.communicator), event.msg_length)
        self.sends[channel].append(end)
        return end

    def on_MpiIsend(self, thread, event, now):
        thread.requests[event.request_id] = self.on_MpiSend(thread, event, now, False)
        thread.isends[event.request_id] = event.communicator

    def on_MpiIsendComplete(self, thread, event, now):
        if event.request_id in thread.isends:
            self.touch(thread, ('communicator', thread.isends.pop(event.request_id)))
        if event.request_id in thread.requests:
            thread.requests.pop(event.request_id)[2] = thread.open

    def on_MpiRequestCancelled(self, thread, event, now):
        end = thread.requests.pop(event.request_id, None)
        for ends in self.sends.values():
            ends[:] = [other for other in ends if other is not end]

    def on_MpiIrecvRequest(self, thread, event, now):
        thread.requests[event.request_id] = [self.place, thread.open, None]

    def on_MpiRecv(self, thread, event, now, posted=None):
        channel = event.communicator, self.world(event.communicator, event.sender, thread), thread.rank, event.msg_tag
        self.touch(thread, ('communicator', event.communicator))
        place, begun, _ = posted or (self.place, thread.open, None)
        self.receives[channel].append([place, begun, thread.open])

    def on_MpiIrecv(self, thread, event, now):
        self.on_MpiRecv(thread, event, now, thread.requests.pop(event.request_id, (self.place, None, None)))

    def on_MpiCollectiveEnd(self, thread, event, now, begun=None):
        self.touch(thread, ('communicator', event.communicator), event.size_sent)
        self.meeting(thread, ('comm', event.communicator), event.communicator, event, begun or thread.open)

    def on_NonBlockingCollectiveRequest(self, thread, event, now):
        thread.requests[event.request_id] = thread.open

    def on_NonBlockingCollectiveComplete(self, thread, event, now):
        begun = thread.requests.pop(event.request_id, None)
        self.touch(thread, ('communicator', event.communicator), 0 if begun else event.size_sent)
        if begun:
            self.on_MpiCollectiveEnd(thread, event, now, begun)

    def on_RmaCollectiveEnd(self, thread, event, now):
        self.touch(thread, ('window', event.win))
        self.meeting(thread, ('window', event.win), event.win.comm, event, thread.open)

    def access(self, thread, event, act, rank):
        self.touch(thread, ('window', event.win))
        self.accesses[event.win, len(thread.windows)].append((thread.open, act, thread.rank, rank))

    def on_RmaGroupSync(self, thread, event, now):
        for member in event.group.members:
            self.access(thread, event, thread.open.function, int(member.group.name.rsplit(' ', 1)[1]))

    def on_RmaAcquireLock(self, thread, event, now):
        act = 'exclusive' if event.lock_type == otf2.LockType.EXCLUSIVE else 'lock'
        self.access(thread, event, act, self.world(event.win.comm, event.remote, thread))

    def on_RmaReleaseLock(self, thread, event, now):
        self.access(thread, event, 'unlock', self.world(event.win.comm, event.remote, thread))

    def on_RmaPut(self, thread, event, now):
        moved = [getattr(event, name, 0) for name in ('bytes', 'bytes_sent', 'bytes_received')]
        self.touch(thread, ('window', event.win), sum(moved))
        self.access(thread, event, 'data', self.world(event.win.comm, event.remote, thread))

    on_RmaGet = on_RmaAtomic = on_RmaSync = on_RmaPut

    def on_IoOperationBegin(self, thread, event, now):
        self.touch(thread, ('file', event.handle.file), getattr(event, 'bytes_result', 0))

    on_IoCreateHandle = on_IoDestroyHandle = on_IoSeek = on_IoOperationComplete = on_IoOperationBegin

    def meeting(self, thread, context, communicator, event, begun):
        if communicator.group.group_type == otf2.GroupType.COMM_SELF:
            return
        ranks = [int(member.group.name.rsplit(' ', 1)[1]) for member in communicator.group.members]
        self.sizes[context] = len(ranks)
        name = name_of(event.collective_op)
        root = ranks[event.root] if name in FROM_ROOT + TO_ROOT else None
        self.meetings[(*context, len(thread.windows))][thread.rank].append(
            (begun.begin, ranks.index(thread.rank), begun, thread.open, name, root))

    # --- what calls need ---

    def meet_in(self, one, other):
        self.meets[one.thread, other.thread].append((one, other))
        self.meets[other.thread, one.thread].append((other, one))

    def link(self, send, receive):
        (sends, sent), (posts, received) = send, receive
        if sends and received:
            self.meet_in(sends, received)
            received.all.append(sends)
            received.needs.append(('late sender', sends))
            before = received if posts is received or posts is None else posts
            for call in {id(call): call for call in (received, before)}.values():
                Trace.probed(call, sends)
        if sent and posts and sent.end > posts.begin:
            sent.needs.append(('late receiver', posts))

    @staticmethod
    def probed(call, sends):
        """Probes just before a receive have waited for the same; and polls, whatever they ask for."""
        polls = 0
        for other in call.thread.calls[call.number - 1::-1] if call.number else []:
            if polls and not other.polls or polls == POLLS_EXPLAINED:
                return
            if other.polls:
                polls += 1
                if sends.thread is not call.thread:
                    other.cause = max((other.cause or sends, sends), key=lambda cause: cause.begin)
            elif other.function in PROBES:
                other.needs.append(('late sender', sends))
            else:
                return

    def meet(self, size, by_rank):
        counts = {len(meetings) for meetings in by_rank.values()}
        if len(counts) > 1 or len(by_rank) != size or size < 2:
            return
        for parts in zip(*(sorted(meetings, key=lambda part: part[0]) for meetings in by_rank.values())):
            self.meet_one(parts)

    def meet_one(self, parts):
        name = parts[0][4]
        assert all(part[4] == name for part in parts), parts
        if parts[0][2].function.startswith(('MPI_Neighbor_', 'MPI_Ineighbor_')):
            return
        for i, part in enumerate(parts):
            for other in parts[:i]:
                self.meet_in(part[3], other[3])
        for part in parts:
            _, place, begun, done, _, root = part
            others = [other for other in parts if other is not part]
            kind = 'wait at N x N'
            if name in FROM_ROOT:
                kind, others = 'late broadcast', [other for other in others if other[2].thread.rank == root]
            elif name in TO_ROOT:
                kind, others = 'early reduce', others if begun.thread.rank == root else []
            elif name in SCANS:
                kind, others = 'early scan', [other for other in others if other[1] < place]
            elif begun.function == 'MPI_Win_fence':
                kind = 'wait at fence'
            elif name == 'BARRIER':
                kind = 'wait at barrier'
            if kind != 'early scan':
                done.all += [other[2] for other in others]
            if others:
                done.needs.append((kind, max(others, key=lambda other: other[0])[2]))


def found(trace):
    """Times by thread, by iteration, by function, by pair of ranks: what efgtrace is to say."""
    threads, iterations = {}, defaultdict(Counter)
    functions, pairs = defaultdict(Counter), Counter()
    for me, thread in trace.threads.items():
        times = Counter()
        if thread.iterations:
            times['time'] = sum(end - begin for _, begin, end in thread.iterations)
            for key, begin, end in thread.iterations:
                iterations[key]['time'] += end - begin
        else:
            times['time'] = sum(end - begin for begin, end in thread.windows)
        for call in thread.calls:
            if thread.iterations and call.span is None:
                continue
            waited, kind, other = call.wait()
            mine = Counter({'mpi': call.end - call.begin, 'calls': 1})
            if waited:
                mine[kind] = waited
                if other:
                    pairs[call.thread.rank, other.thread.rank] += waited
            times.update(mine)
            functions[call.function].update(mine)
            if call.span:
                iterations[call.span].update(mine)
        threads[me] = times
    return threads, iterations, functions, pairs


def look_at_objects(document, trace):
    """Communicators, RMA windows and files."""
    mine = defaultdict(Counter)
    for thread in trace.threads.values():
        for call in thread.calls:
            if call.object and (call.span or not thread.iterations):
                mine[call.object].update(time=call.end - call.begin, waiting=call.wait()[0], calls=1, bytes=call.moved)
    keys = 'time', 'calls', 'bytes'
    wanted = sorted((kind, *(times[key] for key in keys)) for (kind, _), times in mine.items())
    said = sorted((one['kind'], *(one[key] for key in keys)) for one in document['objects'])
    assert wanted == said, f'{wanted} in the trace, {said} by efgtrace'
    near({'': sum(one['waiting'] for one in document['objects'])}, {'': sum(times['waiting'] for times in mine.values())},
         sum(document['all']['waiting'].values()), 'waiting for objects')
    files = sorted(what.name for kind, what in mine if kind == 'file')
    assert files == sorted(one['name'] for one in document['objects'] if one['kind'] == 'file'), files


def look_at_iterations(document, trace):
    """Efficiency of each: mean useful time / longest, and what that is made of."""
    longest, useful = Counter(), defaultdict(list)
    for thread in trace.threads.values():
        inside = Counter()
        for call in thread.calls:
            inside[call.span] += call.end - call.begin
        for key, begin, end in thread.iterations:
            longest[key] = max(longest[key], end - begin)
            useful[key].append(end - begin - inside[key])
    for one in document['iterations']:
        key = one['phase'], one['number']
        mean, most = sum(useful[key]) / len(useful[key]), max(useful[key])
        wanted = mean / longest[key], mean / most if most else 1, most / longest[key]
        shares = one['efficiency']
        said = shares['parallel'], shares['balance'], shares['serialisation'] * shares['transfer']
        assert one['longest'] == longest[key] and max(abs(a - b) for a, b in zip(said, wanted)) < 1e-9, (one, wanted)


def look_for_causes(document, trace):
    """Causes, critical path, efficiency."""
    everything = sum(document['all']['waiting'].values())
    assert abs(document['caused'] + document['unknown'] - everything) < 1e-6 * everything + 1000, document['caused']
    ranks = [one['rank'] for one in document['locations']]
    said, on_path = Counter(), Counter()
    for site in document['sites'] + [{'label': '', 'by': document['after']}]:
        for row in site['by']:
            for part in (0, 1):
                function = site['label'].split(' ')[0]
                on_path[ranks[row[0]], part] += row[8 + part]
                for way in (0, 1):
                    said[ranks[row[0]], function, part, way] += row[4 + 2 * part + way]
    caused, unknown = causes.causes(trace)
    mine = {(*key, way): times[way] for key, times in caused.items() for way in (0, 1)}
    near(said, mine, everything, 'cause')
    near({'': document['unknown']}, {'': unknown}, everything, 'unknown')
    near(on_path, causes.path(trace), document['path'], 'path')
    assert sum(on_path.values()) == document['path'] <= document['efficiency']['time']
    ideal, iterations, functions = causes.ideal(trace)
    near({'': document['efficiency']['ideal']}, {'': ideal}, document['path'], 'ideal time')
    for one in document['iterations']:
        key = one['phase'], one['number']
        near({key: one['efficiency']['transfer'] * one['longest']}, {key: min(one['longest'], iterations[key])}, one['longest'],
             'ideal time of an iteration')
    said = Counter()
    for site in document['sites']:
        for row in site['by']:
            place = document['locations'][row[0]]
            said[place['rank'], place['thread'], site['label'].split(' ')[0]] += row[10]
    near(said, functions, document['path'], 'ideal time of a function')


def look_at_loops(report):
    """What is said of loops against the rows of their call sites, by thread."""
    loops = {one['id']: one for one in report['loops']}
    around = {None: []}
    for one in report['loops']:     # parents come first
        around[one['id']] = around[one['parent']] + [one['id']]
    inner = {}      # of the nodes of a call site, the loops that all are in
    for node in report['graph']['nodes']:
        mine = around[node['loop']]
        inner[node['hash']] = [loop for loop in inner.get(node['hash'], mine) if loop in mine]
    sums = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
    for site in report['waiting']['sites']:
        for row in site['by']:
            for loop in inner.get(site['hash'], []):
                for i, value in enumerate((row[1], row[2], row[1] + row[10])):
                    sums[loop][row[0]][i] += value
    sums = {loop: kept for loop, by in sums.items() if (kept := [one for one in by.values() if one[0] + one[1]])}
    for number, loop in loops.items():
        assert ('recorded' in loop) == (number in sums), loop
        if number not in sums:
            continue
        times, said = sums[number], loop['recorded']
        longest, useful = max(one[0] + one[1] for one in times), max(one[0] for one in times)
        mean, ideal = sum(one[0] for one in times) / len(times), min(longest, max(one[2] for one in times))
        wanted = (len(times), longest, mean / longest, mean / useful if useful else 1, useful / ideal, ideal / longest)
        mine = tuple(said[key] for key in ('locations', 'time', 'parallel', 'balance', 'serialisation', 'transfer'))
        assert max(abs(a - b) for a, b in zip(mine, wanted)) < 1e-9, (loop, wanted)
        if useful:
            assert abs(mine[2] - mine[3] * mine[4] * mine[5]) < 1e-9, loop



def near(said, mine, everything, what):
    for key in set(said) | set(mine):
        if abs(said.get(key, 0) - mine.get(key, 0)) > max(WITHIN * everything, NEAR):
            raise SystemExit(f'{what} {key}: {mine.get(key, 0)} in the trace, {said.get(key, 0)} by efgtrace')


def told(document):
    def times(sum_of):
        assert sum_of['time'] == sum_of['computation'] + sum_of['mpi'], sum_of
        assert sum_of['mpi'] == sum_of['transfer'] + sum(sum_of['waiting'].values()), sum_of
        return Counter({'time': sum_of['time'], 'mpi': sum_of['mpi'], 'calls': sum_of['calls'], **sum_of['waiting']})

    functions = defaultdict(Counter)
    for site in document['sites']:
        functions[site['label'].split(' ')[0]].update(times(site))
    threads = {(one['rank'], one['thread']): times(one) for one in document['locations']}
    everything = times(document['all'])
    for part in threads.values():
        everything.subtract(part)
    assert not any(everything.values()), everything
    assert sum(functions[name]['mpi'] for name in functions) == document['all']['mpi']
    iterations = {(one['phase'], one['number']): times(one) for one in document['iterations']}
    pairs = {(waiter, other): time for waiter, other, time, _ in document['pairs'] if other is not None}
    return threads, iterations, functions, pairs


def compare(what, mine, said):
    for key in set(mine) | set(said):
        if isinstance(mine.get(key, said.get(key)), Counter):
            compare(f'{what} {key}', mine.get(key, Counter()), said.get(key, Counter()))
            continue
        one, other = mine.get(key, 0), said.get(key, 0)
        exact = key in ('time', 'mpi', 'calls')
        if abs(one - other) > (0 if exact else max(WITHIN * max(one, other), NEAR)):
            raise SystemExit(f'{what} {key}: {one} in the trace, {other} by efgtrace')


def main(tool, folder):
    text = subprocess.run([tool, 'report', '--json', folder], check=True, stdout=subprocess.PIPE).stdout
    report = json.loads(text)
    document = report['waiting']
    trace = Trace(f'{folder}/traces.otf2')
    threads, iterations, functions, pairs = found(trace)
    said = told(document)
    for name in functions:
        said[2][name].pop('time', None)     # with the computation before
    for what, mine, theirs in zip(('thread', 'iteration', 'function'), (threads, iterations, functions), said):
        compare(what, mine, theirs)
    near(said[3], pairs, sum(document['all']['waiting'].values()), 'pair')
    look_at_iterations(document, trace)
    look_at_objects(document, trace)
    look_for_causes(document, trace)
    look_at_loops(report)
    kinds = Counter()
    for times in threads.values():
        kinds.update({kind: time for kind, time in times.items() if kind not in ('time', 'mpi', 'calls')})
    print(', '.join(f'{kind} {time / 1e6:.3f} ms' for kind, time in sorted(kinds.items())) or 'nobody waits')


if __name__ == '__main__':
    main(*sys.argv[1:])
