# SPDX-License-Identifier: BSD-3-Clause
"""Jacobi's method for Laplace's equation, with halos and, each tenth time, the change of all ranks.

usage: pyjacobi.py [STEPS]

The main loop are the steps, in the script itself.
"""
import sys

import numpy as np
from say import say_loops
from mpi4py import MPI

comm = MPI.COMM_WORLD
up, down = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 1500


def halo(u):
    comm.Sendrecv(u[1], up, 0, u[-1], down, 0)
    comm.Sendrecv(u[-2], down, 1, u[0], up, 1)


def step(u):
    halo(u)
    v = u.copy()
    v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return v


u = np.zeros((200 // comm.size + 2, 200))
u[:, 0] = 1
for i in range(steps):
    v = step(u)
    if i % 10 == 0:
        change = comm.allreduce(float(np.abs(v - u).sum()))
    u = v
if comm.rank == 0:
    print("change", round(change, 4))
say_loops(steps)
