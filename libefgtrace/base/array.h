/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Array: elements to which more are added at the end. There is always room for as many as the
 * next power of two from their count on. So nobody needs to remember how much room there is,
 * and to add n elements one by one costs O(n).
 */
#ifndef EFG_ARRAY_H
#define EFG_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Make room for MORE elements of SIZE bytes behind the COUNT of an array. ARRAY is the address of
 * the pointer to them: what this function has set, or NULL where COUNT is 0. Returns 0, or
 * -ENOMEM with the array unchanged. */
int efg_array_grow(void *array, uint64_t count, uint64_t more, size_t size);

/* Of COUNT elements of SIZE bytes, each of which begins with a uint64_t, and which ascend by these: the last
 * one that begins with KEY or less; the first one, if there is none. */
uint32_t efg_array_find(const void *array, uint32_t count, size_t size, uint64_t key);

#endif
