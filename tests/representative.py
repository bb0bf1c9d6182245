#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How well the recorded iterations stand for the run, computed again: the recorded side from the
trace as python3-otf2 reads it, that of the run from the graph. For programs of one thread a rank.

representative.py TOOL DIR          compare with `efgtrace export -f json`; says the sentence
representative.py TOOL DIR --full   DIR has a trace of the whole run (mode full): its sums by call
                                    site are those of the graph
"""
import json
import math
import re
import subprocess
import sys
from collections import defaultdict
from functools import lru_cache

import otf2
import read_run
from merged import ranks_of
from otf2.events import (Enter, Leave, MpiCollectiveEnd, MpiIrecv, MpiIrecvRequest, MpiIsend,
                         MpiRecv, MpiSend)

SLOW = 'around a slow one', 'slow', 'beside a slow one'
FAULTS = []


@lru_cache(None)
def student(degrees):
    """The 0.975 quantile of Student's distribution, by its density (Simpson's rule) and bisection."""
    factor = math.gamma((degrees + 1) / 2) / (math.sqrt(math.pi * degrees) * math.gamma(degrees / 2))
    low, high = 0, 20

    def density(t):
        return factor * (1 + t * t / degrees) ** (-(degrees + 1) / 2)
    for _ in range(40):
        middle = (low + high) / 2
        values = [density(middle * i / 400) * (1 if i in (0, 400) else 4 if i % 2 else 2) for i in range(401)]
        low, high = (middle, high) if 0.5 + sum(values) * middle / 1200 < 0.975 else (low, middle)
    return low


def expect(condition, *what):
    if not condition:
        FAULTS.append(' '.join(map(str, what)))


def near(one, other, tolerance=1e-6):
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=1e-9)


def short(function):
    """The last two scopes: 'A::B::f(int)' is 'B::f'."""
    return '::'.join(function.partition('(')[0].split('::')[-2:])


class Recorded:
    """Sums by iteration, over all ranks: of the iterations' time, and by call site (function, place
    in the source or else the caller, call path) of time, calls and bytes. Outside of iterations: None."""

    def __init__(self, path):
        self.duration, self.counts = defaultdict(float), defaultdict(int)
        self.sites = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
        self.order = defaultdict(list)  # rank -> (iteration, function and place, begin, end, ns in polls before)
        self.visits = defaultdict(int)  # of each site, spins included
        self.ranks = set()          # that have iterations
        self.hidden = set()         # sites whose bytes are not those of a send or a collective
        with otf2.reader.open(path) as trace:
            open_calls, iteration, callers = {}, {}, defaultdict(list)
            polled, last = defaultdict(int), {}     # since the last call, which was in iteration
            for location, event in trace.events:
                rank = location.group.name
                if isinstance(event, Enter):
                    found = {key.name: value for key, value in (event.attributes or {}).items()}
                    if event.region.paradigm == otf2.Paradigm.MPI:
                        place = found.get('SOURCE_CODE_LOCATION')
                        site = (event.region.name,
                                f'{place.file.rsplit("/")[-1]}:{place.line_number}' if place else
                                callers[rank][-1],
                                found['call_path'])
                        open_calls[rank] = [site, event.time, 0, None, 'polls' in found]
                    elif event.region.region_role == otf2.RegionRole.LOOP:
                        is_slow = found.get('kept') in SLOW
                        iteration[rank] = None if is_slow else found['iteration'], event.time
                        if not is_slow:
                            self.ranks.add(rank.split()[-1])
                    else:
                        module, is_address, _ = event.region.name.partition('+0x')
                        callers[rank].append(f'[{module}]' if is_address else short(module))
                elif isinstance(event, Leave):
                    now = iteration.get(rank, (None,))[0]
                    if event.region.paradigm == otf2.Paradigm.MPI:
                        site, begin, size, kind, is_poll = open_calls.pop(rank)
                        sums = self.sites[site][now]
                        sums[0] += event.time - begin
                        self.visits[site[:2]] += 1
                        if is_poll:
                            polled[rank] += event.time - begin
                        else:
                            sums[1] += 1
                            sums[2] += size
                            self.order[rank].append((now, site[:2], begin, event.time,
                                                     polled[rank] if last.get(rank) == now else 0))
                            polled[rank], last[rank] = 0, now
                        if kind != 'known':
                            self.hidden.add(site)
                    elif event.region.region_role == otf2.RegionRole.LOOP:
                        begin = iteration.pop(rank)[1]
                        if now is not None:
                            self.duration[now] += event.time - begin
                            self.counts[now] += 1
                    else:
                        callers[rank].pop()
                elif isinstance(event, (MpiSend, MpiIsend)):
                    open_calls[rank][2] += event.msg_length
                    open_calls[rank][3] = open_calls[rank][3] or 'known'
                elif isinstance(event, MpiCollectiveEnd):
                    open_calls[rank][2] += event.size_sent + event.size_received
                    open_calls[rank][3] = 'known'
                elif isinstance(event, (MpiRecv, MpiIrecvRequest)):
                    open_calls[rank][3] = 'hidden'
                elif isinstance(event, MpiIrecv):
                    pass    # its bytes belong to the call that posted it


def ratio(xs, ys):
    """Ratio of the sums, half of its 95% confidence interval, and how many samples have Y: one is no evidence."""
    n = sum(y > 0 for y in ys)
    if n < 2:
        return None
    value = sum(xs) / sum(ys)
    squares = sum((x - value * y) ** 2 for x, y in zip(xs, ys))
    return value, student(n - 1) * math.sqrt(squares / (n * (n - 1))) / (sum(ys) / n), n


def check_figure(name, figure, recorded, run, step=0.0):
    """FIGURE as the tool has it. Of several sites with one name the caller tries all."""
    if figure is None or recorded is None:
        return figure is None and recorded is None
    value, error, n = recorded
    apart = abs(value - run)
    differs = n > 2 and apart > error and apart >= step and apart > 0.02 * max(value, run)
    return (near(figure['run'], run) and near(figure['recorded'], value) and
            near(figure['error'], error, 2e-3) and figure['differs'] == differs)


def tool_says(*command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def label_of(row):
    """Function and place of a label: ('MPI_Send', 'stencil2d.c:28'); a place without a name has that of
    its module, '[lmp]' for lmp+0x1219: a trace has where the function begins. (A name
    may have the offset of the call behind an @, of two calls.)"""
    function, _, place = row['label'].partition('  ')
    module, is_address, _ = place.split(' ')[0].split('@0x')[0].partition('+0x')
    return function, f'[{module}]' if is_address else module


def around(graph, loop):
    """The outermost loop around LOOP."""
    while graph['loops'][loop]['parent'] is not None:
        loop = graph['loops'][loop]['parent']
    return loop


def outermost(graph, called=()):
    """The outermost loop around the main one; and what other ranks have in its place, of the nodes CALLED."""
    main, nodes = around(graph, graph['main']), graph['nodes']

    def ranks_in(loop):
        return set().union(*(ranks_of(node['ranks']) for node in nodes
                             if node['loop'] is not None and around(graph, node['loop']) == loop))
    others = {around(graph, node['loop']) for node in nodes if node['loop'] is not None and node['hash'] in called}
    return {main} | {loop for loop in others if not ranks_in(loop) & ranks_in(main)}


def all_iterations(path):
    """How many there were, and their time, of threads that recorded some, as run.efg has it of each rank."""
    with open(path, 'rb') as file:
        run = list(read_run.sections(file.read()))
    found = {kind: payload for kind, _, payload in run}
    names, _ = read_run.read_names(found[read_run.NAMES])
    groups = read_run.read_groups(found[read_run.GROUPS])
    shape_of = {rank: shape for ranks, shape in groups for rank in ranks}
    measured = [read_run.read_rank(payload, shape_of[rank], names, rank)
                for kind, rank, payload in run if kind == read_run.RANK]
    both = [iterations[0][:2] for one in measured for iterations in one.iterations if iterations[1][0]]
    return sum(count for count, _ in both), sum(time for _, time in both)


def is_in(graph, node, loop):
    """Whether NODE is in LOOP, or in one of the set LOOP."""
    loops, inner = loop if isinstance(loop, set) else {loop}, node['loop']
    while inner is not None and inner not in loops:
        inner = graph['loops'][inner]['parent']
    return inner is not None


def called_of(graph, trace):
    """Nodes that may have been called in recorded iterations, by their names."""
    names = {site[:2] for site, sums in trace.sites.items() if any(sums[number][1] for number in trace.duration)}
    return {node['hash'] for node in graph['nodes'] if label_of(node) in names}


def check_rows(said, graph, trace, mean_of_all):
    iterations, whole = graph['loops'][graph['main']]['repetitions'], outermost(graph, called_of(graph, trace))
    numbers = sorted(trace.duration)
    durations, ones = [trace.duration[number] for number in numbers], [1] * len(numbers)
    run_time = sum(graph['loops'][loop]['time'] for loop in whole) / iterations
    by_name, rest = defaultdict(list), list(durations)
    for site, sums in trace.sites.items():
        columns = list(zip(*(sums[number] for number in numbers)))
        if any(columns[0]) or any(columns[1]):
            by_name[site[:2]].append((columns, site in trace.hidden))
            rest = [left - time for left, time in zip(rest, columns[0])]
    expect(check_figure('time', said['iterations']['time'], ratio(durations, ones), run_time),
           'iteration', said['iterations'], ratio(durations, ones), run_time)
    counts = [trace.counts[number] for number in numbers]
    expect(check_figure('each', said['iterations']['each'], ratio(durations, counts), mean_of_all),
           'each', said['iterations']['each'], ratio(durations, counts), mean_of_all)
    nodes = {node['hash']: node for node in graph['nodes']}
    rows = [row for row in said['rows'] if row['kind'] == 'site']
    inside = {node['hash'] for node in graph['nodes'] if is_in(graph, node, whole)}
    expect(inside <= {row['hash'] for row in rows}, 'sites of the loop are missing')
    none = tuple((0,) * len(numbers) for _ in range(3)), True
    for row in rows:
        node = nodes[row['hash']]
        time, calls = node['time']['sum'] + node['poll_time'], node['count']

        def fits(columns, is_hidden):
            times, counts, sizes = columns
            return (check_figure('time', row['time'], ratio(times, ones), time / iterations) and
                    check_figure('share', row['share'], ratio(times, durations),
                                 time / iterations / run_time, 0.002) and
                    (row['mean'] is row['calls'] is row['bytes'] is None if not calls else
                     check_figure('mean', row['mean'], ratio(times, counts), time / calls) and
                     check_figure('calls', row['calls'], ratio(counts, ones), calls / iterations,
                                  1 / len(numbers)) and
                     check_figure('bytes', row['bytes'],
                                  None if is_hidden else ratio(sizes, counts),
                                  node['bytes'] / calls)))
        candidates = [*by_name[label_of(row)], none]
        fitting = next((candidate for candidate in candidates if fits(*candidate)), None)
        expect(fitting, row, [ratio(columns[0], ones) for columns, _ in candidates])
        if fitting and fitting is not none:
            by_name[label_of(row)].remove(fitting)
    expect(not any(by_name.values()), 'not in the table:', dict(by_name))
    mpi = sum(nodes[row['hash']]['time']['sum'] + nodes[row['hash']]['poll_time'] for row in rows if row['hash'] in inside)
    [compute] = [row for row in said['rows'] if row['kind'] == 'compute']
    expect(check_figure('time', compute['time'], ratio(rest, ones), run_time - mpi / iterations),
           'compute', compute, ratio(rest, ones))


def check_loops(said, graph, trace):
    """Where all calls have names of their own: inner loops, with the time between calls of them."""
    names = {label_of(node): node for node in graph['nodes']}
    rows = [row for row in said['rows'] if row['kind'] == 'loop']
    if len(names) < len(graph['nodes']):
        return len(rows)
    iterations, numbers = graph['loops'][graph['main']]['repetitions'], sorted(trace.duration)
    whole = outermost(graph, called_of(graph, trace))
    ones = [1] * len(numbers)
    for loop in graph['loops']:
        header = graph['nodes'][loop['header']]
        here = [row for row in rows if row['label'] == f'loop {loop["name"]}' and
                near(row['time']['run'], loop['time'] / iterations)]
        if loop['id'] in whole or not is_in(graph, header, whole):
            expect(not here, loop, 'is in the table')
            continue
        time, calls = defaultdict(float), defaultdict(int)
        for order in trace.order.values():
            before = None
            for number, name, begin, end, polled in order:
                inside = is_in(graph, names[name], loop['id'])
                if number is not None and inside:
                    time[number] += end - (before[1] if before and before[0] == number else begin - polled)
                    calls[number] += names[name] is header
                before = (number, end) if inside else None
        times, counts = [time[n] for n in numbers], [calls[n] for n in numbers]
        expect(len(here) == 1 and
               check_figure('time', here[0]['time'], ratio(times, ones),
                            loop['time'] / iterations) and
               check_figure('mean', here[0]['mean'], ratio(times, counts),
                            loop['time'] / header['count']),
               here, loop, ratio(times, ones), ratio(times, counts))
    return len(rows)


def check_verdict(said):
    time, each, rows = said['iterations']['time'], said['iterations']['each'], said['rows']
    apart = each['recorded'] / each['run'] - 1
    wrong = [row for row in rows if row['time']['differs'] and abs(row['impact']) >= 0.05]
    for row in rows:
        impact = (row['time']['recorded'] - row['time']['run']) / time['run']
        expect(near(row['impact'], impact, 1e-4), row['label'], 'impact', impact)
    if (each['differs'] and abs(apart) > 0.1) or wrong or said['iterations']['coverage'] < 0.5:
        verdict = 'no'
    else:
        unsure = abs(apart) > 0.1 or any(abs(row['impact']) >= 0.1 for row in rows)
        verdict = 'unknown' if unsure else 'yes'
    expect(said['verdict'] == verdict, 'verdict', said['verdict'], 'instead of', verdict)
    if verdict == 'yes':
        apart, points = map(float, re.findall(r'by more than ([0-9.]+)', said['sentence']))
        shares = [abs(row['share']['recorded'] - row['share']['run']) for row in said['rows']]
        expect(100 * max(abs(row['impact']) for row in said['rows']) <= apart + 1e-6 and
               100 * max(shares) <= points + 1e-6, 'no row differs by more:', said['sentence'])


def check_full(graph, trace):
    """By function and place: sums of the trace are those of the graph but for rounding to ns, and for what
    events of one time are apart in the trace: up to 2 ns a visit, and each spin is one."""
    sums, wanted = defaultdict(lambda: [0, 0, 0]), defaultdict(lambda: [0, 0, 0])
    hidden = {site[:2] for site in trace.hidden}
    for site, by_iteration in trace.sites.items():
        for figures in by_iteration.values():
            sums[site[:2]] = list(map(sum, zip(sums[site[:2]], figures)))
    for node in graph['nodes']:
        figures = node['time']['sum'] + node['poll_time'], node['count'], node['bytes']
        wanted[label_of(node)] = list(map(sum, zip(wanted[label_of(node)], figures)))
    expect(sums.keys() == wanted.keys(), sorted(sums), 'in the trace,', sorted(wanted))
    for name, (time, calls, size) in sums.items():
        expect(calls == wanted[name][1] and abs(time - wanted[name][0]) <= 2 * trace.visits[name] + 1e-5 * time and
               (name in hidden or size == wanted[name][2]),
               name, (time, calls, size), 'in the trace,', wanted[name])
    print(f'{len(sums)} call sites, {sum(calls for _, calls, _ in sums.values())} calls')


def main():
    tool, folder = sys.argv[1:3]
    trace = Recorded(f'{folder}/traces.otf2')
    if '--full' in sys.argv:
        check_full(tool_says(tool, 'graph', '-f', 'json', folder), trace)
    else:
        graph = tool_says(tool, 'graph', '-f', 'json', '-r', ','.join(trace.ranks), folder)
        said = tool_says(tool, 'export', '-f', 'json', folder)['representative']
        count, time = all_iterations(f'{folder}/run.efg')
        check_rows(said, graph, trace, time / count)
        loops = check_loops(said, graph, trace)
        check_verdict(said)
        print(f"{len(said['rows'])} rows, {loops} of loops; {said['verdict']}: {said['sentence']}")
    print(*FAULTS[:5], sep='\n', end='')
    return bool(FAULTS)


if __name__ == '__main__':
    sys.exit(main())
