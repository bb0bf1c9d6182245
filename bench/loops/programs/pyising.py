# SPDX-License-Identifier: BSD-3-Clause
"""The Ising model, both colours of a checkerboard one after the other; the magnetisation each 20th sweep.

usage: pyising.py [SWEEPS]

The main loop are the sweeps.
"""
import sys

import numpy as np
from say import say_loops
from mpi4py import MPI

comm = MPI.COMM_WORLD
up, down = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else 600
SIDE = 128
rows = SIDE // comm.size
random = np.random.default_rng(7 + comm.rank)
spins = np.where(random.random((rows + 2, SIDE)) < 0.5, 1, -1).astype("i1")
black = (np.indices((rows, SIDE)).sum(0) % 2).astype(bool)


def exchange():
    first, last = comm.Isend(spins[1].copy(), up, 0), comm.Isend(spins[-2].copy(), down, 1)
    comm.Recv(spins[-1], down, 0)
    comm.Recv(spins[0], up, 1)
    first.Wait()
    last.Wait()


def flip(colour):
    exchange()
    own = spins[1:-1]
    field = spins[:-2].astype(int) + spins[2:] + np.roll(own, 1, 1) + np.roll(own, -1, 1)
    own[(random.random(own.shape) < np.exp(-0.8 * own * field)) & colour] *= -1


for sweep in range(sweeps):
    for is_black in (False, True):
        flip(black if is_black else ~black)
    if sweep % 20 == 0:
        magnetisation = comm.reduce(int(spins[1:-1].sum()))
    if sweep % 200 == 199:
        comm.gather(spins[1:-1].copy())
if comm.rank == 0:
    print("magnetisation", magnetisation)
say_loops(sweeps)
