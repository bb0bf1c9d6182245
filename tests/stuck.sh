#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# efgtrace stuck: the culprit of each kind of hang is named (stuck/hang.c), and there is no alarm while programs
# are slow but go on (stuck/healthy.c); the job goes on whatever happens to its live files, and the tool reads
# whatever they have become.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/stuck.sh           all hangs, and some healthy programs
#        tests/stuck.sh large     20 healthy runs, and makes the table stuck/results.md
#        tests/stuck.sh KIND...   hangs of these kinds only
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
cd "$work" || exit 2

# KIND|CULPRIT|WHAT IS SAID
hangs() {
    cat <<'KINDS'
send|1|rank 1 has not sent
tag|1|rank 1 has sent with tag 6
partner|1|rank 1 has sent to rank 3
wait|2|rank 2 has not sent
probe|3|rank 3 has not sent
test|0|polls
receive-first|0-1|receives before it sends
send-first|0-1|sends before it receives
any-source|0-3|receives before it sends
collective|2|rank 2 is in MPI_Barrier
communicator|1|a communicator of 4 ranks
root|3|rank 3 is in MPI_Bcast
scatter|3|the root is 1 and 0
barrier|2|by another way than before
finalize|3|MPI_Finalize
loop|2|without calling MPI
sleep|3|sleeps outside of MPI
stopped|2|is stopped
file|1|gets no byte further
threads|1|locks
windows|0-1|locked a part of a window
KINDS
}

build_program() {
    [ "$programs/$1" -nt "$root/tests/stuck/$1.c" ] ||
        $MPICC -O1 -g -rdynamic -o "$programs/$1" "$root/tests/stuck/$1.c" -lpthread || exit 2
}

# start DIR COMMAND...: on 4 ranks, in the background; its live file is there then
start() {
    local dir=$1
    shift
    ranks 4 "$tool" run -o "$dir" --live on --summary off "$@" >"$dir.out" 2>&1 &
    job=$!
    for _ in $(seq 600); do
        ls "$dir"/live/*.live >said 2>&1 && return
        kill -0 "$job" 2>/dev/null || break
        sleep 0.1
    done
    verdict "$dir: it runs" "$(tail -n 3 "$dir.out")"
}

end_job() {
    pkill -TERM -P "$job" 2>/dev/null
    kill "$job" 2>/dev/null
    wait "$job" 2>/dev/null
}

# until_stuck [OPTION...] DIR: what it says to "said", until it says that the job is stuck, or the launcher ends it
until_stuck() {
    code=1
    while kill -0 "$job" 2>/dev/null; do
        "$tool" stuck "$@" >said 2>&1
        code=$?
        [ $code -eq 0 ] || return
    done
}

hang() {
    local kind=$1 culprit=$2 words=$3 begin
    start "$kind" "$programs/hang" "$kind"
    until_stuck -t 1 "$kind"
    if [ "$kind,$mpi,$code" = root,MPICH,1 ]; then
        skip "$kind" "MPICH ends this broadcast as if nothing were wrong"
        return
    fi
    if [ "$size" = large ]; then
        begin=$(date +%s%N)
        "$tool" stuck "$kind" >said 2>&1
        code=$?
        echo "| $kind | $culprit | $((($(date +%s%N) - begin) / 100000000))e-1 | $(why) |" |
            sed 's/\([0-9]\)e-1/.\1/; s/| \./| 0./' >row
    fi
    same "$kind: exit code" 3 "$code"
    verdict "$kind: the culprit is $culprit" \
        "$(grep -Eq "^Culprit +ranks? $culprit: " said || head -n 3 said)"
    contains "$kind: why" "$(why)" "$words"
    end_job
}

# What is said of the culprit, in one line.
why() {
    sed -n '/^Culprit/,/^Ranks/{/^Ranks/d; s/^Culprit *//; s/^  *//; p}' said | paste -sd ' '
}

