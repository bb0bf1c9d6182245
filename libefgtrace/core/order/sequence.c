/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds events to the sequence. What happens to each:
 *
 *     run (node, count) has ended:
 *         it is NEXT of the run before, which never branched: nothing to do
 *         the run before has no NEXT:                         this becomes it
 *         else: the run before branches from now on;          push it to level 0
 *
 *     push (level, symbol):
 *         count it, if it is the pending one; else it becomes pending, and the one before it
 *         goes into the block of the level. The block ends after a symbol whose hash is smaller than
 *         that of its two neighbours, or when it is full; then push its number to the
 *         next level.
 *
 * The hash of a symbol is a permutation of 32 bits, so that neighbours never tie. At most every
 * second symbol is a minimum, so a block has two pairs or more.
 *
 * Invariants:
 *   - before a push there is room for all that it can add: a full block on each level, and
 *     after them the last block, which holds what the levels have not yet put in blocks
 *   - expanded from the highest level to level 0, on each level the block and then the
 *     pending pair, the levels are what was pushed since the segment began
 *   - the run before (hand.last) began as event hand.at - its count
 *
 * Sources: see sequence.h. The permutation is the final mixing of MurmurHash3 (Appleby).
 */
#include "sequence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_RUNS 64
#define PUSH_PAIRS (EFG_SEQUENCE_LEVELS * EFG_SEQUENCE_BLOCK)       /* that a push may add */
#define LAST_PAIRS (EFG_SEQUENCE_LEVELS * (EFG_SEQUENCE_BLOCK + 1)) /* of the last block */
#define SPARE_PAIRS (PUSH_PAIRS + LAST_PAIRS)

/* Bytes at most; tables of slots are powers of two. */
#define PAIR_BYTES 18 /* pair 8, half a block's first 2, slots 4 to 8 */
#define RUN_BYTES 44  /* run 24, followed 4, slots 8 to 16 */

_Static_assert(sizeof(struct efg_sequence_run) == 24, "as the limits assume");
_Static_assert(sizeof(struct efg_sequence_pair) == 8, "pairs are compared as bytes");

/* ---- memory ---- */

static int enlarge(void *array, size_t count, size_t size)
{
    void *larger = realloc(*(void **)array, count * size);
    if (!larger)
        return -ENOMEM;
    *(void **)array = larger;
    return 0;
}

static uint32_t power_of_two(uint32_t least)
{
    uint32_t power = 1;
    while (power < least)
        power *= 2;
    return power;
}

static int renew_slots(uint32_t **slots, uint32_t *mask, uint32_t count)
{
    uint32_t *empty = calloc(count, sizeof *empty);
    if (!empty)
        return -ENOMEM;
    free(*slots);
    *slots = empty;
    *mask = count - 1;
    return 0;
}

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6b;
    x = (x ^ x >> 13) * 0xc2b2ae35;
    return x ^ x >> 16;
}

/* ---- runs ---- */

/* Slot of the run, or the free slot where it belongs. */
static uint32_t *run_slot(const struct efg_sequence *s, uint32_t node, uint32_t count)
{
    for (uint32_t h = mix(node ^ mix(count));; h++) {
        uint32_t *slot = &s->run_slots[h & s->run_mask];
        if (!*slot)
            return slot;
        const struct efg_sequence_run *run = &s->segment.runs[*slot - 1];
        if (run->node == node && run->count == count)
            return slot;
    }
}

static int resize_runs(struct efg_sequence *s, uint32_t room)
{
    const struct efg_sequence_run *runs;

    if (enlarge(&s->segment.runs, room, sizeof *s->segment.runs) ||
        enlarge(&s->followed, room, sizeof *s->followed) ||
        renew_slots(&s->run_slots, &s->run_mask, power_of_two(2 * room)))
        return -ENOMEM;
    runs = s->segment.runs;
    for (uint32_t r = 0; r < s->segment.run_count; r++)
        *run_slot(s, runs[r].node, runs[r].count) = r + 1;
    s->run_room = room;
    return 0;
}

