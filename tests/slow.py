#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which iterations of a trace took long on some rank: each of them, and the ones before and behind it, have
to be there on all ranks.

usage: slow.py TRACE SECONDS

Prints the numbers of those that took so many seconds or more; what is missing goes to standard error, and it
exits with 1."""
import sys
from collections import defaultdict

import otf2
from otf2.events import Enter, Leave


def iterations_of(path):
    """{rank: {number: seconds}}"""
    found, begun = defaultdict(dict), {}
    with otf2.reader.open(path) as trace:
        second = trace.timer_resolution
        for location, event in trace.events:
            if not isinstance(event, (Enter, Leave)) or event.region.region_role != otf2.RegionRole.LOOP:
                continue
            if isinstance(event, Enter):
                number = next(value for key, value in event.attributes.items() if key.name == 'iteration')
                begun[location] = number, event.time
            else:
                number, begin = begun.pop(location)
                found[location.group.name][number] = (event.time - begin) / second
    return found


def main(path, least):
    ranks = iterations_of(path)
    slow = {number for times in ranks.values() for number, seconds in times.items() if seconds >= least}
    missing = [f'{name} lacks iteration {number}' for name, times in sorted(ranks.items())
               for one in sorted(slow) for number in (one - 1, one, one + 1) if number not in times]
    print(*sorted(slow))
    print('\n'.join(missing), end='', file=sys.stderr)
    return 1 if missing else 0


sys.exit(main(sys.argv[1], float(sys.argv[2])))
