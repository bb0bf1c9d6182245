/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds ranks to lists, compares and prints lists. A list is always what one gets that adds its
 * ranks one by one: a rank goes to the last range if it fits there, and it always fits a range of
 * one rank. To append a range does the same in constant time: after two ranks at most, the rest
 * of it goes as a whole.
 */
#include "ranklist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

void efg_ranklist_fini(struct efg_ranklist *list)
{
    free(list->ranges);
    *list = (struct efg_ranklist){0};
}

static uint32_t last_of(const struct efg_range *range)
{
    return range->first + (range->count - 1) * range->stride;
}

static int push(struct efg_ranklist *list, struct efg_range range)
{
    if (efg_array_grow(&list->ranges, list->range_count, 1, sizeof *list->ranges))
        return -ENOMEM;
    list->ranges[list->range_count++] = range;
    return 0;
}

int efg_ranklist_add(struct efg_ranklist *list, uint32_t rank)
{
    struct efg_range *end = list->range_count ? &list->ranges[list->range_count - 1] : NULL;
    if (end && end->count == 1)
        end->stride = rank - end->first;
    if (!end || rank - last_of(end) != end->stride)
        return push(list, (struct efg_range){rank, 1, 1});
    end->count++;
    return 0;
}

static int append_range(struct efg_ranklist *list, struct efg_range range)
{
    while (range.count) {
        struct efg_range *end = list->range_count ? &list->ranges[list->range_count - 1] : NULL;
        bool follows = end && (end->count == 1 || range.first - last_of(end) == end->stride);
        if (!follows)
            return push(list, range);
        if (end->count > 1 && range.stride == end->stride) {
            end->count += range.count;
            return 0;
        }
        if (efg_ranklist_add(list, range.first))
            return -ENOMEM;
        range.first += range.stride;
        if (--range.count == 1)
            range.stride = 1;
    }
    return 0;
}

int efg_ranklist_append(struct efg_ranklist *list, const struct efg_ranklist *more)
{
    int error = 0;
    for (uint32_t i = 0; i < more->range_count && !error; i++)
        error = append_range(list, more->ranges[i]);
    return error;
}

bool efg_ranklist_has(const struct efg_ranklist *list, uint32_t rank)
{
    for (uint32_t i = 0; i < list->range_count; i++) {
        const struct efg_range *range = &list->ranges[i];
        if (rank >= range->first && rank <= last_of(range))
            return (rank - range->first) % range->stride == 0;
    }
    return false;
}

/* --- two lists, rank by rank --- */

struct walk {
    const struct efg_ranklist *list;
    uint32_t range, at; /* the next rank: number AT of RANGE */
};

/* The next rank, UINT64_MAX behind the last one. */
static uint64_t next_of(const struct walk *walk)
{
    if (walk->range == walk->list->range_count)
        return UINT64_MAX;
    const struct efg_range *range = &walk->list->ranges[walk->range];
    return range->first + (uint64_t)walk->at * range->stride;
}

static void pass(struct walk *walk)
{
    if (++walk->at < walk->list->ranges[walk->range].count)
        return;
    walk->range++;
    walk->at = 0;
}

bool efg_ranklist_is_equal(const struct efg_ranklist *a, const struct efg_ranklist *b)
{
    return a->range_count == b->range_count &&
           (!a->range_count || !memcmp(a->ranges, b->ranges, a->range_count * sizeof *a->ranges));
}

int efg_ranklist_unite(struct efg_ranklist *list, const struct efg_ranklist *more)
{
    struct efg_ranklist both = {0};
    struct walk a = {.list = list}, b = {.list = more};
    int error = 0;
    if (efg_ranklist_is_equal(list, more))
        return 0;
    for (uint64_t x, y; !error; error = efg_ranklist_add(&both, (uint32_t)(x < y ? x : y))) {
        x = next_of(&a);
        y = next_of(&b);
        if (x == UINT64_MAX && y == UINT64_MAX)
            break;
        if (x <= y)
            pass(&a);
        if (y <= x)
            pass(&b);
    }
    if (error) {
        efg_ranklist_fini(&both);
        return error;
    }
    efg_ranklist_fini(list);
    *list = both;
    return 0;
}

uint64_t efg_ranklist_count(const struct efg_ranklist *list)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < list->range_count; i++)
        count += list->ranges[i].count;
    return count;
}

static int print_range(char *text, size_t size, const char *between, const struct efg_range *range)
{
    uint32_t last = last_of(range);
    if (range->count == 1)
        return snprintf(text, size, "%s%u", between, last);
    if (range->stride == 1)
        return snprintf(text, size, "%s%u-%u", between, range->first, last);
    if (range->count == 2)
        return snprintf(text, size, "%s%u, %u", between, range->first, last);
    return snprintf(text, size, "%s%u-%u:%u", between, range->first, last, range->stride);
}

void efg_ranklist_print(const struct efg_ranklist *list, char *text, size_t size)
{
    static const char rest[] = ", ...";
    size_t used = 0;
    *text = '\0';
    for (uint32_t i = 0; i < list->range_count; i++) {
        bool is_last = i + 1 == list->range_count;
        int length = print_range(text + used, size - used, used ? ", " : "", &list->ranges[i]);
        if (used + (size_t)length + (is_last ? 1 : sizeof rest) > size) {
            snprintf(text + used, size - used, "%s", used ? rest : "...");
            return;
        }
        used += (size_t)length;
    }
}

void efg_ranklist_write(struct efg_buffer *out, const struct efg_ranklist *list)
{
    for (uint32_t i = 0; i < list->range_count; i++) {
        const struct efg_range *range = &list->ranges[i];
        bool is_pair = range->count == 2 && range->stride > 1;
        efg_buffer_print(out, "%s%u", i ? "," : "", range->first);
        if (range->count > 1)
            efg_buffer_print(out, "%c%u", is_pair ? ',' : '-', last_of(range));
        if (range->count > 2 && range->stride > 1)
            efg_buffer_print(out, ":%u", range->stride);
    }
}

void efg_ranklist_put(struct efg_buffer *out, const struct efg_ranklist *list)
{
    uint32_t before = 0;
    efg_buffer_number(out, list->range_count);
    for (uint32_t i = 0; i < list->range_count; i++) {
        efg_buffer_number(out, list->ranges[i].first - before);
        efg_buffer_number(out, list->ranges[i].stride);
        efg_buffer_number(out, list->ranges[i].count);
        before = last_of(&list->ranges[i]);
    }
}

int efg_ranklist_get(struct efg_reader *in, struct efg_ranklist *list)
{
    uint64_t last = 0;
    size_t count = efg_reader_count(in, 3);
    for (size_t i = 0; i < count && !in->failed; i++) {
        uint64_t first = efg_reader_number(in), stride = efg_reader_number(in);
        uint64_t ranks = efg_reader_number(in);
        if ((i && !first) || first > INT32_MAX || !stride || stride > INT32_MAX || !ranks ||
            ranks > INT32_MAX || last + first + (ranks - 1) * stride > INT32_MAX) {
            in->failed = true;
            return 0;
        }
        first += last;
        last = first + (ranks - 1) * stride;
        if (push(list, (struct efg_range){(uint32_t)first, (uint32_t)stride, (uint32_t)ranks}))
            return -ENOMEM;
    }
    return 0;
}