/* The number of the present run; there is room for a new one. */
static uint32_t find_run(struct efg_sequence *s)
{
    if (s->hand.last != EFG_NONE) {
        uint32_t guess = s->followed[s->hand.last];
        const struct efg_sequence_run *run = s->segment.runs + (guess == EFG_NONE ? 0 : guess);
        if (guess != EFG_NONE && run->node == s->hand.node && run->count == s->hand.count)
            return guess;
    }
    uint32_t *slot = run_slot(s, s->hand.node, s->hand.count);
    if (!*slot) {
        uint32_t new = s->segment.run_count++;
        s->segment.runs[new] =
            (struct efg_sequence_run){.node = s->hand.node, .count = s->hand.count, .next = EFG_NONE};
        s->followed[new] = EFG_NONE;
        *slot = new + 1;
    }
    return *slot - 1;
}

static void forget_runs(struct efg_sequence *s)
{
    s->segment.run_count = 0;
    s->hand.last = EFG_NONE;
    memset(s->run_slots, 0, (s->run_mask + (size_t)1) * sizeof *s->run_slots);
}

/* ---- blocks ---- */

static uint32_t hash_block(const struct efg_sequence_pair *pairs, uint32_t size)
{
    uint64_t h = size;
    for (uint32_t i = 0; i < size; i++) {
        h = (h ^ pairs[i].symbol ^ (uint64_t)pairs[i].count << 32) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return (uint32_t)h;
}

static bool is_block(const struct efg_sequence_segment *segment, uint32_t block,
                     const struct efg_sequence_pair *pairs, uint32_t size)
{
    uint32_t first = segment->first[block];
    return segment->first[block + 1] - first == size &&
           memcmp(segment->pairs + first, pairs, size * sizeof *pairs) == 0;
}

/* Slot of the block with that content, or the free slot where it belongs. */
static uint32_t *block_slot(const struct efg_sequence *s, const struct efg_sequence_pair *pairs,
                            uint32_t size)
{
    for (uint32_t h = hash_block(pairs, size);; h++) {
        uint32_t *slot = &s->block_slots[h & s->block_mask];
        if (!*slot || is_block(&s->segment, *slot - 1, pairs, size))
            return slot;
    }
}

/* Room for ROOM pairs in blocks of two at least, and one. */
static int resize_blocks(struct efg_sequence *s, uint32_t room)
{
    struct efg_sequence_segment *segment = &s->segment;

    if (enlarge(&segment->pairs, room, sizeof *segment->pairs) ||
        enlarge(&segment->first, room / 2 + 2, sizeof *segment->first) ||
        renew_slots(&s->block_slots, &s->block_mask, power_of_two(room)))
        return -ENOMEM;
    segment->first[0] = 0;
    for (uint32_t b = 0; b < segment->block_count; b++) {
        uint32_t first = segment->first[b];
        *block_slot(s, segment->pairs + first, segment->first[b + 1] - first) = b + 1;
    }
    s->pair_room = room;
    return 0;
}

static uint32_t add_block(struct efg_sequence_segment *segment)
{
    segment->first[++segment->block_count] = segment->pair_count;
    return segment->block_count;
}

/* The symbol of the block with that content; there is room for a new one. */
static uint32_t find_block(struct efg_sequence *s, const struct efg_sequence_pair *pairs, uint32_t size)
{
    uint32_t *slot = block_slot(s, pairs, size);
    if (!*slot) {
        memcpy(s->segment.pairs + s->segment.pair_count, pairs, size * sizeof *pairs);
        s->segment.pair_count += size;
        *slot = add_block(&s->segment);
    }
    return EFG_SEQUENCE_IS_BLOCK | (*slot - 1);
}

static void push(struct efg_sequence *s, uint32_t symbol)
{
    for (uint32_t l = 0;; l++) {
        struct efg_sequence_level *level = &s->levels[l];
        struct efg_sequence_pair out = level->pending;

        if (out.symbol == symbol && out.count < UINT32_MAX) {
            level->pending.count++;
            return;
        }
        level->pending = (struct efg_sequence_pair){symbol, 1};
        if (!out.count) { /* the first symbol of this level */
            s->depth = l + 1;
            return;
        }
        uint32_t hash = mix(out.symbol);
        bool minimum = level->last_hash < level->hash_before && level->last_hash < hash;
        bool cut = (minimum && level->size >= 2) || level->size == EFG_SEQUENCE_BLOCK;
        if (cut) {
            symbol = find_block(s, level->block, level->size);
            level->size = 0;
        }
        level->block[level->size++] = out;
        level->hash_before = level->last_hash;
        level->last_hash = hash;
        if (!cut)
            return;
    }
}

/* ---- segments ---- */

static void clear_levels(struct efg_sequence *s)
{
    memset(s->levels, 0, sizeof s->levels);
    for (uint32_t l = 0; l < EFG_SEQUENCE_LEVELS; l++)
        s->levels[l].pending.symbol = EFG_NONE;
    s->depth = 0;
}

/* What the levels hold becomes the last block. */
static void add_last_block(struct efg_sequence *s)
{
    struct efg_sequence_pair *to = s->segment.pairs + s->segment.pair_count, *from = to;

    for (uint32_t l = s->depth; l-- > 0;) {
        const struct efg_sequence_level *level = &s->levels[l];
        memcpy(to, level->block, level->size * sizeof *to);
        to += level->size;
        *to++ = level->pending;
    }
    s->segment.pair_count += (uint32_t)(to - from);
    add_block(&s->segment);
}

/* Hand out the runs that have ended. The present run is the first one of the next segment. */
static void end_segment(struct efg_sequence *s)
{
    struct efg_sequence_segment *segment = &s->segment;

    segment->length = s->hand.at - segment->start;
    if (segment->length && !s->failed) {
        add_last_block(s);
        s->failed = s->sink(s->context, segment) != 0;
        s->segments += !s->failed;
        s->kept += s->failed ? 0 : segment->length;
    }
    segment->start = s->hand.at;
    segment->block_count = segment->pair_count = 0;
    memset(s->block_slots, 0, (s->block_mask + (size_t)1) * sizeof *s->block_slots);
    clear_levels(s);
    s->hand.last = EFG_NONE;
}

static uint32_t twice(uint32_t room, uint32_t most)
{
    return room < most / 2 ? 2 * room : most;
}

/* Make room for another run and push, if necessary in a new segment. */
static void make_room(struct efg_sequence *s)
{
    uint32_t most = s->pair_limit + SPARE_PAIRS;

    if (s->segment.run_count == s->run_room) {
        bool full = s->run_room == s->run_limit;
        if (full || resize_runs(s, twice(s->run_room, s->run_limit)) != 0) {
            s->early += !full;
            end_segment(s);
            forget_runs(s);
        }
    }
    if (s->segment.pair_count + SPARE_PAIRS > s->pair_room) {
        bool full = s->pair_room == most;
        if (full || resize_blocks(s, twice(s->pair_room, most)) != 0) {
            s->early += !full;
            end_segment(s);
        }
    }
    if (s->depth == EFG_SEQUENCE_LEVELS)
        end_segment(s);
}

/* ---- events ---- */

/* The present run has ended, and is not the predicted one. */
static __attribute__((noinline)) void add_run(struct efg_sequence *s)
{
    make_room(s);
    uint32_t run = find_run(s);

    if (s->hand.last == EFG_NONE) {
        push(s, run);
    } else {
        struct efg_sequence_run *before = &s->segment.runs[s->hand.last];
        if (before->next == EFG_NONE) {
            before->next = run;
            before->branch = EFG_SEQUENCE_FOREVER;
        } else {
            if (before->branch == EFG_SEQUENCE_FOREVER)
                before->branch = s->hand.at - before->count;
            push(s, run);
        }
        s->followed[s->hand.last] = run;
    }
    s->hand.last = run;
}

/* The run that is predicted, if it is the one at hand; else EFG_NONE. Compared bit by bit, or
 * else compilers put the hand into memory to compare both fields at once, and wait for it. */
static inline uint32_t predicted(const struct efg_sequence_run *runs, struct efg_sequence_hand hand)
{
    if (hand.last == EFG_NONE || runs[hand.last].branch != EFG_SEQUENCE_FOREVER)
        return EFG_NONE;
    uint32_t next = runs[hand.last].next;
    uint32_t other = (runs[next].node ^ hand.node) | (runs[next].count ^ hand.count);
    return other ? EFG_NONE : next;
}

static void end_run(struct efg_sequence *s)
{
    uint32_t next = predicted(s->segment.runs, s->hand);

    if (next != EFG_NONE)
        s->hand.last = next;
    else if (s->hand.count)
        add_run(s);
    s->hand.at += s->hand.count;
    s->hand.count = 0;
}

/* The loop is that of end_run, but that what is predicted stays in registers. */
void efg_sequence_flush(struct efg_sequence *s)
{
    uint32_t waiting = s->waiting;

    s->waiting = 0;
    if (s->failed)
        return;
    if (s->hand.count > UINT32_MAX - EFG_SEQUENCE_RING)
        end_run(s); /* the count would overflow: two runs */
    struct efg_sequence_hand hand = s->hand;
    for (uint32_t i = 0; i < waiting; i++) {
        if (s->ring[i] != hand.node) {
            uint32_t next = predicted(s->segment.runs, hand);
            if (next == EFG_NONE) {
                s->hand = hand;
                end_run(s);
                hand = s->hand;
            } else {
                hand.last = next;
                hand.at += hand.count;
            }
            hand.node = s->ring[i];
            hand.count = 0;
        }
        hand.count++;
    }
    s->hand = hand;
}

int efg_sequence_close(struct efg_sequence *s)
{
    efg_sequence_flush(s);
    if (s->failed)
        return -ECANCELED;
    end_run(s);
    end_segment(s);
    return s->failed ? -ECANCELED : 0;
}

void efg_sequence_break(struct efg_sequence *s, uint32_t table)
{
    efg_sequence_close(s);
    forget_runs(s);
    s->segment.table = table;
}

int efg_sequence_init(struct efg_sequence *s, size_t memory, efg_sequence_sink *sink, void *context)
{
    size_t runs = memory / 4 / RUN_BYTES, pairs = (memory - memory / 4) / PAIR_BYTES;
    size_t most = EFG_SEQUENCE_IS_BLOCK / 4; /* keeps all sums and symbols in 32 bits */

    memset(s, 0, sizeof *s);
    s->sink = sink;
    s->context = context;
    s->hand.node = s->hand.last = EFG_NONE;
    s->run_limit = (uint32_t)(runs < 1 ? 1 : runs < most ? runs : most);
    s->pair_limit = (uint32_t)(pairs < 1 ? 1 : pairs < most ? pairs : most);
    clear_levels(s);
    if (resize_runs(s, s->run_limit < FIRST_RUNS ? s->run_limit : FIRST_RUNS) == 0 &&
        resize_blocks(s, SPARE_PAIRS + 1) == 0)
        return 0;
    efg_sequence_fini(s);
    return -ENOMEM;
}

/* Replace ARRAY by one of its own with as much ROOM, and the first COUNT things of it. */
static int copy_array(void *array, size_t room, size_t count, size_t size)
{
    const void *from = *(void **)array;
    void *to = malloc(room * size);

    *(void **)array = to;
    if (to && count)
        memcpy(to, from, count * size);
    return to ? 0 : -ENOMEM;
}

int efg_sequence_copy(struct efg_sequence *copy, const struct efg_sequence *s, efg_sequence_sink *sink,
                      void *context)
{
    struct efg_sequence_segment *segment = &copy->segment;
    size_t runs = s->run_mask + (size_t)1, blocks = s->block_mask + (size_t)1;

    *copy = *s;
    copy->sink = sink;
    copy->context = context;
    int failed = copy_array(&segment->runs, s->run_room, segment->run_count, sizeof *segment->runs);
    failed |= copy_array(&copy->followed, s->run_room, segment->run_count, sizeof *copy->followed);
    failed |= copy_array(&segment->pairs, s->pair_room, segment->pair_count, sizeof *segment->pairs);
    failed |= copy_array(&segment->first, s->pair_room / 2 + (size_t)2, segment->block_count + (size_t)1,
                         sizeof *segment->first);
    failed |= copy_array(&copy->run_slots, runs, runs, sizeof *copy->run_slots);
    failed |= copy_array(&copy->block_slots, blocks, blocks, sizeof *copy->block_slots);
    if (failed)
        efg_sequence_fini(copy);
    return failed;
}

size_t efg_sequence_memory(const struct efg_sequence *s)
{
    const struct efg_sequence_segment *segment = &s->segment;
    size_t slots = s->run_mask + (size_t)1 + s->block_mask + (size_t)1;

    return sizeof *s + s->run_room * (sizeof *segment->runs + sizeof *s->followed) +
           s->pair_room * sizeof *segment->pairs + (s->pair_room / 2 + (size_t)2) * sizeof *segment->first +
           slots * sizeof *s->run_slots;
}

void efg_sequence_fini(struct efg_sequence *s)
{
    efg_sequence_segment_fini(&s->segment);
    free(s->followed);
    free(s->run_slots);
    free(s->block_slots);
    memset(s, 0, sizeof *s);
}
