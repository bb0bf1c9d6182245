#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that have several main loops, one after the other: each has its window, however many there are; only
# one that takes next to nothing of the run has none; what is spread is divided by their time; report and trace
# say which is which. Ranks that are out of step share none.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/phases.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

dir=$work/trace
$MPICC -g -O1 -I"$root/tests/programs" "$root/tests/phases/phases.c" -o "$work/phases" || exit 2

# run OPTION... -- PHASE:ITERATIONS...
run() {
    split "$@"
    shift $after
    name="$*$options"
    rm -rf "$dir"
    ranks 4 "$tool" run -o "$dir" $options "$work/phases" 1000 "$@" >"$work/out" 2>"$work/err"
    verdict "$name: the program ends" "$([ $? -eq 0 ] || tail -n 2 "$work/err")"
}

# said COMMAND [FUNCTION]
said() {
    "$python" "$root/tests/phases.py" "$tool" "$dir" "$@" 2>&1 | tail -n 1
}

# run_until FUNCTION LEAST MOST [OPTION...] -- PHASE:ITERATIONS...: until this phase takes so many percent of the time
# of the longest one. Beside a load an iteration of one phase may take ten times as long as one of another.
run_until() {
    local who=$1 least=$2 most=$3 part
    shift 3
    for _ in 1 2 3 4 5 6; do
        run "$@"
        part=$(said part "$who")
        [ "$part" -ge "$least" ] && [ "$part" -le "$most" ] && return
    done
}

# within NAME LEAST MOST VALUE
within() {
    verdict "$1" "$([ "$4" -ge "$2" ] 2>/dev/null && [ "$4" -le "$3" ] || echo "it is $4, not $2 to $3")"
}

right() {
    verdict "$name: the checker accepts the trace" "$(faults "$dir/traces.otf2" --min-matched 1.0 | head -n 2)"
}

# Equilibration, then production, then what is left.
run_until phase_1 100 100 -- 0:150 1:1200 2:150
same "$name: the phases" "phase_0 phase_1 phase_2" "$(said functions)"
same "$name: each has a window" "10 10 10" "$(said recorded)"
same "$name: the trace says which" "10 10 10" "$(said trace)"
same "$name: and their loops" "phase_0 phase_1 phase_2" "$(said loops)"
within "$name: the first one takes less" 1 99 "$(said part phase_0)"
has "$name: in the summary" "in phase_1" "$dir/summary.txt"
has "$name: windows of the others" "10 iterations of phase 1, in phase_0" "$dir/summary.txt"
right

# A phase has one number of iterations, those before it was known included.
same "$name: the iterations" "150 1200 150" "$(said iterations)"
same "$name: ... in the report" "150 1200 150" "$(
    "$tool" report "$dir" | awk '/^phase  *begins/ { table = 1 } !NF { table = 0 }
        table && $1 ~ /^[0-9]+$/ && $(NF - 1) == "in" { print $(NF - 5) }' | head -n 3 | paste -sd ' ')"

# The iterations of the main loop are known, though another loop came last.
"$tool" report "$dir" >"$work/text"
has "$name: the main loop" "Main loop    in phase_1, 1200 iterations" "$work/text"
verdict "$name: its iterations" "$("$tool" report --json "$dir" | "$python" -c '
import json, sys
slots = json.load(sys.stdin)["iterations"]["slots"]
count = sum(s[1] for s in slots)
if not 800 < count <= 1200: print(count, "iterations in the series")')"

# One loop, whose function is called from two places: there are two phases, told apart by them.
$MPICC -g -O1 "$root/tests/phases/twice.c" -o "$work/twice" || exit 2
name=twice dir=$work/run.twice
rm -rf "$dir"
ranks 2 "$tool" run -o "$dir" "$work/twice" 400 600 >"$work/out" 2>"$work/err" || verdict "$name" "exit code $?"
line=$(grep -n "solve(atoi" "$root/tests/phases/twice.c" | cut -d : -f 1 | paste -sd ' ')
same "$name: the phases" "solve < twice.c:${line% *} main, solve < twice.c:${line#* } main" \
    "$(sed -n "s/.*  in \(solve < .*\)/\1/p" "$dir/summary.txt" | head -n 2 | paste -sd , | sed 's/,/, /')"
has "$name: both together" "1000 with phase" "$dir/summary.txt"

