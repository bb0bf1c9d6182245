/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A heap for a process that must not use malloc:
 *
 *     | size | block | size | block | ... | free, all zero |
 */
#define _GNU_SOURCE
#include "heap.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ROOM ((size_t)256 << 20) /* bytes; those that are not touched take nothing */
#define ALIGNMENT 16             /* also the room for the size of a block */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
void __real_qsort(void *base, size_t count, size_t size, int compare(const void *, const void *));
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);
void __wrap_qsort(void *base, size_t count, size_t size, int compare(const void *, const void *));

static char *heap, *next; /* NULL: that of the process */

int efg_heap_begin(void)
{
    void *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (room == MAP_FAILED)
        return -ENOMEM;
    heap = next = room;
    return 0;
}

static void *take(size_t size)
{
    size_t left = (size_t)(heap + ROOM - next);

    if (left < 2 * ALIGNMENT || size > left - 2 * ALIGNMENT)
        return NULL;
    char *block = next + ALIGNMENT;
    memcpy(next, &size, sizeof size);
    next = block + (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return block;
}

static size_t size_of(void *block)
{
    size_t size;

    if ((char *)block < heap || (char *)block >= heap + ROOM)
        return malloc_usable_size(block); /* which looks at the block only */
    memcpy(&size, (char *)block - ALIGNMENT, sizeof size);
    return size;
}

void *__wrap_malloc(size_t size)
{
    return heap ? take(size) : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    size_t bytes;

    if (!heap)
        return __real_calloc(count, size);
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : take(bytes);
}

void *__wrap_realloc(void *old, size_t size)
{
    if (!heap)
        return __real_realloc(old, size);
    size_t before = old ? size_of(old) : 0;
    if (old && size <= before)
        return old;
    void *block = take(size);
    if (block && old)
        memcpy(block, old, before);
    return block;
}

char *__wrap_strdup(const char *text)
{
    if (!heap)
        return __real_strdup(text);
    size_t size = strlen(text) + 1;
    char *copy = take(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

void __wrap_free(void *memory)
{
    if (!heap)
        __real_free(memory);
}

/* --- qsort, which may ask for memory --- */

/* By shrinking gaps, after D. L. Shell. */
static void sort(char *base, size_t count, size_t size, int compare(const void *, const void *))
{
    char *moved = take(size);

    for (size_t gap = count / 2; moved && gap; gap /= 2)
        for (size_t i = gap; i < count; i++) {
            size_t at = i;
            memcpy(moved, base + i * size, size);
            for (; at >= gap && compare(base + (at - gap) * size, moved) > 0; at -= gap)
                memcpy(base + at * size, base + (at - gap) * size, size);
            memcpy(base + at * size, moved, size);
        }
}

void __wrap_qsort(void *base, size_t count, size_t size, int compare(const void *, const void *))
{
    if (heap)
        sort(base, count, size, compare);
    else
        __real_qsort(base, count, size, compare);
}
