#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What a user of the preloaded library meets, with a runtime that only counts (fake_runtime.c): each
# call exactly once from every language, and nothing disturbed.
. "$(dirname "$0")/frame.sh"
unset OMPI_MCA_pml
CC=${CC:-gcc}
tests=$root/tests/preload

cp "$library" "$work/" || exit 1
library=$work/libefgtrace.so
$MPICC -std=gnu11 -fPIC -shared -fvisibility=hidden -Ilibefgtrace tests/fake_runtime.c \
    libefgtrace/runtime/calls/calls.c -o "$work/libefgtrace-runtime.so" || exit 1
mkdir "$work/alone" && cp "$library" "$work/alone/"

# --- Programs that have nothing to do with MPI ---

# undisturbed NAME COMMAND...
undisturbed() {
    local name=$1 bare code with
    shift
    bare=$("$@" 2>&1; echo "exit $?")
    with=$(LD_PRELOAD=$library "$@" 2>&1; echo "exit $?")
    same "not disturbed: $name" "$bare" "$with"
}
undisturbed true /bin/true
undisturbed false /bin/false
undisturbed bash bash -c 'echo $((6 * 7)); ls /; exit 5'
undisturbed python /usr/bin/python3 -c 'import json, subprocess; print(json.dumps([1])); subprocess.run(["echo", "child"]); raise SystemExit(6)'
undisturbed perl perl -e 'print "hello\n"; exit 7'
undisturbed signal bash -c 'kill -TERM $$'
same "not disturbed: env" "$({ env; echo "LD_PRELOAD=$library"; } | sort)" \
    "$(LD_PRELOAD=$library env | sort)"

# --- Each call once ---

# run NP COMMAND...: fills $out, $err (sorted by rank, ours only), $code
run() {
    local np=$1 setting=(-x LD_PRELOAD="$library")
    shift
    [ "$mpi" = MPICH ] && setting=(-genv LD_PRELOAD "$library")
    ranks "$np" "${setting[@]}" "$@" >"$work/out" 2>"$work/err"
    code=$?
    out=$(sort "$work/out")
    err=$(grep -a '^\[[0-9]*\] ' "$work/err" | sort -s -t' ' -k1,1)
}
bare() {
    local np=$1
    shift
    out_bare=$(ranks "$np" "$@" 2>"$work/err_bare"; echo "exit $?")
    out_bare=$(sort <<<"$out_bare")
}
# counted NAME NP COUNTS COMMAND...: every rank shows these lines, the output is that of a bare run
counted() {
    local name=$1 np=$2 counts=$3 expected="" rank
    shift 3
    bare "$np" "$@"
    run "$np" "$@"
    for ((rank = 0; rank < np; rank++)); do
        expected+=$(sed "s/^ */[$rank] /" <<<"$counts")$'\n'
    done
    same "$name: output" "$out_bare" "$(printf '%s\n' ${out:+"$out"} "exit $code" | sort)"
    same "$name: calls" "$(sort <<<"${expected%$'\n'}")" "$(sort <<<"$err")"
}

$MPICC -std=gnu11 "$tests/calls.c" -o "$work/calls" || exit 1
persistent=$(nm -D "$work/calls" | grep -o 'MPIX\?_Barrier_init') # Open MPI 4 has the X
counted C 2 'control 1 solve
control -1 solve
control 1 (none)
control -1 (none)
control 2 (none)
MPI_Isend 6
MPI_Send_init 1
MPI_Irecv 5
MPI_Recv_init 1
MPI_Sendrecv 1
MPI_Start 1
MPI_Startall 3
MPI_Iprobe 1
MPI_Mprobe 1
MPI_Mrecv 1
MPI_Wait 3
MPI_Waitall 8
MPI_Request_free 3
MPI_Barrier 1
MPI_Bcast 1
MPI_Allreduce 2
MPI_Ibarrier 1
MPI_Neighbor_allgather 1
'"$persistent"' 1
MPI_Comm_split 1
MPI_Cart_create 1
MPI_Comm_free 2
MPI_Win_allocate 1
MPI_Win_free 1
MPI_Put 1
MPI_Win_fence 2
finish' "$work/calls"

for kind in MPIFH MPI F08; do
    if ! command -v "$MPIFORT" >/dev/null; then
        skip "Fortran $kind" "no $MPIFORT"
        continue
    fi
    $MPIFORT -ffree-line-length-none -DUSE_$kind -J "$work" "$tests/calls.F90" -o "$work/calls_$kind" || exit 1
    counted "Fortran $kind" 2 'control 1 (none)
MPI_Isend 4
MPI_Irecv 4
MPI_Sendrecv 1
MPI_Waitall 4
MPI_Barrier 1
MPI_Allreduce 1
MPI_Comm_dup 1
MPI_Comm_free 1
finish' "$work/calls_$kind"
done

if command -v "$MPICXX" >/dev/null; then
    $MPICXX "$tests/static.cpp" -o "$work/static" || exit 1
    counted "C++ statics and exceptions" 2 'MPI_Send 3
