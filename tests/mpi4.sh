#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# What is new in MPI 4, and programs of sessions, which never call MPI_Init. Open MPI has it from
# version 5 on; for an older one these programs are of MPICH.
#
# environment: that of frame.sh
echo 'MPI_Session session;' | ${MPICC:-mpicc} -include mpi.h -fsyntax-only -xc - 2>/dev/null || MPICC=mpicc.mpich
. "$(dirname "$0")/frame.sh"
[ -f "$build/$runtime" ] || { skip "MPI 4" "neither mpicc nor mpicc.mpich has it"; finish; }
large=$(echo MPI_VERSION | $MPICC -include mpi.h -E -P -xc - | tail -n 1) # 3 where counts are ints

# calls DIR: how many of each of rank 0
calls() {
    "$tool" expand -r 0 "$1" | grep -o 'MPI_[A-Za-z_]*' | sort | uniq -c | xargs
}

# whole NAME CALLS PROGRAM ARGUMENT...: all of the run is traced
whole() {
    local name=$1 wanted=$2
    shift 2
    ranks 2 "$@" >"$work/bare" 2>&1
    ranks 2 "$tool" run -m full --summary off -o "$work/$name" "$@" >"$work/out" 2>&1
    same "$name: exit code" 0 $?
    same "$name: output" "$(cat "$work/bare")" "$(cat "$work/out")"
    same "$name: calls" "$wanted" "$(calls "$work/$name")"
    accepted "$name" "$work/$name/traces.otf2" --full --iterations 0
}

for program in calls sessions; do
    $MPICC -g -O1 "tests/mpi4/$program.c" -o "$work/$program.bin" || exit 2
done
wanted="20 MPI_Allgatherv_c 20 MPI_Allreduce_c 1 MPI_Allreduce_init 1 MPI_Barrier \
1 MPI_Comm_free 1 MPI_Comm_idup_with_info 20 MPI_Irecv_c 20 MPI_Isend_c 20 MPI_Isendrecv \
20 MPI_Isendrecv_replace 20 MPI_Parrived 60 MPI_Pready 1 MPI_Precv_init 1 MPI_Psend_init \
3 MPI_Request_free 20 MPI_Sendrecv_c 20 MPI_Start 20 MPI_Startall 61 MPI_Wait 40 MPI_Waitall"
if [ "$large" -lt 4 ]; then
    skip "functions whose counts are MPI_Counts" "the library has none"
    wanted=$(sed 's/[0-9]* MPI_[A-Za-z]*_c //g; s/40 MPI_Waitall/20 MPI_Waitall/' <<<"$wanted")
fi
whole calls "$wanted" "$work/calls.bin" 20
whole sessions "50 MPI_Allreduce 1 MPI_Barrier 1 MPI_Comm_create_from_group 2 MPI_Comm_free 50 MPI_Sendrecv" \
    "$work/sessions.bin" 50
whole alone "1 MPI_Barrier 2 MPI_Comm_free" "$work/sessions.bin" 50 alone
ranks 2 "$tool" run --interval 20ms --summary off -o "$work/loop" "$work/sessions.bin" 400 >"$work/out" 2>&1
same "sessions, adaptive: output" "ok" "$(cat "$work/out")"
accepted "sessions, adaptive" "$work/loop/traces.otf2" --iterations 10

finish
