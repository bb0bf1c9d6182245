# SPDX-License-Identifier: BSD-3-Clause
"""Sequences of run.efg as efgtrace-run(5) describes them, for read_run.py: segments in both
codings, expanded event for event."""
FOREVER, NONE = (1 << 64) - 1, (1 << 32) - 1
CONTEXTS, LEVELS, MOST_PAIRS, HISTORY = 8, 24, 16, 4
ITEM_RUN, ITEM_LOW, ITEM_HIGH, NEW, SYMBOL, COUNT, END, NUMBER = range(8)
POINTS = (22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743,
          32768, 40793, 47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269,
          65374, 65438, 65476, 65500, 65514)


def signed(n):
    return n >> 1 if n % 2 == 0 else -(n >> 1) - 1


def toward_zero(a, b):
    return a // b if a >= 0 else -(-a // b)


def mix(h, x):
    h = (h ^ x) * 0x9e3779b1 & NONE
    return ((h ^ h >> 15) + 0x7f4a7c15) & NONE


def squash(x):
    left, part = divmod(max(-2047, min(2047, x)) + 2048, 128)
    return (POINTS[left] * (128 - part) + POINTS[left + 1] * part) // 128


def stretched():
    x, table = -2047, []
    for p in range(4096):
        while x < 2047 and squash(x) < 16 * p + 8:
            x += 1
        table.append(x)
    return table


STRETCHED = stretched()


