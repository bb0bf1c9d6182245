# SPDX-License-Identifier: BSD-3-Clause
"""Several fields, on each of which a list of operators works; a generator gives the steps.

usage: pyfields.py [STEPS]

The main loop are the steps, each of 5 exchanges.
"""
import sys

import numpy as np
from say import say_loops
from mpi4py import MPI

comm = MPI.COMM_WORLD
left, right = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
count = int(sys.argv[1]) if len(sys.argv) > 1 else 500


def steps(n):
    for step in range(n):
        yield step


class Field:
    def __init__(self, width):
        self.values = np.ones(width)

    def exchange(self):
        edge = np.empty(1)
        request = comm.Irecv(edge, left)
        comm.Send(self.values[-1:].copy(), right)
        request.Wait()
        self.values[0] = 0.5 * (self.values[0] + edge[0])

    def work(self):
        self.values = np.cos(self.values * 1.001)


fields = [Field(3000 * (i + 1)) for i in range(5)]
operators = [lambda field: field.exchange(), lambda field: field.work()]
for step in steps(count):
    for operator in operators:
        for field in fields:
            operator(field)
    if step % 100 == 99:
        comm.barrier()
if comm.rank == 0:
    print("sum", round(float(fields[0].values.sum()), 6))
say_loops(count)
