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
import subprocess
import sys
from collections import defaultdict

import otf2
from otf2.events import (Enter, Leave, MpiCollectiveEnd, MpiIrecv, MpiIrecvRequest, MpiIsend,
                         MpiRecv, MpiSend)

STUDENT = {2: 4.3027, 3: 3.1824, 9: 2.2622, 19: 2.0930}   # 0.975 quantiles
FAULTS = []


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
        self.duration = defaultdict(float)
        self.sites = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
        self.order = defaultdict(list)  # rank -> (iteration, function and place, begin, end)
        self.ranks = set()          # that have iterations
        self.hidden = set()         # sites whose bytes are not those of a send or a collective
        with otf2.reader.open(path) as trace:
            open_calls, iteration, callers = {}, {}, defaultdict(list)
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
                        iteration[rank] = found['iteration'], event.time
                        self.ranks.add(rank.split()[-1])
                    else:
                        callers[rank].append(short(event.region.name))
                elif isinstance(event, Leave):
                    now = iteration.get(rank, (None,))[0]
                    if event.region.paradigm == otf2.Paradigm.MPI:
                        site, begin, size, kind, is_poll = open_calls.pop(rank)
                        sums = self.sites[site][now]
                        if not is_poll:
                            sums[0] += event.time - begin
                            sums[1] += 1
                            sums[2] += size
                            self.order[rank].append((now, site[:2], begin, event.time))
                        if kind != 'known':
                            self.hidden.add(site)
                    elif event.region.region_role == otf2.RegionRole.LOOP:
                        self.duration[now] += event.time - iteration.pop(rank)[1]
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
    """Ratio of the sums, and half of its 95% confidence interval."""
    n, mean_y = len(xs), sum(ys) / len(ys)
    if not mean_y:
        return None
    value = sum(xs) / sum(ys)
    squares = sum((x - value * y) ** 2 for x, y in zip(xs, ys))
    return value, STUDENT[n - 1] * math.sqrt(squares / (n * (n - 1))) / mean_y


def check_figure(name, figure, recorded, run, step=0.0):
    """FIGURE as the tool has it. Of several sites with one name the caller tries all."""
    if figure is None or recorded is None:
        return figure is None and recorded is None
    value, error = recorded
    apart = abs(value - run)
    differs = apart > error and apart >= step and apart > 0.02 * max(value, run)
    return (near(figure['run'], run) and near(figure['recorded'], value) and
            near(figure['error'], error, 1e-3) and figure['differs'] == differs)


