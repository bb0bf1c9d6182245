#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rows of `efgtrace report --signatures DIR` as this program counts them, which reads run.efg
by itself: nodes and edges of the graph merged over the ranks, then least, mean and most nodes and
edges of a rank, and the words; one row for each set of words that the run can tell.

usage: signatures.py DIR"""
import itertools
import sys

import merged
import read_run

WORDS = 'path', 'size-class', 'size', 'partner', 'communicator', 'region', 'element', 'address'


def recorded(path):
    with open(path, 'rb') as file:
        payload = next(p for kind, _, p in read_run.sections(file.read()) if kind == read_run.RUN)
    dimensions = read_run.Reader(payload).fields().get(8, 0)
    return [word for i, word in enumerate(WORDS) if dimensions >> i & 1]


def spread(values):
    return f'{min(values)} {sum(values) / len(values):.1f} {max(values)}'


def main(folder):
    run, known = merged.Run(folder + '/run.efg'), recorded(folder + '/run.efg')
    classes = 'size-class' in known  # so they are what is in the file
    if 'size' in known:
        known.append('size-class')
    known.sort(key=WORDS.index)
    for count in range(len(known) + 1):
        for words in itertools.combinations(known, count):
            if 'size' in words and 'size-class' in words:
                continue
            kept = [word.removesuffix('-class') for word in words] if classes else words
            whole = run.merge(sorted(run.ranks), kept)
            ranks = [run.merge([rank], kept) for rank in sorted(run.ranks)]
            print(*map(len, whole), spread([len(nodes) for nodes, _ in ranks]),
                  spread([len(edges) for _, edges in ranks]), ','.join(words) or 'none')


main(*sys.argv[1:])
