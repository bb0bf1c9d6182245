#!/bin/sh
# The demonstration: trace ten time steps of a real application, LAMMPS, and say what was
# found; where LAMMPS cannot be had, of the bundled stencil.
#
# usage: bench/demo.sh BUILD
set -eu
cd "$(dirname "$0")/.."

build=$(cd "${1:-build}" && pwd)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# A folder for this demonstration that was not there before.
out=$PWD/efgtrace.demo
n=1
while [ -e "$out" ]; do
    n=$((n + 1))
    out=$PWD/efgtrace.demo.$n
done
work=$(mktemp -d "${TMPDIR:-/tmp}/efgtrace-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT

if command -v lmp >/dev/null && [ -f /usr/share/lammps/examples/melt/in.melt ]; then
    echo "LAMMPS, the melt example with 2000 time steps, on 4 ranks:"
    echo
    echo "    mpirun -np 4 --oversubscribe efgtrace run -o $(basename "$out") lmp -in in.melt"
    echo
    bench/apps.sh run lammps "$work" "$build/efgtrace" run -o "$out" >"$work/stdout"
else
    echo "LAMMPS is not installed; the bundled stencil, 1000 steps on 4 ranks, instead:"
    echo
    echo "    mpirun -np 4 --oversubscribe efgtrace run -o $(basename "$out") ./stencil2d"
    echo
    mpicc -g -O2 tests/programs/stencil2d.c -o "$work/stencil2d" -lm
    (cd "$work" && mpirun -np 4 --oversubscribe "$build/efgtrace" run -o "$out" ./stencil2d)
fi
