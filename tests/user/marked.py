# SPDX-License-Identifier: BSD-3-Clause
"""200 steps of 30 sweeps each; the sweeps have the mark."""
import time

import efgtrace
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
total = 0
for step in range(200):
    with efgtrace.region("sweeps"):
        for k in range(30):
            efgtrace.iteration()
            time.sleep(0.0001)  # so that it takes its time, and no processor
            total += world.sendrecv(rank, (rank + 1) % ranks, 1, None, (rank - 1) % ranks, 1)
    total = world.allreduce(total)
if rank == 0:
    print("sum", total)
