#!/bin/sh
# A pipeline whose ranks are several steps apart, with random times: no run may hang, and each must
# print what the bare run does.
#
# usage: tests/deadlock.sh [RUNS [RANKS]]     default: 3 runs of 4 ranks; 200 runs for the full test
# environment: BUILD  where the build is (default build)
set -u
cd "$(dirname "$0")/.." || exit 2

build=$(cd "${BUILD:-build}" && pwd) || exit 2
runs=${1:-3}
ranks=${2:-4}
program=$build/tests/programs/wavefront
limit=60 # seconds; a run takes one or two
passed=0
failed=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir -p "$build/tests/programs"
work=$(mktemp -d "${TMPDIR:-/tmp}/efgtrace-deadlock.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT

mpicc -g -O1 tests/programs/wavefront.c -o "$program" || exit 2

# run SEED PREFIX...
run() {
    seed=$1
    shift
    timeout $limit mpirun -np "$ranks" --oversubscribe "$@" "$program" 800 500 "$seed"
}

run 0 >"$work/bare" 2>"$work/bare.err" || { echo "FAIL bare: $(tail -n 2 "$work/bare.err")"; failed=1; }
recorded=0
for seed in $(seq "$runs"); do
    dir=$work/trace.$seed
    run "$seed" "$build/efgtrace" run -o "$dir" --interval 20ms >"$work/out" 2>"$work/err"
    code=$?
    why=
    [ $code -eq 0 ] || why="exit code $code: $(tail -n 2 "$work/err")"
    [ $code -eq 124 ] && why="it hangs"
    [ -n "$why" ] || why=$(diff "$work/bare" "$work/out" | head -n 2)
    [ -f "$dir/traces.otf2" ] && recorded=$((recorded + 1))
    if [ -z "$why" ]; then
        passed=$((passed + 1))
        echo "ok wavefront, seed $seed"
    else
        failed=$((failed + 1))
        echo "FAIL wavefront, seed $seed: $why"
    fi
    rm -rf "$dir"
done
echo "note $recorded of $runs runs recorded a window"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
