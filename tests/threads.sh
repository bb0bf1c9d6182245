#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Programs with threads (tests/threads): the level that they asked for, a graph and a location for
# each thread, no call lost, messages matched; and what is kept of threads that come and go.
#
# environment: that of frame.sh
#              HEAVY  how many runs of everything at once, and of how many rounds (default 2,150)
. "$(dirname "$0")/frame.sh"
sources=$root/tests/threads
mkdir "$work/bin"
$MPICC -g -O1 "$sources/threads.c" -o "$work/bin/threads" -lpthread -ldl &&
    $MPICC -g -O1 "$sources/heavy.c" -o "$work/bin/heavy" -lpthread &&
    $MPICC -g -O1 -shared -fPIC -w "$sources/locks.c" -o "$work/bin/locks.so" -ldl &&
    $MPICXX -g -O1 "$sources/std_thread.cpp" -o "$work/bin/std_thread" -lpthread &&
    $MPICC -g -O1 -fopenmp "$sources/openmp.c" -o "$work/bin/openmp" &&
    $MPIFORT -g -O1 -fopenmp -J "$work" "$sources/level.f90" -o "$work/bin/level" || exit 2
cd "$work" || exit 2

# both NAME OPTIONS COMMAND...: two ranks, bare and traced to the folder NAME: the same
both() {
    local name=$1 options=$2 bare
    shift 2
    bare=$(ranks 2 "$@" 2>&1; echo "exit $?")
    same "$name: as without" "$bare" \
        "$(ranks 2 "$tool" run --summary off -o "$name" $options "$@" 2>&1; echo "exit $?")"
}

# calls DIR RANK THREAD: how many of each
calls() {
    "$tool" expand -r "$2" -t "$3" "$1" | grep -o 'MPI_[A-Za-z]*' | sort | uniq -c | xargs
}

# locations DIR: of all ranks
locations() {
    ls "$1/traces" | grep -c '\.evt$'
}

# matched DIR
matched() {
    verdict "$1: otf2-print accepts the trace" "$(unreadable "$1/traces.otf2")"
    verdict "$1: messages are matched" "$(faults "$1/traces.otf2" --full --iterations 0 | head -n 2)"
}

# --- levels ---

for level in -1 0 1 2; do # 3: all others
    both level.$level "-m graph" bin/threads level $level
done

# --- a graph and a location for each thread ---

both at_once "-m full" bin/threads at_once 60
matched at_once
same "at_once: locations" 10 "$(locations at_once)"
for rank in 0 1; do
    got=$(for thread in 0 1 2 3 4; do calls at_once $rank $thread; done | sort -n)
    same "at_once: calls of the threads of rank $rank" "60 MPI_Barrier
60 MPI_Irecv 60 MPI_Isend 60 MPI_Waitall
120 MPI_Irecv 120 MPI_Isend 120 MPI_Waitall
180 MPI_Irecv 180 MPI_Isend 180 MPI_Waitall
240 MPI_Irecv 240 MPI_Isend 240 MPI_Waitall" "$got"
done

both std_thread "-m full" bin/std_thread
matched std_thread
same "std_thread: no call is lost" 60 "$("$tool" expand std_thread | grep -c MPI_Sendrecv)"
both openmp "-m full" bin/openmp
matched openmp
same "openmp: locations" 6 "$(locations openmp)"
same "openmp: calls of a thread" "5 MPI_Sendrecv" "$(calls openmp 1 2)"
both level "-m full" bin/level
matched level
same "level: no call is lost" 6 "$("$tool" expand level | grep -c MPI_Sendrecv)"

# --- no lock on the way of a call ---

# In between are samples and saves, which are switched off.
ranks 1 env LD_PRELOAD="$work/bin/locks.so $library" EFGTRACE_OUTPUT=locks EFGTRACE_SUMMARY=off \
    EFGTRACE_INTERVAL=1h EFGTRACE_SAVE=1h bin/threads locks 5000 >out 2>&1
