#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The copy of a trace with metrics of waiting, by `efgtrace export -f otf2`, against the trace and against
`efgtrace report --json`.

metrics.py TOOL DIR COPY    a line: how many values there are of which metrics; or what differs
"""
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict

import otf2
from record import otf2_print

ALL, AWAITED = 'waiting', 'others wait for it'


def printed(anchor, *options):
    """What otf2-print says, but for what the copy has besides."""
    for line in otf2_print(anchor, *options):
        line = line.rstrip('\n')
        if not line.startswith('METRIC'):
            yield re.sub(r'# Events: \d+', '', line)


def same_events(copied, original):
    for got, wanted in zip(copied, original):
        assert got == wanted, 'the copy has %r, the trace %r' % (got, wanted)
    for rest in copied, original:
        rest = next(rest, None)
        assert rest is None, 'only one of the two has %r' % rest


def same_definitions(copied, original):
    copied, original = list(copied), list(original)
    missing = Counter(original) - Counter(copied)
    assert not missing, 'the copy has no %r' % next(iter(missing))
    extra = Counter(copied) - Counter(original)
    assert all(line.startswith('STRING ') for line in extra), 'the trace has no %r' % next(iter(extra))
    kept = [line for line in copied if line not in extra]
    assert kept == original, 'the copy has its definitions in another order'


class Thread:
    def __init__(self):
        self.iterations, self.sums = 0, [Counter(), Counter()]    # of all, and within iterations
        self.open = {}     # metric -> value, since when
        self.is_inside = False
        self.call = None    # when it began
        self.ended = None   # when others no longer wait for it, by the metric


def take(thread, event, metrics):
    kind = type(event).__name__
    if kind in ('Enter', 'Leave') and event.region.region_role == otf2.RegionRole.LOOP:
        thread.is_inside = kind == 'Enter'
        thread.iterations += 1
    if kind in ('Enter', 'Leave') and event.region.paradigm == otf2.Paradigm.MPI:
        thread.call = event.time if kind == 'Enter' else None
        assert thread.ended in (None, event.time), '%s ends %d ns before its call' % (AWAITED, event.time - thread.ended)
        thread.ended = None
    if kind != 'Metric':
        return
    name, (value,) = event.metric.members[0].name, event.values
    if value:
        assert name not in thread.open, '%s has two values at once' % name
        assert event.time == thread.call, '%s has a value %d ns behind the begin of its call' % (name,
                                                                                               event.time - thread.call)
        thread.open[name] = value, event.time
        metrics[name] += 1
        thread.sums[0][name] += value
        thread.sums[1][name] += value if thread.is_inside else 0
    elif name in thread.open:
        value, since = thread.open.pop(name)
        if name == AWAITED:
            thread.ended = event.time
        else:
            assert event.time == since + value, '%s of %d ns lasts %d' % (name, value, event.time - since)


def read(anchor):
    threads, metrics = defaultdict(Thread), Counter()
    with otf2.reader.open(anchor) as trace:
        for location, event in trace.events:
            rank = int(location.group.name.rsplit(' ', 1)[1])
            number = location.name.rsplit(' ', 1)[1]
            take(threads[rank, int(number) if number.isdigit() else 0], event, metrics)
    for thread in threads.values():
        assert not thread.open, 'a value lasts for ever'
    return threads, metrics


def same_sums(threads, document):
    """Of each location, by kind; and for whom they wait, where all calls count."""
    awaited = Counter()
    for location in document['locations']:
        me = location['rank'], location['thread']
        sums = threads[me].sums[threads[me].iterations > 0]
        awaited[location['rank']] += sums.pop(AWAITED, 0)
        assert sums.pop(ALL, 0) == sum(location['waiting'].values()), 'rank %d, thread %d: all' % me
        assert +sums == Counter(location['waiting']), 'rank %d, thread %d: %s in the copy, %s in the report' % (
            *me, dict(sums), location['waiting'])
    if not any(thread.iterations for thread in threads.values()):
        wanted = Counter()
        for _, other, time, _ in document['pairs']:
            wanted[other] += time
        del wanted[None]
        assert +awaited == +wanted, 'others wait %s in the copy, %s in the report' % (awaited, wanted)


def main():
    tool, folder, copy = sys.argv[1:]
    same_events(printed(copy + '/traces.otf2'), printed(folder + '/traces.otf2'))
    same_definitions(printed(copy + '/traces.otf2', '-G'), printed(folder + '/traces.otf2', '-G'))
    threads, metrics = read(copy + '/traces.otf2')
    document = json.loads(subprocess.check_output([tool, 'report', '--json', folder]))['waiting']
    same_sums(threads, document)
    print(', '.join('%s %d' % metric for metric in sorted(metrics.items())) or 'none')


main()