if in_full; then
    # Loops whose body is one call, of the same function, which has none.
    run -- 24:300 25:300
    same "$name: by what has the loops" "relax main" "$(said functions)"
    same "$name: in the trace, too" "relax main" "$(said loops)"

    # Two loops of one function.
    run -- 20:400 21:400
    same "$name: the phases" "main main" "$(said functions)"
    same "$name: each has a window" "10 10" "$(said recorded)"
    right

    # The main loop is the first one of those that take about the same time, in all that is said.
    for phases in "0:500 1:480" "0:480 1:500"; do
        # shellcheck disable=SC2086 # two words
        run -- $phases
        main=$(said main)
        same "$name: the main loop" "${main%% *}" "$main"
        has "$name: in the summary" "Main loop    in $main, " "$dir/summary.txt"
    done

    # A loop that comes again is the same phase.
    run --select spread -- 0:400 1:400 0:400
    same "$name: the phases" "phase_0 phase_1" "$(said functions)"
    same "$name: not all the time" 1 "$(said gap phase_0)"
    right
fi

# What is slow belongs to the phase that it was in, and no rank counts iterations of the former one with the
# next one.
run --select first,slow -- 0:500 1:500
same "$name: the trace says which" "$(said recorded)" "$(said trace)"
hasnt "$name: numbers are the same" "counted" "$dir/summary.txt"
right

if in_full; then
    # What is spread is divided by time; the shortest one is not without. It is long enough to be found beside a load.
    run_until phase_0 6 20 --select spread -n 20 -- 0:250 1:2500
    same "$name: the phases" "phase_0 phase_1" "$(said functions)"
    set -- $(said recorded) none none
    within "$name: of the short one" 1 8 "$1"
    within "$name: of the long one" 12 20 "$2"
    same "$name: the trace says which" "$1 $2" "$(said trace)"
    right

    # One that was recorded while nothing else was known yet, and took next to nothing of the run.
    run_until phase_0 0 4 -- 0:40 1:3000
    same "$name: one window" 10 "$(said recorded | awk '{ print $NF }')"
    same "$name: in the trace" 10 "$(said trace | awk '{ print $NF }')"
    hasnt "$name: and in the summary" "iterations of phase 1" "$dir/summary.txt"
    right

    # Of many, the longest one is never without.
    run -- $(seq -f %g:120 0 18) 19:600
    within "$name: the last one" 10 10 "$(said recorded | awk '{ print $NF }')"
    same "$name: is the longest" phase_19 "$(said functions | awk '{ print $NF }')"
    right

    # Ranks that do not wait for one another have iterations of the same numbers at most, or the slowest one alone has
    # a window, by how far they are apart then; where they do wait, later, they have the same ones. Beside a load the
    # first loop may be over too early: one run of three is enough.
    $MPICC -g -O1 "$root/tests/phases/apart.c" -o "$work/apart" || exit 2
    name=apart
    for try in 1 2 3; do
        rm -rf "$dir"
        ranks 4 "$tool" run -o "$dir" "$work/apart" 4000 >"$work/out" 2>"$work/err" ||
            verdict "$name" "exit code $?, run $try"
        grep -q "iterations of these numbers on" "$dir/summary.txt" && break
    done
    has "$name: iterations of the same numbers" "iterations of these numbers on" "$dir/summary.txt"
    has "$name: all have another window" "the same iterations on all 4 ranks" "$dir/summary.txt"
    same "$name: both loops have one" "10 10" "$(said recorded call) $(said recorded together)"
fi

# The next loop is noticed by time, where some iterations of the first one have far more calls than others: after four
# times the slowest of these, and some samples and rounds of the agreement. By calls alone it was after 340 of its
# iterations, of 10 ms: where something else made one of the first loop so slow that it could be as late, it runs again.
# A slow iteration with fewer calls, or that is shorter, is no phase.
$MPICC -g -O1 -I"$root/tests/programs" "$root/tests/phases/late.c" -o "$work/late" || exit 2
# late FIRST LONG SECOND [SLOW [CALLS]]
late() {
    name="late $*"
    rm -rf "$dir"
    ranks 4 "$tool" run -o "$dir" "$work/late" "$@" >"$work/out" 2>"$work/err" || verdict "$name" "exit code $?"
}
for _ in 1 2 3; do
    late 6000 3 500
    set -- $(said first) none none
    soon=$((220 + 4 * $(sed -n 's/^slowest //p' "$work/out") / 10))
    [ "$soon" -lt 340 ] && break
