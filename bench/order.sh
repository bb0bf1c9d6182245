#!/bin/sh
# How large what is kept of all calls is, beside the full trace of them: of kernels that are
# shaped like kinds of programs (bench/kernels, tests/programs/stencil2d) and of the applications
# of bench/apps.sh.
#
# usage: bench/order.sh [PROGRAM...]      default: all that `bench/order.sh list` says
# environment: BUILD  where the build is (default build)
#              RANKS  how many, one or more numbers (default 4)
#              TIMES  how many times as many steps as the least, one or more (default "1 10")
#
# A line per program, ranks and steps: calls of all ranks that are in the graph; bytes of the full
# OTF2 trace and of run.efg, and how many times as large the trace is; of run.efg, what each rank
# measured, the sequences, and the rest; how many different sequences there are, and their bytes
# as arithmetic progressions (bench/progressions.h); ns of CPU that keeping them takes a call, hot,
# all but the writing. The trace is measured with the least steps; with more (~) it is that for the
# same number of calls.
set -eu
cd "$(dirname "$0")/.."

kernels="stencil2d sweep amr multigrid"
[ "${1-}" = list ] && { echo $kernels lammps icofoam pw hpcc | tr ' ' '\n'; exit; }

build=$(cd "${BUILD:-build}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/efgtrace-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
make -s BUILD="$build" "$build/tests/bench_order"

steps() { # the least
    case $1 in
    stencil2d) echo 1000 ;;
    lammps) echo 2000 ;;
    icofoam) echo 1000 ;;
    hpcc) echo 1 ;; # it has none
    *) echo 100 ;;
    esac
}

# start PROGRAM RANKS STEPS PREFIX...
start() {
    program=$1 ranks=$2 steps=$3
    shift 3
    case $program in
    stencil2d) mpirun -np "$ranks" --oversubscribe "$@" "$work/$program" "$steps" 0 ;;
    sweep | amr | multigrid) mpirun -np "$ranks" --oversubscribe "$@" "$work/$program" "$steps" ;;
    *) RANKS=$ranks LAMMPS_STEPS=$steps ICOFOAM_STEPS=$steps PW_STEPS=$steps bench/apps.sh run "$program" "$work/case" "$@" ;;
    esac </dev/null >"$work/out" 2>&1 || { echo "bench: $program: exit code $?" >&2; tail -n 3 "$work/out" >&2; return 1; }
}

for kernel in $kernels; do
    source=bench/kernels/$kernel.c
    [ -f "$source" ] || source=tests/programs/$kernel.c
    mpicc -g -O2 "$source" -o "$work/$kernel" -lm
done

printf '%-10s %5s %8s %10s %11s %9s %7s %9s %9s %8s %6s %10s %5s\n' program ranks steps calls 'full trace' run.efg ratio \
    measured sequences rest differ. progress. ns
# shellcheck disable=SC2046 # the names are split into words on purpose
[ $# -gt 0 ] || set -- $("$0" list)
for program in "$@"; do
    for ranks in ${RANKS:-4}; do
        least=$(steps "$program") full= first=
        for times in ${TIMES:-1 10}; do
            [ "$program" = hpcc ] && [ -n "$full" ] && continue
            rm -rf "$work/run" "$work/full" "$work/case"
            start "$program" "$ranks" $((least * times)) "$build/efgtrace" run -o "$work/run" -m graph --summary off || continue
            line=$("$build/tests/bench_order" "$work/run/run.efg")
            if [ -z "$full" ]; then
                rm -rf "$work/case"
                start "$program" "$ranks" $((least * times)) "$build/efgtrace" run -o "$work/full" -m full --log-limit 8G --summary off || continue
                full=$(cat "$work/full"/traces.* "$work/full"/traces/* | wc -c) first=${line%% *}
            fi
            echo "$program $ranks $((least * times)) $full $first $line" | awk '{
                bytes = $6 == $5 ? $4 : $4 * $6 / $5
                printf "%-10s %5d %8d %10d %11s %9d %7d %9d %9d %8d %6d %10d %5.1f\n", $1, $2, $3, $6,
                    sprintf("%s%.0f", $6 == $5 ? "" : "~", bytes), $7, bytes / $7, $8, $9, $10, $11, $12, $13 }'
        done
    done
done
