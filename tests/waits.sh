#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Why ranks wait: programs whose delays are known (waits/delays.c), against what these have measured
# themselves (delays.py); and others, against another analyser (waiting.py, causes.py).
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/waits.sh
#   tests/waits.sh large     the same delays on 32 ranks, 0.1 s each: half a minute
#
# environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
compile stencil2d collectives probes polling threads waitany alternating rma mpiio || exit 2
$MPICC -g -O1 "$root/tests/waits/delays.c" -o "$work/delays" || exit 2
cd "$work" || exit 2

all="late_sender chain late_receiver all barrier broadcast reduce fence late_post late_complete lock nonblocking
rotating writing computing"

# delayed RANKS ITERATIONS US PROGRAM...: so many iterations, in each of which a rank comes so much later
delayed() {
    local number=$1 iterations=$2 late=$3
    shift 3
    ranks "$number" "$tool" run -o "delays.$number" --summary off --mode full ./delays $iterations $late >came 2>err ||
        verdict "delays on $number ranks: the run" "exit code $?: $(tail -n 3 err)"
    agrees "$number ranks: waiting is what was put in" delays.py "delays.$number" came "$@"
    agrees "$number ranks: another analyser finds the same" waiting.py "delays.$number"
}
if [ "${1-}" = large ]; then
    delayed 32 4 100000 $all
    finish
fi
delayed 4 8 10000 $all
in_full && delayed 2 8 10000 ${all/chain /}

for program in probes threads rma mpiio $(in_full && echo collectives polling waitany alternating); do
    traced $program --mode full -- "$programs/$program" 8 100
    agrees "$program: another analyser finds the same" waiting.py $program
done
"$tool" report mpiio >report
has "files, and their bytes a second" "B  mpiio.out" report
traced windows --windows 2 -- "$programs/stencil2d" 500
agrees "of the recorded iterations only" waiting.py windows

if ! in_full; then
    :
elif has_lammps; then
    LAMMPS_STEPS=60 "$root/bench/apps.sh" run lammps "$work/case" "$tool" run -o "$work/lammps" --summary off \
        --mode full >out 2>&1 || verdict "LAMMPS: the run" "exit code $?: $(tail -n 3 out)"
    agrees "LAMMPS: another analyser finds the same" waiting.py lammps
else
    skip "LAMMPS" "there is none for $mpi"
fi

# --- what is said ---

"$tool" report delays.4 >report
has "the report says it" "Waiting, in the recorded iterations" report
has "by kind" "waiting: late receiver" report
has "at which call site" "wait at fence    MPI_Win_fence  delays.c:" report
has "which ones make others wait" "-                MPI_Win_post  delays.c:" report
has "who waits for whom" "rank 0 for rank 1" report
has "communicators" " MPI_COMM_WORLD, 4 ranks" report
has "windows" " Win 0, 4 ranks" report
"$tool" report --all delays.4 >all # beside a load, others are above it
has "what the cause is" "  computation before MPI_Recv  delays.c:" all
verdict "and who: the findings" "$(tr -s '\n ' ' ' <report | grep -qE 'Rank [0-9] causes [0-9]+% of it, most by' || echo none)"
has "and the findings" "In the recorded iterations the ranks wait" report
verdict "nothing is cut" "$(grep -E '[.]{3}$' report | head -n 1)"

"$tool" report windows >report
verdict "efficiency of each iteration" "$([ "$(grep -cE '^ +([0-9.]+% +){4}[0-9.]+ .s +[0-9.]+ [mun]?s +[0-9.]+%  [0-9]+$' report)" = 20 ] ||
    grep -A12 'x transfer    longest' report)"

