# SPDX-License-Identifier: BSD-3-Clause
"""What programs.h has for C.
"""
import sys

from mpi4py import MPI


def say_loops(iterations, around=0):
    """Iterations of the main loop on this rank, AROUND of the one around it on rank 0."""
    counts = MPI.COMM_WORLD.gather(iterations)
    if MPI.COMM_WORLD.rank == 0:
        print("loops:", *counts, "around", around, file=sys.stderr)
