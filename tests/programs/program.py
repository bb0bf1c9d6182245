"""What the programs in Python share, as program.h has it for those in C: their arguments, ITERATIONS and
MICROSECONDS, 1000 each if they are left out; and a verdict. Wrong data ends the job with exit code 1.
"""
import sys
import time
from pathlib import Path

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
name = Path(sys.argv[0]).name
iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
microseconds = int(sys.argv[2]) if len(sys.argv) > 2 else 1000


def expect(right, what):
    if not right:
        print(f'FAIL {name}: rank {rank}: {what}', file=sys.stderr, flush=True)
        world.Abort(1)


def compute():
    time.sleep(microseconds / 1e6)


def end():
    if rank == 0:
        print(f'ok {name}: {iterations} steps', flush=True)
