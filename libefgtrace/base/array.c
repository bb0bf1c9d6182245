/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes arrays larger. An array from which elements were taken may have more room than follows
 * from its count. When it grows the next time it gets what follows from its count, which is
 * always enough.
 */
#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST (UINT64_C(1) << 62) /* elements, and bytes */

static uint64_t room_of(uint64_t count)
{
    return count > 1 ? UINT64_C(1) << (64 - __builtin_clzll(count - 1)) : count;
}

int efg_array_grow(void *array, uint64_t count, uint64_t more, size_t size)
{
    void *old, *larger;
    if (count > MOST || more > MOST - count || room_of(count + more) > MOST / size)
        return -ENOMEM;
    if (room_of(count + more) == room_of(count))
        return 0;
    memcpy(&old, array, sizeof old);
    larger = realloc(old, room_of(count + more) * size);
    if (!larger)
        return -ENOMEM;
    memcpy(array, &larger, sizeof larger);
    return 0;
}

uint32_t efg_array_find(const void *array, uint32_t count, size_t size, uint64_t key)
{
    uint32_t low = 0, high = count;
    uint64_t begin;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        memcpy(&begin, (const char *)array + middle * size, sizeof begin);
        if (begin <= key)
            low = middle;
        else
            high = middle;
    }
    return low;
}