class Mixer:
    """Decodes bits and numbers."""

    def __init__(self, data, slots):
        self.data, self.at, self.slots, self.mask = data, 0, {}, slots - 1
        self.low, self.high, self.code = 0, NONE, 0
        self.weights = [[10000] * CONTEXTS for _ in range(8)]
        for _ in range(4):
            self.shift()
        self.low, self.high = 0, NONE

    def shift(self):
        byte = self.data[self.at] if self.at < len(self.data) else 0
        self.at += 1
        self.code = (self.code << 8 | byte) & NONE
        self.low, self.high = self.low << 8 & NONE, (self.high << 8 | 255) & NONE

    def bit(self, contexts, kind, before=0):
        slots, inputs = [], []
        for i, context in enumerate(contexts):
            context = mix(mix(context, before), i)
            slot = self.slots.setdefault(context & self.mask, [0, 0, 0])
            if not slot[1] or slot[2] != context >> 24:
                slot[:] = [1 << 15, 0, context >> 24]
            slots.append(slot)
            inputs.append(STRETCHED[slot[0] // 16])
        weights = self.weights[kind]
        total = toward_zero(sum(w * x for w, x in zip(weights, inputs)), 65536)
        chance = max(24, min(65536 - 24, squash(total)))
        middle = self.low + (self.high - self.low) * chance // 65536
        bit = int(self.code <= middle)
        if bit:
            self.high = middle
        else:
            self.low = middle + 1
        while self.low >> 24 == self.high >> 24:
            self.shift()
        error = (65536 if bit else 0) - chance
        for i, x in enumerate(inputs):
            weights[i] += toward_zero(x * error * 80, 16 * 65536)
        for slot in slots:
            goal = 65535 if bit else 0
            slot[0] += toward_zero(2 * (goal - slot[0]), 2 * slot[1] + 3)
            slot[1] = min(slot[1] + 1, 30)
        return bit

    def number(self, contexts, kind):
        have, value = 0, 1
        while have < 62 and self.bit(contexts, kind, have):
            have += 1
        for left in reversed(range(have)):
            value = value << 1 | self.bit(contexts, kind, mix(value & NONE, 64 + left))
        return value - 1


class Runs:
    """[node, count, next or None, branch], from the numbers that stand for them."""

    def __init__(self, start):
        self.start, self.nodes, self.runs = start, 0, []

    def add(self, node, count, after, branch):
        node = self.nodes + signed(node)
        assert node >= 0
        self.nodes = max(self.nodes, node + 1)
        number = signed((after - 1) // 2) + 1 + len(self.runs) if after else None
        if not after:
            branch = 0
        elif after % 2:
            branch = FOREVER
        else:
            branch += self.start
        self.runs.append((node, count + 1, number, branch))


def read_plain(r, start, run_count, block_count, pair_count):
    runs, blocks = Runs(start), []
    for _ in range(run_count):
        node, count, after = r.numbers(3)
        runs.add(node, count, after, r.n() if after and after % 2 == 0 else 0)
    for b in range(block_count):
        block = []
        for _ in range(r.n()):
            symbol = r.n()
            count = r.n() + 2 if symbol % 2 else 1
            symbol //= 2
            if symbol >= run_count:
                symbol = ~(b - 1 - (symbol - run_count))
            block.append((symbol, count))
        blocks.append(block)
    r.end()
    assert sum(map(len, blocks)) == pair_count
    return runs.runs, blocks


class Mixed:
    """A segment that is mixed. Symbols: a run's number, ~ that of a block."""

    def __init__(self, data, start, run_count, block_count, pair_count):
        slots = 1024
        while slots < 1 << 20 and slots < 32 * (run_count + pair_count):
            slots *= 2
        self.mixer, self.run_count, self.blocks = Mixer(data, slots), run_count, []
        self.last = [NONE] * HISTORY
        self.tails, self.counts, self.lists = [], {}, {}
        self.items = [[(0, 0)] * HISTORY for _ in range(LEVELS)]
        self.runs = self.read_runs(start)
        self.here = self.find_here()
        self.read_last()
        assert len(self.blocks) == block_count and sum(map(len, self.blocks)) == pair_count

    def number(self, field, a, b):
        base = mix(5, field)
        c = [base, mix(base + 1 & NONE, a), mix(base + 2 & NONE, b)]
        c.append(mix(c[1], b))
        return self.mixer.number(c + [base + i & NONE for i in range(4, CONTEXTS)], NUMBER)

    def read_runs(self, start):
        runs, before = Runs(start), [0] * 4
        for _ in range(self.run_count):
            run = []
            for f in range(4):
                there = f < 3 or (run[2] and run[2] % 2 == 0)
                left = run[f - 1] if f else 0
                run.append(self.number(2 + f, before[f] & NONE, left & NONE) if there else 0)
            runs.add(*run)
            before = run
        return runs.runs

    def find_here(self):
        here = [None] * self.run_count
        for r in range(self.run_count):
            end, steps = r, 0
            while (here[end] is None and self.runs[end][3] == FOREVER and
                   self.runs[end][2] < self.run_count and steps < self.run_count):
                end, steps = self.runs[end][2], steps + 1
            goal, run = end if here[end] is None else here[end], r
            while here[run] is None:
                here[run] = goal
                if run == end:
                    break
                run = self.runs[run][2]
        return here

    def place(self):
        return self.here[self.last[0]] if self.last[0] < self.run_count else self.run_count

    @staticmethod
    def coded(symbol):
        return symbol if symbol >= 0 else 1 << 31 | ~symbol

    def item_contexts(self, level):
        items = [self.coded(symbol) for symbol, _ in self.items[level]]
        c = [mix(mix(1, level), self.place())]
        for i in range(4):
            c.append(mix(c[i], items[i]))
        c.append(mix(mix(c[0], self.last[0]), self.last[1]))
        c.append(mix(c[5], self.last[2]))
        c.append(mix(mix(c[6], self.last[3]), self.items[level][0][1]))
        return c

    def read_symbol(self, level):
        known = self.lists.setdefault((self.place(), level), [])
        kind = (ITEM_RUN, ITEM_LOW, ITEM_HIGH)[min(level, 2)]
        place = self.mixer.number(self.item_contexts(level), kind)
        assert place <= len(known)
        if place:
            symbol = known[place - 1]
        else:
            symbol = self.read_other(level)
            known.append(symbol)
            return symbol
        if level:
            self.last = list(self.tails[~symbol])
        return symbol

    def read_other(self, level):
        c = self.item_contexts(level)
        if level == 0:
            return self.mixer.number(c, SYMBOL)
        if self.mixer.bit(c, NEW):
            return self.read_block(level)
        block = len(self.blocks) - 1 - self.mixer.number(c, SYMBOL)
        self.last = list(self.tails[block])
        return ~block

    def read_pair(self, level):
        symbol, items = self.read_symbol(level), self.items[level]
        assert level or symbol < self.run_count
        first, second = items[0], items[1]
        base = mix(mix(2, level), self.coded(symbol))
        c = [base, mix(base, self.counts.get(symbol, 0)), mix(base + 1 & NONE, self.coded(first[0]))]
        c.append(mix(c[2], first[1]))
        c.append(mix(c[2], self.coded(second[0])))
        c.append(mix(c[3], second[1]))
        c.append(mix(c[4], self.coded(items[2][0])))
        c.append(mix(3, level))
        count = 1 + self.mixer.number(c, COUNT)
        self.counts[symbol] = count
        self.items[level] = [(symbol, count)] + items[:-1]
        if level == 0:
            self.last = [symbol] + self.last[:-1]
        return symbol, count

    def ends(self, level, size):
        if size < 2 or size == MOST_PAIRS:
            return size == MOST_PAIRS
        items = [self.coded(symbol) for symbol, _ in self.items[level]]
        base = mix(4, level)
        c = [base, mix(base, size), mix(base, items[0])]
        c += [mix(c[2], size), mix(c[2], items[1])]
        c += [mix(c[4], items[2]), mix(base + 1 & NONE, items[1]), mix(base + 2 & NONE, self.place())]
        return self.mixer.bit(c, END)

    def add_block(self, pairs):
        self.blocks.append(pairs)
        self.tails.append(list(self.last))
        return ~(len(self.blocks) - 1)

    def read_block(self, level):
        pairs = [self.read_pair(level - 1)]
        while not self.ends(level - 1, len(pairs)):
            pairs.append(self.read_pair(level - 1))
        return self.add_block(pairs)

    def read_last(self):
        pairs, level = [], self.number(0, 0, 0)
        for level in reversed(range(level)):
            for _ in range(self.number(1, level, 0)):
                pairs.append(self.read_pair(level))
        self.add_block(pairs)


def events(runs, blocks, start, length):
    """(node, count), as a reader has them: nested blocks, and predictions behind their runs."""
    at, todo = start, [(~(len(blocks) - 1), 1)]
    while at < start + length:
        symbol, count = todo.pop()
        if count > 1:
            todo.append((symbol, count - 1))
        if symbol < 0:
            todo.extend(reversed(blocks[~symbol]))
            continue
        run = symbol
        while run is not None and at < start + length:
            node, times, after, branch = runs[run]
            run = after if at < branch else None
            times = min(times, start + length - at)
            yield node, times
            at += times
    assert not todo


def read_segments(reader, data):
    """(table, coding, [(node, count) ...]) of each segment. READER: of numbers, see read_run.py."""
    r, at = reader(data), 0
    while r.at < len(data):
        coding, table, start, length, runs, blocks, pairs = r.numbers(7)
        body = r.take(r.n())
        assert start == at
        at += length
        if coding == 0:
            runs, blocks = read_plain(reader(body), start, runs, blocks, pairs)
        else:
            assert coding == 1
            mixed = Mixed(body, start, runs, blocks, pairs)
            runs, blocks = mixed.runs, mixed.blocks
        yield table, coding, events(runs, blocks, start, length)
