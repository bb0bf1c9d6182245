# SPDX-License-Identifier: BSD-3-Clause
"""Traces that are broken on purpose, each in one way, and the check of check_trace.py that finds it.

BROKEN: (NAME, CHECK, OPTIONS, FUNCTION that breaks a Trace of make_trace.py). RIGHT: the same of traces in
which nothing is wrong, however odd they look.
"""
import _otf2 as otf2
from make_trace import (ALLREDUCE, INTER, IRECV, ITERATION, MAIN, NO_ROOT, RECV, SELF, SEND, STEP, WAITALL, WORLD,
                        string)

FULL = '--full'
BROKEN, RIGHT = [], []


def broken(name, check, *options):
    def keep(function):
        BROKEN.append((name, check, options, function))
        return function
    return keep


def right(name, *options):
    def keep(function):
        RIGHT.append((name, None, options, function))
        return function
    return keep


# --- timestamps ---

@broken('the clock goes back', 'timestamps')
def _(trace):
    trace.offsets[1] = [(0, 0), (1500, 0), (1600, -1000), (4000, -1000)]


@broken('an event before the clock begins', 'timestamps')
def _(trace):
    trace.redefine('ClockProperties', None, 1, 20)


@broken('an event after the clock ends', 'timestamps')
def _(trace):
    trace.redefine('ClockProperties', None, 2, 3000)


@broken('two events at one time', 'timestamps')
def _(trace):
    trace.is_crowded = True


# --- regions ---

@broken('a Leave is missing', 'regions')
def _(trace):
    trace.drop(1, 'Leave', 3)


@broken('the last Leave is missing', 'regions')
def _(trace):
    trace.drop(1, 'Leave', -1)


@broken('a Leave without its Enter', 'regions')
def _(trace):
    trace.events[2].append(('Leave', 3950, ITERATION))


@broken('a Leave of another region', 'regions')
def _(trace):
    trace.change(1, 'Leave', 0, 1, MAIN)


@broken('an Enter of no region', 'regions')
def _(trace):
    trace.events[2] += [('Enter', 3950, 99), ('Leave', 3951, 99)]


@broken('a message outside of all regions', 'regions')
def _(trace):
    trace.events[0].append(('MpiSend', 3950, 1, WORLD, 7, 8))
    trace.events[1].append(('MpiRecv', 3960, 0, WORLD, 7, 8))


@broken('a collective outside of all regions', 'regions')
def _(trace):
    for rank in trace.events:
        trace.events[rank] += [('MpiCollectiveBegin', 3950),
                               ('MpiCollectiveEnd', 3951, otf2.COLLECTIVE_OP_BARRIER, WORLD, NO_ROOT, 0, 0)]


@broken('a message in a region that is not of MPI', 'regions')
def _(trace):
    place = trace.place(0, 'Leave', -1, MAIN)
    trace.insert(0, place, ('MpiSend', 3900, 1, WORLD, 7, 8))
    place = trace.place(1, 'Leave', -1, MAIN)
    trace.insert(1, place, ('MpiRecv', 3900, 0, WORLD, 7, 8))


# --- messages ---

@broken('a send without its receive', 'messages', FULL)
def _(trace):
    trace.drop(1, 'MpiRecv', 3)


@broken('a receive without its send', 'messages', FULL)
def _(trace):
    trace.drop(0, 'MpiSend', 0)


@broken('lone receives of a window, too many', 'messages', '--min-matched', '1.0')
def _(trace):
    trace.drop(0, 'MpiSend', 0)


@broken('lone sends of a window, too many', 'messages', '--min-matched', '1.0')
def _(trace):
    trace.drop(1, 'MpiRecv', -1)


@broken('another size', 'messages', FULL)
def _(trace):
    trace.change(1, 'MpiRecv', 2, 4, 5)


@broken('another size, in a window', 'messages')
def _(trace):
    trace.change(1, 'MpiRecv', 2, 4, 5)


@broken('another size of the first message of a window', 'messages')
def _(trace):
    trace.change(1, 'MpiRecv', 0, 4, 5)


