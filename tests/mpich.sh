#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# One install for every MPI: the same libefgtrace.so traces programs of Open MPI and of MPICH, also those
# that load MPI late and for themselves alone.
#
# All other tests are for either library: make check MPICC=mpicc.mpich
# Of two levels: in_full is what only `make check-all` has.
#
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"
for program in mpicc.mpich mpiexec.mpich; do
    command -v $program >/dev/null || { skip "MPICH" "no $program"; finish; }
done
case $MPICC in *mpich*) skip "MPICH" "all tests are for it"; finish ;; esac
[ -f "$build/libefgtrace-runtime-mpich.so" ] || { skip "MPICH" "this build has no runtime for it"; finish; }

export MPIR_CVAR_POLLS_BEFORE_YIELD=1 # there may be fewer cores than ranks; its collectives wait busily
mpich() {
    timeout $patience mpiexec.mpich -np "$@" </dev/null
}
mkdir "$work/mpich"
for program in stencil2d $(in_full && echo nested_solver); do
    mpicc.mpich -w -g -O1 "tests/programs/$program.c" -o "$work/mpich/$program" -lm || exit 2
    mpich 2 "$work/mpich/$program" 200 >"$work/bare" 2>&1
    bare=$?
    mpich 2 "$tool" run --interval 5ms --summary off -o "$work/$program" \
        "$work/mpich/$program" 200 >"$work/out" 2>"$work/err"
    same "$program: exit code" $bare $?
    same "$program: output" "$(cat "$work/bare")" "$(cat "$work/out")"
    same "$program: nothing said" "" "$(cat "$work/err")"
    contains "$program: the library" "$("$tool" report "$work/$program")" "MPICH"
    accepted "$program" "$work/$program/traces.otf2"
done

# One of its family has another file name: MPICH itself under that name.
real=$(ldd "$work/mpich/stencil2d" | awk '$1 ~ /^libmpich\.so/ {print $3}')
LC_ALL=C sed 's/libmpich\.so\.12/libmpi.so.12\x00\x00/g' "$real" >"$work/libmpi.so.12"
if in_full; then
    eval "$(mpicc.mpich -show | sed 's/-lmpich//')" -w -g -O1 tests/programs/stencil2d.c "$work/libmpi.so.12" \
        -Wl,-rpath,"$work" -o "$work/family" -lm || exit 2
    mpich 2 "$tool" run --interval 5ms --summary off -o "$work/of_family" "$work/family" 200 >"$work/out" 2>&1
    same "a library of its ABI: exit code" 0 $?
    same "a library of its ABI: output" "$("$work/family" 200)" "$(cat "$work/out")"
    same "a library of its ABI: it alone is loaded" "libmpi.so.12" \
        "$(mpich 1 "$tool" run -m full --summary off -o "$work/maps" env LD_DEBUG=files "$work/family" 20 2>&1 |
        grep -o 'calling init: .*/libmpi[^/]*\.so[^/]*$' | sed 's|.*/||' | sort -u)"
    accepted "a library of its ABI" "$work/of_family/traces.otf2"
fi

# As Python loads it: a module that is linked with MPI, into a scope of its own.
cat >"$work/late.c" <<'END'
#include <mpi.h>
void module(void);
void module(void)
{
    MPI_Init(0, 0);
    for (int i = 0; i < 50; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}
END
cat >"$work/loader.c" <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *module = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : 0;
    void (*run)(void) = module ? (void (*)(void))dlsym(module, "module") : 0;
    if (!run)
        return 1;
    run();
    return 0;
}
END
${CC:-gcc} "$work/loader.c" -o "$work/loader" -ldl && compile stencil2d || exit 2
late() { # late NAME MPICC LAUNCHER...
    local name=$1
    $2 -fPIC -shared "$work/late.c" -o "$work/$name.so" || exit 2
    shift 2
    "$@" 2 "$tool" run -m full --summary off -o "$work/late.$name" "$work/loader" "$work/$name.so" >"$work/out" 2>&1
    same "$name, loaded late: exit code" 0 $?
    same "$name, loaded late: nothing said" "" "$(cat "$work/out")"
    same "$name, loaded late: calls" "50 MPI_Barrier" \
        "$("$tool" expand -r 1 "$work/late.$name" | grep -o 'MPI_Barrier' | sort | uniq -c | xargs)"
}
late mpich mpicc.mpich mpich
late openmpi "$MPICC" ranks

# What is preloaded comes from a build for one of them only.
mkdir "$work/one"
cp "$tool" "$library" "$build/$runtime" "$work/one"
mpich 2 "$work/one/efgtrace" run -o "$work/untraced" "$work/mpich/stencil2d" 20 20 >"$work/out" 2>"$work/err"
same "no runtime for MPICH: exit code" 0 $?
same "no runtime for MPICH: output" "ok stencil2d: 20 steps" "$(cat "$work/out")"
same "no runtime for MPICH: said once" 1 "$(grep -c "libefgtrace-runtime-mpich.so; build it with" "$work/err")"


finish
