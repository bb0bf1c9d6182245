#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# MPI calls that are left without a return, by longjmp or by an exception of C++ out of an error handler: those that
# come behind them are seen, whatever the depth of the stack.
#
# usage: tests/left.sh
# environment: that of frame.sh
. "$(dirname "$0")/frame.sh"

cd "$work" || exit 2
cat >left.cc <<'END'
#include <csetjmp>
#include <cstdlib>
#include <mpi.h>
static jmp_buf back;
static bool jumps;
static void fail(MPI_Comm *, int *, ...)
{
    if (jumps)
        longjmp(back, 1);
    throw 1;
}
/* Deeper than the call that was left. */
__attribute__((noinline)) static void go_on(int depth)
{
    volatile char room[2000];
    room[0] = 0;
    if (depth)
        go_on(depth - 1);
    else
        MPI_Barrier(MPI_COMM_SELF);
    room[1999] = room[0];
}
int main(int argc, char **argv)
{
    MPI_Comm own;
    MPI_Errhandler handler;
    jumps = argc > 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    MPI_Comm_create_errhandler(fail, &handler);
    MPI_Comm_set_errhandler(own, handler);
    for (volatile int i = 0; i < 50; i++) {
        try {
            if (!setjmp(back))
                MPI_Send(nullptr, 0, MPI_INT, 5, 0, own); /* there is no rank 5 */
        } catch (int) {
        }
        for (int k = 0; k < 4; k++)
            go_on(k);
    }
    return MPI_Finalize();
}
END
case $(uname -m) in
x86_64) ;;
*) skip "calls that are left" "that is known on x86-64 only" && finish ;;
esac
for options in -O0 -O2; do
    $MPICXX $options left.cc -o left || exit 2
    for how in exception longjmp; do
        # shellcheck disable=SC2046 # no argument, or one
        traced_by 1 out -- ./left $([ $how = exception ] || echo jump)
        same "$options, $how: all calls behind it" 200 "$("$tool" expand -r 0 out | grep -c MPI_Barrier)"
        rm -rf out
    done
done
finish
