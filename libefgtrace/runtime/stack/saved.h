/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Saved registers: where the functions that a call came through have saved those of their callers. Only on
 * x86-64.
 */
#ifndef EFG_SAVED_H
#define EFG_SAVED_H

#include <stdint.h>

#include "code.h"

/* Of a caller: what holds as long as the stack is the same up to it. */
struct efg_saved {
    const uintptr_t *at[EFG_CODE_STACK]; /* its registers; NULL: not saved */
    uintptr_t rsp, rbp;
};

/* Of COUNT of the callers of the function whose __builtin_frame_address(0) is FRAME, whose return addresses
 * are ADDRESS, innermost first: those of these numbers, to SAVED; all zero what is not found. That function
 * calls this one, directly or through others. */
void efg_saved_find(const uintptr_t *frame, void *const *address, const uint32_t *number, uint32_t count,
                    struct efg_saved *saved);

#endif
