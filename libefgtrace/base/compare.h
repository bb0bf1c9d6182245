/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What comes first: the one answer of comparisons for qsort and bsearch.
 */
#ifndef EFG_BASE_COMPARE_H
#define EFG_BASE_COMPARE_H

#include <stdint.h>

/* Below 0, 0 or above 0: A is smaller than B, the same, or larger. */
static inline int efg_compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Elements that are uint64_t, or begin with one. */
static inline int efg_compare_numbers(const void *a, const void *b)
{
    return efg_compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

#endif
