#!/bin/sh
# The cut that a window makes through a job: messages that cross it have no wrong partners; all ranks record the
# same iterations, however late some of them are; what the library says of both is what the trace holds (of single
# windows and full traces: programs.sh); and programs whose ranks have no loop in common end as they do without us.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/cut.sh [CASE...]     the cases: tests/cut
# environment: that of frame.sh, and
#              CUT_RUNS     runs of a stencil with ranks that are late at random (default 3)
. "$(dirname "$0")/frame.sh"
compile stencil2d wavefront || exit 2

# run NAME PREFIX... -- PROGRAM ARGUMENTS...: leaves NAME.out and NAME.err
run() {
    name=$1
    shift
    split "$@"
    shift $after
    program=$1
    shift
    (cd "$work" && ranks 4 $options "$programs/$program" "$@" \
        >"$name.out" 2>"$name.err")
}

# --- the figures against the checker's ---

figures() { # "PROGRAM ARGUMENTS..." OPTIONS...
    program=${1%% *} arguments=${1#"$program"}
    shift
    compile "$program" || { verdict "$program compiles" "see above"; return; }
    rm -rf "$work/$program"
    run "$program" "$tool" run -o "$work/$program" "$@" -- "$program" $arguments
    if [ ! -f "$work/$program/traces.otf2" ]; then
        verdict "$program$arguments $*: a trace" "none: $(tail -n 2 "$work/$program.err")"
        return
    fi
    faults "$work/$program/traces.otf2" >/dev/null
    agreed "$program$arguments $*"
    counted "$program$arguments $*" "$work/$program"
}

summary_lacks() { # DIR TEXT
    grep -q "$2" "$1/summary.txt" || echo "the summary lacks \"$2\": $(grep -A 2 -E '^(Traced|Messages)' "$1/summary.txt" | tr -s ' \n' ' ')"
}

# --- messages that were received before the window ---

events_of() { # DIR: without the numbers of strings
    print_trace "$1/traces.otf2" | sed 's/\(STRING; "[^"]*"\) <[0-9]*>/\1/g' | cksum
}

# ahead WHAT SUMMARY PAIRS: a pipeline, in which a message is received five iterations before that in
# which it was sent, as they are counted; PAIRS: what pairs.py says of the trace, but for how many there are.
# A rank that hears of a window when it is near has a short margin before it: so this one is far ahead.
ahead() {
    dir=$work/ahead.$1
    run ahead "$tool" run --keep-logs --skip 100 -o "$dir" -- wavefront 1000 500 1 "$1"
    code=$?
    [ $code -eq 0 ] || { verdict "wavefront $1" "exit code $code: $(tail -n 2 "$work/ahead.err")"; return; }
    verdict "wavefront $1: the summary says it" "$(summary_lacks "$dir" "$2")"
    pairs=$("$python" "$root/tests/pairs.py" "$dir/traces.otf2")
    same "wavefront $1: pairs, of two lengths, iterations between" "$3" "${pairs#* }"
    events=$(events_of "$dir")
    rm -r "$dir"/traces*
    "$tool" trace "$dir" >"$work/ahead.out" 2>"$work/ahead.err"
    same "wavefront $1: the same trace from the logs" "$events" "$(events_of "$dir")"
    rm -rf "$dir"
}

# --- iterations of the whole run ---

# spread SELECT ITERATIONS: ten of them are single ones of all of the 2000
spread() {
    dir=$work/spread
    run spread "$tool" run -o "$dir" --select "$1" -- stencil2d 2000 500
    verdict "select = $1: $2 iterations, the same on all ranks, all messages" "$(
        faults "$dir/traces.otf2" --min-matched 1.0 --iterations "$2" | head -n 2
        summary_lacks "$dir" "10 iterations, spread over the run"
        summary_lacks "$dir" 'iterations.* on all 4 ranks')"
    numbers=$(sed -n 's/^ *number \([0-9; ]*\)$/\1/p' "$dir/summary.txt" | tr -d ';')
    verdict "select = $1: ten from the first to the last tenth or so" "$(echo "$numbers" |
        awk '!(NF == 10 && $1 < 300 && $NF > 1700) { print }')"
    rm -rf "$dir"
}

# --- late ranks ---

# late NUMBER STEPS MICROSECONDS: of each step. Where these are long, ranks record before they have agreed, each
# from another one on.
late() {
    dir=$work/late.$1
    PROGRAM_DELAYS=$1
    export PROGRAM_DELAYS
    run late "$tool" run -o "$dir" -- stencil2d "$2" "$3"
    code=$?
    unset PROGRAM_DELAYS
    [ $code -eq 0 ] || { verdict "late ranks, $3 us a step, run $1" "exit code $code: $(tail -n 2 "$work/late.err")"; return; }
    why=$(summary_lacks "$dir" 'the same iterations on all 4 ranks'; summary_lacks "$dir" 'matched (100%)')
    if [ -z "$why" ]; then
        why=$(faults "$dir/traces.otf2" --min-matched 1.0 --iterations 10 | head -n 2)
        grep -q 'numbered alike True' "$work/checked" || why="$why the iterations have other numbers"
    fi
    verdict "late ranks, $3 us a step, run $1: the same iterations, all messages" "$why"
    rm -rf "$dir"
}

# --- ranks without a loop in common ---

other() { # PROGRAM ARGUMENTS...
    program=$1
    shift
    compile "$program" || { verdict "$program compiles" "see above"; return; }
    run bare -- "$program" "$@"
    bare=$?
    run traced "$tool" run --patience 300ms -o "$work/$program" -- "$program" "$@"
    code=$?
    [ $code -eq $bare ] && why= || why="exit code $code, bare $bare: $(tail -n 2 "$work/traced.err")"
    verdict "$program: it ends as it does bare" "$why"
    verdict "$program: the output is that of the bare run" "$(diff "$work/bare.out" "$work/traced.out" | head -n 3)"
    verdict "$program: the summary says what was recorded" "$(summary_lacks "$work/$program" '^Traced')"
    sed -n '/^Traced/,/^[A-SU-Z]/p' "$work/$program/summary.txt" | grep -E '^( |Traced)' | sed 's/^/note   /'
    rm -rf "$work/$program"
}

cases "$@"
finish
