#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the summary says of waiting, against the figures of the report.

longest.py TOOL DIR     the lines; or what differs
"""
import json
import re
import subprocess
import sys


def main(tool, folder):
    report = json.loads(subprocess.check_output([tool, 'report', '--json', folder]))
    overview = report['overview']
    at = next(i for i, line in enumerate(overview['summary']) if line.startswith('Waiting  '))
    text = ' '.join(line.strip() for line in overview['summary'][at:at + 3])
    said = re.search(r'at most ([0-9.]+)% of the time, that in MPI: (.*?)(?: rank| all ranks)', text)
    time, mpi = overview['time'], overview['mpi_time']
    assert abs(float(said[1]) - 100 * mpi / time) < 0.06, (text, mpi / time)
    parts = [float(part) for part in re.findall(r'([0-9.]+)% in', said[2])]
    assert parts and 100 * mpi / time - 0.5 * 4 - 0.2 < sum(parts) < 100 * mpi / time + 0.2, (text, mpi / time)
    polls = re.search(r'([0-9.]+)% in polls', text)
    mine = 100 * sum(node['poll_time'] for node in report['graph']['nodes']) / time
    assert abs(float(polls[1]) - mine) < 0.06 if polls else mine < 0.6, (text, mine)
    useful = next(one for one in report['ranks'] if one['name'] == 'outside MPI')['values']
    above = 100 * (useful['most'] / useful['mean'] - 1)
    rank = re.search(r'rank (\d+) computes longest, ([0-9.]+)% longer', text)
    if rank:
        assert int(rank[1]) == useful['most_rank'] and abs(float(rank[2]) - above) < 0.1, (text, useful)
    else:
        assert above < 5.1 and 'all ranks compute for the same time' in text, (text, useful)
    print(text)


if __name__ == '__main__':
    main(*sys.argv[1:])
