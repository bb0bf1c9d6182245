# SPDX-License-Identifier: BSD-3-Clause
# Each call once: Python.

if has_mpi4py; then
    counted Python 2 'MPI_Sendrecv 6
MPI_Barrier 1
finish' "$python" "$tests/ring.py"
else
    skip Python "no mpi4py for $mpi"
fi
