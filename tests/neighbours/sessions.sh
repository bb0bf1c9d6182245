# SPDX-License-Identifier: BSD-3-Clause
# Programs with sessions, which MPI_Init does not begin.

if $MPICC -O1 "$root/tests/mpi4/sessions.c" -o sessions 2>/dev/null; then
    wanted=$(printf '%s\n' "MPI_Allreduce 15" "MPI_Barrier 3" "MPI_Comm_create_from_group 3" \
        "MPI_Comm_free 6" "MPI_Sendrecv 15" | sed 's/^/all /')
    for neighbour in counts next; do
        for place in before behind; do
            run "$(preloads "" $neighbour $place)" ./sessions 5
            bare="$code $(cat out err)"
            folder=$PWD/trace.$neighbour.$place
            run "$(preloads $tracing $neighbour $place)" env EFGTRACE_MODE=full EFGTRACE_SUMMARY=off \
                EFGTRACE_OUTPUT="$folder" ./sessions 5
            same "sessions, $neighbour $place: as bare" "$bare" "$code $(cat out err)"
            same "sessions, $neighbour $place: our calls" "$wanted" "$(called "$folder/traces.otf2")"
        done
    done
else
    skip "sessions" "this MPI has none"
fi
