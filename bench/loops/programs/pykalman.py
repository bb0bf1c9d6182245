# SPDX-License-Identifier: BSD-3-Clause
"""An ensemble's forecast of 20 steps, each member on half of the ranks, then the analysis of all.

usage: pykalman.py [CYCLES]

The main loop are the cycles of forecast and analysis.
"""
import sys

import numpy as np
from say import say_loops
from mpi4py import MPI

comm = MPI.COMM_WORLD
cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 60
member = comm.Split(comm.rank // 2, comm.rank)
left, right = (member.rank - 1) % member.size, (member.rank + 1) % member.size
x = np.random.default_rng(comm.rank).standard_normal(4000)


def forecast(x):
    edge = np.empty(1)
    member.Sendrecv(x[-1:], right, 0, edge, left, 0)
    wide = np.concatenate((edge, x))
    return x + 0.01 * (wide[:-1] - x) * np.abs(x)


for cycle in range(cycles):
    for step in range(20):
        x = forecast(x)
    mean = np.empty_like(x)
    comm.Allreduce(x, mean)
    mean /= comm.size
    spread = comm.allreduce(float(((x - mean) ** 2).sum()))
    x = x + 0.1 * spread / (spread + 1) * (mean - x)
if comm.rank == 0:
    print("spread", round(spread, 3))
say_loops(cycles)
