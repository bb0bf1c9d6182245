#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the tables of efgtrace.py are what a trace and the tool's text say.

usage: reader.py FOLDER TRACE       prints a line for each verdict: name, tab, what is wrong with it"""
import collections
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, 'lib'), os.path.join(HERE, '../libefgtrace/user')]
import efgtrace
import read_trace


def verdict(name, *pairs):
    """Each pair is alike."""
    wrong = [f'{one} instead of {other}' for one, other in pairs if one != other]
    print(name, ' '.join(wrong[:2])[:400], sep='\t', flush=True)


class Recorded:
    """Calls, iterations and sends of a trace, as read_trace.py reads it."""

    def __init__(self, anchor):
        trace = read_trace.Trace(anchor)
        mpi = {number for number, region in trace['Region'].items() if trace.name(region[1]).startswith('MPI_')}
        self.calls, self.iterations, self.sent = [], collections.Counter(), []
        for location, events in trace.events.items():
            rank, entered = location & 0xffffffff, 0
            for time, record, arguments in events:
                if record == 'Enter' and arguments[0] in mpi:
                    entered = time
                elif record == 'Leave' and arguments[0] in mpi:
                    self.calls.append((rank, trace.name(trace['Region'][arguments[0]][1]), entered, time - entered))
                elif record == 'Enter' and arguments[0] in trace.loops:
                    self.iterations[rank] += 1
                elif record in ('MpiSend', 'MpiIsend'):
                    self.sent.append((rank, time, arguments[3]))


def recorded(run, trace):
    events = run.rows('events')
    verdict('events', (sorted((one['rank'], one['call'], one['begin_ns'], one['duration_ns']) for one in events),
                       sorted(trace.calls)))
    verdict('recorded iterations', (collections.Counter(one['rank'] for one in run.rows('recorded')), trace.iterations))
    inside = collections.Counter((one['rank'], one['iteration']) for one in events if one['iteration'] is not None)
    verdict('each recorded iteration has calls', ({(one['rank'], one['iteration']) for one in run.rows('recorded')},
                                                  set(inside)))
    messages = run.rows('messages')
    verdict('messages', (sorted((one['from'], one['sent_ns'], one['bytes']) for one in messages), sorted(trace.sent)),
            ([one for one in messages if one['flight_ns'] < 0], []))


def whole_run(run):
    overview, calls, nodes = run.report()['overview'], run.rows('calls'), run.rows('nodes')
    ranks, edges = run.rows('ranks'), run.rows('edges')
    for name, of in ('calls', 'calls'), ('mpi_ns', 'mpi_time'):
        verdict(f'{name} of ranks', (sum(rank[name] for rank in ranks), overview[of]))
    verdict('ranks', ([rank['rank'] for rank in ranks], list(range(overview['ranks']))))
    verdict('nodes', (sum(node['time_ns'] for node in nodes), sum(call['time_ns'] for call in calls)),
            ({node['hash'] for node in nodes}, {call['hash'] for call in calls}))
    verdict('edges', (sum(edge['count'] for edge in edges), sum(node['count'] for node in nodes) - len(ranks)),
            (sum(edge['time_ns'] for edge in edges), sum(rank['computation_ns'] for rank in ranks)))
    loops = run.rows('loops')
    verdict('one loop is the main one', (sum(loop['is_main'] for loop in loops), 1))
    main = next(loop for loop in loops if loop['is_main'])
    last = run.rows('iterations')[-1]
    verdict('iterations', (last['first'] + last['count'] <= main['repetitions'], True),
            (all(one['least_ns'] * one['count'] <= one['time_ns'] for one in run.rows('iterations')), True))
    verdict('traffic', (all(0 <= one['from'] < len(ranks) and one['count'] for one in run.rows('traffic')), True))


def total(node):
    return node['metrics']['time'] + sum(map(total, node['children']))


def others(run):
    tree, = run.hatchet_literal()
    verdict('Hatchet: times without those within add up', (abs(total(tree) / tree['metrics']['time (inc)'] - 1) < 1e-9,
                                                           True))
    calls = collections.Counter()
    leaves = [tree]
    while leaves:
        node = leaves.pop()
        leaves += node['children']
        if node['frame']['type'] == 'mpi':
            calls[node['frame']['name']] += node['metrics']['calls']
    wanted = collections.Counter()
    for call in run.rows('calls'):
        wanted[call['call']] += call['calls']
    verdict('Hatchet: calls', (calls, wanted))
    try:
        import pandas
    except ImportError:
        return
    frame = run['events']
    verdict('pandas: a frame', (len(frame), len(run.rows('events'))),
            (list(frame.columns), list(run.rows('events')[0])))
    events = run.pipit_events()
    stacks = collections.Counter()
    for _, event in events.iterrows():
        place = event['Process'], event['Thread']
        stacks[place] += 1 if event['Event Type'] == 'Enter' else -1
        if stacks[place] not in (0, 1):
            break
    verdict('Pipit: calls begin and end', (set(stacks.values()), {0}),
            (events['Timestamp (ns)'].is_monotonic_increasing, True), (len(events), 2 * len(frame)))


def main(folder, anchor):
    run = efgtrace.Run(folder)
    recorded(run, Recorded(anchor))
    whole_run(run)
    others(run)


if __name__ == '__main__':
    main(*sys.argv[1:])
