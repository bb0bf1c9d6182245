/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libefgtrace-openmp.so says, for the tracer, if there is one. The program is in no MPI call then; if it
 * is, as in a callback, nothing is said.
 */
#include "runtime/calls/openmp.h"

#include "wrap.h"

EXPORT efg_openmp_tell efgtrace_openmp;

void efgtrace_openmp(int what, const struct efg_openmp_sums *sums, const uintptr_t *frame)
{
    if (!efg_wrap_run() || efg_wrap_is_inside(__builtin_frame_address(0)))
        return;
    efg_wrap_enter(__builtin_frame_address(0), EFG_MPI);
    efg_wrap_openmp(what, sums, frame);
    efg_wrap_leave();
}
