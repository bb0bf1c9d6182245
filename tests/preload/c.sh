# SPDX-License-Identifier: BSD-3-Clause
# Each call once: C.

$MPICC -std=gnu11 "$tests/calls.c" -o "$PWD/calls" || exit 1
persistent=$(nm -D "$PWD/calls" | grep -o 'MPIX\?_Barrier_init') # Open MPI 4 has the X
counted C 2 'control 1 solve
control -1 solve
control 1 (none)
control -1 (none)
control 2 (none)
MPI_Isend 6
MPI_Send_init 1
MPI_Irecv 5
MPI_Recv_init 1
MPI_Sendrecv 1
MPI_Start 1
MPI_Startall 3
MPI_Iprobe 1
MPI_Mprobe 1
MPI_Mrecv 1
MPI_Wait 3
MPI_Waitall 8
MPI_Request_free 3
MPI_Barrier 1
MPI_Bcast 1
MPI_Allreduce 2
MPI_Ibarrier 1
MPI_Neighbor_allgather 1
'"$persistent"' 1
MPI_Comm_split 1
MPI_Cart_create 1
MPI_Comm_free 2
MPI_Win_allocate 1
MPI_Win_free 1
MPI_Put 1
MPI_Win_fence 2
finish' "$PWD/calls"
