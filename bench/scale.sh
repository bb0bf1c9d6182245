#!/bin/sh
# What tracing costs as the number of ranks grows: a stencil, all ranks on this machine.
#
# usage: bench/scale.sh [RANKS...]        default: 2 4 8 16 32 64 128
# environment: BUILD        where the build is (default build)
#              CHECK_TRACE  the checker of traces; without it traces are not checked
#
# Each number of ranks runs bare and traced. The table has
#   bare, traced  wall seconds of the job
#   init          what the library took in MPI_Init, of the slowest rank
#   finalize      and in MPI_Finalize, once all ranks had come to it: matching, trace, symbols
#   rounds        of the agreement on a window
#   memory        the library's, of the largest rank
#   events        of the trace;  matched: messages with both ends;  trace: what the checker says
# Times on an oversubscribed machine say how costs grow, not how large they are.
set -u
cd "$(dirname "$0")/.." || exit 2

build=$(cd "${BUILD:-build}" && pwd) || exit 2
program=$build/tests/programs/stencil2d
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir -p "$build/tests/programs"
work=$(mktemp -d "${TMPDIR:-/tmp}/efgtrace-scale.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
mpicc -g -O1 tests/programs/stencil2d.c -o "$program" -lm || exit 2

# timed NAME RANKS ITERATIONS PREFIX...: wall seconds to $work/NAME.seconds
timed() {
    name=$1 ranks=$2 steps=$3
    shift 3
    begin=$(date +%s.%N)
    timeout 600 mpirun -np "$ranks" --oversubscribe --mca mpi_yield_when_idle 1 "$@" "$program" "$steps" 1000 \
        >"$work/$name.out" 2>&1 || echo "scale: $ranks ranks, $name: exit code $?: $(tail -n 3 "$work/$name.out")" >&2
    awk "BEGIN { printf \"%.1f\", $(date +%s.%N) - $begin }" >"$work/$name.seconds"
}

# field PATTERN: what stands before it in the report, a number and its unit
field() {
    sed -n "s/^library .*[ ,]\\([0-9.]* [a-zA-Z]*\\) $1.*/\\1/p" "$work/report"
}

check() {
    [ -n "${CHECK_TRACE:-}" ] || { echo "not checked"; return; }
    /usr/bin/python3 "$CHECK_TRACE" "$1/traces.otf2" --min-matched 1.0 --iterations 10 2>&1 | tail -n 1
}

printf '%5s %7s %7s %10s %10s %6s %9s %8s %9s  %s\n' ranks bare traced init finalize rounds memory events matched trace
for ranks in ${*:-2 4 8 16 32 64 128}; do
    steps=$((ranks > 16 ? 300 : 800))
    dir=$work/trace.$ranks
    timed bare "$ranks" $steps
    timed traced "$ranks" $steps "$build/efgtrace" run -o "$dir" --summary off
    "$build/efgtrace" report "$dir" >"$work/report" || continue
    events=$(sed -n 's/^Trace  *\([0-9.]*\( thousand\| million\)\?\) events.*/\1/p' "$work/report" | sed 's/ thousand/k/; s/ million/M/')
    matched=$(sed -n 's/^Messages .*matched (\(.*%\)).*/\1/p' "$work/report")
    rounds=$(sed -n 's/^library .* \([0-9]*\) rounds.*/\1/p' "$work/report")
    printf '%5s %7s %7s %10s %10s %6s %9s %8s %9s  %s\n' "$ranks" "$(cat "$work/bare.seconds")" "$(cat "$work/traced.seconds")" \
        "$(field 'in MPI_Init')" "$(field 'in MPI_Finalize')" "${rounds:--}" "$(field 'a rank')" \
        "${events:--}" "${matched:--}" "$(check "$dir")"
    rm -rf "$dir"
done
