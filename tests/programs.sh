#!/bin/sh
# The programs of tests/programs, traced: output and exit code as their sources say; traces that a
# reader accepts and the checker finds right, and that have the messages and requests that the report says; the main
# loop that the source has.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/programs.sh [PROGRAM...]      default: all
# environment: that of frame.sh
#
# What is expected of a program is in its opening comment, behind "programs.sh:", as NAME=VALUE:
#
#   steps       the argument: a run in mode adaptive is to last half a second and more
#   says        WORDS, with _ between them, of the output "ok PROGRAM: STEPS WORDS" (default steps); bare: the output is
#               that of a run without efgtrace
#   microseconds  of an iteration of that run, if it has fewer and longer ones than usual
#   iterations  of the main loop, if it is the same on all ranks
#   window      maybe: a run may end before the ranks have agreed, or they have no loop in common
#   lacks       what the checker may miss in a window: of calls whose order is made by timing, of a master whose
#               iterations are not those of its workers, of threads that begin and end at a call of their own
#   full_lacks  the same, in mode full
#   matched     part of the messages that have both ends in a window, at least (default 0.5)
#   alike       no: how many events an iteration has is made by timing, so nothing is expected of what is said
#               of a full trace
#   second      full: a second checker is asked of that trace, too; else of windows only, as full traces are large
#   graph       yes: mode graph, too; it does nothing that mode adaptive does not, so one of each kind
. "$(dirname "$0")/frame.sh"

# expected PROGRAM NAME [DEFAULT]: its value
expected() {
    for source in "$root/tests/programs/${1%.py}".*; do
        value=$(sed -n "s/.*programs.sh:.* $2=\([^ ]*\).*/\1/p" "$source")
        echo "${value:-${3-}}"
    done
}

# run PROGRAM MODE OUTPUT PREFIX...: standard output only; ours goes to standard error. Only for what
# is sampled do the iterations take their time.
run() {
    program=$1 mode=$2 output=$3
    shift 3
    case $program in
    *.py) command="$python $root/tests/programs/$program" ;;
    *) command=$programs/$program ;;
    esac
    [ "$mode" = adaptive ] && microseconds=$(expected "$program" microseconds) || microseconds=100
    (cd "$work" && ranks 4 "$@" $command "$(expected "$program" steps)" $microseconds >"$output" 2>"$output.err")
}

# output_of PROGRAM: what it prints, on rank 0, if all data was right
output_of() {
    says=$(expected "$1" says steps)
    case $says in
    bare) run "$1" bare "$work/bare.out" && cat "$work/bare.out" ;;
    *) echo "ok $1: $(expected "$1" steps) $(echo "$says" | tr _ ' ')" ;;
    esac
}

# check_trace PROGRAM WHAT LACKS TRACE ARGUMENTS...
check_trace() {
    program=$1 what=$2 lacks=$3 trace=$4
    shift 4
    verdict "$program $what: otf2-print accepts the trace" "$(unreadable "$trace")"
    verdict "$program $what: the checker accepts the trace" \
        "$(faults "$trace" "$@" | grep -v -E "^FAIL ($(echo "$lacks" | tr , '|'))\b" | head -n 3)"
    agreed "$program $what"
    counted "$program $what" "$(dirname "$trace")"
}

test_program() {
    program=$1
    [ "$program" != "${program%.py}" ] || compile "$program" || { verdict "$program compiles" "see above"; return; }
    [ -n "$(expected "$program" steps)" ] || { verdict "$program" "its source does not say what is expected"; return; }
    output_of "$program" >"$work/bare" || verdict "$program bare: exit code" "$(tail -n 3 "$work/bare.out.err")"
    estimated=
    for mode in adaptive full $([ "$(expected "$program" graph no)" = no ] || echo graph); do
        dir=$work/$program.$mode
        run "$program" $mode "$work/out" "$tool" run -o "$dir" -m $mode --interval 20ms
        code=$?
        [ $code -eq 0 ] && why= || why="exit code $code: $(tail -n 3 "$work/out.err")"
        verdict "$program $mode: exit code" "$why"
        verdict "$program $mode: output" "$(diff "$work/bare" "$work/out" | head -n 5)"
        case $mode in
        full)
            [ "$(expected "$program" second windows)" = full ] && asked=$CHECK_TRACE || asked=
            CHECK_TRACE=$asked check_trace "$program" $mode "$(expected "$program" full_lacks nothing)" \
                "$dir/traces.otf2" --full --iterations 0
            test_estimate "$program" "$estimated" "$(events_of '^Trace  *' "$dir")" ;;
        adaptive) test_window "$program" "$dir" ;;
        graph) [ -e "$dir/traces.otf2" ] && why="it wrote a trace" || why=
            verdict "$program graph: no trace" "$why" ;;
        esac
        rm -rf "$dir"
    done
}

test_window() {
    if [ "$(expected "$1" window yes)" = yes ]; then
        [ -f "$2/traces.otf2" ] && why= || why="none: $(tail -n 3 "$work/out.err")"
        verdict "$1 adaptive: a window was recorded" "$why"
    fi
    [ -f "$2/traces.otf2" ] || return
    check_trace "$1" adaptive "$(expected "$1" lacks nothing)" "$2/traces.otf2" --iterations 10 \
        --min-matched "$(expected "$1" matched 0.5)"
    agrees "$1 adaptive: all tables tell the same" tables.py "$2"
    agrees "$1 adaptive: each row has a name of its own" rows.py "$2"
    wanted=$(expected "$1" iterations)
    [ -z "$wanted" ] || verdict "$1 adaptive: the main loop" "$(wrong_count "$2" "$wanted")"
    [ -z "$wanted" ] || [ "$(expected "$1" alike)" = no ] || estimated=$(events_of '.* a full one: about ' "$2")
}

# events_of BEFORE DIR: their number in the line of the summary about the trace that begins so
events_of() {
    sed -n 's/'"$1"'\([0-9.]*\) \(thousand\|million\)* *events.*/\1 \2/p' "$2/summary.txt" |
        sed 's/ thousand/e3/; s/ million/e6/'
}

# What the run in mode adaptive said of a full trace, of a program whose iterations are all alike.
test_estimate() { # PROGRAM SAID EVENTS
    [ -z "$2" ] || verdict "$1: how large a full trace is" \
        "$(awk -v said="$2" -v is="$3" 'BEGIN { if (said < 0.9 * is || said > 1.1 * is) print said ", it has " is }')"
}

# The pivot's visits, over the run, against the iterations that the source has.
wrong_count() { # DIR ITERATIONS
    visits=$("$tool" graph "$1" --format json | "$python" -c '
import json, sys
graph = json.load(sys.stdin)
print(graph["pivot"]["visits"])')
    [ "$visits" -ge $(($2 - 5)) ] && [ "$visits" -le $(($2 + 5)) ] || echo "$visits visits of the pivot, $2 iterations"
}

all() {
    for source in tests/programs/*.c tests/programs/*.cpp tests/programs/*.f90; do
        basename "$source" | sed 's/\.[^.]*$//'
    done
    (cd tests/programs && ls -- *.py) | grep -vx program.py
}

in_full || [ $# -gt 0 ] || set -- stencil2d ring_f08 ring.py threads rma mpiio
for program in ${*:-$(all)}; do
    test_program "$program"
done
finish
