#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether an OTF2 trace that `efgtrace expand` rebuilt has the counts and times of the graph.

usage: rebuilt.py TOOL DIR TRACE RANK     each call site of DIR has a source line of its own

Prints what differs: of a node the visits, or their time by 1 % or more; of an edge the same, of
the time between the calls."""
from collections import defaultdict
import json
import os
import subprocess
import sys

import record
from expanded import LINE


def of_graph(tool, folder, rank):
    text = subprocess.run([tool, 'graph', '-f', 'json', '-r', str(rank), folder],
                          stdout=subprocess.PIPE, check=True).stdout
    graph, keys, found = json.loads(text), [], defaultdict(lambda: [0, 0])
    for node in graph['nodes']:
        frame = node['path'][0]
        keys.append((node['call'], f'{os.path.basename(frame["file"])}:{frame["line"]}'))
        assert keys[-1] not in keys[:-1], f'{keys[-1]} is two nodes'
        found[keys[-1]] = [node['count'], node['time']['sum']]
    for edge in graph['edges']:
        found[keys[edge['from']], keys[edge['to']]] = [edge['count'], edge['time']['sum']]
    return found


def of_trace(trace, rank):
    found, before, last = defaultdict(lambda: [0, 0]), None, 0
    for call, leave in record.calls(trace, rank, record.Definitions(trace)):
        line = LINE.search(call.site)
        key = call.name, f'{os.path.basename(line[1])}:{line[2]}'
        for what, time in ((key, leave - call.enter), ((before, key), call.enter - last)):
            if before or what == key:
                found[what][0] += 1
                found[what][1] += time
        before, last = key, leave
    return found


def main(tool, folder, trace, rank):
    graph, rebuilt = of_graph(tool, folder, rank), of_trace(trace, int(rank))
    for what in sorted(graph.keys() | rebuilt.keys(), key=str):
        (count, time), (count_is, time_is) = graph[what], rebuilt[what]
        if count != count_is or abs(time - time_is) > time / 100:
            print(f'{what}: {count} visits, {time} ns; rebuilt {count_is}, {time_is}')


main(*sys.argv[1:])
