#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What is left of a job that was killed: of what its ranks saved while it ran, `efgtrace trace`
# makes a run file, which report, graph and expand read as any other. It has what the job had
# done until then: the first calls of those that the same program makes when it ends in order,
# and as many of each as its graph counts.
# Of two levels: in_full is what only `make check-all` has.
#
#   tests/saved.sh [CASE...]    the cases: tests/saved; environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
job= small=

clean_up() {
    [ -n "$job" ] && kill "$job" 2>/dev/null && wait "$job" 2>/dev/null
    mountpoint -q "$small" && umount "$small"
    rm -rf "$work"
}

compile stencil2d threads life/ending memory/many life/term || exit 2

pieces="pieces/0.0.efg pieces/1.0.efg pieces/2.0.efg pieces/3.0.efg"

# begin DIR FILES OPTION... -- COMMAND...: on 4 ranks in the background; returns when the FILES
# (words, below DIR) are there
begin() {
    local dir=$1 files=$2 i
    shift 2
    $MPIRUN -np 4 "$tool" run -o "$dir" --interval 20ms --save 50ms --summary off \
        "$@" >out 2>err </dev/null &
    job=$!
    for ((i = 0; i < 300; i++)); do
        (cd "$dir" && ls $files) >found 2>&1 && return
        sleep 0.1
    done
}

# find_ranks: their processes to $children: of the launcher, or of its only proxy
find_ranks() {
    read -ra children <"/proc/$job/task/$job/children"
    [ "$mpi" != MPICH ] || read -ra children <"/proc/${children[0]}/task/${children[0]}/children"
}

# finished: the job ends
finished() {
    { wait "$job"; } 2>/dev/null
    job=
}

# terminate DIR OPTION...: a process without a launcher, which has a SIGTERM as soon as it is there; its number to $job
terminate() {
    local dir=$1 i
    shift
    "$tool" run -m graph --save 1h --summary off -o "$dir" "$@" "$programs/term" sleep >out 2>err &
    job=$!
    for ((i = 0; i < 100; i++)); do
        grep -qs there out && break
        sleep 0.1
    done
    kill -TERM $job
}

# count_calls DIR RANK: of the graph of its thread with the most of them
count_calls() {
    "$tool" graph -f json -r "$2" "$1" | "$python" -c '
import json, sys
print(sum(node["count"] for node in json.load(sys.stdin)["nodes"]))'
}

# sums NAME DIR: the iterations, what was sent and the rest of run.efg come to the same sums, as a
# reader that knows its man page only has it
sums() {
    "$python" "$root/tests/read_run.py" "$2/run.efg" >read 2>why && why= || why=$(tail -n 2 why)
    verdict "$1: is read as its man page says" "$why"
}

# is_beginning NAME SAVED WHOLE RANK [THREAD]: what was saved of RANK is how the WHOLE run begins
is_beginning() {
    "$tool" expand -r "$4" -t "${5:-0}" "$2" >saved.calls 2>said
    "$tool" expand -r "$4" -t "${5:-0}" "$3" >whole.calls
    local calls
    calls=$(wc -l <saved.calls)
    verdict "$1: the first calls of rank $4${5:+, thread $5}" "$(
        [ "$calls" -gt 0 ] || tail -n 1 said
        head -n "$calls" whole.calls | diff saved.calls - | head -n 3)"
    [ -n "${5:-}" ] || same "$1: as many calls of rank $4 as its graph has" "$(count_calls "$2" "$4")" "$calls"
}

# snapshot DIR: as a job would have left it. Orders in the logs only grow.
snapshot() {
    mkdir "$1.then" && cp -r "$1/pieces" "$1.then" && cp -r "$1/logs" "$1.then" && rm -f "$1.then"/logs/*.log
}

# --- a job that ends in order, and one of which a rank is killed: cases compare with them, and copy them ---

cd "$work" || exit 2
stencil=("$programs/stencil2d" 4000 500)
ranks 4 "$tool" run -m graph --summary off -o whole "${stencil[@]}" >out 2>err
verdict "a job that ends in order: its pieces are gone" "$(ls -d whole/pieces 2>/dev/null)"

begin one "$pieces" -m graph -- "${stencil[@]}"
find_ranks
kill -KILL "${children[1]}"
finished
mv one left # as the job has left it: without a run file

in_full || set -- full_disk link local missing nothing one_killed terminated
cases "$@"
same "SIGTERM: no process is left" "" "$(pgrep -f "^$programs/term " | xargs)"
finish
