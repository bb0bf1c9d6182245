# SPDX-License-Identifier: BSD-3-Clause
# Python loads libmpi late and into a scope of its own.
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
other = 1 - comm.rank
for i in range(6):
    buffer = bytearray(4)
    comm.Sendrecv(b"abcd", other, 0, buffer, other, 0)
comm.Barrier()
sys.stdout.write(f"{comm.rank} got {buffer.decode()}\n")  # in one piece