MPI_Send never left 3
MPI_Barrier 1
MPI_Allreduce 3
finish' "$work/static"
fi

if has_mpi4py; then
    counted Python 2 'MPI_Sendrecv 6
MPI_Barrier 1
finish' "$python" "$tests/ring.py"
else
    skip Python "no mpi4py for $mpi"
fi

$MPICC -std=gnu11 "$tests/io.c" -o "$work/io" || exit 1
ios=romio # and those of Open MPI: ompio and romio321, or romio341
[ "$mpi" = MPICH ] || ios=$(ompi_info | sed -n 's/^ *MCA io: \([a-z0-9]*\).*/\1/p')
for io in $ios; do
    counted "MPI-IO through $io" 2 'MPI_Wait 1
MPI_File_open 1
MPI_File_close 1
MPI_File_set_view 1
MPI_File_seek 1
MPI_File_sync 1
MPI_File_read 1
MPI_File_read_at_all 1
MPI_File_iread_at 1
MPI_File_write_all 1
MPI_File_write_ordered 1
finish' env OMPI_MCA_io=$io "$work/io" "$work/data.$io"
done

$MPICC -std=gnu11 "$tests/threads.c" -o "$work/threads" -lpthread || exit 1
counted "threads" 2 'MPI_Isend 2000
MPI_Recv 2000
MPI_Wait 2000
finish' "$work/threads"

# --- The ways to end ---

$MPICC -std=gnu11 "$tests/end.c" -o "$work/end" || exit 1
counted "fork" 1 'MPI_Barrier 1
finish' "$work/end" fork
counted "another folder" 1 'MPI_Barrier 1
finish' "$work/end" chdir
counted "MPI_Finalize in atexit" 1 'MPI_Barrier 1
finish' "$work/end" atexit
counted "longjmp out of a call" 1 'MPI_Send 3
MPI_Send never left 3
MPI_Barrier 2
finish' "$work/end" jump
for how in exit abort; do
    run 1 "$work/end" $how
    same "$how: what was left" $'[0] MPI_Barrier 1\n[0] leave' "$err"
    bare 1 "$work/end" $how
    same "$how: exit code" "$(grep exit <<<"$out_bare")" "exit $code"
done

library=alone/libefgtrace.so
cd "$work" && cp libefgtrace-runtime.so alone/
counted "a relative LD_PRELOAD and another folder" 1 'MPI_Barrier 1
finish' "$work/end" chdir

# --- Without a tracer ---

rm alone/libefgtrace-runtime.so
library=$work/alone/libefgtrace.so
run 1 "$work/end"
contains "no runtime library: said" "$(cat "$work/err")" "libefgtrace-runtime.so"
contains "no runtime library: said" "$(cat "$work/err")" "runs untraced"
same "no runtime library: the job runs" "finalized 1 0" "$out $code"
run 1 env EFGTRACE_MODE=off "$work/end"
same "off: silent" "finalized 1 0 " "$out $code $(cat "$work/err")"
library=$work/libefgtrace.so
run 1 env FAKE_OFF=1 "$work/end"
same "switched off by the configuration: silent" "finalized 1 0 " "$out $code $(cat "$work/err")"

$CC -fPIC -shared -DLIBRARY "$tests/other_mpi.c" -Wl,-soname,libother.so -o "$work/libother.so" &&
    $CC "$tests/other_mpi.c" "$work/libother.so" -Wl,-rpath,"$work" -o "$work/other" || exit 1
said=$(LD_PRELOAD=$library "$work/other" 2>&1; echo "exit $?")
same "another MPI library" "efgtrace: the program's MPI library is not $mpi, which this efgtrace was built for; this process runs untraced
exit 4" "$said"
for rank in OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_PROCID; do
    said=$(for number in 0 1 2; do env $rank=$number LD_PRELOAD="$library" "$work/other" 2>&1; done)
    same "another MPI library: said once in a job, $rank" 1 "$(grep -c efgtrace <<<"$said")"
done

# A library of stubs that has MPI_Barrier and no PMPI_Barrier, and one that has neither.
echo 'int MPI_Barrier(void *comm) { return comm ? 1 : 8; }' >"$work/stub.c"
echo 'int MPI_Barrier(void *); int main(void) { return MPI_Barrier(0); }' >"$work/serial.c"
$CC -fPIC -shared "$work/stub.c" -Wl,-soname,libstub.so -o "$work/libstub.so" &&
    $CC "$work/serial.c" "$work/libstub.so" -Wl,-rpath,"$work" -o "$work/serial" || exit 1
said=$(LD_PRELOAD=$library "$work/serial" 2>&1; echo "exit $?")
same "stubs without PMPI" "exit 8" "$said"

echo >"$work/stub.c"
$CC -fPIC -shared "$work/stub.c" -Wl,-soname,libstub.so -o "$work/libstub.so" || exit 1
said=$(ulimit -c 0; LD_PRELOAD=$library "$work/serial" 2>&1)
contains "no MPI library at all" "$said" "calls MPI_Barrier, but no MPI library is loaded"

finish
