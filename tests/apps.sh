#!/bin/sh
# Real applications, bare and traced: the same exit code and output, and a trace that is right.
# Of two levels: in_full is what only `make check-all` has.
#
# usage: tests/apps.sh [APP...]     (default: all of bench/apps.sh list)
#
# Prints a line "ok APP what" or "FAIL APP what: why" a test, and last "N passed, N failed".
# exit code: 0 all passed, 1 a test failed, 2 nothing could be tested
# environment: that of frame.sh, and
#              EFGTRACE     another tool, with its library beside it
. "$(dirname "$0")/frame.sh"
start_as_users_do
tool=${EFGTRACE:-$tool}
library=$(dirname "$tool")/libefgtrace.so
iterations=10

[ -x "$tool" ] || { echo "apps: no $tool; run make first" >&2; exit 2; }
clean_up() {
    [ $failed -gt 0 ] && echo "apps: what they wrote is in $work" >&2 || rm -rf "$work"
}

# run APP WAY [PREFIX...]: leaves WAY.out, WAY.err, WAY.code and WAY.kept in the folder of APP
run() {
    run_app=$1 run_way=$work/$1/$2
    shift 2
    bench/apps.sh run "$run_app" "$work/$run_app/case" "$@" >"$run_way.out" 2>"$run_way.err"
    echo $? >"$run_way.code"
    bench/apps.sh filter "$run_app" <"$run_way.out" >"$run_way.kept"
}

# compare APP WAY: with the bare run
compare() {
    code=$(cat "$work/$1/$2.code")
    expected=$(cat "$work/$1/bare.code")
    why=
    [ "$code" = "$expected" ] || why="$code, not $expected: $(tail -n 1 "$work/$1/$2.err")"
    verdict "$1 $2: exit code" "$why"
    verdict "$1 $2: output" "$(diff "$work/$1/bare.kept" "$work/$1/$2.kept" | sed -n 2p)"
}

# check APP WAY: the trace. Whether each message has its partner is told, not tested: that needs
# windows that begin and end alike on all ranks.
check() {
    anchor=$work/$1/$2/traces.otf2
    verdict "$1 $2: otf2-print" "$(unreadable "$anchor")"
    faults "$anchor" --iterations "$iterations" >"$work/faults"
    grep -q '^[0-9]* passed, ' "$work/checked" || verdict "$1 $2: trace" "$(cat "$work/faults")"
    while read -r result name figures; do
        case $result,$name in
            *,messages) echo "note $1 $2: messages: $result: $figures" ;;
            ok,*) verdict "$1 $2: $name" "" ;;
            FAIL,*) verdict "$1 $2: $name" "$figures" ;;
        esac
    done <"$work/checked"
    [ -z "$CHECK_TRACE" ] ||
        same "$1 $2: the other checker finds the same" "$(awk '{ print $1, $2 }' "$work/checked")" \
            "$(awk '{ print $1, $2 }' "$work/checked.second")"
}

test_app() {
    mkdir "$work/$1" || return
    run "$1" bare
    if [ "$(cat "$work/$1/bare.code")" != 0 ]; then
        verdict "$1 bare" "exit code $(cat "$work/$1/bare.code"): $(tail -n 1 "$work/$1/bare.err")"
        return
    fi
    verdict "$1 bare" ""
    run "$1" run "$tool" run -o "$work/$1/run"
    compare "$1" run
    check "$1" run
    in_full || return
    run "$1" preload env LD_PRELOAD="$library" EFGTRACE_OUTPUT="$work/$1/preload"
    compare "$1" preload
    check "$1" preload
}

[ "$mpi" = MPICH ] && { skip "applications" "those of Debian are for Open MPI"; finish; }
# shellcheck disable=SC2046 # the names are split into words on purpose
[ $# -gt 0 ] || set -- $(bench/apps.sh list)
in_full || set -- lammps
for app in "$@"; do
    test_app "$app"
done

finish
