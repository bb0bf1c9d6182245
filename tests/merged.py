#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether `efgtrace graph` merges the ranks of a run as this program does, which reads run.efg
by itself (read_run.py).

usage: merged.py TOOL DIR LIST [OPTION...]     LIST: these ranks, "0,3", or "all"

The OPTIONs go to the tool. Without --signature, nodes are the same if their hashes are; with it,
if call, number, times and ranks are. Prints "N nodes, M edges", or
what differs, and then exits with 1."""
import collections
import json
import subprocess
import sys

import read_run

FIELDS = {'path': 1, 'region': 2, 'communicator': 3, 'partner': 4, 'size': 5, 'size-class': 5, 'element': 6,
          'address': 7}


def ranks_of(text):
    """The ranks of a list such as "0-3,8,10-20:2"."""
    ranks = []
    for part in text.split(','):
        span, _, stride = part.partition(':')
        first, _, last = span.partition('-')
        ranks += range(int(first), int(last or first) + 1, int(stride or 1))
    return ranks


def reduce(signature, words):
    """What is left of a signature with these WORDS only; None: all."""
    if words is None:
        return signature
    left = [signature[0]] + 7 * [0]
    for word in words:
        left[FIELDS[word]] = signature[FIELDS[word]]
    if 'size-class' in words:
        left[5] = left[5].bit_length()
    return tuple(left)


class Item:
    """A node or an edge: name, ns, and how often each rank comes by."""
    def __init__(self, name):
        self.name, self.time, self.visits = name, 0, collections.Counter()

    def add(self, rank, count, time):
        self.visits[rank] += count
        self.time += time

    def key(self):
        return self.name, sum(self.visits.values()), self.time, tuple(sorted(self.visits.items()))


class Run:
    def __init__(self, path):
        with open(path, 'rb') as file:
            sections = list(read_run.sections(file.read()))
        one = {kind: payload for kind, _, payload in sections}
        self.calls, _ = read_run.read_names(one[read_run.NAMES])
        groups = read_run.read_groups(one[read_run.GROUPS])
        self.shapes = {rank: shape for members, shape in groups for rank in members}
        self.ranks = {number: payload for kind, number, payload in sections
                      if kind == read_run.RANK}

    def merge(self, ranks, words=None):
        """Nodes by signature and edges by the signatures of their ends."""
        nodes, edges = {}, {}
        for rank in ranks:
            measured = read_run.read_rank(self.ranks[rank], self.shapes[rank], self.calls, rank)
            for (_, shape, ways), visits, times in zip(self.shapes[rank], measured.visits,
                                                       measured.ways):
                ends = [reduce(signature, words) for signature, _, _ in shape]
                for end, (_, hash_, _), visit in zip(ends, shape, visits):
                    name = self.calls[end[0]] if words is not None else hash_
                    nodes.setdefault(end, Item(name)).add(rank, *visit)
                for (a, b), way in zip(ways, times):
                    edge = edges.setdefault((ends[a], ends[b]), Item(None))
                    edge.add(rank, *way)
        for (a, b), edge in edges.items():
            edge.name = nodes[a].key(), nodes[b].key()
        return nodes, edges


def told(item, name):
    """An Item of the JSON."""
    got = Item(name)
    got.time = item['time']['sum']
    for visits in item['visits']:
        assert visits['least'] == visits['most']
        for rank in ranks_of(visits['ranks']):
            got.visits[rank] = visits['least']
    assert sum(got.visits.values()) == item['count']
    assert sorted(got.visits) == ranks_of(item['ranks'])
    return got


def read_json(graph, by_hash):
    nodes = [told(node, int(node['hash'], 0) if by_hash else node['call'])
             for node in graph['nodes']]
    edges = [told(edge, (nodes[edge['from']].key(), nodes[edge['to']].key()))
             for edge in graph['edges']]
    return nodes, edges


def main(tool, folder, ranks, *options):
    def ask(form):
        return subprocess.run([tool, 'graph', '-f', form, *options, folder], check=True,
                              stdout=subprocess.PIPE).stdout
    run = Run(folder + '/run.efg')
    ranks = sorted(run.ranks) if ranks == 'all' else ranks_of(ranks)
    words = None
    if '--signature' in options:
        words = options[options.index('--signature') + 1].split(',')
        words = [] if words == ['none'] else words
    graph = json.loads(ask('json'))
    wrong = []
    if ranks_of(graph['merged']) != ranks:
        wrong.append(f'ranks {graph["merged"]}')
    for what, mine, its in zip(('nodes', 'edges'), run.merge(ranks, words),
                               read_json(graph, words is None)):
        mine = collections.Counter(item.key() for item in mine.values())
        its = collections.Counter(item.key() for item in its)
        wrong += [f'no such {what}: {key}' for key in mine - its]
        wrong += [f'too much in {what}: {key}' for key in its - mine]
    print('\n'.join(wrong) if wrong else f'{len(graph["nodes"])} nodes, {len(graph["edges"])} edges')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
