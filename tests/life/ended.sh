# SPDX-License-Identifier: BSD-3-Clause
# Programs that end without MPI_Finalize.

for how in exit abort; do
    launch "$programs/ending" $how
    bare=$code
    launch "$tool" run --interval 20ms -o ended.$how "$programs/ending" $how
    same "$how: exit code" "$bare" "$code"
    "$tool" trace ended.$how >said 2>&1
    same "$how: the logs give a trace" "0 ended.$how/run.efg ended.$how/traces.otf2" "$? $(grep -v ^efgtrace said | xargs)"
    accepted "$how" ended.$how/traces.otf2 --iterations 10
done
