# SPDX-License-Identifier: BSD-3-Clause
"""A loop in which more calls are made now and then, with MPI by ctypes.

usage: now_and_then.py LIBRARY STEPS        LIBRARY: that of MPI
"""
import ctypes
import sys
import time

ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
mpi = ctypes.CDLL(None)
mpi.MPI_Init(None, None)
if hasattr(mpi, "ompi_mpi_comm_self"):
    self = ctypes.c_void_p(ctypes.addressof(ctypes.c_void_p.in_dll(mpi, "ompi_mpi_comm_self")))
else:
    self = ctypes.c_int(0x44000001)


def step():
    mpi.MPI_Barrier(self)
    mpi.MPI_Barrier(self)


def output():
    for _ in range(6):
        mpi.MPI_Barrier(self)


i = 0
while i < int(sys.argv[2]):
    step()
    time.sleep(0.0002)
    if i % 10 == 0:
        output()
    i += 1
mpi.MPI_Finalize()
