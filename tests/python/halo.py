"""A halo exchange of numpy arrays: STEPS steps, which call MPI from two lines of one function, and a norm now and then.
A step is mostly asleep: others have the processor meanwhile.

usage: halo.py [STEPS]
"""
import sys
import time

import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
left, right = (world.rank - 1) % world.size, (world.rank + 1) % world.size


def exchange(u):
    world.Sendrecv(u[-2:-1], dest=right, recvbuf=u[0:1], source=left)
    world.Sendrecv(u[1:2], dest=left, recvbuf=u[-1:], source=right)


def norm(u):
    total = numpy.array([numpy.dot(u[1:-1], u[1:-1])])
    world.Allreduce(MPI.IN_PLACE, total)
    return total[0]


def main(steps):
    u = numpy.full(10000, world.rank, dtype=float)
    for step in range(steps):
        exchange(u)
        u[1:-1] += 0.25 * (u[:-2] - 2 * u[1:-1] + u[2:])
        time.sleep(0.0005)
        if step % 100 == 99:
            norm(u)
    return norm(u)


result = main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
if world.rank == 0:
    print('norm', result)
