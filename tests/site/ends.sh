# SPDX-License-Identifier: BSD-3-Clause
# Jobs that do not end by MPI_Finalize have a record, too: what the first rank knew.

make_spool spool
noisy=1
if in_full; then
    as_bare "exit" 1 timeout $patience $MPIRUN -np 3 "$programs/ending" exit 50
    readable "exit"
fi
as_bare "abort" 1 timeout $patience $MPIRUN -np 3 "$programs/ending" abort 50
readable "abort"

# killed NAME SIGNAL: a job that would go on for a minute, whose first process gets the signal
killed() {
    clear_spool
    site timeout $patience $MPIRUN -np 2 "$programs/ending" exit 30000 &
    launcher=$!
    until [ -n "$(records)" ]; do sleep 0.1; done
    record=$(records)
    kill "-$2" "${record##*-}" # the name ends with the number of the process
    wait $launcher
    same "$1: one record" 1 "$(records | wc -l)"
    readable "$1"
}
in_full && killed "a rank that is killed" KILL
killed "a rank that is ended" TERM
has "a rank that is ended: whose record it is" "by 1 of 2 ranks" report.txt
noisy=