# A table that grows may allocate once; a lock for each call would be 80000 of them.
verdict "locks: none for a call that is known" "$(grep -q '^[0-9] locks in round 1$' out || cat out)"
verdict "locks: they are counted" "$(grep -q '^[1-9][0-9]* locks in round 0$' out || cat out)"
same "locks: no call is lost" 40000 "$("$tool" expand locks | grep -c MPI_Sendrecv)"
for file in "$build"/obj/{,"$kind"/}libefgtrace/{base,{core,runtime}/*}/*.o; do
    objdump -d --no-show-raw-insn -j .text.hot "$file" 2>/dev/null
done | awk '/>:$/ {name = $2} /\tlock |xchg .*\(/ {print name} END {if (NR < 1000) print "no code"}' |
    sort -u >locked
same "locks: no atomic instruction" "" "$(cat locked)"

# --- more than a thousand threads in MPI at once ---

ulimit -Sn "$(ulimit -Hn)" # each has a log
both many "-m full --memory 1G" bin/threads many 1100
verdict "many: otf2-print accepts the trace" "$(unreadable many/traces.otf2)"
same "many: locations" 2202 "$(locations many)"
same "many: a call of each" 2200 "$("$tool" expand many | grep -c MPI_Sendrecv)"
has "many: all messages" "2200 of 2200 matched" many/summary.txt
same "many: no log is left" "" "$(ls many/logs 2>/dev/null | head -n 2)"

# --- threads that come and go ---

both one_by_one "-m full" bin/threads one_by_one 1000
matched one_by_one
same "one_by_one: locations" 4 "$(locations one_by_one)"
same "one_by_one: no call is lost" "5000 MPI_Irecv 5000 MPI_Isend 5000 MPI_Waitall" "$(calls one_by_one 1 1)"
both few "-m full" bin/threads one_by_one 10
memory() { # kB
    sed -n 's/^ *up to \(.*\) of memory a rank$/\1/p' "$1/summary.txt" |
        awk '{print int($1 * ($2 == "MB" ? 1000 : 1))}'
}
few=$(memory few) many=$(memory one_by_one)
verdict "one_by_one: memory of 1000 threads is that of 10: $few and $many kB" \
    "$([ "${few:-0}" -gt 0 ] && [ "${many:-9999}" -lt $((few + 200)) ] || echo "it is not")"

for mode in full adaptive; do
    both ends.$mode "-m $mode --interval 5ms" bin/threads ends 30
done
matched ends.full
same "ends: no exchange is lost" 120 "$("$tool" expand ends.full | grep -c MPI_Isend)"

both completes "-m full" bin/threads completes 50
matched completes
same "completes: no call is lost" "$((2 * 2 * 50))" "$("$tool" expand completes | grep -c MPI_Waitall)"
both puts "-m full" bin/threads puts 50
matched puts
same "puts: no call is lost" "$((2 * 4 * 50 * 20))" "$("$tool" expand puts | grep -c MPI_Put)"
if [ "$mpi" = MPICH ]; then
    skip "finalize" "MPICH itself does not always bear it"
else
    both finalize "-m full" bin/threads finalize 50
    same "finalize: no exchange is lost" 100 "$("$tool" expand finalize | grep -c MPI_Waitall)"
fi

got=
for run in 1 2 3 4 5; do # without care for the threads that go on, one in five has crashed
    ranks 2 "$tool" run -m full --summary off -o leaves.$run bin/threads leaves 50 >out 2>&1
    got="$got $?$(grep -m 1 'Segmentation' out)"
done
same "leaves: MPI_Abort while threads are in MPI" " 7 7 7 7 7" "$got"

# --- everything at once ---

# Eight threads that do all that threads can do to our tables, windows that come again and again,
# and a save at every sample. HEAVY=100,1000 tests/threads.sh is 100 runs of 1000 rounds.
heavy="-n 2 --windows 3 --save 5ms --interval 5ms"
HEAVY=${HEAVY:-2,150}
runs=${HEAVY%,*} rounds=${HEAVY#*,}
bare=$(ranks 2 bin/heavy "$rounds" 2>&1; echo "exit $?")
differ=
for run in $(seq "$runs"); do
    rm -rf heavy
    got=$(ranks 2 "$tool" run --summary off -o heavy $heavy bin/heavy "$rounds" 2>&1; echo "exit $?")
    [ "$got" = "$bare" ] || differ="run $run: $got"
done
verdict "heavy: $runs of $runs runs as without" "$differ"
if [ -f heavy/traces.otf2 ]; then
    verdict "heavy: otf2-print accepts the trace" "$(unreadable heavy/traces.otf2)"
else # one run in 50 of 80 rounds was too short for the ranks to agree
    skip "heavy: otf2-print accepts the trace" "no window was recorded"
fi

# --- data races, as the thread sanitizer sees them ---

# raced DIR LIBRARIES COMMAND...: what it reports; DIR is the output. With a long history: where a stack is no longer
# known, what MPI does is not recognised as MPI's.
raced() {
    local dir=$1 libraries=$2
    shift 2
    ranks 2 env TSAN_OPTIONS="suppressions=$sources/foreign.supp exitcode=0 history_size=7 log_path=$work/$dir.race" \
        LD_PRELOAD="$libraries" EFGTRACE_OUTPUT="$dir" EFGTRACE_SUMMARY=off EFGTRACE_WINDOWS=3 \
        EFGTRACE_ITERATIONS=2 EFGTRACE_SAVE=5ms EFGTRACE_INTERVAL=5ms "$@" >"$dir.out" 2>&1 ||
        echo "exit code $?: $(tail -n 2 "$dir.out")"
    cat "$work/$dir.race".* 2>/dev/null | grep SUMMARY | sort | uniq -c | head -n 3
}

watched=$build/thread/libefgtrace.so
if [ "$mpi" = MPICH ] || [ ! -f "$watched" ]; then
    skip "races" "not built for the thread sanitizer (make check does, for Open MPI)"
else
    for name in heavy threads; do
        $MPICC -g -O1 -fsanitize=thread "$sources/$name.c" -o "$name.watched" -lpthread -ldl || exit 2
    done
    $MPICC -g -O1 -fsanitize=thread -shared -fPIC "$sources/planted.c" -o planted.so || exit 2
    verdict "races: none of ours" "$(raced races "$watched" ./heavy.watched 60)"
    for kind in "finalize 20" "ends 3" "completes 10" "one_by_one 10" "puts 3"; do
        verdict "races: none in $kind" "$(raced "race.$kind" "$watched" ./threads.watched $kind)"
    done
    contains "races: one that is planted is seen" \
        "$(raced planted "$work/planted.so $watched" ./heavy.watched 20)" "data race"
fi

finish
