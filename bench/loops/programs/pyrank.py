# SPDX-License-Identifier: BSD-3-Clause
"""PageRank by the power method, until it has converged or long enough.

usage: pyrank.py [MOST]

The main loop are the iterations.
"""
import sys

import numpy as np
from say import say_loops
from mpi4py import MPI

comm = MPI.COMM_WORLD
most = int(sys.argv[1]) if len(sys.argv) > 1 else 400
PAGES = 40000
own = PAGES // comm.size
links = np.random.default_rng(comm.rank).integers(0, PAGES, own * 8)
targets = np.repeat(np.arange(own), 8)
ranks, iterations = np.full(PAGES, 1 / PAGES), 0
while True:
    part, new = np.zeros(own), np.empty(PAGES)
    np.add.at(part, targets, ranks[links])
    comm.Allgather(0.15 / PAGES + 0.85 * part / 8, new)
    change = comm.allreduce(float(np.abs(new - ranks)[:own].sum()))
    ranks = new / new.sum()
    iterations += 1
    if change < 1e-30 or iterations == most:
        break
if comm.rank == 0:
    print(iterations, "iterations")
say_loops(iterations)
