/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of calls, as bytes and back. Sizes are checked before memory is taken for them: a number in
 * plain coding takes a byte or more, and what is mixed is bounded.
 */
#include "sequence_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

/* ---- plain ---- */

static void put_runs(struct efg_buffer *to, const struct efg_sequence_segment *segment)
{
    uint64_t nodes = 0, numbers[EFG_SEQUENCE_FIELDS];

    for (uint32_t r = 0; r < segment->run_count; r++) {
        efg_sequence_split_run(segment, r, &nodes, numbers);
        for (int f = 0; f < EFG_SEQUENCE_BRANCH; f++)
            efg_buffer_number(to, numbers[f]);
        if (efg_sequence_next_branches(numbers[EFG_SEQUENCE_NEXT]))
            efg_buffer_number(to, numbers[EFG_SEQUENCE_BRANCH]);
    }
}

static int get_runs(struct efg_reader *from, struct efg_sequence_segment *segment)
{
    uint64_t nodes = 0, numbers[EFG_SEQUENCE_FIELDS];

    for (uint32_t r = 0; r < segment->run_count; r++) {
        for (int f = 0; f < EFG_SEQUENCE_BRANCH; f++)
            numbers[f] = efg_reader_number(from);
        numbers[EFG_SEQUENCE_BRANCH] =
            efg_sequence_next_branches(numbers[EFG_SEQUENCE_NEXT]) ? efg_reader_number(from) : 0;
        if (efg_sequence_join_run(segment, r, &nodes, numbers) != 0)
            return -EBADMSG;
    }
    return 0;
}

static void put_blocks(struct efg_buffer *to, const struct efg_sequence_segment *segment)
{
    for (uint32_t b = 0; b < segment->block_count; b++) {
        efg_buffer_number(to, segment->first[b + 1] - segment->first[b]);
        for (uint32_t i = segment->first[b]; i < segment->first[b + 1]; i++) {
            uint64_t symbol = segment->pairs[i].symbol, count = segment->pairs[i].count;
            if (symbol & EFG_SEQUENCE_IS_BLOCK)
                symbol = segment->run_count + (b - 1 - (symbol & ~EFG_SEQUENCE_IS_BLOCK));
            efg_buffer_number(to, 2 * symbol + (count > 1));
            if (count > 1)
                efg_buffer_number(to, count - 2);
        }
    }
}

static int get_pair(struct efg_reader *from, const struct efg_sequence_segment *segment, uint32_t block,
                    struct efg_sequence_pair *pair)
{
    uint64_t number = efg_reader_number(from), runs = segment->run_count;
    uint64_t count = number & 1 ? efg_reader_number(from) : 0;

    if (number / 2 >= runs + block || count > UINT32_MAX - 2)
        return -EBADMSG;
    pair->symbol = (uint32_t)(number / 2);
    if (number / 2 >= runs)
        pair->symbol = EFG_SEQUENCE_IS_BLOCK | (block - 1 - (uint32_t)(number / 2 - runs));
    pair->count = number & 1 ? (uint32_t)count + 2 : 1;
    return 0;
}

static int get_blocks(struct efg_reader *from, struct efg_sequence_segment *segment)
{
    uint32_t pairs = 0;

    for (uint32_t b = 0; b < segment->block_count; b++) {
        uint64_t size = efg_reader_number(from);
        if (size > segment->pair_count - pairs)
            return -EBADMSG;
        for (; size; size--) {
            if (get_pair(from, segment, b, &segment->pairs[pairs++]) != 0)
                return -EBADMSG;
        }
        segment->first[b + 1] = pairs;
    }
    return pairs == segment->pair_count ? 0 : -EBADMSG;
}

/* ---- segments ---- */

