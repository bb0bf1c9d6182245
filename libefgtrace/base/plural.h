/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "1 rank", "2 ranks".
 */
#ifndef EFG_PLURAL_H
#define EFG_PLURAL_H

#include <stdint.h>

static inline const char *efg_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