def tool_says(*command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def label_of(row):
    """Function and place of a label: ('MPI_Send', 'stencil2d.c:28'); a place without a name has that of
    its module, '[lmp]' for lmp+0x1219, as in the trace."""
    function, _, place = row['label'].partition('  ')
    module, is_address, _ = place.partition('+0x')
    return function, f'[{module}]' if is_address else place.split(' ')[0]


def outermost(graph):
    """The outermost loop around the main one."""
    loop, loops = graph['main'], graph['loops']
    while loops[loop]['parent'] is not None:
        loop = loops[loop]['parent']
    return loop


def is_in(graph, node, loop):
    inner = node['loop']
    while inner is not None and inner != loop:
        inner = graph['loops'][inner]['parent']
    return inner == loop


def check_rows(said, graph, trace):
    iterations, whole = graph['loops'][graph['main']]['repetitions'], outermost(graph)
    numbers = sorted(trace.duration)
    durations, ones = [trace.duration[number] for number in numbers], [1] * len(numbers)
    run_time = graph['loops'][whole]['time'] / iterations
    by_name, rest = defaultdict(list), list(durations)
    for site, sums in trace.sites.items():
        columns = list(zip(*(sums[number] for number in numbers)))
        if any(columns[1]):
            by_name[site[:2]].append((columns, site in trace.hidden))
            rest = [left - time for left, time in zip(rest, columns[0])]
    expect(check_figure('time', said['iterations']['time'], ratio(durations, ones), run_time),
           'iteration', said['iterations'], ratio(durations, ones), run_time)
    nodes = {node['hash']: node for node in graph['nodes']}
    rows = [row for row in said['rows'] if row['kind'] == 'site']
    inside = {node['hash'] for node in graph['nodes'] if is_in(graph, node, whole)}
    expect(inside <= {row['hash'] for row in rows}, 'sites of the loop are missing')
    none = tuple((0,) * len(numbers) for _ in range(3)), True
    for row in rows:
        node = nodes[row['hash']]
        time, calls = node['time']['sum'], node['count']

        def fits(columns, is_hidden):
            times, counts, sizes = columns
            return (check_figure('time', row['time'], ratio(times, ones), time / iterations) and
                    check_figure('share', row['share'], ratio(times, durations),
                                 time / iterations / run_time, 0.002) and
                    check_figure('mean', row['mean'], ratio(times, counts), time / calls) and
                    check_figure('calls', row['calls'], ratio(counts, ones), calls / iterations,
                                 1 / len(numbers)) and
                    check_figure('bytes', row['bytes'],
                                 None if is_hidden else ratio(sizes, counts),
                                 node['bytes'] / calls))
        candidates = [*by_name[label_of(row)], none]
        fitting = next((candidate for candidate in candidates if fits(*candidate)), None)
        expect(fitting, row, [ratio(columns[0], ones) for columns, _ in candidates])
        if fitting and fitting is not none:
            by_name[label_of(row)].remove(fitting)
    expect(not any(by_name.values()), 'not in the table:', dict(by_name))
    mpi = sum(nodes[row['hash']]['time']['sum'] for row in rows if row['hash'] in inside)
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
    ones = [1] * len(numbers)
    for loop in graph['loops']:
        header = graph['nodes'][loop['header']]
        here = [row for row in rows if row['label'].endswith(f'from {header["label"]}') and
                near(row['time']['run'], loop['time'] / iterations)]
        if loop['id'] == outermost(graph) or not is_in(graph, header, outermost(graph)):
            expect(not here, loop, 'is in the table')
            continue
        time, calls = defaultdict(float), defaultdict(int)
        for order in trace.order.values():
            before = None
            for number, name, begin, end in order:
                inside = is_in(graph, names[name], loop['id'])
                if number is not None and inside:
                    time[number] += end - (before[1] if before and before[0] == number else begin)
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
    time, rows = said['iterations']['time'], said['rows']
    apart = time['recorded'] / time['run'] - 1
    wrong = [row for row in rows if row['time']['differs'] and abs(row['impact']) >= 0.05]
    for row in rows:
        impact = (row['time']['recorded'] - row['time']['run']) / time['run']
        expect(near(row['impact'], impact, 1e-4), row['label'], 'impact', impact)
    if (time['differs'] and abs(apart) > 0.1) or wrong or said['iterations']['coverage'] < 0.5:
        verdict = 'no'
    else:
        verdict = 'unknown' if abs(apart) > 0.1 else 'yes'
    expect(said['verdict'] == verdict, 'verdict', said['verdict'], 'instead of', verdict)


def check_full(graph, trace):
    """By function and place: sums of the trace are those of the graph but for rounding to ns."""
    sums, wanted = defaultdict(lambda: [0, 0, 0]), defaultdict(lambda: [0, 0, 0])
    hidden = {site[:2] for site in trace.hidden}
    for site, by_iteration in trace.sites.items():
        for figures in by_iteration.values():
            sums[site[:2]] = list(map(sum, zip(sums[site[:2]], figures)))
    for node in graph['nodes']:
        figures = node['time']['sum'], node['count'], node['bytes']
        wanted[label_of(node)] = list(map(sum, zip(wanted[label_of(node)], figures)))
    expect(sums.keys() == wanted.keys(), sorted(sums), 'in the trace,', sorted(wanted))
    for name, (time, calls, size) in sums.items():
        expect(calls == wanted[name][1] and abs(time - wanted[name][0]) <= 2 * calls and
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
        check_rows(said, graph, trace)
        loops = check_loops(said, graph, trace)
        check_verdict(said)
        print(f"{len(said['rows'])} rows, {loops} of loops; {said['verdict']}: {said['sentence']}")
    print(*FAULTS[:5], sep='\n', end='')
    return bool(FAULTS)


if __name__ == '__main__':
    sys.exit(main())