done
within "$name: the second one is noticed soon" 1 "$soon" "$2"
same "$name: each has a window" "10 10" "$(said recorded)"
has "$name: it is said which call each iteration of the first one begins with, after the second one, too" \
    "each begins " "$dir/summary.txt"
if in_full; then
    # Others have gone on, and counted the iterations of the next loop on rank 0, too, which had not noticed.
    EFGTRACE_VERBOSE=on late 6000 -3 500 800 1
    has "$name: rank 0 notices" "the main loop is over" "$work/err"
    same "$name: each has a window" "10 10" "$(said recorded)"

    for slow in "1500 50" "1100 100"; do
        # shellcheck disable=SC2086 # two words
        late 4000 1 0 $slow
        same "$name: one phase" first "$(said functions)"
        same "$name: all of its iterations" 4000 "$(said iterations)"
        hasnt "$name: no other one was looked for" "phase      begins" "$dir/summary.txt"
        same "$name: one window" 10 "$(said recorded)"
    done
fi

# What was taken for the main loop first is given up for the loop around it, in the same function or not.
for apart in "" $(in_full && echo -DAPART); do
    $MPICC -g -O1 $apart "$root/tests/phases/around.c" -o "$work/around" || exit 2
    rm -rf "$dir"
    name="around $apart"
    ranks 4 "$tool" run -o "$dir" "$work/around" 500 >"$work/out" 2>"$work/err" || verdict "$name" "exit code $?"
    has "$name: the main loop" "Main loop    in main, 500 iterations" "$dir/summary.txt"
    same "$name: rounds are not counted as steps" "-" "$(said over)"
    verdict "$name: its iterations are in the trace, no others" \
        "$(faults "$dir/traces.otf2" --min-matched 1.0 --iterations 10)"
    first=$(sed -n 's/.*number \([0-9]*\) to.*/\1/p' "$dir/summary.txt" | head -n 1)
    same "$name: an iteration is a step, with two rounds" "Sendrecv Allreduce Sendrecv Allreduce Bcast" "$(
        "$tool" expand -r 0 --iteration "$first" "$dir" | awk '{ sub("MPI_", "", $4); print $4 }' | paste -sd ' ')"
done

# The loop that is asked for is the main loop, and has its window, however short it is, and whatever comes before it or
# behind.
# asks LOOP FUNCTION ITERATIONS PHASE...
asks() {
    local loop=$1 function=$2 count=$3
    shift 3
    EFGTRACE_LOOP=$loop run -- "$@"
    has "$name, $loop: the main loop" "Main loop    in $function, $count iterations" "$dir/summary.txt"
    same "$name, $loop: its window" 10 "$(said recorded "$function")"
}
asks phase_1 phase_1 400 22:800 23:400
hash=$(sed -n 's/.*EFGTRACE_LOOP=\([0-9a-f]*\) selects it again/\1/p' "$dir/summary.txt")
asks "${hash:-none}" phase_1 400 22:800 23:400
EFGTRACE_LOOP=phase_2 run -- 22:400
has "$name, a loop that does not exist: the rule's own" "Main loop    in phase_0, 400 iterations" "$dir/summary.txt"
has "$name: it is said" "loop = phase_2: no such loop was seen" "$dir/summary.txt"
if in_full; then
    asks phase_1 phase_1 400 22:800 23:400 22:800
    asks phase_0 phase_0 200 22:200 23:1500
    asks phase_0 phase_0 200 23:1500 22:200
fi

if in_full; then
    # A master and its workers, whose loops are in one function, as they are inlined: the window is that of the
    # majority.
    name="workers, inlined"
    $MPICC -g -O2 -finline-functions-called-once -I"$root/tests/programs" \
        "$root/tests/programs/master_worker.c" -o "$work/workers" -lm || exit 2
    rm -rf "$dir"
    ranks 4 "$tool" run -o "$dir" "$work/workers" 6000 300 >"$work/out" 2>"$work/err" || verdict "$name" "exit code $?"
    has "$name: the main loop" "Main loop    in work, " "$dir/summary.txt"
fi

finish
