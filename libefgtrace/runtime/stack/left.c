/* SPDX-License-Identifier: BSD-3-Clause */
#define UNW_LOCAL_ONLY
#include "left.h"

#include <libunwind.h>
#include <stdint.h>

#include "modules.h"

#ifdef __x86_64__

static bool is_in_module(uintptr_t address, const void *code)
{
    const struct efg_module *module = efg_modules_find(address);

    return !module || module == efg_modules_find((uintptr_t)code);
}

bool efg_left(const void *frame, const void *code)
{
    uintptr_t caller = (uintptr_t)frame + 2 * sizeof(void *); /* its stack pointer, as the call leaves it */
    unw_context_t context;
    unw_cursor_t cursor;
    unw_word_t stack = 0, address = 0, at = 0; /* of the function that it has called */

    if (unw_getcontext(&context) || unw_init_local(&cursor, &context))
        return false;
    while (stack < caller) {
        at = address;
        if (unw_step(&cursor) <= 0 || unw_get_reg(&cursor, UNW_REG_SP, &stack) ||
            unw_get_reg(&cursor, UNW_REG_IP, &address))
            return false;
    }
    return stack > caller || (at && !is_in_module(at - 1, code));
}

#else

bool efg_left(const void *frame, const void *code)
{
    (void)frame;
    (void)code;
    return false;
}

#endif
