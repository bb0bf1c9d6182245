#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A window ends with its loop: tests/ends/ends.c ends its loop while it is recorded, or makes it another
# one, and has much, little or nothing behind it. Summary, report and trace have the same iterations, and
# nothing of what is behind them is in the trace (ends.py).
#
# When the loop ends follows from what efgtrace says, not from time.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/ends.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

$MPICC -g -O1 "$root/tests/ends/ends.c" -o "$work/ends" -lpthread || exit 2
cd "$work" || exit 2

# moved: a window was given up, as a rank was late, or recorded before it was agreed on, as on a machine
# that has much else to do; then how long it is does not follow from when the loop ends
moved() {
    grep -q -e 'thrown away' -e 'provisionally is kept' said
}

# checked OPTION...: what the checker has against ./out
checked() {
    faults out/traces.otf2 "$@" | head -n 2
}

# ended WANTED BODY BEHIND MORE [WINDOW] [-- OPTION...]: the loop ends MORE iterations after its WINDOW-th
# window has begun. WANTED: how many iterations the windows have, from the first one on; empty where that
# depends on what becomes the pivot
ended() {
    local wanted=$1 window=1 name
    shift
    name="$*"
    body=$1 behind=$2 more=$3
    shift 3
    [ $# -eq 0 ] || [ "$1" = -- ] || { window=$1; shift; }
    [ $# -eq 0 ] || shift
    rm -rf out said counts
    ranks 4 "$tool" run -o out --verbose on --summary off "$@" ./ends $body $behind $more "$work/said" $window \
        >printed 2>err || { verdict "$name: it runs" "exit code $?: $(tail -n 2 err said)"; return; }
    if [ ! -f out/traces.otf2 ]; then
        moved || [ -z "$wanted" ] && wanted=nothing
        same "$name" "$wanted" "$(sed -n \
            's/^Traced  *\(nothing\): the run, or the log, ended before.*/\1/p' out/summary.txt)"
        return
    fi
    why=$("$python" "$root/tests/ends.py" "$tool" out 2>&1 >counts)
    read -r counts <counts
    case $body in
    server) moved || why="$why$(checked --min-matched 0.9 | grep -v "^FAIL iterations")" ;; # of these it has none
    *) why="$why$(checked --min-matched 0.98 --iterations $(($(echo "$counts" | tr ' ' +))))" ;;
    esac
    case "$counts " in
    "${wanted:+$wanted }"*) ;;
    *) moved || why="$why iterations: $counts, not $wanted" ;;
    esac
    case " $* " in
    *" --iterations "*) ;;
    *) for count in $counts; do
        [ "$count" -le 10 ] || why="$why more iterations than a window has"
    done ;;
    esac
    verdict "$name: $counts" "$(echo "$why" | head -n 3)"
}

# What is behind the loop.
for behind in nothing $(in_full && echo few) calls $(in_full && echo same one); do
    ended 4 even $behind 3
done
in_full && ended 4 even second 3
in_full && ended 4 even again 3
ended 1 even grow 3 # the first one that is larger begins behind the one in which it is known

# No iteration is whole, or one.
in_full && ended '' early nothing 0
in_full && ended '' early calls 0

# The window is as long as it should be, and the loop ends right behind it; or would never end.
in_full && ended 10 even few 9
in_full && ended 51 even calls 50 -- --iterations 1000000
ended 51 even nothing 50 -- --iterations 1000000

# Ranks that have other calls, or no such loop.
for behind in $(in_full && echo nothing) calls $(in_full && echo one); do
    ended 4 uneven $behind 3
done
in_full && ended '' server nothing 3
ended '' server calls 3

# What other threads do behind the loop.
for behind in $(in_full && echo nothing) calls $(in_full && echo same second); do
    ended 4 threads $behind 3
done

# Iterations that are recorded before the ranks have agreed on them.
ended '' long calls 2
in_full && ended '' long second 1
if in_full; then
    ended 10 slow calls 30 -- --interval 60ms
    moved && same "recorded before it was agreed on: the iterations have their phase" 10 \
        "$("$python" "$root/tests/phases.py" "$tool" out trace)"
    ended '' slow nothing 0 -- --interval 60ms
fi

if in_full; then
    # Calls behind the pivot, while they are recorded and the ranks have yet to agree, are no sign of the end.
    compile apart || exit 2
    ranks 4 "$tool" run -o apart --verbose on --interval 20ms "$programs/apart" 16 2>err >printed
    same "apart: nobody takes the loop for over" "" "$(grep 'is over' err)"

    # What is recorded before numbers are agreed on has the agreed ones, also where a rank had others.
    $MPICC -g -O1 "$root/tests/ends/earlier.c" -o earlier || exit 2
    ranks 4 "$tool" run -o earlier.out --verbose on ./earlier 16 2>err >printed
    verdict "earlier: the same iterations on all ranks, with the same numbers" \
        "$(faults earlier.out/traces.otf2 --min-matched 0.98 | head -n 3)"
fi

# A loop around the one that was taken first, which has few, long iterations: at least half of them are in
# the trace, whole, and nothing of what the first one had is counted with them.
$MPICC -g -O1 "$root/tests/ends/few.c" -o few || exit 2
few() {
    name="few $*"
    rm -rf few.out
    ranks 4 "$tool" run -o few.out --verbose on ./few "$@" 2>err >printed
    has "$name: the main loop" "Main loop    in main, $1 iterations" few.out/summary.txt
    traced=$(sed -n 's/.* \([0-9]*\) iterations*, number .*/\1/p' few.out/summary.txt | tail -n 1)
    [ "${traced:-0}" -ge $(($1 / 2)) ] && why= || why="${traced:-none} of $1: $(grep ^efgtrace: err | head -n 20)"
    verdict "$name: at least half of the iterations are in the trace" "$why"
    verdict "$name: the checker accepts the trace" "$(faults few.out/traces.otf2 --min-matched 1 | head -n 3)"
}
few 12
few 6 0.3 20 # the one inside goes on as before, and is the main loop until the other one has gone round 5 times
in_full && few 8 0.1 5

# It goes round three times only, and is none: the one inside keeps its window, and how long its iterations take.
rm -rf few.out
ranks 4 "$tool" run -o few.out ./few 3 0.3 50 2>err >printed
same "around: the main loop, and what its iterations take" 1 \
    "$(grep -c '^Main loop    in solve, 112 iterations; .* take .* each' few.out/summary.txt)"
has "around: its window" "Traced       10 iterations, number " few.out/summary.txt
verdict "around: the checker accepts the trace" "$(faults few.out/traces.otf2 --min-matched 1 --iterations 10 | head -n 3)"

# The second of three windows.
for behind in $(in_full && echo nothing) calls $(in_full && echo same second again grow); do
    ended 10 even $behind 3 2 -- --windows 3
done
in_full && ended 10 threads calls 3 2 -- --windows 3
in_full && ended 10 uneven calls 3 2 -- --windows 3

finish
