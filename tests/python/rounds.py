# SPDX-License-Identifier: BSD-3-Clause
"""Steps that do nothing but go through a few parts, with MPI by ctypes: no call tells of a step.

usage: rounds.py LIBRARY STEPS KIND        LIBRARY: that of MPI; KIND: of what the loop over the parts goes through
"""
import contextlib
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
kind = sys.argv[3]
kinds = {
    "tuple": lambda: (1, 2),
    "list": lambda: [1, 2, 3],
    "range": lambda: range(3),
    "enumerate": lambda: enumerate([1, 2]),
    "zip": lambda: zip((1, 2), [3, 4, 5]),
    "generator": lambda: (part for part in (1, 2)),
}


def exchange():
    mpi.MPI_Barrier(self)
    mpi.MPI_Barrier(self)


def work():
    time.sleep(0.0002)


def within():
    """What `with` leaves in the stack is below the iterator."""
    with contextlib.nullcontext():
        for _ in 1, 2:
            exchange()
            work()


def once():
    """A loop that ends in its first round; and one whose iterator is gone when the call comes."""
    for _ in 1, 2, 3:
        exchange()
        break
    for _ in (1, 2), (3, 4):
        exchange()
    exchange()
    work()


for step in range(int(sys.argv[2])):
    if kind in ("within", "once"):
        globals()[kind]()
        continue
    for part in kinds[kind]():
        exchange()
        work()
mpi.MPI_Finalize()
print("done")
