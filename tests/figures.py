#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Figures of a report: in DIR are text, json (of efgtrace report), folded (of efgtrace export) and run.efg, which is
read by read_run.py. Prints "NAME<tab>WHY NOT" for each comparison.

usage: figures.py DIR"""
import json
import re
import sys
from collections import Counter

import read_run

DIR = sys.argv[1]


def check(name, wanted, got):
    print(f'{DIR}: {name}', '' if wanted == got else f'expected {wanted}, got {got}', sep='\t')


def read_all():
    """Of each rank: calls by name, bytes, time in MPI."""
    with open(f'{DIR}/run.efg', 'rb') as file:
        data = file.read()
    found, ranks = {}, {}
    for kind, number, payload in read_run.sections(data):
        if kind == read_run.RANK:
            ranks[number] = payload
        elif kind in (read_run.NAMES, read_run.GROUPS):
            found[kind] = payload
    calls, paths = read_run.read_names(found[read_run.NAMES])
    shapes = {rank: shape for members, shape in read_run.read_groups(found[read_run.GROUPS])
              for rank in members}
    return {rank: read_run.read_rank(payload, shapes[rank], calls, rank)
            for rank, payload in ranks.items()}


def table(lines, title, pattern):
    """The lines of a table of the text, as the groups of PATTERN."""
    at = lines.index(title) + 2
    end = next(i for i in range(at, len(lines)) if not lines[i])
    return [match.groups() for match in map(re.compile(pattern).match, lines[at:end]) if match]


def ns(time):
    time = int(time)
    for limit, unit, per in ((1000, 'ns', 1),
                             (999.5e3, 'us', 1e3), (999.5e6, 'ms', 1e6), (600e9, 's', 1e9), (7200e9, 'min', 60e9)):
        if time < limit:
            value = time / per
            return f'{time} ns' if per == 1 else f'{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f} {unit}'
    return 'long'


def of_list(text):
    """Ranks of a list such as "0,2-62:2"."""
    for part in filter(None, text.split(',')):
        ends, _, stride = part.partition(':')
        first, _, last = ends.partition('-')
        yield from range(int(first), int(last or first) + 1, int(stride or 1))


def check_heat(report, ranks, lines):
    """Iterations by rank: the mean of each column is that of the ranks of its row, as run.efg has them."""
    heat = report.get('heat')
    at = lines.index('Iterations by rank, over the run') + 2
    if not heat:
        return check('iterations by rank: none', 'none: no main loop was found', lines[at])
    rows = [list(of_list(row['ranks'])) for row in heat['rows']]
    check('iterations by rank: each is in a row, or has no such loop', sorted(ranks),
          sorted(sum(rows, list(of_list(heat['without'])))))
    check('iterations by rank: how many are in a row', [row['rank_count'] for row in heat['rows']], list(map(len, rows)))
    check('iterations by rank: 64 rows at most', True, len(rows) <= 64)
    for row, members in zip(heat['rows'], rows):
        columns = [[0, 0, 0] for _ in row['time']]
        for rank in members:
            number, _, slots, _ = next(s for s in ranks[rank].series if s)
            at_start = (number - heat['first']) // heat['width']
            if any(n != heat['width'] for n, *_ in slots[:-1]) or (number - heat['first']) % heat['width'] or at_start < 0:
                break   # they are divided
            for column, slot in zip(columns[at_start:], slots):
                column[:] = map(sum, zip(column, slot))
        else:
            wanted = [(time / n, mpi / n) if n else (None, None) for n, time, mpi in columns]
            off = [(want, got) for want, got in zip(wanted, zip(row['time'], row['mpi']))
                   if (want[0] is None) != (got[0] is None) or want[0] is not None and
                   max(abs(want[0] - got[0]), abs(want[1] - got[1])) > 1]
            check(f"iterations by rank: those of {row['ranks'][:20]}", [], off)
    # The text has the same in at most seven columns.
    row, count = heat['rows'][0], len(heat['rows'][0]['time'])
    first, _, own, _ = next(s for s in ranks[rows[0][0]].series if s)
    if len(rows[0]) == 1 and first == heat['first'] and None not in row['time'] and len(own) == count:
        width = -(-count // 7)
        parts = [own[i:i + width] for i in range(0, count, width)] + [own]
        wanted = [ns(sum(slot[1] - slot[2] for slot in part) / sum(slot[0] for slot in part)) for part in parts]
        check('iterations by rank: as in the text', wanted, re.findall(r'[\d.]+ [mun]?s', lines[at + 1]))


def check_clusters(report, ranks, lines):
    """Each rank is in one cluster, and the text has the same ones."""
    clusters, alike = report['clusters'], report['alike']
    members = [list(of_list(c['ranks'])) for c in clusters]
    check('clusters: each rank is in one', sorted(ranks), sorted(sum(members, [])))
    check('clusters: how many are in each', [c['count'] for c in clusters], list(map(len, members)))
    check('clusters: the representative is one of them', [], [c['number'] for c, m in zip(clusters, members) if c['representative'] not in m])
    check('clusters: outliers', sorted(sum((m for c, m in zip(clusters, members) if c['is_outlier']), [])), list(of_list(alike['outliers'])))
    check('clusters: nothing differs from itself', (0, []), (clusters[0]['apart'], clusters[0]['differences']))
    rows = table(lines, 'Clusters of ranks that behave alike', r' +(\d+) +(\d+) +([\d.]+)% +(.*?) +([\d.]+)% ')
    wanted = [(c['number'], c['count'], f"{100 * c['apart']:.1f}", ns(c['time']), f"{100 * c['mpi'] / (c['time'] or 1):.1f}") for c in clusters]
    check('clusters: as in the text', wanted if len(clusters) > 1 else [], [(int(n), int(count), *rest) for n, count, *rest in rows])
    found = any('not behave like the others' in sentence for sentence in report['overview']['findings'])
    check('clusters: a finding if there are outliers', alike['outliers'] != '', found)


def check_folded(report):
    """Folded stacks are the contexts with time of their own."""
    wanted, paths = Counter(), []
    for c in report['contexts']:
        above = paths[c['parent']] if c['parent'] is not None else ''
        paths.append((above and above + ';') + ''.join('_' if letter == ';' or letter < ' ' else letter for letter in c['name']))
        wanted[paths[-1]] += c['time']['sum']
        wanted[above] -= c['time']['sum']
    del wanted['']
    got = Counter()
    with open(f'{DIR}/folded', encoding='utf-8', errors='replace') as file:
        for line in file:
            path, time = line.rstrip('\n').rsplit(' ', 1)
            got[path] += int(time)
    check('folded stacks', +wanted, got)


def check_code(report):
    """Lines of source are those of the files, where these are named as source is, and can be read."""
    for c in report['contexts']:
        file = c['file'] if c['is_call'] or c['parent'] is None else report['contexts'][c['parent']]['file']
        wanted = None
        if c['line'] and file.endswith('.c'):
            try:
                with open(file, encoding='utf-8') as source:
                    wanted = source.read().split('\n')[c['line'] - 1].strip()[:119] or None
            except OSError:
                pass
        if wanted != c.get('code'):
            return check(f'the line {file}:{c["line"]}', wanted, c.get('code'))
    return check('lines of source', True, True)


def check_begin(report):
    """The main loop begins with the call that the summary names."""
    summary = ' '.join(' '.join(report['overview']['summary']).split())
    labels = [' '.join(loop['label'].split()) for loop in report['loops'] if loop['is_main']]
    if 'each begins' in summary and labels:
        check('what an iteration begins with, as in the summary', True,
              any(f'each begins {word} {labels[0]}' in summary for word in ('with', 'at')))


def main():
    with open(f'{DIR}/json', encoding='utf-8') as file:
        report = json.load(file)
    with open(f'{DIR}/text', encoding='utf-8') as file:
        lines = file.read().split('\n')
    ranks = read_all()

    made = Counter()
    for r in ranks.values():
        made.update(r.calls)
    check('calls by function, as counted from run.efg', dict(made), {c['call']: c['calls'] for c in report['calls']})
    check('all calls', sum(made.values()), report['overview']['calls'])
    check('time in MPI', sum(r.in_mpi for r in ranks.values()), report['overview']['mpi_time'])
    check('time in MPI of all functions', sum(r.in_mpi for r in ranks.values()), sum(c['time']['sum'] for c in report['calls']))
    by_name = {q['name']: q['values'] for q in report['ranks']}
    check('bytes', sum(r.bytes for r in ranks.values()), by_name['bytes']['sum'])
    check('least and most time in MPI', sorted(r.in_mpi for r in ranks.values())[::max(1, len(ranks) - 1)],
          [by_name['in MPI'][w] for w in ('least', 'most')])
    check('visits of nodes', sum(n for r in ranks.values() for t in r.visits for n, _ in t),
          sum(n['count'] for n in report['graph']['nodes']))
    check('transitions', sum(n for r in ranks.values() for t in r.ways for n, _ in t),
          sum(e['count'] for e in report['graph']['edges']))

    sent = report.get('messages', {}).get('all', {'matrix': [], 'others': [0, 0], 'sizes': [], 'collectives': []})
    traffic = [t for r in ranks.values() for t in r.traffic]
    check('messages', [sum(n[i] for partners, *_ in traffic for n in partners) for i in (1, 2)],
          [sum(c[2 + i] for c in sent['matrix']) + sent['others'][i] for i in (0, 1)])
    check('sizes of messages', sum(n[1] for _, sends, _ in traffic for n in sends), sum(sent['sizes']))
    check('collectives', sum(n[1] for *_, collectives in traffic for n in collectives), sum(sent['collectives']))

    check_clusters(report, ranks, lines)
    check_heat(report, ranks, lines)
    contexts = report['contexts']
    check('the root has all calls', sum(made.values()), contexts[0]['calls'])
    check('leaves have all time in MPI', sum(r.in_mpi for r in ranks.values()),
          sum(c['time']['sum'] for c in contexts if c['is_call']))
    check('parents come first', [], [i for i, c in enumerate(contexts) if c['parent'] is not None and c['parent'] >= i])
    check('all ranks are in a third', [], [c['name'] for c in contexts if c['time']['count'] and
                                           (sum(c['time']['bins']) != c['time']['count']
                                            or sum(n for n, _ in c['time']['thirds']) != c['time']['count'])])

    def above(c):
        return above(contexts[c]['parent']) + [c] if contexts[c]['parent'] is not None else [c]

    def is_in(inner, outer):
        return inner is not None and (inner == outer or is_in(parents[inner], outer))
    parents = {loop['id']: loop['parent'] for loop in report['loops']}
    for loop in report['loops'][:50]:
        paths = [[c for c in above(n['context']) if not contexts[c]['is_call']] for n in report['graph']['nodes'] if is_in(n['loop'], loop['id'])]
        same = [step[0] for step in zip(*paths) if len(set(step)) == 1]
        check(f"the context of loop {loop['id']}", same[-1], loop['context'])

    longest = sorted(report['loops'], key=lambda loop: -loop['time'])[:20]
    shares = [report['overview']['efficiency']] + [loop['efficiency'] for loop in report['loops'] if loop in longest]
    check('efficiencies, as in the text', table(lines, 'Efficiency', r' *([\d.]+)% +([\d.]+)% +([\d.]+)% +(\d+) +'),
          [(f"{100 * e['parallel']:.1f}", f"{100 * e['balance']:.1f}", f"{100 * e['communication']:.1f}", str(e['ranks'])) for e in shares])
    check('parallel is load balance x communication', [],
          [e for e in shares if abs(e['parallel'] - e['balance'] * e['communication']) > 1e-9])
    time = r'([\d.]+ \w+) +'
    check('calls, as in the text', table(lines, 'MPI calls by time, all ranks', r' *(\d+) +' + time + r'\d+% +([\d.]+)% +' + 3 * time + r'[\d.]+ \w+  (.*)'),
          [(str(c['calls']), ns(c['time']['sum']), f"{100 * c['run_share']:.1f}", *(ns(c['time'][w]) for w in ('least', 'median', 'most')), c['call'])
           for c in report['calls'][:20]])
    check('the sentence on what was recorded, as in the text', True,
          report['representative']['sentence'] in ' '.join(line.strip() for line in lines))
    begin = lines.index('') + 1  # behind the findings
    recorded = report['representative']
    check('whether what was recorded stands for the run, among the findings', recorded['iterations']['recorded'] > 0,
          recorded['sentence'] in report['overview']['findings'])
    check('the findings, as in the text', ' '.join(lines[:begin - 1]).split(),
          ' '.join(f'{i}. {text}' for i, text in enumerate(report['overview']['findings'], 1)).split())
    check('the summary, as in the text', lines[begin:begin + len(report['overview']['summary'])],
          report['overview']['summary'])
    check_begin(report)
    check_folded(report)
    check_code(report)


if __name__ == '__main__':
    main()
