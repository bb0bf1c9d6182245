# SPDX-License-Identifier: BSD-3-Clause
"""3000 iterations; in the 1500th one the program asks for 4 to be recorded."""
import array

from mpi4py import MPI

import efgtrace

world = MPI.COMM_WORLD
left, right = (world.rank - 1) % world.size, (world.rank + 1) % world.size
mine, got = array.array('d', [1.0] * 64), array.array('d', [0.0] * 64)
for i in range(1, 3001):
    if i == 1500:
        efgtrace.record(4)
    efgtrace.record(0)
    world.Sendrecv(mine, right, 1, got, left, 1)
    sum(a * b for a, b in zip(mine, got))
    world.Allreduce(MPI.IN_PLACE, mine, MPI.MAX)
if world.rank == 0:
    print('done 3000')
