/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * While nothing is watched, what calls one of our wrappers calls the function behind it instead, as the
 * wrapper would, if that one has been looked up.
 */
#include <stdlib.h>

#include "slots.h"
#include "wrap.h"

static struct efg_wrap_own own[2 * EFG_CALLS]; /* in the order of their addresses */
static size_t count;

static int compare(const void *a, const void *b)
{
    const struct efg_wrap_own *x = a, *y = b;

    return (x->address > y->address) - (x->address < y->address);
}

static uintptr_t behind(uintptr_t function)
{
    struct efg_wrap_own wanted = {.address = function};

    if (function < own[0].address || function > own[count - 1].address)
        return 0;
    const struct efg_wrap_own *found = bsearch(&wanted, own, count, sizeof *own, compare);
    if (!found)
        return 0;
    return (uintptr_t)atomic_load_explicit(&efg_wrap_functions[found->named][found->id],
                                           memory_order_relaxed);
}

bool efg_wrap_bypass(bool on)
{
    if (!on)
        return efg_slots_reset();
    if (!count) {
        count = efg_wrap_list(own);
        qsort(own, count, sizeof *own, compare);
    }
    return efg_slots_set(behind) > 0;
}
