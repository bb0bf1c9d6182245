/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What can be said of a segment without reading the events in it.
 *
 * As a block refers only to earlier ones, one pass in order finds how deep each one is.
 */
#include "sequence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EVENTS (UINT64_C(1) << 61) /* sums of a few such numbers fit */

void efg_sequence_segment_fini(struct efg_sequence_segment *segment)
{
    free(segment->runs);
    free(segment->pairs);
    free(segment->first);
    memset(segment, 0, sizeof *segment);
}

static bool runs_are_right(const struct efg_sequence_segment *segment)
{
    for (uint32_t r = 0; r < segment->run_count; r++) {
        const struct efg_sequence_run *run = &segment->runs[r];
        if (!run->count || (run->next >= segment->run_count && run->next != EFG_NONE) ||
            (run->next == EFG_NONE && run->branch))
            return false;
    }
    return true;
}

/* How deep blocks are nested in BLOCK, itself included; 0 if it is wrong. DEPTHS: of the
 * earlier ones. */
static unsigned char depth_of(const struct efg_sequence_segment *segment, uint32_t block,
                              const unsigned char *depths)
{
    uint32_t first = segment->first[block], end = segment->first[block + 1];
    unsigned char depth = 1;

    if (first >= end || end > segment->pair_count)
        return 0;
    for (uint32_t i = first; i < end; i++) {
        uint32_t symbol = segment->pairs[i].symbol, inner = symbol & ~EFG_SEQUENCE_IS_BLOCK;
        bool known = symbol == inner ? inner < segment->run_count : inner < block;
        if (!known || !segment->pairs[i].count)
            return 0;
        if (symbol != inner && depths[inner] >= depth)
            depth = (unsigned char)(depths[inner] + 1);
    }
    return depth <= EFG_SEQUENCE_LEVELS ? depth : 0;
}

int efg_sequence_segment_check(const struct efg_sequence_segment *segment)
{
    uint32_t block = 0;

    if (!segment->block_count || segment->block_count >= EFG_SEQUENCE_IS_BLOCK ||
        segment->run_count >= EFG_SEQUENCE_IS_BLOCK || segment->first[0] != 0 ||
        segment->start > MOST_EVENTS || segment->length > MOST_EVENTS || !runs_are_right(segment))
        return -EBADMSG;
    unsigned char *depths = malloc(segment->block_count);
    if (!depths)
        return -ENOMEM;
    while (block < segment->block_count && (depths[block] = depth_of(segment, block, depths)))
        block++;
    free(depths);
    return block == segment->block_count ? 0 : -EBADMSG;
}

/* ---- copies ---- */

struct copier {
    const struct efg_sequence_segment *from;
    struct efg_sequence_segment *to;
    uint32_t *names; /* numbers in TO of the runs, then of the blocks; or EFG_NONE */
};

/* The number in TO of what the symbol refers to. */
static uint32_t *name_of(const struct copier *c, uint32_t symbol)
{
    uint32_t block = symbol & ~EFG_SEQUENCE_IS_BLOCK;
    return &c->names[symbol == block ? symbol : c->from->run_count + block];
}

/* The predictions of RUN do not end before the segment begins. */
static bool predicts(const struct copier *c, uint32_t run)
{
    return c->from->runs[run].branch > c->from->start;
}

/* Mark the runs of BLOCK as needed, and what is predicted after them. */
static void mark_runs(struct copier *c, uint32_t block)
{
    const struct efg_sequence_segment *from = c->from;

    for (uint32_t i = from->first[block]; i < from->first[block + 1]; i++) {
        uint32_t run = from->pairs[i].symbol;
        if (run & EFG_SEQUENCE_IS_BLOCK)
            continue;
        while (c->names[run] == EFG_NONE) {
            c->names[run] = 0;
            if (predicts(c, run))
                run = from->runs[run].next;
        }
    }
}

static void copy_runs(struct copier *c)
{
    const struct efg_sequence_segment *from = c->from;
    struct efg_sequence_segment *to = c->to;

    for (uint32_t r = 0; r < from->run_count; r++) {
        if (c->names[r] != EFG_NONE)
            c->names[r] = to->run_count++;
    }
    for (uint32_t r = 0; r < from->run_count; r++) {
        if (c->names[r] == EFG_NONE)
            continue;
        struct efg_sequence_run *run = &to->runs[c->names[r]];
        *run = from->runs[r];
        run->next = predicts(c, r) ? c->names[run->next] : EFG_NONE;
        run->branch = predicts(c, r) ? run->branch : 0;
    }
}

/* The blocks in it that are not yet copied, then BLOCK. */
static void copy_block(struct copier *c, uint32_t block)
{
    const struct efg_sequence_segment *from = c->from;
    struct efg_sequence_segment *to = c->to;
    uint32_t first = from->first[block], end = from->first[block + 1];

    for (uint32_t i = first; i < end; i++) {
        uint32_t symbol = from->pairs[i].symbol;
        if (*name_of(c, symbol) == EFG_NONE)
            copy_block(c, symbol & ~EFG_SEQUENCE_IS_BLOCK);
    }
    for (uint32_t i = first; i < end; i++) {
        uint32_t symbol = from->pairs[i].symbol;
        to->pairs[to->pair_count++] = (struct efg_sequence_pair){
            (symbol & EFG_SEQUENCE_IS_BLOCK) | *name_of(c, symbol), from->pairs[i].count};
    }
    *name_of(c, EFG_SEQUENCE_IS_BLOCK | block) = to->block_count++;
    to->first[to->block_count] = to->pair_count;
}

int efg_sequence_segment_copy(struct efg_sequence_segment *copy, const struct efg_sequence_segment *segment)
{
    size_t symbols = (size_t)segment->run_count + segment->block_count;
    struct copier c = {.from = segment, .to = copy};

    *copy = (struct efg_sequence_segment){
        .start = segment->start,
        .length = segment->length,
        .table = segment->table,
        .runs = malloc((segment->run_count + (size_t)1) * sizeof *copy->runs),
        .pairs = malloc((segment->pair_count + (size_t)1) * sizeof *copy->pairs),
        .first = calloc(segment->block_count + (size_t)1, sizeof *copy->first),
    };
    c.names = malloc((symbols + 1) * sizeof *c.names);
    int error = !copy->runs || !copy->pairs || !copy->first || !c.names ? -ENOMEM
                                                                        : efg_sequence_segment_check(segment);
    if (!error) {
        memset(c.names, 0xff, symbols * sizeof *c.names);
        for (uint32_t block = 0; block < segment->block_count; block++)
            mark_runs(&c, block);
        copy_runs(&c);
        copy_block(&c, segment->block_count - 1);
    } else {
        efg_sequence_segment_fini(copy);
    }
    free(c.names);
    return error;
}
