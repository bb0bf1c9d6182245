#!/bin/sh
# What tracing costs as the number of ranks grows: a stencil, all ranks on this machine.
#
# usage: bench/scale.sh [RANKS...]        default: 2 4 8 16 32 64 128
# environment: APP          lammps instead of the stencil (`config/setup.sh apps` installs it)
#              BUILD        where the build is (default build)
#
# Each number of ranks runs bare and traced. The table has
#   bare, traced  wall seconds of the job
#   init          what the library took in MPI_Init, of the slowest rank
#   finalize      and in MPI_Finalize, once all ranks had come to it: matching, trace
#   own           of that, what rank 0 did alone for all ranks, in CPU time
#   joined        bytes that rank 0 got of graphs and names, in all steps of the tree
#   file          the size of run.efg
#   rounds        of the agreement on a window
#   memory        the library's, of the largest rank
#   events        of the trace;  matched: messages with both ends;  trace: what the checker says
# Symbols are not looked up: that takes rank 0 some 70 ms, however many ranks there are.
# Times on an oversubscribed machine say how costs grow, not how large they are. A model of the
# costs of 10^6 ranks comes last, see bench/README.md.
set -u
cd "$(dirname "$0")/.." || exit 2

build=$(cd "${BUILD:-build}" && pwd) || exit 2
app=${APP:-stencil2d}
case $app in
lammps) level=finer ;; # the time step: there are few rebuilds of the neighbour lists
*) level=auto ;;
esac
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir -p "$build/tests/programs"
work=$(mktemp -d "${TMPDIR:-/tmp}/efgtrace-scale.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
[ "$app" = lammps ] || mpicc -g -O1 "tests/programs/$app.c" -o "$build/tests/programs/$app" -lm || exit 2

# launch RANKS STEPS PREFIX...
launch() {
    ranks=$1 steps=$2 options="--mca mpi_yield_when_idle 1"
    shift 2
    if [ "$app" = lammps ]; then
        RANKS=$ranks LAMMPS_STEPS=$steps MPIRUN_OPTIONS=$options bench/apps.sh run lammps "$work/case" "$@"
    else
        # shellcheck disable=SC2086 # the options are split into words on purpose
        mpirun -np "$ranks" --oversubscribe $options "$@" "$build/tests/programs/$app" "$steps" 1000
    fi
}

# timed NAME RANKS STEPS PREFIX...: wall seconds to $work/NAME.seconds
timed() {
    name=$1
    shift
    begin=$(date +%s.%N)
    launch "$@" >"$work/$name.out" 2>&1 || echo "scale: $ranks ranks, $name: exit code $?: $(tail -n 3 "$work/$name.out")" >&2
    awk "BEGIN { printf \"%.1f\", $(date +%s.%N) - $begin }" >"$work/$name.seconds"
}

# field PATTERN: what stands before it in the report, a number and its unit
field() {
    sed -n "s/^library .*[ ,]\\([0-9.]* [a-zA-Z]*\\) $1.*/\\1/p" "$work/report"
}

check() {
    /usr/bin/python3 tests/lib/check_trace.py "$1/traces.otf2" --min-matched 1.0 --iterations 10 2>&1 | tail -n 1
}

# Steps that take some seconds, so that a window is found and recorded.
steps_of() {
    case $app in
    lammps) [ "$1" -gt 16 ] && echo 400 || echo 2000 ;;
    *) [ "$1" -gt 16 ] && echo 300 || echo 800 ;;
    esac
}

# milliseconds NUMBER UNIT
milliseconds() {
    case $2 in
    ns) awk "BEGIN { print $1 / 1e6 }" ;;
    us) awk "BEGIN { print $1 / 1e3 }" ;;
    s) awk "BEGIN { print $1 * 1e3 }" ;;
    min) awk "BEGIN { print $1 * 6e4 }" ;;
    *) echo "$1" ;;
    esac
}

printf '%5s %7s %7s %10s %10s %10s %7s %8s %6s %9s %8s %9s  %s\n' \
    ranks bare traced init finalize own joined file rounds memory events matched trace
for ranks in ${*:-2 4 8 16 32 64 128}; do
    dir=$work/trace.$ranks
    timed bare "$ranks" "$(steps_of "$ranks")"
    timed traced "$ranks" "$(steps_of "$ranks")" "$build/efgtrace" run -o "$dir" --summary off --symbols off \
        --verbose --level "$level"
    "$build/efgtrace" report "$dir" >"$work/report" || continue
    events=$(sed -n 's/^Trace  *\([0-9.]*\( thousand\| million\)\?\) events.*/\1/p' "$work/report" | sed 's/ thousand/k/; s/ million/M/')
    matched=$(sed -n 's/^Messages .*matched (\(.*%\)).*/\1/p' "$work/report")
    rounds=$(sed -n 's/^library .* \([0-9]*\) rounds.*/\1/p' "$work/report")
    own=$(sed -n 's/^ *rank 0 worked \([0-9.]* [a-z]*\) for all.*/\1/p' "$work/report")
    joined=$(sed -n 's/.*ranks joined: .* rank 0 got \([0-9]*\) bytes.*/\1/p' "$work/traced.out")
    size=$(stat -c %s "$dir/run.efg")
    printf '%5s %7s %7s %10s %10s %10s %7s %8s %6s %9s %8s %9s  %s\n' "$ranks" "$(cat "$work/bare.seconds")" \
        "$(cat "$work/traced.seconds")" "$(field 'in MPI_Init')" "$(field 'in MPI_Finalize')" "$own" "${joined:--}" \
        "$size" "${rounds:--}" "$(field 'a rank')" "${events:--}" "${matched:--}" "$(check "$dir")"
    # shellcheck disable=SC2086 # a number and its unit
    echo "$ranks $(milliseconds $own) $size ${joined:-0}" >>"$work/costs"
    rm -rf "$dir"
done

# What grows with the number of ranks is a line through the first and the last row; what is joined
# grows by the step of the tree, of which there are 20.
awk 'function steps(n) { return log(n) / log(2) }
     NR == 1 { ranks = $1; own = $2; bytes = $3; joined = $4 }
     END {
         if (NR < 2) exit
         work = ($2 - own) / ($1 - ranks) * 1e3; size = ($3 - bytes) / ($1 - ranks)
         step = ($4 - joined) / (steps($1) - steps(ranks))
         print "\nModel for 10^6 ranks, with 2 us a hop and 10 GB/s:"
         printf "  a round of the agreement: 2 x 20 hops, 80 us; a window takes 4 rounds or more, %.1f ms of the run;\n", 4 * 0.08
         print "    none of it is waited for, and no rank holds more than one round of 200 bytes"
         printf "  run.efg: 20 steps of a tree with %.1f kB each; %.0f bytes a rank, %.1f GB, written by a rank of each node\n", step / 1e3, size, size / 1e3
         printf "  the trace: rank 0 works %.1f us for each rank: %.1f s\n", work, work
     }' "$work/costs"
