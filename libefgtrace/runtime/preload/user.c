/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs say that include efgtrace.h: an iteration begins, which is a call like those of MPI;
 * a region begins or ends; the next iterations are to be recorded.
 */
#include "user/efgtrace.h"

#include "wrap.h"

EXPORT void efgtrace_user(int what, const char *name, unsigned long iterations);

static void iteration(const struct efg_hooks *run, const uintptr_t *frame)
{
    struct efg_call call = {.id = EFG_CALL_iteration,
                            .shape = EFG_SHAPE_MARK,
                            .thread = efg_wrap_outermost.at_hand.thread,
                            .frame = frame};

    if (run->enter(&call))
        run->leave(&call, MPI_SUCCESS);
}

/* 1 to EFG_WRAP_NAME - 1 printable characters. */
static bool is_name(const char *name)
{
    size_t length = 0;

    while (name && length < EFG_WRAP_NAME && name[length] >= ' ' && name[length] <= '~')
        length++;
    return length && length < EFG_WRAP_NAME && !name[length];
}

void efgtrace_user(int what, const char *name, unsigned long iterations)
{
    const struct efg_hooks *run = efg_wrap_run();

    if (!run || efg_wrap_is_inside(__builtin_frame_address(0)))
        return;
    efg_wrap_enter(__builtin_frame_address(0), EFG_MPI);
    if (what == EFGTRACE_ITERATION)
        iteration(run, __builtin_frame_address(0));
    else if (what == EFGTRACE_RECORD)
        efg_wrap_record(iterations);
    else if (is_name(name) && (what == EFGTRACE_BEGIN || what == EFGTRACE_END))
        efg_wrap_region(what, name, __builtin_frame_address(0));
    efg_wrap_leave();
}
