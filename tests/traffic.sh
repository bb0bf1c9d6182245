#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What run.efg says of who sent how much to whom, and of the iterations, against an independent
# count: the messages and the visits of the pivot in traces of the same runs (tests/sent.py).
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/traffic.sh      environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2
if ! "$python" -c 'import otf2' 2>/dev/null; then
    skip "what was sent, against traces" "no python3-otf2"
    finish
fi

# run NAME PROGRAM STEPS OPTION...: into the folder NAME
run() {
    local name=$1 program=$2 steps=$3
    shift 3
    compile "$program" || exit 2
    ranks 4 "$tool" run -o "$name" --summary off "$@" "$programs/$program" "$steps" 1000 >out 2>err ||
        verdict "$name: runs" "exit code $?: $(tail -n 3 err)"
}

# sent NAME DIR [OPTION]: what was sent is what the trace has; it is in ./said
sent() {
    "$python" "$root/tests/sent.py" "$2" ${3-} >said 2>why && why= || why=$(tail -n 5 why)
    verdict "$1" "$why"
}

for program in threads $(in_full && echo sends again persistent sendrecv_self coupled master_worker); do
    run $program.full $program 40 -m full
    sent "$program: all that was sent is in run.efg" $program.full
    # As the source has it: 75 messages of each rank in a step, to each of the 4 ranks.
    [ $program = sends ] && same "sends: so many messages, between so many" "12000 16" "$(cat said)"
done

# Pivots that are cut behind a call and before one; with MPICH, that of the latter may be one of three MPI_Wait.
for program in stencil2d $([ "$mpi" = MPICH ] || ! in_full || echo persistent); do
    run $program.iterations $program 600 -m full --interval 10ms
    "$python" "$root/tests/iterations.py" $program.iterations >said 2>why && why= || why=$(tail -n 1 why)
    grep -q '^[1-9]' said || why="$why: $(cat said)"
    verdict "$program: the iterations in run.efg are those of the trace, to the nanosecond" "$why"
done

# The window comes when it comes; what is in it is the same in both.
for program in pingpong $(in_full && echo sends persistent); do
    steps=1000
    [ $program = sends ] && steps=300 # of 300 messages of each rank
    [ "$mpi/$program" = MPICH/sends ] && steps=100 # which take it half a minute
    run $program.some $program $steps --interval 10ms -n 20
    sent "$program: what was sent in the window is in run.efg" $program.some --windows
done

# 10 operations in a step of each rank; files: what the functions of MPI-IO have together.
for program in rma mpiio; do
    run $program.graph $program 40 -m graph
    "$tool" report --json $program.graph | "$python" -c '
import json, sys
document = json.load(sys.stdin)
overview, calls = document["overview"], document["calls"]
def of(*names):
    found = [c for c in calls if c["call"].startswith(names)]
    return [sum(c["calls"] for c in found if c["bytes"]), sum(c["bytes"] for c in found), sum(c["time"]["sum"] for c in found)]
one_sided = of("MPI_Win_", "MPI_Put", "MPI_Get", "MPI_Acc", "MPI_Rput", "MPI_Rget", "MPI_Fetch", "MPI_Compare")
said = [[overview[part][what] for what in ("operations", "bytes", "time")] for part in ("one_sided", "file_io")]
assert said == [one_sided, of("MPI_File_")] and sum(s[0] for s in said), (said, one_sided, of("MPI_File_"))
lines = " ".join(overview["summary"])
head = "One-sided    1600 operations, " if said[0][0] else "MPI-IO       %d operations, " % said[1][0]
assert head in lines, lines' 2>err
    verdict "$program: a line of its own in the summary" "$(tail -n 1 err)"
done

# What the ranks said of their logs, against what is read from the trace.
for program in rma $(in_full && echo comms mpiio threads); do
    run $program.used $program 300 --interval 10ms
    "$tool" report --json $program.used | "$python" "$root/tests/used.py" 2>err
    verdict "$program: communicators, windows and files in the summary" "$(tail -n 1 err)"
done

finish
