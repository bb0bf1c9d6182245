# SPDX-License-Identifier: BSD-3-Clause
# Each call once: Fortran, by all its three bindings.

for kind in MPIFH MPI F08; do
    if ! command -v "$MPIFORT" >/dev/null; then
        skip "Fortran $kind" "no $MPIFORT"
        continue
    fi
    $MPIFORT -ffree-line-length-none -DUSE_$kind -J "$PWD" "$tests/calls.F90" -o "$PWD/calls_$kind" || exit 1
    counted "Fortran $kind" 2 'control 1 (none)
MPI_Isend 4
MPI_Irecv 4
MPI_Sendrecv 1
MPI_Waitall 4
MPI_Barrier 1
MPI_Allreduce 1
MPI_Comm_dup 1
MPI_Comm_free 1
finish' "$PWD/calls_$kind"
done
