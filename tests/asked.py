#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How many iterations in a row of a trace were kept for a reason, "asked for" if none is given: all ranks have
to have the same ones.

usage: asked.py TRACE [REASON]"""
import sys
from collections import defaultdict

import otf2
from otf2.events import Enter


def numbers_of(path, reason):
    """{rank: numbers of the iterations that were kept for this reason}"""
    found = defaultdict(list)
    with otf2.reader.open(path) as trace:
        for location in trace.definitions.locations:
            found[location.group.name] = []
        for location, event in trace.events:
            if isinstance(event, Enter) and event.region.region_role == otf2.RegionRole.LOOP:
                said = {key.name: value for key, value in event.attributes.items()}
                if said.get('kept') == reason:
                    found[location.group.name].append(said['iteration'])
    return found


def lengths(numbers):
    """How many numbers in a row there are, of each row."""
    rows = []
    for before, number in zip([None] + numbers, numbers):
        if before is not None and number == before + 1:
            rows[-1] += 1
        else:
            rows.append(1)
    return rows


ranks = numbers_of(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else 'asked for')
if len(set(map(tuple, ranks.values()))) != 1:
    sys.exit(f'ranks differ: {dict(ranks)}')
print(*lengths(next(iter(ranks.values()))))
