#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The other MPI: efgtrace built for MPICH traces its programs; and each build, preloaded into a
# program of the other library, says so and leaves it as it is.
#
# All other tests are for either library: make check MPICC=mpicc.mpich BUILD=...
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
for program in mpicc.mpich mpiexec.mpich; do
    command -v $program >/dev/null || { skip "MPICH" "no $program"; finish; }
done
case $MPICC in *mpich*) skip "MPICH" "all tests are for it"; finish ;; esac

other=$build/mpich # mpi4.sh makes it, too
flock Makefile make --no-print-directory -s -j2 mpich BUILD="$build" >"$work/log" 2>&1 ||
    { verdict "efgtrace for MPICH is built" "$(tail -n 3 "$work/log")"; finish; }
verdict "efgtrace for MPICH is built" "$(grep -v '^  [A-Z]* ' "$work/log" | head -n 3)"

export MPIR_CVAR_POLLS_BEFORE_YIELD=1 # there may be fewer cores than ranks; its collectives wait busily
mpich() {
    timeout 120 mpiexec.mpich -np "$@" </dev/null
}
mkdir "$work/mpich"
for program in stencil2d nested_solver; do
    compile $program || exit 2
    mpicc.mpich -w -g -O1 "tests/programs/$program.c" -o "$work/mpich/$program" -lm || exit 2
    mpich 2 "$work/mpich/$program" 200 >"$work/bare" 2>&1
    bare=$?
    mpich 2 "$other/efgtrace" run --interval 5ms --summary off -o "$work/$program" \
        "$work/mpich/$program" 200 >"$work/out" 2>"$work/err"
    same "$program: exit code" $bare $?
    same "$program: output" "$(cat "$work/bare")" "$(cat "$work/out")"
    same "$program: nothing said" "" "$(cat "$work/err")"
    contains "$program: the library" "$("$tool" report "$work/$program")" "MPICH"
    accepted "$program" "$work/$program/traces.otf2"
done

said="runs untraced"
mpich 2 "$tool" run -o "$work/untraced" "$work/mpich/stencil2d" 20 20 >"$work/out" 2>"$work/err"
same "a build for Open MPI and a program of MPICH: exit code" 0 $?
same "a build for Open MPI and a program of MPICH: output" "ok stencil2d: 20 steps" "$(cat "$work/out")"
same "a build for Open MPI and a program of MPICH: said once" 1 "$(grep -c "$said" "$work/err")"
ranks 2 "$other/efgtrace" run -o "$work/untraced" "$programs/stencil2d" 20 20 >"$work/out" 2>"$work/err"
same "a build for MPICH and a program of Open MPI: exit code" 0 $?
same "a build for MPICH and a program of Open MPI: output" "ok stencil2d: 20 steps" "$(cat "$work/out")"
same "a build for MPICH and a program of Open MPI: said once" 1 "$(grep -c "$said" "$work/err")"

finish
