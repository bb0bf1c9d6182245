"""A time step with an inner solver: STEPS times one Allreduce, then ten from another line.

usage: solver.py [STEPS]
"""
import array
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
value = array.array('d', [1.0])


def reduce():
    world.Allreduce(MPI.IN_PLACE, value)
    value[0] /= world.size


for step in range(int(sys.argv[1]) if len(sys.argv) > 1 else 200):
    reduce()
    for iteration in range(10):
        reduce()
if world.rank == 0:
    print('value', value[0])
