#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the trace of tests/ends/ends.c ends with the loop: what is recorded is whole iterations that
are alike, and nothing of what comes behind them.

usage: ends.py TOOL DIR

    iterations   summary, report and trace have the same ones, with the same numbers on all ranks
                 that have any; no window is empty
    behind       what is outside of iterations, or windows, are other ends of messages inside, and what
                 completes or starts their requests: none of what is behind the loop
    alike        iterations of the loop have equally many calls on a rank
    tags         messages of a window have one tag: of the loop, or of what is behind it
    earlier      where the main loop is the second one, the first one's iterations are said to be
                 of an earlier loop, or of another phase

Prints how many iterations the windows have; what is wrong goes to standard error, and it exits with 1."""
import re
import subprocess
import sys
from collections import defaultdict

import otf2
from otf2.events import Enter, Leave

BEHIND_IT = 2


class Location:
    def __init__(self, rank, thread):
        self.rank, self.thread = rank, thread
        self.iterations = []  # [number, begin, end, calls]
        self.calls = []       # [begin, end, name, tags, whether it has events of messages]


def number_of(event):
    return next(value for key, value in event.attributes.items() if key.name == 'iteration')


def read_trace(path):
    found = {}
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            if location not in found:
                thread = location.name.rsplit(' ', 1)[1]
                found[location] = Location(int(location.group.name.rsplit(' ', 1)[1]),
                                           int(thread) if thread.isdigit() else 0)
            read_event(found[location], event)
    return sorted(found.values(), key=lambda l: (l.rank, l.thread))


def read_event(here, event):
    if isinstance(event, (Enter, Leave)):
        is_enter, region = isinstance(event, Enter), event.region
        if region.region_role == otf2.RegionRole.LOOP:
            if is_enter:
                here.iterations.append([number_of(event), event.time, None, 0])
            else:
                here.iterations[-1][2] = event.time
        elif region.paradigm == otf2.Paradigm.MPI:
            if is_enter:
                here.calls.append([event.time, None, region.name, set(), False])
            else:
                here.calls[-1][1] = event.time
    elif hasattr(event, 'request_id') or hasattr(event, 'msg_tag'):
        here.calls[-1][4] = True
        if hasattr(event, 'msg_tag'):
            here.calls[-1][3].add(event.msg_tag)


def windows_of_text(text):
    """[(first, last)] of what is behind "Traced" in a summary, and how many iterations it says."""
    lines, on = [], False
    for line in text.splitlines():
        on = line.startswith('Traced') or (on and line.startswith(' '))
        lines += [line] if on and " ranks" not in line else []  # on some, by number again
    said = ' '.join(lines)
    return ([(int(a), int(b or a)) for a, b in re.findall(r'(?:number |; +)(\d+)(?: to (\d+))?', said)],
            sum(int(n) for n in re.findall(r'(\d+) iterations?(?:,| of an earlier| of phase| of a finer|  )', said)))


def windows_of_report(text):
    return [(int(a), int(b or a)) for a, b in
            re.findall(r'^window \d+ +iterations? (\d+)(?: to (\d+))? on', text, re.M)]


def spans_of(location):
    """Windows: [(first, last, begin, end, [calls of each])]."""
    spans = []
    for number, begin, end, _ in location.iterations:
        calls = [c for c in location.calls if begin <= c[0] and c[1] <= end]
        if spans and number == spans[-1][1] + 1 and begin - spans[-1][3] <= 1:
            spans[-1][1], spans[-1][3] = number, end
            spans[-1][4].append(calls)
        else:
            spans.append([number, number, begin, end, [calls]])
    return spans


def check_owner(location, spans, wrong):
    inside = {call[0] for span in spans for calls in span[4] for call in calls}
    who = f'rank {location.rank}'
    check_outside(who, [call for call in location.calls if call[0] not in inside], spans, wrong)
    for span in spans:
        counts = {len(calls) for calls in span[4]}
        tags = tags_of(span)
        if len(counts) > 1 and BEHIND_IT not in tags:
            wrong.append(f'{who}: iterations {span[0]} to {span[1]} have {sorted(counts)} calls')
        if BEHIND_IT in tags and len(tags) > 1:
            wrong.append(f'{who}: iterations {span[0]} to {span[1]} have tags {sorted(tags)}')


def check_outside(who, calls, spans, wrong):
    of_second = any(BEHIND_IT in tags_of(span) for span in spans)
    for begin, _, name, tags, has_messages in calls:
        if not has_messages or (BEHIND_IT in tags and not of_second):
            wrong.append(f'{who}: {name} at {begin}, outside of iterations, has nothing to do with them')
            return


def check_other(location, spans, wrong):
    who = f'rank {location.rank}, thread {location.thread}'
    outside = [call for call in location.calls if not any(s[2] <= call[0] <= s[3] for s in spans)]
    check_outside(who, outside, spans, wrong)
    for begin, _, name, tags, _ in location.calls:
        at = [span for span in spans if span[2] <= begin <= span[3]]
        if at and BEHIND_IT in tags and not any(BEHIND_IT in tags_of(span) for span in at):
            wrong.append(f'{who}: {name} is of what is behind the loop')
            return


def tags_of(span):
    return {tag for calls in span[4] for call in calls for tag in call[3]}


def check_earlier(summary, spans, wrong):
    of_first = sum(span[1] - span[0] + 1 for span in spans if BEHIND_IT not in tags_of(span))
    said = sum(map(int, re.findall(r'(\d+) iterations? of (?:an earlier|phase)', summary)))
    if re.search(r'^Main loop +in second_loop', summary, re.M) and said != of_first:
        wrong.append(f'{said} iterations are said to be of an earlier loop, not {of_first}')


def main(tool, folder):
    wrong = []
    summary = open(folder + '/summary.txt', encoding='utf-8').read()
    report = subprocess.run([tool, 'report', folder], check=True, stdout=subprocess.PIPE,
                            encoding='utf-8').stdout
    locations = read_trace(folder + '/traces.otf2')
    said, sum_said = windows_of_text(summary)
    by_rank, widest = defaultdict(list), []
    for location in locations:
        if not location.iterations:
            continue
        spans = spans_of(location)
        check_owner(location, spans, wrong)
        by_rank[tuple((a, b) for a, b, *_ in spans)].append(location.rank)
        widest = widest or [list(span) for span in spans]
        for wide, span in zip(widest, spans):
            wide[2:4] = min(wide[2], span[2]), max(wide[3], span[3])
    for location in locations:
        if not location.iterations:
            check_other(location, widest, wrong)
    if len(by_rank) != 1:
        wrong.append(f'ranks have other iterations: {dict(by_rank)}')
    traced = [tuple(span[:2]) for span in widest]
    if said != traced:
        wrong.append(f'the summary has {said}, the trace {traced}')
    if windows_of_report(report) != traced:
        wrong.append(f'the report has {windows_of_report(report)}, the trace {traced}')
    check_earlier(summary, widest, wrong)
    count = sum(b - a + 1 for a, b in traced)
    if sum_said != count:
        wrong.append(f'the summary says {sum_said} iterations, the trace has {count}')
    print(*[b - a + 1 for a, b in traced])
    for line in wrong[:4]:
        print(line, file=sys.stderr)
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