@broken('another size of the last message of a window', 'messages')
def _(trace):
    trace.change(1, 'MpiRecv', 3, 4, 5)


@broken('another size of a nonblocking message', 'messages', FULL)
def _(trace):
    trace.change(1, 'MpiIrecv', 2, 4, 5)


@broken('another size, where all have one', 'messages')
def _(trace):
    for number in range(4):
        trace.change(0, 'MpiSend', number, 4, 8)
        trace.change(1, 'MpiRecv', number, 4, 8 if number != 1 else 9)


@broken('a receive that ends before its send begins', 'messages', FULL)
def _(trace):
    early(trace)


@broken('a receive that ends before its send begins, in a window', 'messages', '--min-matched', '1.0')
def _(trace):
    early(trace)


def early(trace):
    for offset in ('Enter', SEND), ('MpiSend',), ('Leave', SEND):
        place = trace.place(0, offset[0], 1, *offset[1:])
        event = trace.events[0][place]
        trace.events[0][place] = (event[0], event[1] + 40, *event[2:])


@broken('another tag', 'messages', FULL)
def _(trace):
    trace.change(1, 'MpiRecv', 2, 3, 5)


@broken('another communicator', 'messages', FULL)
def _(trace):
    trace.change(1, 'MpiRecv', 2, 2, INTER)


@broken('another sender', 'messages', FULL)
def _(trace):
    trace.change(1, 'MpiRecv', 2, 1, 2)


@broken('to a rank that the communicator has not', 'messages')
def _(trace):
    trace.change(0, 'MpiSend', 2, 1, 3)


@broken('from a rank that the communicator has not', 'messages')
def _(trace):
    trace.change(1, 'MpiRecv', 2, 1, 7)


@broken('through no communicator', 'messages')
def _(trace):
    trace.change(0, 'MpiSend', 2, 2, 17)


@broken('through a communicator of others', 'messages')
def _(trace):
    trace.definitions += [('Comm', 3, 0, 4, WORLD, otf2.COMM_FLAG_NONE)]
    trace.change(0, 'MpiSend', 2, 2, 3)


@broken('sizes in the order of completion', 'messages', FULL)
def _(trace):
    two_posted(trace, 16, 8)


@right('sizes in the order of posting', FULL)
def _(trace):
    two_posted(trace, 8, 16)


def two_posted(trace, first, second):
    """Two sends of 8 and 16 bytes, two receives, the second of which completes first."""
    for time, size in (3950, 8), (3952, 16):
        trace.call(0, time, time + 1, SEND, [('MpiSend', 1, WORLD, 3, size)])
    for request in 1000, 1001:
        time = 1952 + 2 * request
        trace.call(1, time - 4, time - 3, IRECV, after=[('MpiIrecvRequest', request)])
    trace.call(1, 3960, 3961, WAITALL, after=[('MpiIrecv', 0, WORLD, 3, second, 1001),
                                              ('MpiIrecv', 0, WORLD, 3, first, 1000)])


@right('a blocking receive behind one that is under way', FULL)
def _(trace):
    for time, size in (3950, 8), (3952, 16):
        trace.call(0, time, time + 1, SEND, [('MpiSend', 1, WORLD, 3, size)])
    trace.call(1, 3950, 3951, IRECV, after=[('MpiIrecvRequest', 1000)])
    trace.call(1, 3952, 3953, RECV, after=[('MpiRecv', 0, WORLD, 3, 16)])
    trace.call(1, 3954, 3955, WAITALL, after=[('MpiIrecv', 0, WORLD, 3, 8, 1000)])


@right('a window: the first receives are of sends before it', '--min-matched', '0.5')
def _(trace):
    trace.drop(0, 'MpiSend', 0)
    trace.drop(1, 'MpiRecv', -1)


@right('a window: only sizes tell which receives are of sends before it', '--min-matched', '0.5')
def _(trace):
    overlapping(trace, [16, 24, 32, 40], [8, 16, 24, 32, 40], 3950)


@right('a window: only times tell which receives are of sends before it', '--min-matched', '0.5')
def _(trace):
    overlapping(trace, [8, 8, 8, 8], [8, 8, 8, 8, 8], 3956)


