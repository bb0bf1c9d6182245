# SPDX-License-Identifier: BSD-3-Clause
# Jobs that end in other ways.

for how in exit abort; do
    if [ "$how,$mpi" = exit,MPICH ]; then
        skip "exit" "MPICH kills the other ranks when one ends so, before they can save"
        continue
    fi
    ranks 4 "$tool" run -m graph --summary off -o ended.$how "$programs/ending" $how 100 >out 2>err
    "$tool" trace ended.$how >said 2>err
    same "$how: trace" "0 ended.$how/run.efg" "$? $(cat said)"
    calls=$("$tool" expand -r 2 ended.$how | grep -c -e MPI_Allreduce -e MPI_Barrier)
    same "$how: all calls up to the end" 200 "$calls"
done
