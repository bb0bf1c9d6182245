#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much of a run that polls is in MPI, by everything that says so, against what python3-otf2 reads in a
trace of the whole run. A call is in MPI from its begin to its end; polls that found nothing are calls there.

polls.py TOOL DIR     a line: the share; or what differs
"""
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict

import otf2
from otf2.events import Enter, Leave

NEAR = 0.002    # of the time
EDGES = 0.02    # the same of the run, besides its time before the first call and after the last
FAULTS = []


def read(anchor):
    """Of each rank, the time in MPI by function and whether it is a poll; and from the first call to the last."""
    inside, span, begun = defaultdict(Counter), {}, {}
    with otf2.reader.open(anchor) as trace:
        for location, event in trace.events:
            if not isinstance(event, (Enter, Leave)) or event.region.paradigm != otf2.Paradigm.MPI:
                continue
            rank = int(location.group.name.rsplit(' ', 1)[1])
            if isinstance(event, Enter):
                begun[rank] = event.time, 'polls' in {key.name for key in event.attributes or {}}
            else:
                begin, is_poll = begun[rank]
                inside[rank][event.region.name, is_poll] += event.time - begin
                span[rank] = span.get(rank, (begin,))[0], event.time
    return inside, {rank: end - begin for rank, (begin, end) in span.items()}


def check(what, wanted, got, near):
    if abs(wanted - got) > near:
        FAULTS.append(f'{what}: {got} instead of {wanted}')


def says(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, encoding='utf-8').stdout


def profiled(tool, folder):
    """Time of calls and of the computation between them, of all ranks."""
    calls = computation = 0
    for profile in json.loads(says(tool, 'profile', '-f', 'json', folder))['profiles']:
        for forms in [profile['forms']] + [loop['forms'] for loop in profile['loops']]:
            for form in forms:
                for item in form['items']:
                    computation += form['count'] * item.get('before', 0)
                    if 'site' in item:
                        time = profile['sites'][item['site']]['time']
                        calls += form['count'] * item['repetitions']['mean'] * time
    return calls, computation


def main():
    tool, folder = sys.argv[1:3]
    inside, span = read(f'{folder}/traces.otf2')
    by_function = Counter()
    for rank in inside.values():
        for (name, _), ns in rank.items():
            by_function[name] += ns
    mpi, whole = sum(by_function.values()), sum(span.values())
    share = 100 * mpi / whole
    near = NEAR * whole

    report = json.loads(says(tool, 'report', '--json', folder))
    edges = EDGES + max(0, 1 - whole / report['overview']['time'])
    check('overview', mpi, report['overview']['mpi_time'], near)
    for call in report['calls']:
        check(call['call'], by_function[call['call']], call['time']['sum'], near)
    check('call sites', mpi, sum(site['time'] for site in report['sites']), near)
    for site in report['sites']:
        if site['longest'] is not None and site['longest'] < site['mean']:
            FAULTS.append(f"{site['label']}: the longest is below the mean")
    check('ranks', mpi, next(q for q in report['ranks'] if q['name'] == 'in MPI')['values']['sum'], near)
    check('contexts', mpi, report['contexts'][0]['mpi']['sum'], near)
    nodes = report['graph']['nodes']
    check('graph', mpi, sum(node['time']['sum'] + node['poll_time'] for node in nodes), near)
    [main_loop] = [loop for loop in report['loops'] if loop['is_main']]
    check('main loop', mpi, main_loop['mpi_time'], near)
    check('time of the main loop', whole, main_loop['time'], near)
    useful = [span[rank] - sum(inside[rank].values()) for rank in span]
    longest = len(span) * max(span.values())  # the time of all is that of the rank that takes longest
    parallel = sum(useful) / longest
    for name, efficiency, error in (('run', report['overview']['efficiency'], edges),
                                    ('loop', main_loop['efficiency'], 2 * NEAR)):
        check(f'efficiency, {name}', parallel, efficiency['parallel'], error)
        check(f'balance, {name}', sum(useful) / len(useful) / max(useful), efficiency['balance'],
              error / parallel)  # of what is useful only
    slots, of_rank = report['iterations']['slots'], report['iterations']['of_rank']
    check('iterations', 100 * sum(inside[of_rank].values()) / span[of_rank],
          100 * sum(slot[6] for slot in slots) / sum(slot[3] for slot in slots), 5)  # not all are in it
    waiting = report['waiting']['all']
    check('waiting: MPI', mpi, waiting['mpi'], near)
    check('waiting: polls', sum(ns for rank in inside.values() for (_, is_poll), ns in rank.items() if is_poll),
          waiting['waiting'].get('polls', 0), near)
    calls, computation = profiled(tool, folder)
    check('profile: calls', mpi, calls, near)
    check('profile: computation', whole - mpi, computation, near)

    text = says(tool, 'report', folder)
    check('text, summary', share, float(re.search(r'ranks? on .*, ([\d.]+)% of it in MPI', text)[1]), 100 * edges)
    check('text, waiting', 100 - share, float(re.search(r'([\d.]+)% .* computation\n', text)[1]), 100 * NEAR + 0.1)
    speaker = int(re.search(r'loops of rank (\d+)', text)[1])
    check('text, loops', 100 * sum(inside[speaker].values()) / span[speaker],
          float(re.search(r'([\d.]+)% +\* in (?:\S+ )?main', text)[1]), 100 * NEAR + 0.1)
    print('; '.join(FAULTS) if FAULTS else f'{share:.1f}% of {whole / 1e6:.0f} ms')
    sys.exit(bool(FAULTS))


if __name__ == '__main__':
    main()
