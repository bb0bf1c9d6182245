# SPDX-License-Identifier: BSD-3-Clause
# Programs with sessions.

if $MPICC -O1 "$root/tests/mpi4/sessions.c" -o sessions 2>/dev/null; then
    as_bare "sessions" -np 3 ./sessions 5 -- -np 1 ./sessions 5 : -np 2 $with ./sessions 5
    same "sessions: it is said why nothing is traced" 1 "$(grep -c "1 of 3 ranks run without efgtrace" err)"
    as_bare "sessions of all" -np 3 ./sessions 5 -- -np 3 $with ./sessions 5
    says "sessions of all" "3 ranks on"
else
    skip "sessions" "this MPI has none"
fi
