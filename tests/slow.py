#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which iterations of a trace took long on some rank: each of them, and the ones before and behind it, have
to be there on all ranks, and say why they were kept. Ranks without iterations have to have calls then.

usage: slow.py TRACE SECONDS

Prints the numbers of those that took so many seconds or more; what is missing goes to standard error, and it
exits with 1."""
import sys
from collections import defaultdict

import otf2
from otf2.events import Enter, Leave


def iterations_of(path):
    """{rank: {number: (seconds, why it was kept, times the median, its begin)}}, {rank: when it called MPI}"""
    found, calls, begun = defaultdict(dict), defaultdict(list), {}
    with otf2.reader.open(path) as trace:
        second = trace.timer_resolution
        for location, event in trace.events:
            if not isinstance(event, (Enter, Leave)):
                continue
            if event.region.region_role != otf2.RegionRole.LOOP:
                calls[location.group.name].append(event.time / second)
            elif isinstance(event, Enter):
                begun[location] = {key.name: value for key, value in event.attributes.items()}, event.time
            else:
                said, begin = begun.pop(location)
                found[location.group.name][said['iteration']] = \
                    (event.time - begin) / second, said['kept'], said.get('times_median', 0), begin / second
    return found, calls


def faults(name, times, number):
    """What is wrong with the slow iteration NUMBER of one rank, and with those around it."""
    lacks = [one for one in (number - 1, number, number + 1) if one not in times]
    if lacks:
        return [f'{name} lacks iteration {one}' for one in lacks]
    kept = [times[one][1] for one in (number - 1, number, number + 1)]
    if kept[1] == 'spread':
        return []
    if kept != ['beside a slow one', 'slow', 'beside a slow one'] or times[number][2] < 10:
        return [f'{name} says of iterations around {number}: {kept}, {times[number][2]} times the median']
    return []


def is_recorded(calls, ranks, number):
    """Whether one was called in iteration NUMBER of some rank."""
    return any(times[number][3] <= call <= times[number][3] + times[number][0]
               for times in ranks.values() if number in times for call in calls)


def main(path, least):
    ranks, calls = iterations_of(path)
    slow = {number for times in ranks.values() for number, (took, *_) in times.items() if took >= least}
    said = {times[number][2] for times in ranks.values() for number in slow if number in times}
    missing = [fault for name, times in sorted(ranks.items()) for one in sorted(slow)
               for fault in faults(name, times, one)]
    missing += [f'{name} called nothing in iteration {one}' for name in sorted(calls.keys() - ranks.keys())
                for one in sorted(slow) if not is_recorded(calls[name], ranks, one)]
    if len(said) > len(slow):
        missing.append(f'the ranks say {sorted(said)} times the median')
    print(*sorted(slow))
    print('\n'.join(missing), end='', file=sys.stderr)
    return 1 if missing else 0


sys.exit(main(sys.argv[1], float(sys.argv[2])))
