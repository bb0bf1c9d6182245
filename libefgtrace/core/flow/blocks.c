/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From turns to blocks, to edges, to positions of blocks, to positions of calls.
 */
#include "blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/none.h"

struct blocks {
    const struct efg_turn *turns;
    uint32_t turn_count, size;
    uint32_t *begins; /* offsets of the blocks, rising */
    uint32_t count;   /* of them */
    uint32_t *first, *targets;
    uint8_t *is_target; /* something leads there */
    struct efg_position *position;
    uint32_t *order;
};

static void blocks_fini(struct blocks *b)
{
    free(b->begins);
    free(b->first);
    free(b->targets);
    free(b->is_target);
    free(b->position);
    free(b->order);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static bool goes_on(const struct efg_turn *turn)
{
    return turn->kind == EFG_TURN_CALL || turn->kind == EFG_TURN_NOTE;
}

/* Whether a block begins behind turn number I. */
static bool is_split(const struct blocks *b, uint32_t i)
{
    const struct efg_turn *t = &b->turns[i];
    bool is_halt = i + 1 < b->turn_count && t[1].kind == EFG_TURN_HALT && t[1].at == t->behind;

    return !goes_on(t) && t->behind < b->size && !is_halt;
}

static bool has_yield(const struct blocks *b)
{
    for (uint32_t i = 0; i < b->turn_count; i++)
        if (b->turns[i].kind == EFG_TURN_YIELD)
            return true;
    return false;
}

/* A function that may begin in several places has an empty block before all others, as its first one may be
 * one that a loop leads back to. */
static int find_blocks(struct blocks *b)
{
    uint32_t count = 0, kept = 1;

    b->begins = malloc((2ul * b->turn_count + 2) * sizeof *b->begins);
    if (!b->begins)
        return -ENOMEM;
    b->begins[count++] = 0;
    for (uint32_t i = 0; i < b->turn_count; i++) {
        if (is_split(b, i))
            b->begins[count++] = b->turns[i].behind;
        if (b->turns[i].to != EFG_NONE)
            b->begins[count++] = b->turns[i].to;
    }
    qsort(b->begins, count, sizeof *b->begins, compare);
    for (uint32_t i = 1; i < count; i++)
        if (b->begins[i] != b->begins[kept - 1])
            b->begins[kept++] = b->begins[i];
    if (has_yield(b))
        memmove(b->begins + 1, b->begins, kept++ * sizeof *b->begins);
    b->count = kept;
    return 0;
}

/* The block that is at, or around, the offset AT. */
static uint32_t block_of(const struct blocks *b, uint32_t at)
{
    uint32_t from = 0, to = b->count;

    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (b->begins[middle] <= at)
            from = middle;
        else
            to = middle;
    }
    return from;
}

/* The turn that ends each block, or NULL where it goes on with the next one. A HALT is in the last block of
 * its piece. */
static const struct efg_turn *end_of(const struct blocks *b, uint32_t block, uint32_t *next)
{
    uint32_t end = block + 1 < b->count ? b->begins[block + 1] : b->size;
    const struct efg_turn *last = NULL;

    for (; *next < b->turn_count && b->turns[*next].at < end; ++*next)
        if (!last && !goes_on(&b->turns[*next]))
            last = &b->turns[*next];
    return last;
}

static uint32_t add_orphans(const struct blocks *b, uint32_t count)
{
    for (uint32_t i = 1; i < b->count; i++)
        if (!b->is_target[i])
            b->targets[count++] = i;
    return count;
}

/* Where the function may begin the next time. */
static uint32_t add_beginnings(const struct blocks *b, uint32_t count)
{
    for (uint32_t i = 0; i < b->turn_count; i++)
        if (b->turns[i].kind == EFG_TURN_YIELD && b->turns[i].behind < b->size)
            b->targets[count++] = block_of(b, b->turns[i].behind);
    return count;
}

static uint32_t add_edges(const struct blocks *b, const struct efg_turn *end, uint32_t block, uint32_t count)
{
    if (block == 0)
        count = add_beginnings(b, count);
    if (end && end->to != EFG_NONE)
        b->targets[count++] = block_of(b, end->to);
    if (end && end->kind == EFG_TURN_SWITCH)
        count = add_orphans(b, count);
    if ((!end || end->kind == EFG_TURN_BRANCH) && block + 1 < b->count)
        b->targets[count++] = block + 1;
    return count;
}

/* Twice: the second time it is known what nothing leads to. */
static void find_edges(struct blocks *b)
{
    for (int time = 0; time < 2; time++) {
        uint32_t count = 0, next = 0;
        for (uint32_t block = 0; block < b->count; block++) {
            const struct efg_turn *end = end_of(b, block, &next);
            b->first[block] = count;
            if (time || !end || end->kind != EFG_TURN_SWITCH)
                count = add_edges(b, end, block, count);
        }
        b->first[b->count] = count;
        for (uint32_t i = 0; i < count; i++)
            b->is_target[b->targets[i]] = 1;
    }
}

static int find_positions(struct blocks *b)
{
    b->first = malloc((b->count + 1ul) * sizeof *b->first);
    b->targets = malloc(4ul * b->count * sizeof *b->targets);
    b->is_target = calloc(b->count, 1);
    b->position = malloc(b->count * sizeof *b->position);
    b->order = malloc(b->count * sizeof *b->order);
    if (!b->first || !b->targets || !b->is_target || !b->position || !b->order)
        return -ENOMEM;
    find_edges(b);
    return efg_place_find(&(struct efg_digraph){b->count, b->first, b->targets}, b->position, b->order);
}

/* Legs rise from call to call of a block. */
static void give_positions(const struct blocks *b, struct efg_position *position, uint32_t *order)
{
    uint32_t last = EFG_NONE, calls = 0;

    for (uint32_t i = 0; i < b->turn_count; i++) {
        uint32_t block = block_of(b, b->turns[i].at);
        calls = block == last ? calls : 0;
        last = block;
        position[i] = b->position[block];
        if (order)
            order[i] = b->order[block];
        if (position[i].leg)
            position[i].leg = calls > EFG_LEG_MOST_CALLS ? 0 : position[i].leg | calls << EFG_LEG_EXIT_BITS;
        calls += b->turns[i].kind == EFG_TURN_CALL;
    }
}

int efg_blocks_find(const struct efg_turn *turns, uint32_t count, uint32_t size,
                    struct efg_position *position, uint32_t *order)
{
    struct blocks b = {.turns = turns, .turn_count = count, .size = size};
    int error = find_blocks(&b) || find_positions(&b) ? -ENOMEM : 0;

    if (!error)
        give_positions(&b, position, order);
    blocks_fini(&b);
    return error;
}
