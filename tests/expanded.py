#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether `efgtrace expand` gives the calls of a full trace of the same run, one for one.

usage: expanded.py TOOL DIR      DIR has traces.otf2, made with mode full, and run.efg

Of each thread of each rank: the same MPI functions in the same order; the same source lines
where the trace has them; the same functions on the call paths, outermost last, from main on;
and calls with the same path in the one have the same path in the other. Polls that found
nothing are marked in the trace, and are left out.

Prints "rank N: CALLS calls are the same", or the first difference, and then exits with 1."""
from itertools import takewhile
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


def frames(path):
    """[(file:line or None, function)], innermost first, up to main."""
    found = []
    for text in path.split(' < ') if path else []:
        found.append(FRAME.match(re.sub(' in round 1( of . loops)?$', '', text)).groups()[:2])
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


class Comparison:
    """Of the calls of a thread, as they come in the trace, with what the tool writes at the same time."""

    def __init__(self, tool, folder, rank, thread, names):
        self.who = f'rank {rank}{f".{thread}" if thread else ""}'
        command = [tool, 'expand', '--paths', '--rank', str(rank), '--thread', str(thread), folder]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.names, self.paths, self.number, self.why = names, {}, 0, None

    def take(self, call):
        """The next call of the trace; None: there is none."""
        if self.why or (call and call.is_poll):
            return
        line = self.process.stdout.readline()
        self.number += bool(line or call)
        if line and call:
            self.why = self.compare(LABEL.match(line).groups(), call)
        elif line or call:
            self.why = f'call {self.number}: {"more" if line else "no more"} than in the trace'

    def compare(self, ours, call):
        """What differs. OURS: number, function, path."""
        if int(ours[0]) != self.number or ours[1] != call.name:
            return f'call {self.number}: {ours[:2]} is {call.name} in the trace'
        theirs = call.stack, call.site
        if self.paths.setdefault(ours[1:], theirs) != theirs:
            return f'call {self.number}: {ours[2]} has two paths in the trace'
        why = differs(ours[2], theirs, self.names) if self.paths[ours[1:]] is theirs else None
        return f'call {self.number}, {ours[1]}: {why}' if why else None

    def end(self):
        """Whether all were the same."""
        self.take(None)
        self.process.stdout.close()
        if self.process.wait() and not self.why:
            self.why = 'expand failed'
        print(f'{self.who}: {self.why or f"{self.number} calls are the same"}')
        return not self.why


def main(tool, folder):
    """Reads the trace once, for all of them."""
    lines = record.otf2_print(f'{folder}/traces.otf2', '-A')
    definitions = record.Definitions(None, list(takewhile(lambda line: not line.startswith('=== Events '), lines)))
    comparisons = {location: Comparison(tool, folder, rank, int(location) >> 32, definitions.regions)
                   for location, rank in definitions.locations}
    for location, (call, _) in record.calls_of(lines, definitions):
        comparisons[location].take(call)
    sys.exit(not all([one.end() for one in comparisons.values()]))


if __name__ == '__main__':
    main(*sys.argv[1:])
