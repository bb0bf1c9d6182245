# SPDX-License-Identifier: BSD-3-Clause
# How jobs end that do not end by themselves: what they had done until then can be read, and Slurm sees what it would
# see without us. Nothing has been saved before (save = 1h): all is from the moment of the end.

more=

# begin NAME ARGUMENT... COMMAND...: a batch job with two ranks; when they have worked for a while it goes on; to $job
begin() {
    local name=$1
    shift
    rm -rf "$name" "$name.out"
    printf '#!/bin/sh\nexec srun -n 2 --efgtrace=mode=graph,save=1h,summary=off,output=%s %s\n' "$name$more" "$run" |
        sbatch --parsable --no-requeue -n 2 -o "$name.out" "$@" >job 2>err
    job=$(cat job)
    until_true 60 test -d "$name/pieces" || verdict "$name: it begins" "$(cat "$name.out" err)"
    sleep 1
}

# state: of $job, when it is over
ended() {
    until_true 60 sh -c "scontrol show job $job | grep -q 'JobState=\(TIMEOUT\|CANCELLED\|COMPLETED\|FAILED\|NODE_FAIL\)'"
    scontrol show job "$job" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'
}

# readable NAME CALLS: all calls until the end; they are counted in the pieces of both ranks
readable() {
    "$tool" trace "$1" >said 2>&1
    verdict "$1: it can be read" "$([ -f "$1/run.efg" ] && "$tool" report "$1" 2>&1 >/dev/null || cat said)"
    has "$1: both ranks" "2 of 2 ranks" said
}

# saved_within NAME SECONDS SINCE: the last piece is that young, seen from the moment SINCE
saved_within() {
    local last
    last=$(stat -c %.Y "$1"/pieces/*.efg | sort -n | tail -n 1)
    verdict "$1: saved within $2 s" "$(awk -v a="$3" -v b="$last" -v most="$2" 'BEGIN { if (b - a > most) print b - a " s" }')"
}

# In calls all the time, and asleep in one.
for way in call receive; do
    run="$programs/term $way"
    begin "cancelled-$way"
    since=$(date +%s.%N)
    scancel "$job"
    same "cancelled-$way: its state" CANCELLED "$(ended)"
    until_true 10 sh -c "[ \"\$(ls cancelled-$way/pieces | wc -l)\" = 2 ]"
    saved_within "cancelled-$way" 2 "$since"
    readable "cancelled-$way"
done

# The time limit is one of minutes; it is set to what has gone.
run="$programs/term compute"
mkdir near && more=,local=$PWD/near # what is on the node is moved in time
begin late --time=1
more=
same "the time limit: its state" TIMEOUT "$(until_true 100 sh -c "scontrol show job $job | grep -q TIMEOUT"; ended)"
has "the time limit: Slurm says so" "DUE TO TIME LIMIT" late.out
until_true 10 sh -c '[ -z "$(ls near)" ]'
same "the time limit: nothing is left on the node" "0.0.efg 1.0.efg" "$(ls late/pieces near/* 2>/dev/null | grep efg | xargs)"
readable late

# --signal: a signal that the program handles, some time before the end; efgtrace leaves it alone.
cat >signalled.c <<'C'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
static volatile sig_atomic_t is_over;
static void end(int signal)
{
    is_over = signal;
}
int main(int argc, char **argv)
{
    int mine, all = 0, rank;
    signal(SIGUSR1, end);
    signal(SIGTERM, end);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (!all) {
        mine = is_over;
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    if (!rank)
        printf("ended in order by %d\n", all);
    MPI_Finalize();
    return 0;
}
C
$MPICC -g -O1 signalled.c -o signalled
run=./signalled
begin warned --time=1 --signal=USR1@50
same "--signal: its state" COMPLETED "$(ended)"
has "--signal: the program has it" "ended in order by 10" warned.out
verdict "--signal: there is a run file" "$([ -f warned/run.efg ] || ls warned)"
begin asked
scancel --signal=TERM "$job"
same "a program that handles SIGTERM: its state" COMPLETED "$(ended)"
has "a program that handles SIGTERM: it has it" "ended in order by 15" asked.out

# A node that is gone: slurmd and all that it had started are killed.
printf '#!/bin/sh\nexec srun -N 2 -n 2 --efgtrace=mode=graph,save=200ms,summary=off,output=gone %s call\n' "$programs/term" |
    sbatch --parsable --no-requeue -w one,two -N 2 -n 2 -o gone.out >job
job=$(cat job)
until_true 60 sh -c '[ "$(ls gone/pieces | wc -l)" = 2 ]'
victims=$(pgrep -f "slurmstepd: \[$job\." | while read -r pid; do
    tr '\0' '\n' <"/proc/$pid/environ" | grep -q 'SLURMD_NODENAME=two' && echo "$pid"; done)
ranks_of_two=$(for pid in $(processes); do
    tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -q '^SLURMD_NODENAME=two' && echo "$pid"; done)
# shellcheck disable=SC2086 # words
kill -KILL "$pid_of_two" $victims $ranks_of_two 2>/dev/null
wait "$pid_of_two" 2>/dev/null
scontrol update NodeName=two State=DOWN Reason=gone
verdict "a node that is gone: Slurm ends the job" "$(case $(ended) in NODE_FAIL | FAILED | CANCELLED) ;; *) scontrol show job "$job" ;; esac)"
readable gone
verdict "a node that is gone: no rank is left" "$(pgrep -f "^$programs/term call" | head -n 2)"
as_node two
scontrol update NodeName=two State=RESUME 2>/dev/null
until_true 60 idle
