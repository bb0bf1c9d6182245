#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What counters counted, as the trace has it, against the report: the metrics in the recorded iterations, or with
"full" in all calls, are those of all ranks in the report.

usage: counted_trace.py TRACE report.json [full]

Prints the sums, or fails with what is wrong."""
import json
import sys
from collections import Counter, defaultdict

import otf2
from otf2.events import Enter, Leave, Metric


class Thread:
    def __init__(self):
        self.last, self.calls, self.iterations = None, Counter(), Counter()
        self.entered = self.begun = None
        self.call = self.iteration = self.ended = False     # has begun or ended, without a value yet

    def take(self, event):
        if isinstance(event, Metric):
            self.count({member.name: value for member, value in zip(event.metric.members, event.values)})
        elif isinstance(event, (Enter, Leave)):
            if isinstance(event, Leave) and event.region.paradigm == otf2.Paradigm.MPI and self.entered:
                self.calls.update({name: self.last[name] - value for name, value in self.entered.items()})
            self.call = isinstance(event, Enter) and event.region.paradigm == otf2.Paradigm.MPI
            self.entered = None
            if event.region.region_role == otf2.RegionRole.LOOP:
                self.iteration = True
                self.ended |= isinstance(event, Leave)

    def count(self, values):
        for name, value in values.items():
            assert not self.last or value >= self.last[name], f'{name} goes down'
        self.last = values
        if self.call:
            self.entered, self.call = values, False
        if self.iteration:
            if self.ended:
                self.iterations.update({name: values[name] - value for name, value in self.begun.items()})
            self.begun, self.iteration, self.ended = values, False, False


def read(anchor):
    threads = defaultdict(Thread)
    with otf2.reader.open(anchor) as trace:
        for location, event in trace.events:
            threads[location].take(event)
    return threads.values()


def main(anchor, report, *options):
    with open(report, encoding='utf-8') as file:
        totals = json.load(file)['counters']['totals']
    key = 'in_calls' if options else 'in_recorded'
    sums = Counter()
    for thread in read(anchor):
        sums.update(thread.calls if options else thread.iterations)
    for total in totals:
        name = total['name']
        print(f'{name}: {sums[name]} in the trace, {total[key]} in the report')
    wrong = [total['name'] for total in totals if sums[total['name']] != total[key]]
    assert not wrong, f'{", ".join(wrong)}: not the same'


if __name__ == '__main__':
    main(*sys.argv[1:])