def overlapping(trace, sizes, received, begin):
    """Sends from BEGIN on, and receives from 3953 on."""
    for number, size in enumerate(sizes):
        trace.call(0, begin + 2 * number, begin + 2 * number, SEND, [('MpiSend', 1, WORLD, 3, size)])
    for number, size in enumerate(received):
        trace.call(1, 3953 + 3 * number, 3954 + 3 * number, RECV, after=[('MpiRecv', 0, WORLD, 3, size)])


@right('messages through an intercommunicator', FULL)
def _(trace):
    trace.call(0, 3950, 3951, SEND, [('MpiSend', 1, INTER, 3, 8)])
    trace.call(2, 3952, 3953, RECV, after=[('MpiRecv', 0, INTER, 3, 8)])


@right('a message to oneself', FULL)
def _(trace):
    trace.call(0, 3950, 3951, SEND, [('MpiSend', 0, SELF, 3, 8)])
    trace.call(0, 3952, 3953, RECV, after=[('MpiRecv', 0, SELF, 3, 8)])


# --- requests ---

@broken('a completion without its start', 'requests')
def _(trace):
    trace.drop(2, 'MpiIrecvRequest', 1)


@broken('a completed send without its start', 'requests')
def _(trace):
    trace.change(2, 'MpiIsendComplete', 1, 1, 999)


@broken('a completed collective without its start', 'requests')
def _(trace):
    trace.drop(2, 'NonBlockingCollectiveRequest', 1)


@broken('a start without its completion', 'requests', FULL)
def _(trace):
    trace.drop(2, 'MpiIsendComplete', 1)


@broken('a receive that never ends', 'requests', FULL)
def _(trace):
    trace.call(2, 3950, 3951, IRECV, after=[('MpiIrecvRequest', 1000)])


@right('a receive that never ends, in a window')
def _(trace):
    trace.call(2, 3950, 3951, IRECV, after=[('MpiIrecvRequest', 1000)])


@broken('two starts of a request', 'requests')
def _(trace):
    trace.change(2, 'MpiIrecvRequest', 1, 1, trace.events[2][trace.place(2, 'MpiIrecvRequest', 0)][2])
    trace.drop(2, 'MpiIrecv', 0)
    trace.drop(2, 'MpiIrecv', 0)


@broken('a request that is started again before it ends', 'requests')
def _(trace):
    for time in 3950, 3952:
        trace.call(2, time, time + 1, IRECV, after=[('MpiIrecvRequest', 1000)])


@broken('a completion of another kind', 'requests')
def _(trace):
    number = trace.events[2][trace.place(2, 'MpiIrecvRequest', 1)][2]
    trace.drop(2, 'MpiIrecv', 1)
    trace.insert(2, trace.place(2, 'MpiIsendComplete', 1), ('MpiIsendComplete', 1200, number))


@broken('a completion on another location', 'requests')
def _(trace):
    event = trace.events[2].pop(trace.place(2, 'MpiIsendComplete', 1))
    trace.insert(1, trace.place(1, 'MpiIsendComplete', 1), event)


@broken('a test of no request', 'requests')
def _(trace):
    trace.call(2, 3950, 3951, WAITALL, after=[('MpiRequestTest', 1000)])


@broken('a cancelled request that was never started', 'requests')
def _(trace):
    trace.call(2, 3950, 3951, WAITALL, after=[('MpiRequestCancelled', 1000)])


@right('a cancelled receive', FULL)
def _(trace):
    trace.call(2, 3950, 3951, IRECV, after=[('MpiIrecvRequest', 1000)])
    trace.call(2, 3952, 3953, WAITALL, after=[('MpiRequestTest', 1000)])
    trace.call(2, 3954, 3955, WAITALL, after=[('MpiRequestCancelled', 1000)])


# --- collectives ---

@broken('an end without its begin', 'collectives')
def _(trace):
    trace.drop(1, 'MpiCollectiveBegin', 4)


@broken('a begin without its end', 'collectives')
def _(trace):
    for rank in trace.events:
        trace.drop(rank, 'MpiCollectiveEnd', 0)


