/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs say that include efgtrace.h: an iteration begins, which is a call like those of MPI;
 * a region begins or ends.
 */
#include "user/efgtrace.h"

#include "wrap.h"

EXPORT void efgtrace_user(int what, const char *name);

static void iteration(const struct efg_hooks *run, const uintptr_t *frame)
{
    struct efg_call call = {.id = EFG_CALL_iteration, .shape = EFG_SHAPE_MARK, .frame = frame};

    if (run->enter(&call))
        run->leave(&call, MPI_SUCCESS);
}

void efgtrace_user(int what, const char *name)
{
    const struct efg_hooks *run = atomic_load_explicit(&efg_wrap_hooks, memory_order_acquire);

    if (!run || efg_wrap_is_inside(__builtin_frame_address(0)))
        return;
    efg_wrap_enter(__builtin_frame_address(0), EFG_MPI);
    if (what == EFGTRACE_ITERATION)
        iteration(run, __builtin_frame_address(0));
    else if (name && (what == EFGTRACE_BEGIN || what == EFGTRACE_END))
        efg_wrap_control(what, name);
    efg_wrap_leave();
}
