#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the tool makes of a run whose names are hostile: text that a terminal may be given, JSON and
XML that others read, a page in which names stay text.

usage: hostile.py TOOL RUN...     prints lines "NAME<tab>WHY NOT", for tests/hostile.sh
"""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree


def fault_of_text(output):
    """Control characters of ASCII and of ISO 8859, those of Unicode that end a line or turn the
    direction of text, and what is no UTF-8."""
    text = output.decode('utf-8')
    found = re.search(r'[^\n\t\x20-\x7e\xa0-\U0010ffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]', text)
    return f'{text[max(0, found.start() - 30):found.end() + 30]!r}' if found else ''


def fault_of_json(output):
    json.loads(output)
    return fault_of_text(output)


def fault_of_xml(output):
    xml.etree.ElementTree.fromstring(output)
    return fault_of_text(output)


def fault_of_svg(output):
    names = {element.tag.split('}')[1] for element in xml.etree.ElementTree.fromstring(output).iter()}
    return str(names & {'script', 'image', 'img', 'foreignObject'} or '') or fault_of_xml(output)


def fault_of_latex(output):
    """Of commands there are those that the tool writes."""
    own = {'noindent', 'mathrm', 'mbox', 'bigl', 'bigr', 'ldots', 'times', 'smallskip', 'left', 'right'}
    return str(set(re.findall(r'\\([a-z]+)', output.decode())) - own or '') or fault_of_text(output)


def fault_of_page(output):
    page = output.decode('utf-8')
    data = re.search(r'<script type="application/json" id="document">([^<]*)</script>', page)
    if not data:
        return 'no data, or markup in them'
    json.loads(data[1])
    return fault_of_text(data[1].encode())


COMMANDS = {
    'report --all': fault_of_text,
    'report --signatures': fault_of_text,
    'report --json': fault_of_json,
    'report --html': fault_of_page,
    'graph --all': fault_of_text,
    'graph -f svg': fault_of_svg,
    'graph -f json': fault_of_json,
    'profile --all --names': fault_of_text,
    'profile --names -f latex': fault_of_latex,
    'profile -f json': fault_of_json,
    'expand --paths': fault_of_text,
    'export': fault_of_json,
    'export -f json': fault_of_json,
    'compare --all RUN': fault_of_text,
    'compare -f json RUN': fault_of_json,
    'compare -f html RUN': fault_of_page,
}


def judge(tool, run, command, fault):
    words = [run if word == 'RUN' else word for word in command.split()]
    behind = ['-o', '-'] if command == 'report --html' else []
    done = subprocess.run([tool, *words, run, *behind], capture_output=True, timeout=60, check=False)
    said = fault_of_text(done.stderr)
    if said:
        return f'it says {said}'
    if done.returncode and (command.startswith('export') or b'order of' in done.stderr):
        return '' # there is no trace, or no order of calls, and it says so
    if done.returncode:
        return done.stderr.decode()
    try:
        return fault(done.stdout)
    except Exception as problem:  # pylint: disable=broad-except
        return f'{type(problem).__name__}: {problem}'


def main():
    tool, *runs = sys.argv[1:]
    for run in runs:
        for command, fault in COMMANDS.items():
            why = judge(tool, run, command, fault).replace('\n', ' ')
            print(f'{run}: efgtrace {command}\t{why}')


if __name__ == '__main__':
    main()