# No alarm, as long as it runs.
healthy() {
    local kind=$1 dir=healthy.$1.$2 looks=0
    start "$dir" "$programs/healthy" "$kind"
    while kill -0 "$job" 2>/dev/null && ls "$dir"/live/*.live >said 2>&1; do
        "$tool" stuck "$dir" >said 2>&1
        [ $? -eq 3 ] && break
        looks=$((looks + 1))
    done
    verdict "$dir: no alarm" "$(grep -q '^Stuck' said && cat said)"
    wait "$job"
    same "$dir: ends as without" 0 $?
    echo "| $kind | $looks |" >row
}

# --- what is damaged ---

# reads NAME: the tool reads the folder NAME, which is a copy, and does not crash
reads() {
    timeout 30 "$tool" stuck -t 1 "$1" >"$1.said" 2>&1
    local code=$?
    verdict "$1: it is read, or refused" "$([ $code -le 3 ] || echo "exit code $code: $(tail -n 2 "$1.said")")"
}

copy() {
    mkdir -p "$1/live" && cp send/live/0.live "$1/live/0.live"
}

damaged() {
    start send "$programs/hang" send
    until_stuck -t 1 send
    copy short && truncate -s 70000 short/live/0.live
    copy shorter && truncate -s 100 shorter/live/0.live
    copy foreign && yes "no live file" | head -c 100000 >foreign/live/0.live
    mkdir -p pipe/live && mkfifo pipe/live/0.live
    mkdir -p link/live && ln -s "$PWD/send/live/0.live" link/live/0.live
    for seed in $(seq 12); do
        copy "random.$seed"
        "$python" - "random.$seed/live/0.live" "$seed" <<'PYTHON'
import random, sys
path, seed = sys.argv[1], int(sys.argv[2])
random.seed(seed)
data = bytearray(open(path, "rb").read())
for part in range(5):  # the head, or a rank and its text
    for _ in range(200 if seed % 2 else 5):
        start = part * 65536
        data[min(len(data) - 1, start + random.randrange(1, 14000))] = random.randrange(256)
open(path, "wb").write(data)
PYTHON
    done
    for name in short shorter foreign pipe link random.*; do reads "$name" & done >verdicts
    wait $(jobs -p | grep -vx "$job")
    while read -r word rest; do verdict "${rest%%: *}: it is read, or refused" "$([ "$word" = ok ] || echo "$rest")"
    done <verdicts
    contains "foreign: it says so" "$(cat foreign.said)" "it is no live file"
    end_job
}

# --- the job goes on ---

cut_short() {
    start cut "$programs/healthy" pipeline
    truncate -s 0 cut/live/0.live
    wait "$job"
    same "a live file that is cut short: the job ends as without" 0 $?
    verdict "nothing is left of it" "$(ls -d cut/live 2>/dev/null)"
}

gone() {
    start gone "$programs/healthy" pipeline
    rm -rf gone/live
    wait "$job"
    same "a live folder that goes: the job ends as without" 0 $?
    verdict "and has its run file" "$([ -f gone/run.efg ] || ls gone)"
    verdict "nothing is left of it" "$(ls -d gone/live 2>/dev/null)"
    "$tool" stuck gone >said 2>&1
    same "when the job has ended: exit code" 1 $?
    contains "when the job has ended: it says so" "$(cat said)" "the job has ended"
}

unseen() {
    ranks 2 "$tool" run -o unseen --live off --summary off "$programs/healthy" pipeline >out 2>&1 &
    job=$!
    while kill -0 "$job" 2>/dev/null && [ ! -d unseen/logs ]; do sleep 0.1; done
    "$tool" stuck unseen >said 2>&1
    same "live = off: exit code" 1 $?
    contains "live = off: it says so" "$(cat said)" "live = off"
    wait "$job"
    "$tool" stuck nowhere >said 2>&1
    contains "no folder: it says so" "$(cat said)" "there is no such folder"
}

build_program hang
build_program healthy
size=${1:-}
case $size in
'' | large)
    [ "$size" = large ] && MOST=1 # times are measured
    hangs >kinds
    in_full || sed -n -i '/^\(send\|collective\|scatter\|loop\|stopped\|threads\)|/p' kinds
    while IFS='|' read -r kind culprit words; do aside "$kind" hang "$kind" "$culprit" "$words"; done <kinds
    gather
    some="computes all"
    in_full && some="first computes polls all"
    [ "$size" = large ] && some="computes first sleeps pipeline master polls all large writes windows threads halves
        reads computes first polls all master pipeline sleeps"
    n=0
    for kind in $some; do aside "healthy.$((n += 1))" healthy "$kind" $n; done
    for one in damaged $(in_full && echo cut_short unseen) gone; do aside $one $one; done
    gather
    if [ "$size" = large ]; then
        {
            echo "# Hangs and slow programs that \`efgtrace stuck\` has looked at"
            echo
            echo "Made by \`tests/stuck.sh large\`, with $mpi on $(nproc) cores, 4 ranks each. Seconds are those that the tool"
            echo "took, once the program hung. Programs: [hang.c](hang.c), [healthy.c](healthy.c)."
            echo
            echo "| hang | culprit | s | what was said |"
            echo "|---|---|---:|---|"
            cut -d '|' -f 1 kinds | while read -r kind; do cat "$kind/row"; done
            echo
            echo "| slow, but no hang | looks, all without an alarm |"
            echo "|---|---:|"
            for i in $(seq $n); do cat "healthy.$i/row"; done
        } >"$root/tests/stuck/results.md"
    fi ;;
*)
    for kind in "$@"; do
        IFS='|' read -r kind culprit words < <(hangs | grep "^$kind|")
        hang "$kind" "$culprit" "$words"
    done ;;
esac
finish
