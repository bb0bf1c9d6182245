# SPDX-License-Identifier: BSD-3-Clause
# MPI in a scope of its own: a module of Python.

if has_mpi4py; then
    for place in before behind; do
        alike "Python, last $place" "$(preloads "" last $place)" "$(preloads $counting last $place)" \
            "$python" "$root/tests/preload/ring.py"
        same "Python, last $place: our calls" \
            "$(as_seen {0,1,2}" MPI_Comm_split 1" {0,1,2}" MPI_Comm_free 1" {0,1}" MPI_Send 1" "2 MPI_Recv 2" \
                <<<"$(printf '%d MPI_Barrier 1\n%d MPI_Sendrecv 6\n' 0 0 1 1)")" "$(ours)"
    done
else
    skip "Python" "no mpi4py for $mpi"
fi
