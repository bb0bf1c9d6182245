#!/bin/sh
# Iterations that are kept after the fact, because they were slow: wherever one is, and on whichever rank, it is
# in the trace of all ranks, with those around it and all of its messages; and the report says what made it slow.
# A rank without iterations has what it did meanwhile. Where none can be kept, nothing else changes.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/slow.sh
# environment: that of frame.sh, and
#              SLOW_RUNS  as many more, with the slow iteration at a random place, on a random rank (default 0)
. "$(dirname "$0")/frame.sh"

dir=$work/trace

# is_near NUMBER OTHERS...: iterations begin before or behind what is slow in them
is_near() {
    number=$1
    shift
    for one in "$@"; do
        [ "$one" -ge $((number - 1)) ] && [ "$one" -le $((number + 1)) ] && return
    done
    return 1
}

# kept OPTIONS -- ITERATIONS MICROSECONDS WHICH RANK TIMES: what is slow takes a second or more
kept() {
    split "$@"
    shift $after
    what="iteration $3 of $1, rank $4,$options"
    ranks 4 "$tool" run -o "$dir" -n 3 $options "$programs/slow" "$@" >"$work/out" 2>"$work/err"
    verdict "$what: the program ends" "$([ $? -eq 0 ] || tail -n 2 "$work/err")"
    slow=$("$python" "$root/tests/slow.py" "$dir/traces.otf2" 0.9 2>"$work/missing")
    case $options in # the ring pauses while another iteration is recorded
    *spread*) ;;
    *) is_near "$3" $slow || echo "slow ones: $slow;" >>"$work/missing" ;;
    esac
    verdict "$what: in the trace of all ranks" "$(cat "$work/missing")"
    verdict "$what: all messages, the same iterations" "$(
        faults "$dir/traces.otf2" --min-matched 1.0 | head -n 2
        grep -q 'numbered alike True' "$work/checked" || echo "the iterations have other numbers")"
    has "$what: the summary says it" "around the 3 slowest ones" "$dir/summary.txt"
    case $options in
    *spread*) agrees "$what: beside typical ones" beside.py "$dir" ;;
    *) agrees "$what: the cause" beside.py "$dir" "$4" ;;
    esac
    "$tool" expand --iteration 99999 "$dir" >"$work/out" 2>"$work/err"
    same "$what: another iteration" 1 $?
    has "$what: ... and which there are" "iteration 99999 was not recorded; these were: " "$work/err"
    "$tool" compare --iterations "$3,99999" "$dir" >"$work/out" 2>"$work/err"
    same "$what: ... beside a slow one" 1 $?
    rm -rf "$dir"
}

# served SELECT PROGRAM ITERATIONS MICROSECONDS WHICH RANK TIMES: the last rank is a server, without iterations.
# Where it hears late of the first window, that is not whole.
served() {
    what="server, iteration $5, rank $6, $1"
    ranks 4 "$tool" run -o "$dir" -n 3 --select "$@" >"$work/out" 2>"$work/err"
    verdict "$what: the program ends" "$([ $? -eq 0 ] || tail -n 2 "$work/err")"
    slow=$("$python" "$root/tests/slow.py" "$dir/traces.otf2" 0.9 2>"$work/missing")
    case $1 in *spread*) ;; *) is_near "$5" $slow || echo "slow ones: $slow;" >>"$work/missing" ;; esac
    verdict "$what: in the trace of all ranks" "$(cat "$work/missing")"
    verdict "$what: all messages" "$(faults "$dir/traces.otf2" --min-matched 0.99 | grep -v "iterations" | head -n 2)"
    agrees "$what: beside typical ones" beside.py "$dir"
    rm -rf "$dir"
}

# apart PROGRAM: the ranks count other iterations, or none in common; which are slow is a matter of chance.
apart() {
    compile "$1" || { verdict "$1 compiles" "see above"; return; }
    ranks 4 "$tool" run -o "$dir" --select first,spread,slow "$programs/$1" 1000 >"$work/out" 2>"$work/err"
    code=$?
    ranks 4 "$programs/$1" 1000 >"$work/bare.out" 2>/dev/null
    same "$1: exit code" "$?" "$code"
    verdict "$1: output" "$(diff "$work/bare.out" "$work/out" | head -n 3)"
    hasnt "$1: slow ones are not barred" "slow iterations are not kept" "$work/err"
    rm -rf "$dir"
}

# none PROGRAM: threads share iterations. If others are recorded, that is said as
# soon as the ranks have talked of it, which takes long where they get no processor: so it runs for longer then.
none() {
    program=$1
    compile "$program" || { verdict "$program compiles" "see above"; return; }
    for steps in 1000 4000 16000; do
        rm -rf "$dir"
        ranks 4 "$tool" run -o "$dir" --patience 300ms --select first,spread,slow "$programs/$program" $steps \
            >"$work/out" 2>"$work/err"
        code=$?
        is_said && break
    done
    ranks 4 "$programs/$program" $steps >"$work/bare.out" 2>/dev/null
    same "$program: exit code" "$?" "$code"
    verdict "$program: output" "$(diff "$work/bare.out" "$work/out" | head -n 3)"
    hasnt "$program: no slow iteration" "slowest" "$dir/summary.txt"
    verdict "$program: it is said" "$(is_said || cat "$work/err")"
    rm -rf "$dir"
}
is_said() {
    ! grep -q "^Traced.*iterations" "$dir/summary.txt" || grep -q "slow iterations are not kept" "$work/err"
}

compile slow server || { verdict "it compiles" "see above"; finish; }
in_full && kept --select slow -- 1500 200 700 0 6000
in_full && kept --select first,slow -- 1500 200 1490 3 6000
kept --select first,spread,slow -- 1500 200 1111 2 6000
in_full && kept --select spread,slow -- 1500 200 1495 1 6000
in_full && kept --select slow --ring 1M -- 8000 20 6000 1 20000 # the ring goes round
for run in $(seq "${SLOW_RUNS:-0}"); do
    place=$(awk "BEGIN { srand($run); print 200 + int(rand() * 1290), int(rand() * 4) }")
    kept --select slow -- 1500 200 $place 6000
done
served slow "$programs/server" 1500 200 1100 1 6000
in_full && served first,spread,slow "$programs/server" 1500 200 1100 2 6000
in_full && apart master_worker
in_full && apart coupled
none threads
finish
