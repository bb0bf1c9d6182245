#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A reader of run.efg that knows no more than efgtrace-run(5): prints what is in it.

usage: read_run.py run.efg

    rank N: calls C, bytes B, group G      of each rank, ascending
    series N.T: I iterations in S slots, J longest     of each thread that has one
    call NAME C                            of all ranks, polls included
    total N                                calls of all ranks, as the totals have them
    group G: ranks R R R ...
    sequence R: ranks R R R ..., plain segments P, mixed ones M
    section KIND: COUNT, BYTES

Everything that can be checked is checked: checksums, sums, that all bytes were used; of
sequences, that each node has as many calls in them as in the graph."""
import struct
import sys
import zlib

from read_sequence import read_segments

HAS_ELEMENT, HAS_BUFFER = 64, 128  # among the flags of a node
FILLER, RUN, NAMES, GROUPS, TOTALS, SITES, RANK, SEQUENCE, ORDERS, POSITIONS = range(10)


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        assert self.at + size <= len(self.data), 'the bytes end'
        self.at += size
        return self.data[self.at - size:self.at]

    def u64(self):
        return struct.unpack('<Q', self.take(8))[0]

    def n(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                assert value < 1 << 64
                return value

    def z(self):
        value = self.n()
        return value >> 1 if value % 2 == 0 else -(value >> 1) - 1

    def text(self):
        return self.take(self.n()).decode(errors='replace')

    def list(self, read):
        return [read() for _ in range(self.n())]

    def numbers(self, count):
        return tuple(self.n() for _ in range(count))

    def fields(self):
        fields = {}
        while tag := self.n():
            fields[tag >> 1] = self.text() if tag & 1 else self.n()
        return fields

    def end(self):
        assert self.at == len(self.data), f'{len(self.data) - self.at} bytes are left'


def sections(data):
    magic, version, size, crc = struct.unpack_from('<8sIQI', data)
    assert magic == b'efgrun\r\n' and version == 9 and size == len(data)
    assert crc == zlib.crc32(data[:20])
    at = 24
    while at < len(data):
        kind, number, size, crc = struct.unpack_from('<IIQI', data, at)
        payload = data[at + 20:at + 20 + size]
        assert len(payload) == size
        assert crc == zlib.crc32(payload, zlib.crc32(data[at:at + 16])), f'section at {at}'
        yield kind, number, payload
        at += 20 + size


def read_names(payload):
    r = Reader(payload)
    calls = dict((i, name) for i, _, name in r.list(lambda: (r.n(), r.n(), r.text())))
    modules = r.list(r.text)
    paths = []
    for _ in range(r.n()):
        name, shared = r.u64(), r.n()
        before = paths[-1][1] if paths else []
        assert shared <= len(before)
        paths.append((name, r.list(lambda: r.numbers(2)) + before[len(before) - shared:]))
    r.list(lambda: (r.n(), r.text()))
    r.end()
    assert all(module < len(modules) for _, frames in paths for module, _ in frames)
    return calls, paths


def read_positions(payload, paths):
    r = Reader(payload)
    frames = {frame for _, frames in paths for frame in frames}
    positions = r.list(lambda: (r.numbers(2), r.numbers(5)))
    r.end()
    assert len({frame for frame, _ in positions}) == len(positions)
    for frame, (loop, last, order, function, _) in positions:
        assert frame in frames
        assert 1 <= loop & 0x7fff <= last & 0x7fff and last <= 0xffff
        assert order <= 0xffff and function <= 0xffff


def read_shape(payload, paths):
    r = Reader(payload)

    def node():
        call, path, region, comm, partner, size = r.numbers(6)
        assert path <= len(paths)
        hash_, flags = r.u64(), r.n()
        element = r.n() if flags & HAS_ELEMENT else 0
        buffer = r.n() if flags & HAS_BUFFER else 0
        signature = call, path and paths[path - 1], region, comm, partner, size, element, buffer
        return signature, hash_, flags & ~HAS_ELEMENT & ~HAS_BUFFER
    threads = r.list(lambda: (r.n(), r.list(node), r.list(lambda: r.numbers(2))))
    r.end()
    for _, nodes, edges in threads:
        assert all(a < len(nodes) and b < len(nodes) for a, b in edges)
    return threads


def read_ranks(r):
    ranks, last = [], 0
    for _ in range(r.n()):
        gap, stride, count = r.numbers(3)
        ranks += range(last + gap, last + gap + stride * count, stride)
        last = ranks[-1]
    return ranks


def read_groups(payload):
    r = Reader(payload)
    groups = []
    for _ in range(r.n()):
        ranks = read_ranks(r)
        paths = r.list(r.n)
        groups.append((ranks, read_shape(r.take(r.n()), paths)))
    r.end()
    return groups


def bin_of(value):
    return min(max(value.bit_length() - 1, 0), 31)


def read_stat(r):
    count = r.n()
    total = r.n() if count else 0
    if count < 2:
        return count, total
    least, most = r.numbers(2)
    bins = [r.n() for _ in range(bin_of(least), bin_of(most))]
    assert least <= most and least * count <= total <= most * count
    assert sum(bins) < count, 'the largest value is in the last bin'
    return count, total


def read_series(r, count, time, mpi):
    """The series of COUNT iterations that took TIME ns, MPI ns of it in MPI: None, or when the
    first one began and its number, the slots (iterations, time, mpi, least, most), the longest
    (number, start, time, mpi)."""
    shift = r.n() - 1
    if shift < 0:
        return None
    unit, first, start = r.numbers(3)
    slots, left, units, units_mpi = [], count, 0, 0
    time_left, mpi_left = time, mpi
    while left > 0:
        here = min(left, 1 << shift)
        left -= here
        if left:
            units, units_mpi = units + r.z(), units_mpi + r.z()
            slot = units << unit + shift, units_mpi << unit + shift
        else:
            slot = time_left, mpi_left
        least = most = slot[0]
        if shift:
            least, most = units - r.z() << unit, units + r.z() << unit
        time_left, mpi_left = time_left - slot[0], mpi_left - slot[1]
        assert time_left >= 0 and mpi_left >= 0 and 0 <= least <= most
        slots.append((here, *slot, least, most))
    assert len(slots) <= 192
    longest, number, begin = [], first, start
    for _ in range(r.n()):
        number, begin = number + r.n(), begin + r.n()
        longest.append((number, begin, *r.numbers(2)))
        at = sum(time for _, time, *_ in slots[:number - first >> shift])
        rounding = 1 << unit + shift
        assert number - first < count and longest[-1][2] >> unit << unit <= slots[number - first >> shift][4]
        assert start + at - rounding <= begin < start + at + slots[number - first >> shift][1] + rounding
    assert len(longest) == min(count, 8)
    assert longest == sorted(set(longest))
    return first, start, slots, longest


def check_windows(series, windows, recorded):
    """What the slots within the WINDOWS have is not more than what was RECORDED (iterations, time),
    and what those have that windows touch is not less; a window that was thrown away was recorded,
    too."""
    first, start, slots, _ = series
    spans = [(a - first, b - first) for _, a, b, begin, *_ in windows if a < b and begin >= start]
    if sum(b - a for a, b in spans) != recorded[0]:
        return
    within = touched = at = 0
    for count, time, *_ in slots:
        within += time * any(a <= at and at + count <= b for a, b in spans)
        touched += time * any(a < at + count and at < b for a, b in spans)
        at += count
    off = len(spans) * sum(time for _, time, *_ in slots) // at * slots[0][0] // 256
    assert within - off <= recorded[1] <= touched + off


def read_items(r, first):
    """[(key, messages, bytes, messages in windows, bytes in windows)]"""
    items, key, amounts = [], first, (0, 0, 0, 0)
    for i in range(r.n()):
        gap = r.z()
        assert i == 0 or gap > 0
        key, amounts = key + gap, tuple(a + r.z() for a in amounts)
        assert key >= 0 and amounts[0] > 0
        assert all(0 <= a < 1 << 64 for a in amounts)
        assert amounts[2] <= amounts[0] and amounts[3] <= amounts[1]
        items.append((key, *amounts))
    return items


def sums(items):
    return [sum(column) for column in zip(*(amounts for _, *amounts in items))]


def read_traffic(r, rank):
    partners, sends, collectives = read_items(r, rank), read_items(r, 0), read_items(r, 0)
    assert sums(partners) == sums(sends), 'each send has a partner and a size'
    for size, count, total, *_ in sends + collectives:
        assert size < 64
        assert count * (1 << size >> 1) <= total < count * max(1, 1 << size) + (size == 0)
    return partners, sends, collectives


def read_thread(r, shape, calls):
    """Adds to what R knows: calls by name, bytes, time in MPI (ns); of each thread visits and
    times (ns) of its nodes and of its edges, the node where its iterations begin, what they are in all, its windows,
    series and what it sent."""
    _, nodes, edges = shape
    assert r.numbers(2) == (len(nodes), len(edges))
    events, _, in_mpi, lost, _ = r.numbers(5)
    made = in_nodes = 0
    visits, ways = [], []
    for (call, *_), _, flags in nodes:
        count, inside = read_stat(r)
        r.z(), r.n()
        r.bytes += r.n()
        polls = r.n()
        in_nodes += inside + (r.n() if polls else 0)
        name = '(all further calls)' if flags & 4 else calls[call]
        r.calls[name] = r.calls.get(name, 0) + count + polls
        made += count
        visits.append((count, inside))
    r.visits.append(visits)
    assert made == events and in_nodes == in_mpi
    r.in_mpi += in_mpi
    for _ in edges:
        ways.append(read_stat(r))
        made -= ways[-1][0]
        r.z(), r.n()
    r.ways.append(ways)
    assert made - lost <= 1, 'each event but the first one comes by an edge'
    r.list(lambda: r.numbers(4))
    r.numbers(5)
    pivot = r.numbers(5) if r.n() else None
    r.pivots.append(pivot and pivot[1])
    loops = [(function, *r.numbers(4)) if (function := r.n()) else None for _ in range(5)]
    reason, *agreed = r.numbers(5)
    r.loops.append(loops[0])
    assert (reason > 0) <= (loops[0] is None) and max(agreed[:3]) < 2
    for place in [pivot] * (pivot is not None) + [loop for loop in loops if loop]:
        node, depth = place[1:3] if place is pivot else place[2:4]
        assert node < len(nodes) and depth <= 128
    assert all(share <= 1000000 for *_, share in filter(None, loops))
    (count, time), recorded, (mpi, mpi_recorded) = read_stat(r), read_stat(r), r.numbers(2)
    r.iterations.append(((count, time, mpi), (*recorded, mpi_recorded)))
    r.windows.append(r.list(lambda: r.numbers(9)))
    r.series.append(read_series(r, count, time, mpi))
    r.traffic.append(read_traffic(r, r.rank))
    if r.series[-1]:
        check_windows(r.series[-1], r.windows[-1], recorded)


def read_sequence(payload, threads):
    """Checks the sequence of a rank: THREADS has the visits of each node."""
    r, codings = Reader(payload), [0, 0]
    assert r.n() == len(threads)
    for visits in threads:
        count, tables = r.n(), r.list(lambda: r.list(r.n))
        made = [0] * len(visits)
        for table, coding, events in read_segments(Reader, r.take(r.n())):
            codings[coding] += 1
            for node, times in events:
                made[tables[table][node] if table < len(tables) else node] += times
        assert sum(made) == count
        assert made == visits or count < sum(visits), 'the sequence is of other calls'
    r.end()
    return codings


def read_orders(payload, sequences, visits):
    r = Reader(payload)
    for _ in range(r.n()):
        r.take(16)
        size, ranks = r.n(), read_ranks(r)
        assert len(sequences[ranks[0]]) == size
        for rank in ranks:
            codings = read_sequence(sequences[ranks[0]], visits[rank])
        print(f'sequence {ranks[0]}: ranks', *ranks, end=', ')
        print(f'plain segments {codings[0]}, mixed ones {codings[1]}')
    r.end()


def read_rank(payload, shapes, calls, rank):
    """What the RANK measured: see read_thread."""
    r = Reader(payload)
    r.rank, r.calls, r.bytes, r.in_mpi = rank, {}, 0, 0
    r.visits, r.ways, r.pivots, r.loops, r.iterations, r.windows, r.series, r.traffic = \
        ([] for _ in range(8))
    r.fields()
    assert r.n() == len(shapes)
    for shape in shapes:
        read_thread(r, shape, calls)
    r.end()
    return r


def main(path):
    with open(path, 'rb') as file:
        data = file.read()
    found, ranks, sizes, sequences, visits = {}, {}, {}, {}, {}
    for kind, number, payload in sections(data):
        count, size = sizes.get(kind, (0, 0))
        sizes[kind] = count + 1, size + len(payload)
        if kind == RANK:
            assert number not in ranks
            ranks[number] = payload
        elif kind == SEQUENCE:
            assert number not in sequences
            sequences[number] = payload
        elif RUN <= kind <= POSITIONS:
            assert kind not in found
            found[kind] = payload
    calls, paths = read_names(found[NAMES])
    groups = read_groups(found[GROUPS])
    group_of = {rank: i for i, (members, _) in enumerate(groups) for rank in members}
    assert sorted(group_of) == sorted(ranks)
    totals, r = Reader(found[TOTALS]), Reader(found[RUN])
    assert totals.fields()[1] == len(ranks)
    facts = r.fields()
    all_calls = {}
    for rank in sorted(ranks):
        r = read_rank(ranks[rank], groups[group_of[rank]][1], calls, rank)
        for thread, series in enumerate(r.series):
            if series:
                slots = len(series[2])
                print(f'series {rank}.{thread}: {r.iterations[thread][0][0]} iterations in {slots} '
                      f'slots, {len(series[3])} longest')
        visits[rank] = [[count for count, _ in thread] for thread in r.visits]
        print(f'rank {rank}: calls {sum(r.calls.values())}, bytes {r.bytes}, group {group_of[rank]}')
        for name, count in r.calls.items():
            all_calls[name] = all_calls.get(name, 0) + count
    for name, count in sorted(all_calls.items()):
        print(f'call {name} {count}')
    totals = Reader(found[TOTALS]).fields()
    assert totals[4] == sum(all_calls.values())
    print('application', facts[1])
    print('total', totals[4])
    for i, (members, _) in enumerate(groups):
        print(f'group {i}: ranks', *members)
    read_orders(found[ORDERS], sequences, visits)
    r = Reader(found[SITES])
    r.list(lambda: (r.text(), r.n(), r.list(lambda: (r.text(), r.text(), r.n()))))
    r.end()
    read_positions(found[POSITIONS], paths)
    for kind, (count, size) in sorted(sizes.items()):
        print(f'section {kind}: {count}, {size}')


if __name__ == '__main__':
    main(sys.argv[1])
