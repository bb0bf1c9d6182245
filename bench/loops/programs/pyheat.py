# SPDX-License-Identifier: BSD-3-Clause
"""Implicit time steps of heat conduction; in each, the method of conjugate gradients.

usage: pyheat.py [STEPS]

The main loop are the time steps, of 5 to 10 iterations each.
"""
import sys

import numpy as np
from say import say_loops
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 120


class Operator:
    def __call__(self, x):
        requests, left, right = [], np.zeros(1), np.zeros(1)
        if rank > 0:
            requests += [comm.Irecv(left, rank - 1, 0), comm.Isend(x[:1].copy(), rank - 1, 1)]
        if rank < size - 1:
            requests += [comm.Irecv(right, rank + 1, 1), comm.Isend(x[-1:].copy(), rank + 1, 0)]
        MPI.Request.Waitall(requests)
        wide = np.concatenate((left, x, right))
        return x + 3.0 * (2 * x - wide[:-2] - wide[2:])


def dot(a, b):
    return comm.allreduce(float(a @ b))


def solve(operator, b, x):
    r = b - operator(x)
    p, now, n = r.copy(), dot(r, r), 0
    while now > 1e-10 and n < 60:
        q = operator(p)
        a = now / dot(p, q)
        x = x + a * p
        r = r - a * q
        new = dot(r, r)
        p = r + new / now * p
        now, n = new, n + 1
    return x, n


x, total = np.sin(np.arange(20000) * 0.01 * (rank + 1)), 0
for step in range(steps):
    x, n = solve(Operator(), x, x.copy())
    total += n
if rank == 0:
    print(total, "iterations")
say_loops(steps)
