#!/bin/sh
# How long SimGrid says that runs take, on a platform like the machine that they ran on, beside what they took.
set -eu

usage() {
    cat <<'EOF'
usage: bench/replay.sh [PROGRAM...]

Runs each PROGRAM of tests/programs, or lammps, on RANKS ranks, with ten iterations recorded; exports the whole run
by `efgtrace export -f simgrid`, and replays it. Prints a line of a table for each: seconds of the run and of the
replay, the difference, and for how much of the time ranks had no processor, which is what no replay knows.

environment: BUILD (default build), RANKS (default 2), RUNS (default 3: the one in the middle is printed),
             STEPS (default 300), MICROSECONDS of a step (default 3000)
exit code:   1 if a replay does not come to its end
EOF
}

case ${1:-} in -h | --help) usage; exit ;; esac
[ $# -gt 0 ] || set -- stencil2d nested_solver persistent waitany sendrecv_self coupled alternating phases pingpong lammps
root=$(cd "$(dirname "$0")/.." && pwd)
tool=$root/${BUILD:-build}/efgtrace
ranks=${RANKS:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# run PROGRAM: into $work/run
run() {
    if [ "$1" = lammps ]; then
        RANKS=$ranks LAMMPS_STEPS=${LAMMPS_STEPS:-500} CASE=large \
            "$root/bench/apps.sh" run lammps "$work/case" "$tool" run --summary off -o "$work/run" >/dev/null
        return
    fi
    mpicc -O1 -g -w "$root/tests/programs/$1.c" -o "$work/$1" -lm -lpthread
    mpirun -np "$ranks" --oversubscribe "$tool" run --summary off -o "$work/run" "$work/$1" "${STEPS:-300}" \
        "${MICROSECONDS:-3000}" >/dev/null
}

# once PROGRAM: difference, seconds of run and replay, percent without a processor
once() {
    rm -rf "$work/run" "$work/sim"
    run "$1"
    "$tool" export -f simgrid -o "$work/sim" "$work/run" >"$work/said"
    (cd "$work/sim" && smpirun -np "$ranks" -platform platform.xml -hostfile hosts -replay trace) >"$work/replay" 2>&1
    awk '/run took/ { run = $(NF - 1) } /no processor/ { without = $6 } /Simulation time/ { replay = $NF }
         END { if (replay == "") exit 1
               printf "%+.1f %.3f %.3f %s\n", 100 * (replay / run - 1), run, replay, without ? without : "<10%" }' \
        "$work/said" "$work/replay"
}

echo "| program | run s | replay s | difference % | without a processor |"
echo "|---|---:|---:|---:|---:|"
for program in "$@"; do
    for i in $(seq "${RUNS:-3}"); do once "$program"; done >"$work/all"
    sort -g "$work/all" | awk -v name="$program" '{ line[NR] = $0 }
        END { split(line[int((NR + 1) / 2)], f, " "); printf "| %s | %s | %s | %s | %s |\n", name, f[2], f[3], f[1], f[4] }'
done
