# SPDX-License-Identifier: BSD-3-Clause
# The ways to end.

counted "fork" 1 'MPI_Barrier 1
finish' "$work/end" fork
counted "another folder" 1 'MPI_Barrier 1
finish' "$work/end" chdir
counted "MPI_Finalize in atexit" 1 'MPI_Barrier 1
finish' "$work/end" atexit
counted "longjmp out of a call" 1 'MPI_Send 3
MPI_Send never left 3
MPI_Barrier 2
finish' "$work/end" jump
for how in exit abort; do
    run 1 "$work/end" $how
    same "$how: what was left" $'[0] MPI_Barrier 1\n[0] leave' "$err"
    bare 1 "$work/end" $how
    same "$how: exit code" "$(grep exit <<<"$out_bare")" "exit $code"
done