@broken('a last begin without its end', 'collectives')
def _(trace):
    for rank in trace.events:
        trace.call(rank, 3950, 3951, ALLREDUCE, [('MpiCollectiveBegin',)])


@broken('one rank does not block', 'collectives')
def _(trace):
    barrier = otf2.COLLECTIVE_OP_BARRIER
    for rank in 0, 2:
        trace.collective(rank, 3950, ALLREDUCE, barrier, WORLD, NO_ROOT)
    trace.call(1, 3950, 3951, WAITALL, [('NonBlockingCollectiveRequest', 1000)],
               [('NonBlockingCollectiveComplete', barrier, WORLD, NO_ROOT, 0, 0, 1000)])


@broken('another operation', 'collectives')
def _(trace):
    trace.change(1, 'MpiCollectiveEnd', 3, 1, otf2.COLLECTIVE_OP_REDUCE)


@broken('another root', 'collectives')
def _(trace):
    trace.change(1, 'MpiCollectiveEnd', 1, 3, 1)


@broken('a root that the communicator has not', 'collectives')
def _(trace):
    for rank in trace.events:
        trace.change(rank, 'MpiCollectiveEnd', 1, 3, 5)


@broken('another order', 'collectives')
def _(trace):
    ends = [trace.place(1, 'MpiCollectiveEnd', which) for which in (0, 1)]
    one, other = (trace.events[1][place] for place in ends)
    trace.events[1][ends[0]], trace.events[1][ends[1]] = (one[:2] + other[2:]), (other[:2] + one[2:])


@broken('one is missing on a rank', 'collectives')
def _(trace):
    for name in 'MpiCollectiveBegin', 'MpiCollectiveEnd':
        trace.drop(1, name, -1)


@broken('all are missing on a rank', 'collectives')
def _(trace):
    trace.events[1] = [event for event in trace.events[1] if not event[0].startswith('MpiCollective')]


@broken('a nonblocking one is of another kind', 'collectives')
def _(trace):
    trace.change(1, 'NonBlockingCollectiveComplete', 1, 1, otf2.COLLECTIVE_OP_ALLREDUCE)


@broken('of another communicator', 'collectives')
def _(trace):
    trace.change(1, 'MpiCollectiveEnd', 0, 2, INTER)


@broken('of no communicator', 'collectives')
def _(trace):
    for rank in trace.events:
        trace.change(rank, 'MpiCollectiveEnd', 0, 2, 17)


@broken('of a communicator of others', 'collectives')
def _(trace):
    trace.definitions += [('Comm', 3, 0, 4, WORLD, otf2.COMM_FLAG_NONE)]
    for rank in trace.events:
        trace.change(rank, 'MpiCollectiveEnd', 0, 2, 3)


@broken('two roots of an intercommunicator', 'collectives')
def _(trace):
    trace.change(2, 'MpiCollectiveEnd', 2, 3, 1)


@broken('no root in the other group', 'collectives')
def _(trace):
    trace.change(0, 'MpiCollectiveEnd', 2, 3, NO_ROOT - 2)


# --- onoff ---

@broken('it begins with an ON', 'onoff')
def _(trace):
    trace.drop(1, 'MeasurementOnOff', 0)


@broken('it ends with an OFF', 'onoff')
def _(trace):
    trace.drop(1, 'MeasurementOnOff', 1)


@broken('two OFFs', 'onoff')
def _(trace):
    trace.change(1, 'MeasurementOnOff', 1, 1, otf2.MEASUREMENT_OFF)


@broken('two OFFs and an ON', 'onoff')
def _(trace):
    place = trace.place(1, 'MeasurementOnOff', 1)
    trace.insert(1, place, trace.events[1][place - 1])


@broken('the last event is an OFF', 'onoff')
def _(trace):
    trace.events[1].append(('MeasurementOnOff', 3950, otf2.MEASUREMENT_OFF))


