# SPDX-License-Identifier: BSD-3-Clause
"""Small traces, right ones and broken ones, for the test of check_trace.py.

A Trace is a list of definitions and a list of events for each location, as the lower layer of
python3-otf2 writes them: (NAME OF THE RECORD, ARGUMENTS...). That layer writes all that it is told, so
what is wrong in the lists is wrong in the archive. An event with attributes has them last, as a
dictionary {attribute: number}.
"""
import _otf2 as otf2

RANKS = 3
WORLD, SELF, INTER = 0, 1, 2                # communicators; INTER: rank 0 and ranks 1, 2
ITERATION, MAIN, SEND, RECV, ISEND, IRECV, WAITALL, ALLREDUCE, BCAST, IBARRIER = range(10)  # regions
NAMES = ['', 'iteration', 'main', 'MPI_Send', 'MPI_Recv', 'MPI_Isend', 'MPI_Irecv', 'MPI_Waitall', 'MPI_Allreduce',
         'MPI_Bcast', 'MPI_Ibarrier', 'MPI', 'machine', 'node', 'host', 'Master thread', 'MPI_COMM_WORLD',
         'MPI_COMM_SELF', 'MPI Rank 0', 'MPI Rank 1', 'MPI Rank 2']
NO_ROOT, ROOT_SELF = 2**32 - 1, 2**32 - 2
NO_REF = 2**32 - 1
STEP = 1000                                 # ns that an iteration takes


def string(name):
    return NAMES.index(name)


def region(number, role, paradigm):
    name = number + 1
    return ('Region', number, name, name, 0, role, paradigm, otf2.REGION_FLAG_NONE, 0, 0, 0)


def group(number, kind, members):
    return ('Group', number, 0, kind, otf2.PARADIGM_MPI, otf2.GROUP_FLAG_NONE, members)


