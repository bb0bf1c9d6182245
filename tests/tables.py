#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether all tables tell the same of the main loop: in which function it is, how often it went round, how long an
iteration takes, and with which call the recorded ones begin.

usage: tables.py TOOL TRACE

Those are the line "Main loop" and the starred row in the summary, in summary.txt and in the report; the JSON, which
is what the page has; the profile of the rank that stands for the run; the comparison of the run with itself. With
which call iterations begin is compared with the trace, on that rank: all but one, unless it says "mostly".
Prints the number of iterations. Exit code: 0 they agree, 1 not.
"""
import json
import math
import re
import subprocess
import sys

TOOL, TRACE = sys.argv[1:3]


def said(*words):
    return subprocess.run([TOOL, *words], stdout=subprocess.PIPE, text=True, check=True).stdout


def found(pattern, text):
    return re.findall(pattern, text, re.MULTILINE)


def of_profile(text):
    """Rounds of the main loop in the run: its iterations may be several in a round of the source, and the loop may be
    in others."""
    around, told = [], []
    for indent, rounds, rest in found(r'^(.*? )for (\d+) times(.*)$', text):
        around = [(depth, times) for depth, times in around if depth < len(indent)] + [(len(indent), int(rounds))]
        main_loop = re.search(r'\* main loop(?:, (\S+) iterations of it each)?$', rest)
        if main_loop:
            told.append(math.prod(times for _, times in around) * float(main_loop[1] or 1))
    return told


def first_calls(timeline, rank):
    """Labels of the calls that the recorded iterations of RANK begin with."""
    location = next(l for l in timeline['locations'] if l['rank'] == rank and not l['thread'])
    time, calls, begins = 0, [], []
    for gap, duration, site in zip(*[iter(location['calls'])] * 3):
        calls.append((time + gap, timeline['sites'][site]['label']))
        time += gap + duration
    for _, begin, _ in zip(*[iter(location['iterations'])] * 3):
        begins += [label for at, label in calls if at >= begin][:1]
    return begins


def check_begin(text, report):
    """Of one phase; of an entry of a function, only its name is told."""
    begin = found(r'^ +each begins (?:at|with) (MPI_.*?),?$', re.sub(r'\n {15}(?=\S)', ' ', text))
    timeline = report.get('timeline')
    if not begin or begin[0].endswith('mostly') or not timeline or len(report['phases']) > 1 or \
            timeline['left_out'] or not all(w['is_main'] for w in report['curve']['windows']):
        return []
    calls = first_calls(timeline, report['iterations']['of_rank'])
    others = [call for call in calls if call != begin[0]]
    return [] if len(others) < 2 else [f'iterations begin with {calls}, not {begin[0]}']


def check_function(summary):
    """Behind the function there may be its callers, an offset, and what the loop does."""
    lines = re.sub(r'\n {15}(?=\S)', ' ', summary)
    told = found(r'^Main loop +in (.*?), \d', lines) + found(r'\* +in (?:\S+:\d+ )?(.*?)(?:: [A-Z]\w+.*)?$', lines)
    functions = {re.split(r' < |@0x| \(inner| #| \(has|, from round', name)[0] for name in told}
    return [f'it is in {sorted(functions)}'] * (len(functions) > 1)


def main():
    with open(f'{TRACE}/summary.txt', encoding='utf-8') as file:
        summary = file.read()
    text, report = said('report', '--all', TRACE), json.loads(said('report', '--json', TRACE))
    rank = found(r'loops of rank (\d+)', summary)
    pair = found(r'^ *(\d+) +(\d+) .* \* ', said('compare', '--all', TRACE, TRACE))
    told = {
        'starred row': found(r'^ *(\d+) .*%  \* ', summary),
        'report': found(r'^Main loop .*, (\d+) iterations', text),
        'starred rows of the report': found(r'^ *(\d+) .*%  \* ', text),
        'JSON': [loop['repetitions'] for loop in report['loops'] if loop['is_main']],
        'comparison': pair and pair[0],
        'profile': of_profile(said('profile', '--all', '--rank', *rank, TRACE)),
        'judgement': [report['representative']['iterations']['run']] if 'timeline' in report else [],
    }
    wanted = float((found(r'^Main loop .*, (\d+) iterations', summary) or [0])[0])
    wrong = [f'{name} {list(all)}' for name, all in told.items() if {float(n) for n in all} - {wanted}]
    times = set(found(r'^Main loop .* take (.*) each', text) + found(r'all iterations (.*?) \(', text) +
                found(r'^all .* of all ranks, (.*?) each', text)[:1])
    wrong += [f'an iteration takes {times}'] * (len(times) > 1) + check_begin(text, report) + check_function(summary)
    print(f'{wanted:.0f} iterations' + ''.join(f'; {what}' for what in wrong))
    sys.exit(bool(wrong))


if __name__ == '__main__':
    main()
