#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether `efgtrace expand` gives the calls of a full trace of the same run, one for one.

usage: expanded.py TOOL DIR      DIR has traces.otf2, made with mode full, and run.efg

Of each thread of each rank: the same MPI functions in the same order; the same source lines
where the trace has them; the same functions on the call paths, outermost last, from main on;
and calls with the same path in the one have the same path in the other. Polls that found
nothing are marked in the trace, and are left out.

Prints "rank N: CALLS calls are the same", or the first difference, and then exits with 1."""
from itertools import zip_longest
import os
import re
import subprocess
import sys

import record

LABEL = re.compile(r'^ *(\d+)  (?: *\d+(?:\.\d+)?  )?(MPI_\w+)(?:  (.*))?$')
FRAME = re.compile(r'^(?:(\S+:\d+) )?(.*?)(?: \(([^()]*)\))?(?: \[.*\])?$')
LINE = re.compile(r'"(.*?):(\d+)"')


def shortened(name):
    """A C++ name as the tool writes it; others are as they are."""
    depth = 0
    for i, letter in enumerate(name):
        before = name[i - 1] if i else ''
        depth += letter == '<' and before != 'r'
        depth -= letter == '>' and depth > 0 and before != '-'
        if i and letter == '(' and not depth and not name.startswith('(anonymous', i):
            name = name[:i + 2] if name.startswith('()(', i) else name[:i]
            break
    scopes = depth = 0
    for i in range(len(name), 1, -1):
        depth += (name[i - 1] == '>') - (name[i - 1] == '<')
        if depth <= 0 and name[i - 2:i] == '::':
            scopes += 1
            if scopes == 2:
                return name[i:]
    return name


def expanded(tool, folder, rank, thread):
    """(number, function, path) of each call, as the tool writes them."""
    command = [tool, 'expand', '--paths', '--rank', str(rank), '--thread', str(thread), folder]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            yield LABEL.match(line).groups()
    if process.returncode:
        sys.exit(f'expanded: rank {rank}: expand failed')


def frames(path):
    """[(file:line or None, function)], innermost first, up to main."""
    found = []
    for text in path.split(' < ') if path else []:
        found.append(FRAME.match(text).groups()[:2])
        if found[-1][1] == 'main':
            break
    return found


def differs(ours, theirs, names):
    """Why the paths OURS and THEIRS (stack of regions, site) are not the same; None: they are."""
    stack, site = theirs
    functions = [shortened(names[region]) for region in reversed(stack) if names[region] != 'iteration']
    inner = frames(ours)
    line = LINE.search(site)
    if line and inner[0][0] != f'{os.path.basename(line[1])}:{line[2]}':
        return f'{inner[0]} is not at {line[0]}'
    extra = len(inner) - len(functions) # before main, where the path does not reach main
    if extra < 0 or (extra > 0 and inner[-1][1] == 'main'):
        return f'{inner} are not {len(functions)} functions, {functions}'
    for (_, ours_is), theirs_is in zip(inner, functions):
        if ours_is != theirs_is and not theirs_is.startswith('[') and '+0x' not in ours_is:
            return f'{ours_is} is not {theirs_is}'
    return None


def compare(tool, folder, rank, thread, definitions, names):
    trace = (call for call, _ in record.calls(f'{folder}/traces.otf2', rank, definitions)
             if not call.is_poll)
    paths, number = {}, 0
    for ours, call in zip_longest(expanded(tool, folder, rank, thread), trace):
        number += 1
        if not ours or not call:
            return f'call {number}: {"no more" if not ours else "more"} than in the trace'
        if int(ours[0]) != number or ours[1] != call.name:
            return f'call {number}: {ours[:2]} is {call.name} in the trace'
        theirs = call.stack, call.site
        if paths.setdefault(ours[1:], theirs) != theirs:
            return f'call {number}: {ours[2]} has two paths in the trace'
        why = differs(ours[2], theirs, names) if paths[ours[1:]] is theirs else None
        if why:
            return f'call {number}, {ours[1]}: {why}'
    print(f'rank {rank}{f".{thread}" if thread else ""}: {number} calls are the same')
    return None


def main(tool, folder):
    trace, failed = f'{folder}/traces.otf2', 0
    definitions = record.Definitions(trace)
    lines = list(record.otf2_print(trace, '-G'))
    names = {ref: name for ref, name, _ in record.find(record.REGION, lines)}
    for location, rank in record.find(record.LOCATION, lines):
        rank, thread = int(rank), int(location) >> 32
        definitions.ranks[rank] = location
        why = compare(tool, folder, rank, thread, definitions, names)
        if why:
            print(f'rank {rank}.{thread}: {why}')
            failed = 1
    sys.exit(failed)


if __name__ == '__main__':
    main(*sys.argv[1:])
