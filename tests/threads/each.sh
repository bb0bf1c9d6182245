# SPDX-License-Identifier: BSD-3-Clause
# Each thread has a graph and a location; no call is lost.

both at_once "-m full" $bin/threads at_once 60
matched at_once
same "at_once: locations" 10 "$(locations at_once)"
for rank in 0 1; do
    got=$(for thread in 0 1 2 3 4; do calls at_once $rank $thread; done | sort -n)
    same "at_once: calls of the threads of rank $rank" "60 MPI_Barrier
60 MPI_Irecv 60 MPI_Isend 60 MPI_Waitall
120 MPI_Irecv 120 MPI_Isend 120 MPI_Waitall
180 MPI_Irecv 180 MPI_Isend 180 MPI_Waitall
240 MPI_Irecv 240 MPI_Isend 240 MPI_Waitall" "$got"
done

if in_full; then
    both std_thread "-m full" $bin/std_thread
    matched std_thread
    same "std_thread: no call is lost" 60 "$("$tool" expand std_thread | grep -c MPI_Sendrecv)"
    both openmp "-m full" $bin/openmp
    matched openmp
    same "openmp: locations" 6 "$(locations openmp)"
    same "openmp: calls of a thread" "5 MPI_Sendrecv" "$(calls openmp 1 2)"
    both level "-m full" $bin/level
    matched level
    same "level: no call is lost" 6 "$("$tool" expand level | grep -c MPI_Sendrecv)"
fi
