#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether each row of each table of a run has a name of its own, and loops do the same in all tables.

usage: rows.py TOOL TRACE

Tables are those of `report --all`, of `report --json`, which is what the page has, and of the summary. Rows are named
by a call site or a loop. Prints how many names there are. Exit code: 0 right, 1 not.
"""
import json
import re
import subprocess
import sys
from collections import Counter

TOOL, TRACE = sys.argv[1:3]
SITE = re.compile(r'\s((?:computation before |loop )?(?:MPI_\w+|\(all further calls\))(?:  .*)?)$')
LOOP = re.compile(r'(?:%  [* ] |\d x | loop )\s*((?:in|from) \S.*)$')


def said(*words):
    return subprocess.run([TOOL, *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def twice(names):
    return [name for name, times in Counter(names).items() if times > 1]


def in_text(text):
    """Of each table: its heading, and what names its rows, which begin with a number, or with a dash for none. A
    table ends with any other line. What ends with a comma is a hint that goes on in the next line."""
    heading, names = '', []
    for line in text.split('\n') + ['']:
        row = re.match(r'\s*(\d|-  )', line) and (LOOP.search(line) or SITE.search(line))
        if row and not line.endswith(','):
            names.append(row[1])
        elif names:
            yield heading, names
            names = []
        heading = heading if row else line.strip()


def in_json(value, path):
    """The same of lists of objects: what has a label is named by that, and by what is of it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from in_json(item, f'{path}.{key}')
    elif isinstance(value, list):
        for key in ('name',) if path == '.loops' else ('label',):
            if value and all(isinstance(row, dict) and key in row for row in value):
                yield path, [f"{row.get('what', '')} {row[key]}".strip() for row in value]
        for item in value:
            yield from in_json(item, path)


def main():
    report = json.loads(said('report', '--json', TRACE))
    text = said('report', '--all', TRACE)
    tables = [*in_text(text), *in_json(report, '')]
    wrong = [f'{table}: twice "{name}"' for table, names in tables for name in twice(names)]
    calls = {}  # of a loop, by its place: what it does; ranks may have other loops around it or inside
    for name in {name for _, names in tables for name in names}:
        place, colon, does = re.sub('^loop ', '', name).partition(': ')
        if colon and place.startswith('in ') and not re.search(r' \(inner|[+@]0x| #\d', place):
            calls.setdefault(place, set()).add(does)
    wrong += [f'{place} does {sorted(does)}' for place, does in sorted(calls.items()) if len(does) > 1]
    print(f'{sum(len(names) for _, names in tables)} rows' + ''.join(f'; {what}' for what in wrong[:5]))
    sys.exit(bool(wrong))


if __name__ == '__main__':
    main()
