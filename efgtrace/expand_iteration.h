/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace expand --iteration: the calls of a recorded iteration, with their times.
 */
#ifndef EFG_EXPAND_ITERATION_H
#define EFG_EXPAND_ITERATION_H

#include <stdbool.h>

#include "base/buffer.h"
#include "files/run/runfile.h"

struct efg_expand_iteration {
    uint64_t number;
    const char *is_wanted;     /* by index of the rank */
    uint64_t thread, from, to; /* as the options of expand */
    bool paths;
};

/* Append a line for each of the calls that WHAT asks for, of RUN, to OUT. Returns 0; else says on standard
 * error what is wrong, and returns EFG_TOLD. */
int efg_expand_iteration(struct efg_buffer *out, const struct efg_run *run,
                         const struct efg_expand_iteration *what);

/* Append the outer frames of the path of NODE to TEXT: " < file:line function" each. */
void efg_expand_put_frames(struct efg_buffer *text, const struct efg_run *run, const struct efg_node *node);

#endif
