/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An array from which elements were taken may have more room than follows from its count. When
 * it grows the next time it gets what follows from its count, which is always enough.
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