static int put_copy(struct efg_buffer *to, const struct efg_sequence_segment *copy, uint32_t mix_pairs)
{
    bool is_mixed = copy->pair_count <= mix_pairs && efg_sequence_can_mix(copy);
    struct efg_buffer body = {0};

    if (is_mixed) {
        efg_sequence_mix(&body, copy);
    } else {
        put_runs(&body, copy);
        put_blocks(&body, copy);
    }
    efg_buffer_number(to, is_mixed ? EFG_SEQUENCE_MIXED : EFG_SEQUENCE_PLAIN);
    efg_buffer_number(to, copy->table);
    efg_buffer_number(to, copy->start);
    efg_buffer_number(to, copy->length);
    efg_buffer_number(to, copy->run_count);
    efg_buffer_number(to, copy->block_count);
    efg_buffer_number(to, copy->pair_count);
    efg_buffer_number(to, body.size);
    efg_buffer_put(to, body.data, body.size);
    to->failed |= body.failed;
    efg_buffer_fini(&body);
    return to->failed ? -ENOMEM : is_mixed;
}

int efg_sequence_put(struct efg_buffer *to, const struct efg_sequence_segment *segment, uint32_t mix_pairs)
{
    struct efg_sequence_segment copy;

    int error = efg_sequence_segment_copy(&copy, segment);
    if (error) {
        to->failed = true;
        return error;
    }
    int coding = put_copy(to, &copy, mix_pairs);
    efg_sequence_segment_fini(&copy);
    return coding;
}

/* Sizes are possible: plain numbers take a byte each, three of them a run. */
static bool is_bounded(uint64_t coding, uint64_t runs, uint64_t blocks, uint64_t pairs, size_t bytes)
{
    if (coding == EFG_SEQUENCE_MIXED)
        return runs <= EFG_SEQUENCE_MIX_MOST && pairs <= EFG_SEQUENCE_MIX_MOST && blocks <= pairs;
    return coding == EFG_SEQUENCE_PLAIN && runs <= bytes / 3 && pairs <= bytes && blocks <= pairs &&
           bytes < EFG_SEQUENCE_IS_BLOCK;
}

static int get_body(struct efg_reader body, uint64_t coding, struct efg_sequence_segment *segment)
{
    segment->runs = calloc((size_t)segment->run_count + 1, sizeof *segment->runs);
    segment->pairs = calloc((size_t)segment->pair_count + 1, sizeof *segment->pairs);
    segment->first = calloc((size_t)segment->block_count + 1, sizeof *segment->first);
    if (!segment->runs || !segment->pairs || !segment->first)
        return -ENOMEM;
    int error = 0;
    if (coding == EFG_SEQUENCE_MIXED)
        error = efg_sequence_unmix(body, segment);
    else if (get_runs(&body, segment) != 0 || get_blocks(&body, segment) != 0 || body.failed ||
             body.at != body.size)
        error = -EBADMSG;
    return error ? error : efg_sequence_segment_check(segment);
}

/* All of a segment but its BODY, which is passed. */
static int get_head(struct efg_reader *from, struct efg_sequence_segment *segment, uint64_t *coding,
                    struct efg_reader *body)
{
    memset(segment, 0, sizeof *segment);
    *coding = efg_reader_number(from);
    uint64_t table = efg_reader_number(from);
    segment->start = efg_reader_number(from);
    segment->length = efg_reader_number(from);
    uint64_t runs = efg_reader_number(from), blocks = efg_reader_number(from);
    uint64_t pairs = efg_reader_number(from);
    size_t bytes = efg_reader_count(from, 1);
    const void *data = efg_reader_take(from, bytes);

    if (!data || table > UINT32_MAX || !is_bounded(*coding, runs, blocks, pairs, bytes))
        return -EBADMSG;
    segment->table = (uint32_t)table;
    segment->run_count = (uint32_t)runs;
    segment->block_count = (uint32_t)blocks;
    segment->pair_count = (uint32_t)pairs;
    *body = efg_reader(data, bytes);
    return 0;
}

int efg_sequence_get(struct efg_reader *from, struct efg_sequence_segment *segment)
{
    struct efg_reader body;
    uint64_t coding;

    int error = get_head(from, segment, &coding, &body);
    if (error)
        return error;
    error = get_body(body, coding, segment);
    if (error)
        efg_sequence_segment_fini(segment);
    return error;
}

int efg_sequence_pass(struct efg_reader *from, struct efg_sequence_segment *segment)
{
    struct efg_reader body;
    uint64_t coding;

    return get_head(from, segment, &coding, &body);
}
