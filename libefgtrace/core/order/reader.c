/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a sequence back, call by call. Reading is a walk through nested blocks, with a frame for each that
 * is not yet done, and from each run of level 0 along what is predicted.
 *
 * To skip a symbol one has to know how many events it stands for. As long as no run branches for the
 * first time, this depends on the symbol alone. So the events are divided into regimes, each of which
 * ends where a run branches for the first time; most do so in the first iterations. Lengths are
 * found when they are needed, and are valid for one regime.
 *
 * In a regime, predictions may go round in a circle; then they do so until its end. Source of the
 * search for the circle: Brent, "An improved Monte Carlo factorization algorithm" (1980).
 *
 * Invariants:
 *   - run is EFG_NONE, and at = begin, or begin <= at < begin + its count
 *   - a frame has pairs left
 */
#include "reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"

#define TOO_LONG UINT64_MAX

static const struct efg_sequence_segment *segment_of(const struct efg_sequence_reader *r)
{
    return &r->segments[r->index];
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- lengths ---- */

static void lengths_fini(struct efg_sequence_lengths *l)
{
    free(l->length);
    free(l->known);
    free(l->bounds);
    memset(l, 0, sizeof *l);
}

static int lengths_init(struct efg_sequence_lengths *l, const struct efg_sequence_segment *seg)
{
    size_t symbols = (size_t)seg->run_count + seg->block_count;

    l->length = malloc(symbols * sizeof *l->length);
    l->known = calloc(symbols, sizeof *l->known);
    l->bounds = malloc(((size_t)seg->run_count + 1) * sizeof *l->bounds);
    if (!l->length || !l->known || !l->bounds) {
        lengths_fini(l);
        return -ENOMEM;
    }
    for (uint32_t r = 0; r < seg->run_count; r++) {
        uint64_t branch = seg->runs[r].branch;
        if (branch > seg->start && branch < seg->start + seg->length)
            l->bounds[l->bound_count++] = branch;
    }
    qsort(l->bounds, l->bound_count, sizeof *l->bounds, efg_compare_numbers);
    l->bounds[l->bound_count++] = seg->start + seg->length;
    return 0;
}

/* Events of the run and what is predicted after it, up to a branch; TOO_LONG if more than MOST.
 */
static uint64_t chain_length(struct efg_sequence_reader *r, uint32_t run, uint64_t most)
{
    const struct efg_sequence_run *runs = segment_of(r)->runs;
    struct efg_sequence_lengths *l = &r->lengths;
    uint64_t now = l->regime + 1, sum = 0;
    uint32_t steps = 0, last = run;

    for (;; last = runs[last].next) {
        if (l->known[last] == now) {
            sum += l->length[last];
            break;
        }
        sum += runs[last].count;
        if (sum > most || steps++ == segment_of(r)->run_count)
            return TOO_LONG; /* or on a circle */
        if (runs[last].branch <= r->at)
            break;
    }
    for (uint64_t rest = sum; l->known[run] != now; run = runs[run].next) {
        l->known[run] = now;
        l->length[run] = rest;
        rest -= runs[run].count;
        if (run == last)
            break;
    }
    return sum <= most ? sum : TOO_LONG;
}

/* Events of the symbol in the present regime; TOO_LONG if more than MOST. */
static uint64_t length_of(struct efg_sequence_reader *r, uint32_t symbol, uint64_t most)
{
    const struct efg_sequence_segment *segment = segment_of(r);
    struct efg_sequence_lengths *l = &r->lengths;

    if (!(symbol & EFG_SEQUENCE_IS_BLOCK))
        return chain_length(r, symbol, most);
    uint32_t block = symbol & ~EFG_SEQUENCE_IS_BLOCK;
    size_t place = (size_t)segment->run_count + block;
    if (l->known[place] == l->regime + 1)
        return l->length[place] <= most ? l->length[place] : TOO_LONG;
    uint64_t sum = 0;
    for (uint32_t i = segment->first[block]; i < segment->first[block + 1]; i++) {
        const struct efg_sequence_pair *pair = &segment->pairs[i];
        uint64_t one = length_of(r, pair->symbol, most - sum);
        if (one == TOO_LONG || one > (most - sum) / pair->count)
            return TOO_LONG;
        sum += one * pair->count;
    }
    l->known[place] = l->regime + 1;
    l->length[place] = sum;
    return sum;
}

/* Makes the lengths those of the regime of the next event. Returns its end, 0 without memory.
 */
static uint64_t regime_end(struct efg_sequence_reader *r)
{
    struct efg_sequence_lengths *l = &r->lengths;

    if (!l->length && lengths_init(l, segment_of(r)) != 0)
        return 0;
    while (l->bounds[l->regime] <= r->at)
        l->regime++;
    return l->bounds[l->regime];
}

/* ---- steps ---- */

static uint64_t segment_end(const struct efg_sequence_reader *r)
{
    return segment_of(r)->start + segment_of(r)->length;
}

/* Drop frames that are done. */
static void drop_frames(struct efg_sequence_reader *r)
{
    while (r->depth && r->frames[r->depth - 1].pair == r->frames[r->depth - 1].end)
        r->depth--;
}

static void open_block(struct efg_sequence_reader *r, uint32_t block)
{
    const uint32_t *first = segment_of(r)->first;
    r->frames[r->depth++] = (struct efg_sequence_frame){.pair = first[block], .end = first[block + 1]};
}

static void enter_segment(struct efg_sequence_reader *r)
{
    lengths_fini(&r->lengths);
    r->run = EFG_NONE;
    r->depth = 0;
    if (r->index == r->count)
        return;
    r->at = r->begin = segment_of(r)->start;
    if (segment_of(r)->length)
        open_block(r, segment_of(r)->block_count - 1);
}

/* Go on to the segment of the next event. Returns 1, 0 after the last event, -EBADMSG:
 * none begins here.
 */
static int find_segment(struct efg_sequence_reader *r)
{
    while (r->index < r->count && r->at == segment_end(r)) {
        if (r->index + 1 < r->count && r->segments[r->index + 1].start != r->at)
            return -EBADMSG;
        if (r->index + 1 == r->count)
            return 0;
        r->index++;
        enter_segment(r);
    }
    return r->index < r->count;
}

/* The pair that comes next; NULL: the frames are done. */
static const struct efg_sequence_pair *next_pair(const struct efg_sequence_reader *r)
{
    return r->depth ? &segment_of(r)->pairs[r->frames[r->depth - 1].pair] : NULL;
}

/* COUNT of the next pair are taken from its frame. Returns its symbol. */
static uint32_t use_pair(struct efg_sequence_reader *r, uint32_t count)
{
    struct efg_sequence_frame *top = &r->frames[r->depth - 1];
    const struct efg_sequence_pair *pair = next_pair(r);

    top->used += count;
    if (top->used == pair->count) {
        top->used = 0;
        top->pair++;
        drop_frames(r);
    }
    return pair->symbol;
}

static void enter_symbol(struct efg_sequence_reader *r, uint32_t symbol)
{
    if (symbol & EFG_SEQUENCE_IS_BLOCK)
        open_block(r, symbol & ~EFG_SEQUENCE_IS_BLOCK);
    else
        r->run = symbol;
}

/* Make the next event that of a run, through all blocks that begin here. */
static int find_run(struct efg_sequence_reader *r)
{
    while (r->run == EFG_NONE) {
        if (!next_pair(r))
            return -EBADMSG;
        enter_symbol(r, use_pair(r, 1));
    }
    return 0;
}

/* Go to the end of the run, or to event LIMIT in it. */
static void pass_run(struct efg_sequence_reader *r, uint64_t limit)
{
    const struct efg_sequence_run *run = &segment_of(r)->runs[r->run];

    r->at = smaller(r->begin + run->count, limit);
    if (r->at < r->begin + run->count)
        return;
    r->run = r->begin < run->branch ? run->next : EFG_NONE;
    r->begin = r->at;
}

int efg_sequence_next(struct efg_sequence_reader *r, uint32_t *node, uint64_t *count)
{
    int found = find_segment(r);

    if (found <= 0)
        return found;
    if (find_run(r) != 0)
        return -EBADMSG;
    uint64_t from = r->at;
    *node = segment_of(r)->runs[r->run].node;
    pass_run(r, segment_end(r));
    *count = r->at - from;
    return 1;
}

/* ---- leaps ---- */

/* How many runs the circle has that predictions from the next run lead to, and one of them; 0
 * if they end, or if this is not seen within three times ROOM events: a leap over so few is
 * short anyway. */
static uint32_t search_circle(const struct efg_sequence_reader *r, uint64_t room, uint32_t *on)
{
    const struct efg_sequence_run *runs = segment_of(r)->runs;
    uint32_t length = 0, power = 1, run = r->run;

    *on = run;
    for (uint64_t passed = 0; passed / 3 <= room;) {
        if (runs[run].branch <= r->at)
            return 0;
        passed += runs[run].count;
        run = runs[run].next;
        length++;
        if (run == *on)
            return length;
        if (length == power) {
            *on = run;
            power *= 2;
            length = 0;
        }
    }
    return 0;
}

/* Find circle_at and circle: where the predictions from the next run begin to go round, if they
 * do so twice before LIMIT. In this regime: no run branches that has not yet. */
static void find_circle(struct efg_sequence_reader *r, uint64_t limit)
{
    const struct efg_sequence_run *runs = segment_of(r)->runs;
    uint64_t tail = 0, circle = 0, room = limit - r->at;
    uint32_t run = r->run, ahead = run, on;
    uint32_t length = search_circle(r, room, &on);

    r->circle_at = EFG_SEQUENCE_FOREVER;
    if (!length)
        return;
    for (uint32_t i = 0; i < length; i++) {
        circle += runs[on].count;
        on = runs[on].next;
        ahead = runs[ahead].next;
    }
    for (; run != ahead; run = runs[run].next, ahead = runs[ahead].next)
        tail += runs[run].count;
    if (tail <= room && circle <= (room - tail) / 2) {
        r->circle_at = r->at + tail;
        r->circle = circle;
    }
}

/* Along the predictions to LIMIT, in this regime. */
static void pass_chain(struct efg_sequence_reader *r, uint64_t limit)
{
    if (r->at != r->begin)
        pass_run(r, limit);
    if (r->run != EFG_NONE)
        find_circle(r, limit);
    while (r->run != EFG_NONE && r->at < limit) {
        if (r->at == r->circle_at)
            r->at = r->begin += (limit - r->at) / r->circle * r->circle;
        else
            pass_run(r, limit);
    }
}

/* On to LIMIT, in this regime. */
static int leap(struct efg_sequence_reader *r, uint64_t limit)
{
    while (r->at < limit) {
        if (r->run != EFG_NONE) {
            pass_chain(r, limit);
            continue;
        }
        const struct efg_sequence_pair *pair = next_pair(r);
        if (!pair)
            return -EBADMSG;
        uint32_t left = pair->count - r->frames[r->depth - 1].used;
        uint64_t one = length_of(r, pair->symbol, limit - r->at);
        uint64_t times = one == TOO_LONG ? 0 : smaller(left, (limit - r->at) / one);
        if (times == 0) {
            enter_symbol(r, use_pair(r, 1));
            continue;
        }
        use_pair(r, (uint32_t)times);
        r->at = r->begin += times * one;
    }
    return 0;
}

int efg_sequence_skip(struct efg_sequence_reader *r, uint64_t to)
{
    int found;

    while ((found = find_segment(r)) > 0 && r->at < to) {
        if (to >= segment_end(r)) {
            r->at = segment_end(r);
            continue;
        }
        uint64_t end = regime_end(r);
        int error = end ? leap(r, smaller(to, end)) : -ENOMEM;
        if (error)
            return error;
    }
    return found < 0 ? found : 0;
}

void efg_sequence_reader_init(struct efg_sequence_reader *r, const struct efg_sequence_segment *segments,
                              size_t count)
{
    memset(r, 0, sizeof *r);
    r->segments = segments;
    r->count = count;
    enter_segment(r);
}

void efg_sequence_reader_fini(struct efg_sequence_reader *r)
{
    lengths_fini(&r->lengths);
}