class Trace:
    def __init__(self, iterations=4):
        self.events = {rank: [] for rank in range(RANKS)}
        self.offsets = {rank: [] for rank in range(RANKS)}     # (time, ns): of the clock of a location
        self.requests = 0
        self.is_crowded = False     # events of one time are written so
        for number in range(iterations):
            self.add_iteration(number)
        self.definitions = self.define(iterations * STEP)

    def define(self, length):
        mpi, user = otf2.PARADIGM_MPI, otf2.PARADIGM_USER
        return [
            ('ClockProperties', 10**9, 0, length, 1700000000 * 10**9),
            *(('String', number, name) for number, name in enumerate(NAMES)),
            ('Paradigm', mpi, string('MPI'), otf2.PARADIGM_CLASS_PROCESS),
            ('Attribute', 0, string('iteration'), 0, otf2.TYPE_UINT64),
            ('SystemTreeNode', 0, string('machine'), string('machine'), NO_REF),
            ('SystemTreeNode', 1, string('host'), string('node'), 0),
            ('SystemTreeNodeDomain', 0, otf2.SYSTEM_TREE_DOMAIN_MACHINE),
            ('SystemTreeNodeDomain', 1, otf2.SYSTEM_TREE_DOMAIN_SHARED_MEMORY),
            *(('LocationGroup', rank, string(f'MPI Rank {rank}'), otf2.LOCATION_GROUP_TYPE_PROCESS, 1, NO_REF)
              for rank in range(RANKS)),
            *(('Location', rank, string('Master thread'), otf2.LOCATION_TYPE_CPU_THREAD, None, rank)
              for rank in range(RANKS)),      # None: as many events as there are
            region(ITERATION, otf2.REGION_ROLE_LOOP, user),
            region(MAIN, otf2.REGION_ROLE_FUNCTION, otf2.PARADIGM_COMPILER),
            *(region(number, otf2.REGION_ROLE_POINT2POINT, mpi) for number in range(SEND, WAITALL + 1)),
            *(region(number, otf2.REGION_ROLE_COLL_OTHER, mpi) for number in range(ALLREDUCE, IBARRIER + 1)),
            group(0, otf2.GROUP_TYPE_COMM_LOCATIONS, [0, 1, 2]),
            group(1, otf2.GROUP_TYPE_COMM_SELF, []),
            group(2, otf2.GROUP_TYPE_COMM_GROUP, [0, 1, 2]),
            group(3, otf2.GROUP_TYPE_COMM_GROUP, [0]),
            group(4, otf2.GROUP_TYPE_COMM_GROUP, [1, 2]),
            ('Comm', WORLD, string('MPI_COMM_WORLD'), 2, NO_REF, otf2.COMM_FLAG_NONE),
            ('Comm', SELF, string('MPI_COMM_SELF'), 1, NO_REF, otf2.COMM_FLAG_NONE),
            ('InterComm', INTER, 0, 3, 4, WORLD, otf2.COMM_FLAG_NONE),
            ('CartDimension', 0, 0, RANKS, otf2.CART_PERIODIC_TRUE),
            ('CartTopology', 0, 0, WORLD, [0]),
            *(('CartCoordinate', 0, rank, [rank]) for rank in range(RANKS)),
            ('SourceCodeLocation', 0, 0, 1),
        ]

    # --- what the ranks do ---

    def call(self, rank, begin, end, number, before=(), after=()):
        """A call of a region: events right behind its begin and right before its end."""
        self.events[rank] += [('Enter', begin, number), *((name, begin, *rest) for name, *rest in before),
                              *((name, end, *rest) for name, *rest in after), ('Leave', end, number)]

    def collective(self, rank, begin, number, operation, comm, root):
        self.call(rank, begin, begin + 20, number, [('MpiCollectiveBegin',)],
                  [('MpiCollectiveEnd', operation, comm, root, 8, 8)])

    def add_iteration(self, number):
        """Each rank to the next one, rank 0 to rank 1, an allreduce, two broadcasts, a barrier."""
        start, size = number * STEP, 8 * (number + 1)
        for rank in range(RANKS):
            to, source, first = (rank + 1) % RANKS, (rank - 1) % RANKS, self.requests
            self.requests += 3
            if number == 2:
                self.events[rank] += [('MeasurementOnOff', start, otf2.MEASUREMENT_OFF),
                                      ('MeasurementOnOff', start + 1, otf2.MEASUREMENT_ON)]
            self.events[rank] += [('Enter', start + 2, ITERATION, {0: number}), ('Enter', start + 3, MAIN)]
            self.call(rank, start + 10, start + 20, IRECV, after=[('MpiIrecvRequest', first)])
            self.call(rank, start + 30, start + 40, ISEND, [('MpiIsend', to, WORLD, 1, size, first + 1)])
            self.call(rank, start + 50, start + 60, IBARRIER, after=[('NonBlockingCollectiveRequest', first + 2)])
            self.call(rank, start + 100, start + 200, WAITALL, after=[
                ('MpiIrecv', source, WORLD, 1, size, first), ('MpiIsendComplete', first + 1),
                ('NonBlockingCollectiveComplete', otf2.COLLECTIVE_OP_BARRIER, WORLD, NO_ROOT, 0, 0, first + 2)])
            if rank == 0:
                self.call(rank, start + 300, start + 310, SEND, [('MpiSend', 1, WORLD, 2, size)])
            if rank == 1:
                self.call(rank, start + 305, start + 320, RECV, after=[('MpiRecv', 0, WORLD, 2, size)])
            self.collective(rank, start + 400, ALLREDUCE, otf2.COLLECTIVE_OP_ALLREDUCE, WORLD, NO_ROOT)
            self.collective(rank, start + 500, BCAST, otf2.COLLECTIVE_OP_BCAST, WORLD, 2)
            self.collective(rank, start + 600, BCAST, otf2.COLLECTIVE_OP_BCAST, INTER, ROOT_SELF if rank == 0 else 0)
            self.events[rank] += [('Leave', start + 900, MAIN), ('Leave', start + 901, ITERATION)]

    # --- to break it ---

    def place(self, rank, name, which=0, *wanted):
        """Where the events of a rank have the WHICH-th record NAME with such first arguments."""
        places = [place for place, event in enumerate(self.events[rank])
                  if event[0] == name and event[2:2 + len(wanted)] == wanted]
        return places[which]

    def drop(self, rank, name, which=0, *wanted):
        del self.events[rank][self.place(rank, name, which, *wanted)]

    def change(self, rank, name, which, argument, value):
        """An argument of an event: 0 is its time."""
        place = self.place(rank, name, which)
        event = list(self.events[rank][place])
        event[1 + argument] = value
        self.events[rank][place] = tuple(event)

    def insert(self, rank, place, *events):
        self.events[rank][place:place] = events

    def definition(self, name, number=None):
        return next(place for place, definition in enumerate(self.definitions)
                    if definition[0] == name and number in (None, definition[1]))

    def undefine(self, name, number=None):
        return self.definitions.pop(self.definition(name, number))

    def redefine(self, name, number, argument, value):
        """An argument of a definition: 0 is its id."""
        place = self.definition(name, number)
        definition = list(self.definitions[place])
        definition[1 + argument] = value
        self.definitions[place] = tuple(definition)

    def define_twice(self, name, number):
        place = self.definition(name, number)
        self.definitions.insert(place + 1, self.definitions[place])

    # --- to the file ---

    def write(self, folder):
        archive = otf2.Archive_Open(folder, 'traces', otf2.FILEMODE_WRITE, 1 << 18, 1 << 18, otf2.SUBSTRATE_POSIX,
                                    otf2.COMPRESSION_NONE)
        callbacks = otf2.FlushCallbacks(flush, time_of_flush)    # kept as long as the archive
        otf2.Archive_SetFlushCallbacks(archive, callbacks, None)
        otf2.Archive_SetSerialCollectiveCallbacks(archive)
        self.write_events(archive)
        self.write_offsets(archive)
        writer = otf2.Archive_GetGlobalDefWriter(archive)
        for name, *rest in self.definitions:
            if name == 'Location' and rest[3] is None:
                rest[3] = len(self.events.get(rest[0], ()))
            getattr(otf2, 'GlobalDefWriter_Write' + name)(writer, *rest)
        otf2.Archive_CloseGlobalDefWriter(archive, writer)
        otf2.Archive_Close(archive)

    def write_events(self, archive):
        otf2.Archive_OpenEvtFiles(archive)
        for location, events in self.events.items():
            writer = otf2.Archive_GetEvtWriter(archive, location)
            for event in events if self.is_crowded else apart(events):
                write_event(writer, *event)
            otf2.Archive_CloseEvtWriter(archive, writer)
        otf2.Archive_CloseEvtFiles(archive)

    def write_offsets(self, archive):
        otf2.Archive_OpenDefFiles(archive)
        for location, offsets in self.offsets.items():
            writer = otf2.Archive_GetDefWriter(archive, location)
            for time, offset in offsets:
                otf2.DefWriter_WriteClockOffset(writer, time, offset, 0.0)
            otf2.Archive_CloseDefWriter(archive, writer)
        otf2.Archive_CloseDefFiles(archive)


def flush(*_):
    return otf2.FLUSH


def time_of_flush(*_):
    return 0


def apart(events):
    """Those of one time, 1 ns apart."""
    said, last = -1, -1
    for name, time, *rest in events:
        said, last = time, max(time, last + 1) if time >= said else time
        yield (name, last, *rest)


def write_event(writer, name, time, *rest):
    attributes = None
    if rest and isinstance(rest[-1], dict):
        attributes = otf2.AttributeList_New()
        for attribute, value in rest[-1].items():
            otf2.AttributeList_AddUint64(attributes, attribute, value)
        rest = rest[:-1]
    getattr(otf2, 'EvtWriter_' + name)(writer, attributes, time, *rest)
    if attributes:
        otf2.AttributeList_Delete(attributes)
