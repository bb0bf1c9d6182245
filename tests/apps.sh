#!/bin/sh
# Real applications, bare and traced: the same exit code and output, and a trace that is right.
#
# usage: tests/apps.sh [APP...]     (default: all of bench/apps.sh list)
#
# Prints a line "ok APP what" or "FAIL APP what: why" a test, and last "N passed, N failed".
# exit code: 0 all passed, 1 a test failed, 2 nothing could be tested
# environment: EFGTRACE     the tool, default build/efgtrace, with its library beside it
#              CHECK_TRACE  the command that checks a trace; prints a line "ok NAME ..." or
#                           "FAIL NAME ..." a check and last "N passed, M failed"
set -u
cd "$(dirname "$0")/.." || exit 2

tool=${EFGTRACE:-$PWD/build/efgtrace}
library=$(dirname "$tool")/libefgtrace.so
check_trace=${CHECK_TRACE:-/usr/bin/python3 ../shared/tools/check_trace.py}
iterations=10
passed=0
failed=0

[ -x "$tool" ] || { echo "apps: no $tool; run make first" >&2; exit 2; }
work=$(mktemp -d "${TMPDIR:-/tmp}/efgtrace-apps.XXXXXX") || exit 2

# verdict APP WHAT WHY: passed if there is no reason why not
verdict() {
    if [ -z "$3" ]; then
        passed=$((passed + 1))
        echo "ok $1 $2"
    else
        failed=$((failed + 1))
        echo "FAIL $1 $2: $3"
    fi
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
    verdict "$1" "$2: exit code" "$why"
    verdict "$1" "$2: output" "$(diff "$work/$1/bare.kept" "$work/$1/$2.kept" | sed -n 2p)"
}

# check APP WAY: the trace. Whether each message has its partner is told, not tested: that needs
# windows that begin and end alike on all ranks.
check() {
    anchor=$work/$1/$2/traces.otf2
    $check_trace "$anchor" --iterations "$iterations" >"$work/$1/$2.checks" 2>&1
    grep -q '^[0-9]* passed, ' "$work/$1/$2.checks" ||
        verdict "$1" "$2: trace" "$(tail -n 1 "$work/$1/$2.checks")"
    while read -r result name figures; do
        case $result,$name in
            *,messages) echo "note $1 $2: messages: $result: $figures" ;;
            ok,*) verdict "$1" "$2: $name" "" ;;
            FAIL,*) verdict "$1" "$2: $name" "$figures" ;;
        esac
    done <"$work/$1/$2.checks"
    why=$(timeout 60 otf2-print --silent -Werror "$anchor" 2>&1) || why="exit code $?: $why"
    verdict "$1" "$2: otf2-print" "$(echo "$why" | head -n 1)"
}

test_app() {
    mkdir "$work/$1" || return
    run "$1" bare
    if [ "$(cat "$work/$1/bare.code")" != 0 ]; then
        verdict "$1" bare "$(tail -n 1 "$work/$1/bare.err")"
        return
    fi
    verdict "$1" bare ""
    run "$1" run "$tool" run -o "$work/$1/run"
    compare "$1" run
    check "$1" run
    run "$1" preload env LD_PRELOAD="$library" EFGTRACE_OUTPUT="$work/$1/preload"
    compare "$1" preload
    check "$1" preload
}

# shellcheck disable=SC2046 # the names are split into words on purpose
[ $# -gt 0 ] || set -- $(bench/apps.sh list)
for app in "$@"; do
    test_app "$app"
done

echo "$passed passed, $failed failed"
if [ "$failed" -gt 0 ]; then
    echo "apps: what they wrote is in $work" >&2
    exit 1
fi
rm -rf "$work"
