/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * As unwind information has it, by libunwind. What our own functions have saved is not there any more in
 * the next call, but for the one that the program calls: it saves the same each time.
 */
#define UNW_LOCAL_ONLY
#include "saved.h"

#include <string.h>

#ifdef __x86_64__

#include <libunwind.h>

#define OWN 16 /* functions of ours, at most */

static const unw_regnum_t registers[EFG_CODE_STACK] = {
    [EFG_CODE_RBX] = UNW_X86_64_RBX, [EFG_CODE_RBP] = UNW_X86_64_RBP, [EFG_CODE_R12] = UNW_X86_64_R12,
    [EFG_CODE_R13] = UNW_X86_64_R13, [EFG_CODE_R14] = UNW_X86_64_R14, [EFG_CODE_R15] = UNW_X86_64_R15};

static const uintptr_t *location(unw_cursor_t *cursor, unw_regnum_t name)
{
    unw_save_loc_t where;

    return unw_get_save_loc(cursor, name, &where) == 0 && where.type == UNW_SLT_MEMORY
               ? (const uintptr_t *)(uintptr_t)where.u.addr
               : NULL;
}

static uintptr_t value(unw_cursor_t *cursor, unw_regnum_t name)
{
    unw_word_t word;

    return unw_get_reg(cursor, name, &word) == 0 ? (uintptr_t)word : 0;
}

/* Of the caller that CURSOR is at; OWN is at the function that the program calls. */
static struct efg_saved saved_of(unw_cursor_t *cursor, unw_cursor_t *own)
{
    struct efg_saved saved = {.rsp = value(cursor, UNW_REG_SP), .rbp = value(cursor, UNW_X86_64_RBP)};

    for (unsigned r = 0; r < EFG_CODE_STACK; r++) {
        const uintptr_t *at = location(cursor, registers[r]);
        saved.at[r] = at == location(own, registers[r]) ? NULL : at;
    }
    return saved;
}

/* To the innermost caller, from here. Returns 0, or -1. */
static int leave(unw_cursor_t *cursor, unw_cursor_t *own, const uintptr_t *frame)
{
    for (int i = 0; value(cursor, UNW_REG_SP) != (uintptr_t)(frame + 2); i++) {
        *own = *cursor;
        if (i == OWN || unw_step(cursor) <= 0)
            return -1;
    }
    return 0;
}

void efg_saved_find(const uintptr_t *frame, void *const *address, const uint32_t *number, uint32_t count,
                    struct efg_saved *saved)
{
    unw_context_t context;
    unw_cursor_t cursor, own;
    uint32_t left = count;

    memset(saved, 0, count * sizeof *saved);
    if (unw_getcontext(&context) || unw_init_local(&cursor, &context) || leave(&cursor, &own, frame))
        return;
    for (uint32_t i = 0; left && value(&cursor, UNW_REG_IP) == (uintptr_t)address[i]; i++) {
        for (uint32_t k = 0; k < count; k++)
            if (number[k] == i) {
                saved[k] = saved_of(&cursor, &own);
                left--;
            }
        if (unw_step(&cursor) <= 0)
            return;
    }
}

#else

void efg_saved_find(const uintptr_t *frame, void *const *address, const uint32_t *number, uint32_t count,
                    struct efg_saved *saved)
{
    (void)frame;
    (void)address;
    (void)number;
    memset(saved, 0, count * sizeof *saved);
}

#endif
