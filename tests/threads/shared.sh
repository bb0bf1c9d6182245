# SPDX-License-Identifier: BSD-3-Clause
# What one thread starts, another completes; all use one window; one polls during MPI_Finalize.

both completes "-m full" $bin/threads completes 50
matched completes
same "completes: no call is lost" "$((2 * 2 * 50))" "$("$tool" expand completes | grep -c MPI_Waitall)"
both puts "-m full" $bin/threads puts 50
matched puts
same "puts: no call is lost" "$((2 * 4 * 50 * 20))" "$("$tool" expand puts | grep -c MPI_Put)"
if [ "$mpi" = MPICH ]; then
    skip "finalize" "MPICH itself does not always bear it"
else
    both finalize "-m full" $bin/threads finalize 50
    same "finalize: no exchange is lost" 100 "$("$tool" expand finalize | grep -c MPI_Waitall)"
fi
