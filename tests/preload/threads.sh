# SPDX-License-Identifier: BSD-3-Clause
# Each call once: threads.

$MPICC -std=gnu11 "$tests/threads.c" -o "$PWD/threads" -lpthread || exit 1
counted "threads" 2 'MPI_Isend 2000
MPI_Recv 2000
MPI_Wait 2000
finish' "$PWD/threads"
