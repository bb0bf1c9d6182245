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

other=$build/mpich
make --no-print-directory -s -j2 MPICC=mpicc.mpich BUILD="$other" >"$work/log" 2>&1 ||
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
    mpich 2 "$work/mpich/$program" >"$work/bare" 2>&1
    bare=$?
    mpich 2 "$other/efgtrace" run --interval 20ms --summary off -o "$work/$program" \
        "$work/mpich/$program" >"$work/out" 2>"$work/err"
    same "$program: exit code" $bare $?
    same "$program: output" "$(cat "$work/bare")" "$(cat "$work/out")"
    same "$program: nothing said" "" "$(cat "$work/err")"
    contains "$program: the library" "$("$tool" report "$work/$program")" "MPICH"
    accepted "$program" "$work/$program/traces.otf2"
done

# --- what MPI 4 has, and Open MPI 4 has not ---

# calls DIR: how many of each of rank 0; read by the build for the other library
calls() {
    "$tool" expand -r 0 "$1" | grep -o 'MPI_[A-Za-z_]*' | sort | uniq -c | xargs
}

for program in calls sessions; do
    mpicc.mpich -Wno-stringop-overflow -g -O1 "tests/mpi4/$program.c" -o "$work/mpich/$program" || exit 2
done
# mpi4 NAME CALLS COMMAND...: all of the run is traced
mpi4() {
    local name=$1 wanted=$2
    shift 2
    mpich 2 "$@" >"$work/bare" 2>&1
    mpich 2 "$other/efgtrace" run -m full --summary off -o "$work/$name" "$@" >"$work/out" 2>&1
    same "$name: exit code" 0 $?
    same "$name: output" "$(cat "$work/bare")" "$(cat "$work/out")"
    same "$name: calls" "$wanted" "$(calls "$work/$name")"
    accepted "$name" "$work/$name/traces.otf2" --full --iterations 0
}
mpi4 calls "20 MPI_Allgatherv_c 20 MPI_Allreduce_c 1 MPI_Allreduce_init 1 MPI_Barrier \
1 MPI_Comm_free 1 MPI_Comm_idup_with_info 20 MPI_Irecv_c 20 MPI_Isend_c 20 MPI_Isendrecv \
20 MPI_Isendrecv_replace 20 MPI_Parrived 60 MPI_Pready 1 MPI_Precv_init 1 MPI_Psend_init \
3 MPI_Request_free 20 MPI_Sendrecv_c 20 MPI_Start 20 MPI_Startall 61 MPI_Wait 40 MPI_Waitall" \
    "$work/mpich/calls" 20
mpi4 sessions "50 MPI_Allreduce 1 MPI_Barrier 1 MPI_Comm_create_from_group 2 MPI_Comm_free 50 MPI_Sendrecv" \
    "$work/mpich/sessions" 50
mpi4 alone "1 MPI_Barrier 2 MPI_Comm_free" "$work/mpich/sessions" 50 alone
mpich 2 "$other/efgtrace" run --interval 20ms --summary off -o "$work/loop" "$work/mpich/sessions" 400 >"$work/out" 2>&1
same "sessions, adaptive: output" "ok" "$(cat "$work/out")"
accepted "sessions, adaptive" "$work/loop/traces.otf2" --iterations 10

said="runs untraced"
mpich 2 "$tool" run -o "$work/untraced" "$work/mpich/stencil2d" 20 20 >"$work/out" 2>"$work/err"
same "a build for Open MPI and a program of MPICH: exit code" 0 $?
same "a build for Open MPI and a program of MPICH: output" "ok stencil2d: 20 steps" "$(cat "$work/out")"
has "a build for Open MPI and a program of MPICH: said" "$said" "$work/err"
ranks 2 "$other/efgtrace" run -o "$work/untraced" "$programs/stencil2d" 20 20 >"$work/out" 2>"$work/err"
same "a build for MPICH and a program of Open MPI: exit code" 0 $?
same "a build for MPICH and a program of Open MPI: output" "ok stencil2d: 20 steps" "$(cat "$work/out")"
has "a build for MPICH and a program of Open MPI: said" "$said" "$work/err"

finish
