#!/usr/bin/python3
"""Of the calls that python/calls.py made: how many have the functions and lines in the graph that Python said?

usage: python.py SCRIPT LOG < GRAPH          GRAPH: what `efgtrace graph -f json` writes
Prints "N of M", and on standard error what differs.
"""
import collections
import json
import sys


def own(path, script):
    return tuple((frame['function'], frame['line']) for frame in path if frame['file'].endswith(script))


script, log = sys.argv[1:]
said, seen = collections.Counter(), collections.Counter()
with open(log) as file:
    for call in json.load(file):
        said[tuple(map(tuple, call['path']))] += call['count']
for node in json.load(sys.stdin)['nodes']:
    if node['call'] == 'MPI_Barrier':
        seen[own(node['path'], script)] += node['count']
right = sum((said & seen).values())
print(f'{right} of {sum(said.values())}')
for what, paths in ('missing', said - seen), ('wrong', seen - said):
    for path, count in paths.items():
        print(f'{what}: {count} x {path}', file=sys.stderr)
