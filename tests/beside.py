#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the report says of slow iterations beside others (JSON), against the trace as python3-otf2 reads it: the time
of each rank, computation and calls by function, to the ns; `efgtrace compare --iterations` says the same, and
`efgtrace expand --iteration` has these calls.

usage: beside.py TOOL DIR [RANK]

With RANK, the sentence on the slowest one names that rank, and its computation before MPI_Allreduce in main. Prints
how many pairs and rows there were; else what differs, and exits with 1."""
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict

import otf2
from otf2.events import Enter, Leave


def iterations_of(path):
    """{number: {rank: {(what, function): ns}}}"""
    found = defaultdict(dict)
    state = {}  # of a location: [number, cells, end of what was before, function]
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            if not isinstance(event, (Enter, Leave)):
                continue
            is_loop = event.region.region_role == otf2.RegionRole.LOOP
            if is_loop and isinstance(event, Enter):
                number = next(value for key, value in event.attributes.items() if key.name == 'iteration')
                state[location] = [number, Counter(), event.time]
            elif is_loop:
                number, cells, before = state.pop(location)
                cells['compute', ''] += event.time - before
                found[number][int(location.group.name.rsplit(' ', 1)[1])] = cells
            elif event.region.name.startswith('MPI_') and location in state:
                now = state[location]
                what = 'compute' if isinstance(event, Enter) else 'call'
                now[1][what, event.region.name] += event.time - now[2]
                now[2] = event.time
    return found


def check(pair, iterations):
    one, other = iterations[pair['iteration']], iterations[pair['other']]
    ranks = [[rank, sum(one[rank].values()), sum(other[rank].values())] for rank in sorted(set(one) & set(other))]
    assert [rank[:3] for rank in pair['ranks']] == ranks, 'times of ranks'
    for side, cells in ('time', one), ('other_time', other):
        assert pair[side] == sum(sum(cells[rank].values()) for rank, *_ in ranks), side
        wanted, got = Counter(), Counter()
        for rank, *_ in ranks:
            wanted.update(cells[rank])
        for row in pair['differences']:
            call = re.search(r'MPI_\w+', row['label'])
            got[row['what'], call[0] if call else ''] += row[side]
        assert +wanted == +got, f'{side}: {+wanted - +got}, {+got - +wanted}'
    whole = pair['time'] - pair['other_time']
    assert sum(row['difference'] for row in pair['differences']) == whole, 'the sum of differences'
    assert abs(sum(row['share'] for row in pair['differences']) - 1) < 1e-6, 'the sum of shares'
    sizes = [abs(row['difference']) for row in pair['differences']]
    assert sizes == sorted(sizes, reverse=True), 'the largest first'
    return len(sizes)


def check_calls(tool, folder, number, ranks):
    """Lines of `expand`: number, rank, when it began, how long it took, function."""
    said = defaultdict(Counter)
    for line in subprocess.check_output([tool, 'expand', '-i', str(number), folder], text=True).splitlines():
        _, rank, _, took, function, *_ = line.split()
        said[int(rank)]['call', function] += round(1000 * float(took))
    for rank, cells in ranks.items():
        assert +said[rank] == +Counter({key: ns for key, ns in cells.items() if key[0] == 'call'}), f'calls of rank {rank}'
    assert set(said) == set(ranks), 'ranks with calls'


def main(tool, folder, rank=None):
    report = json.loads(subprocess.check_output([tool, 'report', '--json', folder]))
    iterations = iterations_of(folder + '/traces.otf2')
    rows = sum(check(pair, iterations) for pair in report['slow'])
    assert report['slow'], 'there are none'
    for pair in report['slow']:
        numbers = f'{pair["iteration"]},{pair["other"]}'
        said = json.loads(subprocess.check_output([tool, 'compare', '-i', numbers, '-f', 'json', folder]))
        assert {**said, **pair} == said, f'compare --iterations {numbers} says something else'
        check_calls(tool, folder, pair['iteration'], iterations[pair['iteration']])
    sentence = max(report['slow'], key=lambda pair: pair['times_median'])['sentence']
    assert sentence in report['overview']['findings'], 'it is no finding'
    if rank is not None:
        cause = fr'rank {rank}, [0-9.]+ \w+ more of computation before MPI_Allreduce  slow.c:\d+ main\.$'
        assert re.search(cause, sentence), sentence
    print(f'{len(report["slow"])} slow iterations, {rows} rows')


if __name__ == '__main__':
    try:
        main(*sys.argv[1:])
    except AssertionError as error:
        sys.exit(str(error))
