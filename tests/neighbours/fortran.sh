# SPDX-License-Identifier: BSD-3-Clause
# Fortran, by all its three bindings.

fortran="MPI_Allreduce 5
MPI_Barrier 1
MPI_Recv 5
MPI_Send 5"

for kind in $(in_full && echo MPIFH MPI) F08; do
    if ! command -v "$MPIFORT" >/dev/null || [ "$mpi-$kind" = MPICH-F08 ]; then
        skip "Fortran $kind" "no $MPIFORT, or functions under other names"
        continue
    fi
    compiled="$MPIFORT -ffree-line-length-none -DUSE_$kind -J $PWD $sources/ring.F90"
    $compiled -o "$work/ring$kind" || exit 1
    for place in $(in_full && echo before linked within) behind; do
        build ring$kind last $place $compiled
        beside ring$kind last $place
        same "ring$kind, last $place: our calls" \
            "$(calls=$fortran by 0 1 | as_seen {0,1,2}" MPI_Comm_split 1" {0,1,2}" MPI_Comm_free 1" {0,1}" MPI_Send 1" "2 MPI_Recv 2")" "$(ours)"
    done
    in_full || continue
    beside ring$kind counts behind
    same "ring$kind, counts behind: our calls" "$(calls=$fortran by 0 1 2)" "$(ours)"
done