@broken('OFF and ON at two depths', 'onoff')
def _(trace):
    event = trace.events[1].pop(trace.place(1, 'MeasurementOnOff', 1))
    trace.insert(1, trace.place(1, 'Enter', 2, ITERATION) + 1, (event[0], 2 * STEP + 2, event[2]))


@broken('calls while it is off', 'onoff')
def _(trace):
    event = trace.events[1].pop(trace.place(1, 'MeasurementOnOff', 1))
    trace.insert(1, trace.place(1, 'Leave', 2, ITERATION) + 1, (event[0], 2 * STEP + 901, event[2]))


# --- definitions ---

for kind, number in (('String', 3), ('Region', 1), ('LocationGroup', 2), ('Group', 2), ('Comm', 0), ('Attribute', 0),
                     ('SystemTreeNode', 1), ('InterComm', 2), ('SourceCodeLocation', 0), ('Location', 1)):
    broken(f'two of one id: {kind}', 'definitions')(lambda trace, kind=kind, number=number:
                                                    trace.define_twice(kind, number))


@broken('two ranks at one place of a topology', 'definitions')
def _(trace):
    place = trace.definition('CartCoordinate')
    trace.definitions[place] = ('CartCoordinate', 0, 0, [1])


@broken('a topology with more places than ranks', 'definitions')
def _(trace):
    trace.redefine('CartDimension', 0, 2, 4)


@broken('a communicator that is its own parent', 'definitions')
def _(trace):
    trace.redefine('Comm', SELF, 3, SELF)


@broken('an intercommunicator with the id of a communicator', 'definitions')
def _(trace):
    trace.definitions.append(('Comm', INTER, 0, 2, WORLD, otf2.COMM_FLAG_NONE))


@broken('more events than there are', 'definitions')
def _(trace):
    trace.redefine('Location', 1, 3, len(trace.events[1]) + 1)


@broken('fewer events than there are', 'definitions')
def _(trace):
    trace.redefine('Location', 1, 3, 5)


@broken('no list of the ranks', 'definitions')
def _(trace):
    trace.undefine('Group', 0)


@broken('two lists of the ranks', 'definitions')
def _(trace):
    place = trace.definition('Group', 0)
    trace.definitions.insert(place, ('Group', 9) + trace.definitions[place][2:])


@broken('a rank without its location', 'definitions')
def _(trace):
    trace.redefine('Group', 0, 5, [0, 1])


@broken('a rank whose location is not defined', 'definitions')
def _(trace):
    trace.redefine('Group', 0, 5, [0, 1, 9])


@broken('a location of two ranks', 'definitions')
def _(trace):
    trace.redefine('Group', 0, 5, [0, 1, 1])


@broken('a process of two ranks', 'definitions')
def _(trace):
    place = trace.definition('Location', 2)
    trace.definitions.insert(place + 1, ('Location', 3, *trace.definitions[place][2:]))
    trace.redefine('Group', 0, 5, [0, 1, 2, 3])


@broken('ranks in another order', 'definitions')
def _(trace):
    trace.redefine('Group', 0, 5, [0, 2, 1])


@broken('a member that no rank is', 'definitions')
def _(trace):
    trace.redefine('Group', 2, 5, [0, 1, 5])


@broken('a member twice', 'definitions')
def _(trace):
    trace.redefine('Group', 2, 5, [0, 1, 1])


@broken('MPI_COMM_SELF with members', 'definitions')
def _(trace):
    trace.redefine('Group', 1, 5, [0])


@broken('a communicator without its group', 'definitions')
def _(trace):
    trace.redefine('Comm', WORLD, 2, 77)


@broken('a communicator of a list of ranks', 'definitions')
def _(trace):
    trace.redefine('Comm', WORLD, 2, 0)


@broken('a parent behind its child', 'definitions')
def _(trace):
    trace.redefine('Comm', SELF, 3, INTER)


@broken('a function of MPI that is not of the paradigm', 'definitions')
def _(trace):
    trace.redefine('Region', ALLREDUCE, 5, otf2.PARADIGM_USER)


@broken('a function of MPI that belongs to the measurement', 'definitions')
def _(trace):
    trace.redefine('Region', ALLREDUCE, 5, otf2.PARADIGM_MEASUREMENT_SYSTEM)


