#!/bin/sh
# The programs of tests/programs, bare and traced: same output and exit code; traces that a
# reader accepts and the checker finds right; the main loop that the source has.
#
# usage: tests/programs.sh [PROGRAM...]      default: all
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

# How many iterations: adaptive runs are to last a quarter of a second and more, so 50 samples.
steps() {
    case $1 in
    comms | collectives | mpiio | rma | sends) echo 100 ;;
    freed | nested_solver | phases | recursion | threads) echo 150 ;;
    master_worker) echo 750 ;; # shared by three workers
    waitany) echo 500 ;;       # its ranks go their own ways for long
    *) echo 250 ;;
    esac
}

# run PROGRAM MODE OUTPUT PREFIX...: standard output only; ours goes to standard error. Only for what
# is sampled do the iterations take their time.
run() {
    program=$1 mode=$2 output=$3
    shift 3
    case $program in
    ring.py) command="$python $root/tests/programs/ring.py" ;;
    *) command=$programs/$program ;;
    esac
    [ "$mode" = adaptive ] && microseconds= || microseconds=100
    (cd "$work" && ranks 4 "$@" $command "$(steps "$program")" $microseconds >"$output" 2>"$output.err")
}

# What the checker cannot find in a window: a master has other iterations than its workers, and threads
# other than the leader begin and end at their own next call; coupled codes and ranks without a loop
# have no iterations in common.
exempt() {
    case $1.$2 in
    threads.adaptive) echo '^FAIL (messages|collectives)' ;;
    freed.*) echo '^FAIL messages' ;; # what is received after that is not recorded
    master_worker.adaptive | coupled.adaptive | silent_rank.adaptive | unstable.adaptive)
        echo '^FAIL (messages|iterations|collectives)' ;; # ranks that follow have no iterations
    *) echo '^nothing' ;;
    esac
}

check_trace() { # PROGRAM WHAT TRACE ARGUMENTS...
    program=$1 what=$2 trace=$3
    shift 3
    verdict "$program $what: otf2-print accepts the trace" "$(unreadable "$trace")"
    verdict "$program $what: the checker accepts the trace" \
        "$(faults "$trace" "$@" | grep -v -E "$(exempt "$program" "$what")" | head -n 3)"
}

# How many iterations the main loop truly has.
truth() {
    case $1 in
    alternating | freed | helper_reuse | io_end | io_start | persistent | polling | probes | sendrecv_self | \
        shuffled | pingpong | stencil2d | waitany | wavefront | ring_mpif | ring_usempi | ring_f08 | early_static | ring.py) steps "$1" ;;
    driver) echo $((3 * $(steps "$1"))) ;;
    *) echo 0 ;; # not the same on all ranks; sends: five rings in a step, which do nearly all of it
    esac
}

# Without a window nothing happens in mode graph that does not happen in mode adaptive, too: of
# each kind of program one.
modes() {
    echo adaptive full
    case $1 in stencil2d | threads | rma | mpiio | ring_f08 | ring.py) echo graph ;; esac
}

test_program() {
    program=$1
    [ "$program" = ring.py ] || compile "$program" || { verdict "$program compiles" "see above"; return; }
    run "$program" bare "$work/bare"
    bare=$?
    for mode in $(modes "$program"); do
        dir=$work/$program.$mode
        run "$program" $mode "$work/out" "$tool" run -o "$dir" -m $mode --interval 5ms
        code=$?
        [ $code -eq $bare ] && why= || why="exit code $code, bare $bare: $(tail -n 3 "$work/out.err")"
        verdict "$program $mode: exit code" "$why"
        verdict "$program $mode: output" "$(diff "$work/bare" "$work/out" | head -n 5)"
        case $mode in
        full) check_trace "$program" $mode "$dir/traces.otf2" --full --iterations 0 ;;
        adaptive) test_window "$program" "$dir" ;;
        graph) [ -e "$dir/traces.otf2" ] && why="it wrote a trace" || why=
            verdict "$program graph: no trace" "$why" ;;
        esac
        rm -rf "$dir"
    done
}

test_window() {
    case $1 in
    # The order of their calls is made by timing, or differs between ranks.
    coupled | silent_rank | unstable) ;; # nor have all ranks a loop in common
    master_worker | threads | probes | phases | comms | recursion | nested_solver | collectives | rma | mpiio) ;;
    *)
        [ -f "$2/traces.otf2" ] && why= || why="none: $(tail -n 3 "$work/out.err")"
        verdict "$1 adaptive: a window was recorded" "$why" ;;
    esac
    [ -f "$2/traces.otf2" ] || return
    least=0.5
    [ "$1" = wavefront ] && least=0.3 # half of its messages cross the edges of a window
    check_trace "$1" adaptive "$2/traces.otf2" --iterations 10 --min-matched $least
    [ "$(truth "$1")" -eq 0 ] || verdict "$1 adaptive: the main loop" "$(wrong_count "$1" "$2")"
}

# The pivot's visits, over the run, against the iterations that the source has.
wrong_count() {
    visits=$("$tool" graph "$2" --format json | "$python" -c '
import json, sys
graph = json.load(sys.stdin)
print(graph["pivot"]["visits"])')
    wanted=$(truth "$1")
    [ "$visits" -ge $((wanted - 5)) ] && [ "$visits" -le $((wanted + 5)) ] || echo "$visits visits of the pivot, $wanted iterations"
}

all() {
    for source in tests/programs/*.c tests/programs/*.cpp tests/programs/*.f90; do
        basename "$source" | sed 's/\.[^.]*$//'
    done
    echo ring.py
}

for program in ${*:-$(all)}; do
    test_program "$program"
done
finish
