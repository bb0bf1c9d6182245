#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What is left of a job that was killed: of what its ranks saved while it ran, `efgtrace trace`
# makes a run file, which report, graph and expand read as any other. It has what the job had
# done until then: the first calls of those that the same program makes when it ends in order,
# and as many of each as its graph counts.
#
#   tests/saved.sh          environment: that of frame.sh

. "$(dirname "$0")/frame.sh"
job=

clean_up() {
    [ -n "$job" ] && kill "$job" 2>/dev/null && wait "$job" 2>/dev/null
    mountpoint -q "$work/small" 2>/dev/null && umount "$work/small"
    rm -rf "$work"
}

compile stencil2d threads && $MPICC -g -O1 tests/life/ending.c -o "$programs/ending" &&
    $MPICC -g -O1 tests/memory/many.c -o "$programs/many" || exit 2
cd "$work" || exit 2

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

# finished: the job ends
finished() {
    { wait "$job"; } 2>/dev/null
    job=
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

# --- ranks that are killed ---

stencil=("$programs/stencil2d" 4000 500)
ranks 4 "$tool" run -m graph --summary off -o whole "${stencil[@]}" >out 2>err
verdict "a job that ends in order: its pieces are gone" "$(ls -d whole/pieces 2>/dev/null)"

begin one "$pieces" -m graph -- "${stencil[@]}"
read -ra children <"/proc/$job/task/$job/children"
kill -KILL "${children[1]}"
finished
for command in report graph expand; do
    "$tool" $command one >said 2>&1
    same "one rank killed: $command fails" 1 $?
    has "one rank killed: $command says what to do" '`efgtrace trace one` writes what it has traced and saved' said
done
"$tool" trace one >said 2>err
same "one rank killed: trace" "0 one/run.efg" "$? $(cat said)"
has "one rank killed: whose it is" "one/run.efg is what 4 of 4 ranks had saved, " err
sums "one rank killed" one
for rank in 0 1 2 3; do
    is_beginning "one rank killed" one whole $rank
done
"$tool" report one >said 2>err
same "one rank killed: report" 0 $?
has "one rank killed: report says it" "Saved        by 4 of 4 ranks while the job ran" said
has "one rank killed: call sites have lines" "stencil2d.c:" said
"$tool" graph one | dot -Tsvg >graph.svg 2>said
same "one rank killed: graph" "0 " "$? $(cat said)"
"$tool" trace one >said 2>err
same "one rank killed: once more" "0 one/run.efg" "$? $(cat said)"

begin all "$pieces" -- "${stencil[@]}"
read -ra children <"/proc/$job/task/$job/children"
kill -KILL "${children[@]}" "$job"
finished
"$tool" trace all >said 2>err
same "all ranks killed: trace" "0 all/run.efg all/traces.otf2" "$? $(xargs <said)"
is_beginning "all ranks killed" all whole 2

# --- pieces that are not all there ---

cp -r one fewer
rm fewer/run.efg fewer/pieces/1.0.efg
head -c 700 one/pieces/3.0.efg >fewer/pieces/3.0.efg
cp one/pieces/0.0.efg fewer/pieces/0.1.efg.new
: >fewer/pieces/other
"$tool" trace fewer >said 2>err
same "a piece is missing, one is cut short: trace" "0 fewer/run.efg" "$? $(cat said)"
has "a piece is missing" "fewer/run.efg is what 2 of 4 ranks had saved, " err
has "a piece is missing: which" "; nothing of rank 1, 3" err
has "a piece is cut short" "what thread 0 of rank 3 saved is left out: fewer/pieces/3.0.efg is cut short: 700 bytes" err
is_beginning "a piece is missing" fewer whole 2
"$tool" report fewer >said 2>&1
has "a piece is missing: report" "Saved        by 2 of 4 ranks" said
cp one/pieces/2.0.efg fewer/pieces/1.0.efg
"$tool" trace -o again fewer >said 2>err
has "a piece of another rank" "what thread 0 of rank 1 saved is left out: fewer/pieces/1.0.efg is of another rank" err
cp -r one planted && rm planted/run.efg && echo mine >victim && ln -s "$work/victim" planted/run.efg.new
"$tool" trace planted >said 2>err
same "a link in the way of the run file" "0 planted/run.efg mine" "$? $(cat said) $(cat victim)"
rm fewer/run.efg fewer/pieces/*
echo nothing >fewer/pieces/0.0.efg
"$tool" trace fewer >said 2>&1
same "no piece can be read" 1 $?
has "no piece can be read: says so" "cannot make fewer/run.efg: no piece can be read" said
verdict "no piece can be read: nothing is left" "$(ls fewer/run.efg* 2>/dev/null)"
rm fewer/pieces/*
"$tool" report fewer >said 2>&1
has "no piece: report says it" "has saved nothing yet (EFGTRACE_SAVE)" said

# --- jobs that still run ---

# snapshot DIR: as a job would have left it. Orders in the logs only grow.
snapshot() {
    mkdir "$1.then" && cp -r "$1/pieces" "$1.then" && cp -r "$1/logs" "$1.then" && rm -f "$1.then"/logs/*.log
}

begin threads "$(echo pieces/{0,1,2,3}.{1,2,3,4}.efg)" -m graph -- "$programs/threads" 3000
snapshot threads
finished
same "threads: the job ends well" "ok threads: 3000 steps on each of 4 threads" "$(cat out)"
"$tool" trace threads.then >said 2>err
same "threads: of a snapshot" "0 threads.then/run.efg" "$? $(cat said)"
sums "threads" threads.then
for thread in 1 2 3 4; do
    is_beginning threads threads.then threads 2 $thread
done

# What was saved after segments were written out: of a job that lasts long enough for that.
for calls in 1500000 6000000 24000000; do
    rm -rf shuffled shuffled.then
    begin shuffled "logs/0.0.order logs/3.0.order" -m graph -- "$programs/many" shuffled $calls
    rm -f shuffled/pieces/*
    while kill -0 "$job" 2>/dev/null && ! ls shuffled/pieces/{0,1,2,3}.0.efg >found 2>&1; do
        sleep 0.1
    done
    snapshot shuffled 2>err
    finished
    [ -e shuffled.then/pieces/3.0.efg ] && break
done
"$tool" trace shuffled.then >said 2>err
same "segments that were written out" "0 shuffled.then/run.efg" "$? $(cat said)"
is_beginning "segments that were written out" shuffled.then shuffled 0
is_beginning "segments that were written out" shuffled.then shuffled 3
rm shuffled.then/logs/0.0.order
"$tool" trace shuffled.then >said 2>err
"$tool" expand -r 0 shuffled.then >lines 2>said
same "segments that are lost: no calls, and no error" "0 0" "$? $(wc -l <lines)"
is_beginning "segments that are lost of another rank" shuffled.then shuffled 3
mkfifo shuffled.then/logs/0.0.order
timeout 20 "$tool" trace shuffled.then >said 2>err
same "a pipe in place of segments: as if they were lost" "0 shuffled.then/run.efg" "$? $(cat said)"

# --- jobs that end in other ways ---

for how in exit abort; do
    ranks 4 "$tool" run -m graph --summary off -o ended.$how "$programs/ending" $how 100 >out 2>err
    "$tool" trace ended.$how >said 2>err
    same "$how: trace" "0 ended.$how/run.efg" "$? $(cat said)"
    calls=$("$tool" expand -r 2 ended.$how | grep -c -e MPI_Allreduce -e MPI_Barrier)
    same "$how: all calls up to the end" 200 "$calls"
done

# --- SIGTERM, as at the end of a batch job, with nothing saved before ---

$MPICC -g -O1 -w "$root/tests/life/term.c" -o term || exit 2

# terminated COMMAND...: the launcher gets SIGTERM when all ranks are there, but where they send it
# to themselves ($how); to ./out, $code
terminated() {
    local i
    rm -f out
    $MPIRUN -np 4 "$@" >out 2>err </dev/null &
    job=$!
    for ((i = 0; i < 300; i++)); do
        grep -qs there out && break
        sleep 0.1
    done
    sleep 0.2
    [ $how = malloc ] || kill -TERM "$job" 2>/dev/null
    { wait "$job"; } 2>/dev/null
    code=$?
    job=
}
for how in compute sleep receive call malloc; do
    terminated ./term $how
    bare=$code
    terminated "$tool" run -m graph --save 1h --interval 20ms --summary off -o term.$how ./term $how
    same "SIGTERM, $how: exit code and output" "$bare there" "$code $(grep -x there out)"
    for ((i = 0; i < 30; i++)); do # it is not the ranks that write
        [ "$(cd term.$how && ls $pieces 2>/dev/null | wc -l)" = 4 ] && break
        sleep 0.1
    done
    "$tool" trace term.$how >said 2>err
    same "SIGTERM, $how: trace" "0 term.$how/run.efg" "$? $(cat said)"
    for rank in 0 3; do
        verdict "SIGTERM, $how: all calls of rank $rank" "$(
            got=$("$tool" expand -r $rank term.$how | grep -c -e MPI_Allreduce -e MPI_Sendrecv)
            [ $how = call ] && [ "$got" -ge 2000 ] || [ "$got" = 2000 ] || echo "$got instead of 2000")"
    done
    sums "SIGTERM, $how" term.$how
done
for how in handled ignored child; do
    ranks 2 ./term $how >wanted 2>/dev/null
    bare=$?
    ranks 2 "$tool" run -m graph --save 1h --summary off -o term.$how ./term $how >out 2>err
    code=$?
    same "SIGTERM, $how: as without" "$bare $(cat wanted)" "$code $(cat out)"
done
for save in 0 1h; do
    ranks 2 "$tool" run -m graph --save $save --summary off -o asked.$save ./term asked >out 2>err
    same "SIGTERM, save $save" "there $([ $save = 0 ] && echo default || echo handled)" "$(xargs <out)"
done
rm -f out
"$tool" run -m graph --save 1h --summary off -o alone ./term sleep >out 2>err &
job=$!
for ((i = 0; i < 100; i++)); do
    grep -qs there out && break
    sleep 0.1
done
kill -TERM $job
{ wait $job; } 2>/dev/null
same "SIGTERM, without a launcher: it ends by it" 143 $?
job=
verdict "SIGTERM, without a launcher: a piece" "$([ -f alone/pieces/0.0.efg ] || ls alone alone/pieces)"
same "SIGTERM: no process is left" "" "$(pgrep -f "^./term " | xargs)"

# --- files that cannot be written ---

begin linked "$pieces" -m graph -- "${stencil[@]}"
echo mine >victim
until ln -s "$work/victim" linked/pieces/0.0.efg.new 2>/dev/null; do :; done
rm -f linked/pieces/0.0.efg
for ((i = 0; i < 100; i++)); do
    [ -e linked/pieces/0.0.efg ] && break
    sleep 0.1
done
verdict "a link in the way: a piece all the same" "$([ -f linked/pieces/0.0.efg ] || ls -l linked/pieces)"
finished
same "a link in the way is not followed" "mine ok stencil2d: 4000 steps" "$(cat victim out | xargs)"

# A save that took long puts the next one off (1% of the time), at times beyond the end of the job: once more then.
for i in 1 2 3; do
    rm -rf limited
    begin limited "$pieces" -m graph -- "${stencil[@]}"
    read -ra children <"/proc/$job/task/$job/children"
    for child in "${children[@]:1}"; do # rank 0 writes the run file
        prlimit --fsize=1000 --pid "$child"
    done
    finished
    [ "$(grep -c 'cannot be saved, .*: File too large' err)" -ge 3 ] && break
done
same "a limit of files: the job ends well" "ok stencil2d: 4000 steps" "$(cat out)"
same "a limit of files: it is said once a rank" 3 "$(grep -c 'cannot be saved, .*: File too large' err)"
verdict "a limit of files: the run file" "$("$tool" expand limited 2>&1 | diff - <("$tool" expand whole) | head -n 2)"

begin smaller "$pieces" -m full -- "${stencil[@]}"
read -ra children <"/proc/$job/task/$job/children"
for child in "${children[@]}"; do
    prlimit --fsize=1000 --pid "$child"
done
finished
same "a limit of files on all ranks: the job ends well" "ok stencil2d: 4000 steps" "$(cat out)"
has "a limit of files on all ranks: it is said" "run.efg: File too large" err
verdict "a limit of files on all ranks: no part of a trace" "$(ls -d smaller/traces* 2>/dev/null)"
"$tool" trace smaller >said 2>err
same "a limit of files on all ranks: trace" "0 smaller/run.efg smaller/traces.otf2" "$? $(xargs <said)"

mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=64k none small 2>/dev/null; then
    cat /dev/zero >small/fill 2>/dev/null
    rm small/fill && head -c 61440 /dev/zero >small/fill
    ranks 2 "$tool" run -m graph --save 20ms --interval 20ms --summary off -o small/run         "$programs/stencil2d" 1000 500 >out 2>err
    same "full disk: exit code and output" "0 ok stencil2d: 1000 steps" "$? $(cat out)"
    verdict "full disk: it is said once a rank at most" "$(
        grep 'cannot be saved' err | sort | uniq -d | head -n 1)"
    has "full disk: it is said" 'cannot be saved, in case the job is killed: No space left' err
    umount small
else
    skip "full disk" "only root can mount a small file system, and not everywhere"
fi

ranks 2 "$tool" run -m graph --save 0 --interval 20ms --summary off -o off "$programs/stencil2d" 1000 500 >out 2>err
same "save 0: no pieces" "0 run.efg" "$? $(ls off | grep -v -e logs -e summary.txt)"

finish