has "loops that were recorded" " parallel = load balance x serialisation x transfer       time  of" report
cat >before.c <<'END'
#include <mpi.h>
#include <unistd.h>
static volatile int times = 3; /* no constant: its first round has no call paths of its own */
int main(int argc, char **argv)
{
    int rank, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        MPI_Bcast(&i, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int step = 0; step < 200; step++) {
        usleep(1000 * (rank + 1));
        for (int i = 0; i < times; i++)
            MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
END
$MPICC -g -O1 before.c -o before || exit 2
traced inside -- ./before
agrees "loops in the recorded iterations: another analyser finds the same" waiting.py inside
"$tool" report inside >inside.txt
verdict "the inner one, too" "$(grep -qE '^( +[0-9.]+%){4} +[0-9.]+ [mun]?s  +600 x in before.c:[0-9]+ main \(inner\): Allreduce' inside.txt || grep -A9 '^Of what was recorded' inside.txt)"
verdict "loops that were not recorded say so" "$(grep -qE '^ +- +not recorded +-  4 x in before.c:[0-9]+ main: Bcast' inside.txt || grep -A9 '^Of what was recorded' inside.txt)"
has "the summary says how long ranks may wait" "Waiting      at most " windows/summary.txt
has "and in what" " in messages" windows/summary.txt
agrees "how much, and who computes longest, as in the report" longest.py windows

"$tool" report --json delays.4 >document && "$tool" export -o events delays.4 && "$python" -c '
import json, sys
from collections import Counter
waiting = Counter(json.load(open("document"))["waiting"]["all"]["waiting"])
for event in json.load(open("events"))["traceEvents"]:
    args = event.get("args", {})
    if "waiting_us" in args:
        waiting[args["waiting"]] -= round(1000 * args["waiting_us"])
        assert args["for_rank"] != event["pid"]
    elif "waiting" in args:
        waiting["message"] += 1
assert waiting.pop("message") >= 16 and not any(waiting.values()), waiting' 2>err
verdict "the export has the same" "$(tail -n 1 err)"

# --- the copy of the trace, for Vampir ---

# copied DIR
copied() {
    "$tool" export -f otf2 -o "copy/$1" "$1" >out 2>err
    same "$1: a copy of the trace" "$(cat err)copy/$1/traces.otf2" "$(cat out)"
    accepted "$1: the copy" "copy/$1/traces.otf2"
    agrees "$1: the copy has all of it, and metrics that sum up to what the report says" metrics.py "$1" "copy/$1"
}

# not_copied NAME WORDS DIR DIR2
not_copied() {
    "$tool" export -f otf2 -o "$4" "$3" >out 2>err
    same "$1: the exit code" 1 $?
    has "$1: why" "$2" err
}
mkdir copy
for folder in delays.4 $(in_full && echo delays.2 threads polling mpiio windows) rma; do copied $folder; done
cp delays.4/run.efg copy/delays.4 && "$tool" export -f otf2 -o copy/twice copy/delays.4 >out
accepted "a trace that has metrics already" copy/twice/traces.otf2
same "it keeps them, and has others besides" \
    "$(print_trace copy/delays.4/traces.otf2 | grep ^METRIC | sed 's/Metric: [0-9]*/Metric:/; s/<[0-9]*>/<>/' | sort | uniq -c | awk '{$1 *= 2; print}')" \
    "$(print_trace copy/twice/traces.otf2 | grep ^METRIC | sed 's/Metric: [0-9]*/Metric:/; s/<[0-9]*>/<>/' | sort | uniq -c | awk '{$1 = $1; print}')"
before=$(find delays.4 copy/rma -type f -exec cksum {} + | sort)
not_copied "a folder that has a trace" "copy/rma: there is a trace already" delays.4 copy/rma
not_copied "the folder itself" "delays.4: there is a trace already" delays.4 delays.4
not_copied "a folder that cannot be made" "came/copy: Not a directory" delays.4 came/copy
same "what is there stays as it is" "$before" "$(find delays.4 copy/rma -type f -exec cksum {} + | sort)"
cp -r rma damaged && truncate -s -1 damaged/traces/0.evt
not_copied "a trace that is cut short" "its file traces/0.evt is cut short" damaged copy/damaged
same "nothing is left behind" "" "$(find copy -name '*damaged*')"
"$tool" export -f otf2 delays.4 2>err
same "without a folder" "efgtrace export: this format wants a folder, --output DIR2; see \`efgtrace export --help\`" "$(cat err)"

rm threads/traces.otf2
not_copied "a run without a trace" "there is no trace" threads copy/none
"$tool" report threads >report
has "without a trace" "Not known: there is no trace" report
hasnt "no finding then" "In the recorded iterations the ranks wait" report
"$tool" report --json threads | "$python" -c '
import json, sys
document = json.load(sys.stdin)
assert "waiting" not in document and "no trace" in document["missing"]["waiting"]' 2>err
verdict "nor in the JSON" "$(tail -n 1 err)"

finish
