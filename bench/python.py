#!/usr/bin/python3
"""What functions and lines of Python cost: a loop of calls from DEPTH functions deep, traced with python = on and off.

usage: python.py [--build DIR] [--rounds N]
Prints the median over the rounds of ns that a call takes in the program, MPI_Barrier of one rank.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile

CALLS = 200000
SCRIPT = f'''
import sys, time
from mpi4py import MPI
barrier = MPI.COMM_SELF.Barrier
def down(depth):
    if depth > 1:
        return down(depth - 1)
    begin = time.perf_counter()
    for step in range({CALLS} // 2):
        barrier()
        barrier()
    print((time.perf_counter() - begin) / {CALLS} * 1e9)
down(int(sys.argv[1]))
'''


def run(tool, script, depth, *options):
    with tempfile.TemporaryDirectory() as folder:
        traced = [tool, 'run', '-o', folder + '/out', '-m', 'graph', *options] if options else []
        done = subprocess.run(['mpirun', '--oversubscribe', '-np', '1', *traced, '/usr/bin/python3', script, str(depth)],
                              capture_output=True, text=True, check=True)
    return float(done.stdout)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument('--build', default='build')
    arguments.add_argument('--rounds', type=int, default=5)
    given = arguments.parse_args()
    tool = os.path.join(given.build, 'efgtrace')
    kinds = {'bare': (), 'off': ('--python', 'off'), 'on': ('--python', 'on')}
    with tempfile.NamedTemporaryFile('w', suffix='.py') as script:
        script.write(SCRIPT)
        script.flush()
        for depth in 1, 8, 16:
            seen = {kind: [] for kind in kinds}
            for _ in range(given.rounds):
                for kind, options in kinds.items():
                    seen[kind].append(run(tool, script.name, depth, *options))
            for kind, rows in seen.items():
                print(f'depth {depth:2} {kind:4} {statistics.median(rows):8.0f} ns a call')


if __name__ == '__main__':
    sys.exit(main())