@broken('no paradigm MPI', 'definitions')
def _(trace):
    trace.undefine('Paradigm')


@broken('the paradigm of threads', 'definitions')
def _(trace):
    trace.redefine('Paradigm', None, 2, otf2.PARADIGM_CLASS_THREAD_FORK_JOIN)


@broken('no real time', 'definitions')
def _(trace):
    trace.redefine('ClockProperties', None, 3, 2**64 - 1)


@broken('a real time in 1970', 'definitions')
def _(trace):
    trace.redefine('ClockProperties', None, 3, 3600 * 10**9)


@broken('a real time in seconds', 'definitions')
def _(trace):
    trace.redefine('ClockProperties', None, 3, 1700000000)


@broken('no clock', 'definitions')
def _(trace):
    trace.undefine('ClockProperties')


@broken('no host', 'definitions')
def _(trace):
    for number in 0, 1:
        trace.redefine('SystemTreeNode', number, 2, string('MPI'))
    for number in 0, 1:
        trace.undefine('SystemTreeNodeDomain', number)


@broken('a rank whose place is not defined', 'definitions')
def _(trace):
    trace.redefine('LocationGroup', 1, 3, 7)


@broken('a location without its rank', 'definitions')
def _(trace):
    trace.redefine('Location', 1, 4, 7)


@broken('a rank with another number in its name', 'definitions')
def _(trace):
    trace.redefine('LocationGroup', 1, 1, string('MPI Rank 2'))


@broken('a rank that is no process', 'definitions')
def _(trace):
    trace.redefine('LocationGroup', 1, 2, otf2.LOCATION_GROUP_TYPE_ACCELERATOR)


@broken('a rank whose location is no thread', 'definitions')
def _(trace):
    trace.redefine('Location', 1, 2, otf2.LOCATION_TYPE_METRIC)


@broken('a name that is not defined', 'definitions')
def _(trace):
    trace.redefine('Region', ALLREDUCE, 1, 77)


# --- iterations ---

@broken('another number of iterations than wanted', 'iterations', '--iterations', '3')
def _(trace):
    pass


@broken('iterations where there should be none', 'iterations', '--iterations', '0')
def _(trace):
    pass


@broken('a rank with fewer iterations', 'iterations')
def _(trace):
    trace.drop(1, 'Enter', 3, ITERATION)
    trace.drop(1, 'Leave', 3, ITERATION)


@broken('a rank without iterations', 'iterations', '--iterations', '4')
def _(trace):
    trace.events[1] = [event for event in trace.events[1]
                       if event[0] not in ('Enter', 'Leave') or event[2] != ITERATION]


@broken('other numbers on a rank', 'iterations')
def _(trace):
    for number in range(4):
        trace.change(1, 'Enter', trace_iteration(trace, 1, number), 2, {0: number + 1})


@right('numbers of iterations that come again, of a second loop', FULL, '--iterations', '4')
def _(trace):
    for rank in trace.events:
        trace.change(rank, 'Enter', trace_iteration(trace, rank, 3), 2, {0: 1})


@broken('an iteration without a number', 'iterations')
def _(trace):
    for rank in trace.events:
        trace.change(rank, 'Enter', trace_iteration(trace, rank, 3), 2, {})


def trace_iteration(trace, rank, number):
    """Which of the Enters of a rank is that of its iteration NUMBER."""
    enters = [event for event in trace.events[rank] if event[0] == 'Enter']
    return [place for place, event in enumerate(enters) if event[2] == ITERATION][number]


@broken('iterations without a loop', 'iterations', '--iterations', '4')
def _(trace):
    trace.redefine('Region', ITERATION, 4, otf2.REGION_ROLE_FUNCTION)


@right('no iterations, and none wanted', '--iterations', '0')
def _(trace):
    for rank in trace.events:
        trace.events[rank] = [event for event in trace.events[rank]
                              if event[0] not in ('Enter', 'Leave') or event[2] != ITERATION]


@right('nothing changed', FULL, '--iterations', '4')
def _(trace):
    pass
