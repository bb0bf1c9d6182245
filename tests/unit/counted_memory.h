/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that is counted, and that can be out. For one file of a program that is linked with
 * --wrap of these four.
 */
#ifndef EFG_COUNTED_MEMORY_H
#define EFG_COUNTED_MEMORY_H

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static size_t memory_used, memory_peak;
static uint64_t memory_left = UINT64_MAX; /* so many more times there is memory */

static void *count_memory(void *new)
{
    memory_used += new ? malloc_usable_size(new) : 0;
    memory_peak = memory_used > memory_peak ? memory_used : memory_peak;
    return new;
}

static int is_memory_out(void)
{
    return memory_left == 0 || memory_left-- == 0;
}

void *__wrap_malloc(size_t size)
{
    return is_memory_out() ? NULL : count_memory(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_memory_out() ? NULL : count_memory(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    size_t before = old ? malloc_usable_size(old) : 0;
    void *new = is_memory_out() ? NULL : __real_realloc(old, size);
    memory_used -= new ? before : 0;
    return count_memory(new);
}

void __wrap_free(void *old)
{
    memory_used -= old ? malloc_usable_size(old) : 0;
    __real_free(old);
}

#endif
