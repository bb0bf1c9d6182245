/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums up iterations that are asked for while the trace is read: a cell for each iteration, rank and site.
 * With all of it read, cells become rows. Invariant: the cells of one iteration on one rank sum up to its
 * time, which is known when it ends.
 */
#include "beside.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "files/conf/conf.h"

struct cell {
    uint32_t slot, rank, site;
    int64_t compute, call; /* ns */
    uint64_t calls;
};

static int put(struct efg_map *map, uint64_t key, uint64_t value)
{
    uint64_t *at = efg_map_put(map, key);
    if (at)
        *at = value;
    return at ? 0 : -ENOMEM;
}

/* --- what is asked for --- */

int efg_beside_begin(struct efg_beside *b, const struct efg_run *run, const struct efg_recorded *recorded)
{
    *b = (struct efg_beside){.run = run, .recorded = recorded, .key = EFG_RECORDED_NONE};
    return efg_recorded_names_init(&b->names, run);
}

int efg_beside_ask(struct efg_beside *b, uint64_t number, uint64_t other)
{
    if (efg_array_grow(&b->pairs, b->pair_count, 1, sizeof *b->pairs))
        return -ENOMEM;
    b->pairs[b->pair_count++] = (struct efg_beside_pair){.number = {number, other}};
    return put(&b->wanted, number, 1) || put(&b->wanted, other, 1) ? -ENOMEM : 0;
}

int efg_beside_ask_slow(struct efg_beside *b)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&b->run->speaker);
    int error = 0;
    for (uint32_t i = 0; thread && i < thread->window_count && !error; i++) {
        uint64_t slow = efg_run_window_slow(&thread->windows[i]);
        if (thread->windows[i].select != EFG_SELECT_SLOW || !thread->windows[i].times || !slow)
            continue;
        error = efg_beside_ask(b, slow, slow - 1) || put(&b->wanted, slow + 1, 1) ? -ENOMEM : 0;
    }
    return error;
}

/* --- reading --- */

static struct cell *cells_of(const struct efg_beside *b)
{
    return (struct cell *)b->cells.data;
}

/* Of the present iteration. NULL without memory. */
static struct cell *cell_of(struct efg_beside *b, uint32_t site)
{
    struct cell none = {.rank = b->rank, .site = site};
    uint64_t known = b->open.count, *index = efg_map_put(&b->open, site);
    if (index && b->open.count > known) {
        *index = b->cells.size / sizeof none;
        efg_buffer_put(&b->cells, &none, sizeof none);
    }
    return index && !b->cells.failed ? &cells_of(b)[*index] : NULL;
}

static void begin_iteration(struct efg_beside *b, uint64_t key)
{
    efg_map_fini(&b->open);
    b->begun = b->cells.size;
    b->key = key;
    b->first_site = EFG_NONE;
}

static int add_call(struct efg_beside *b, const struct efg_recorded_call *call)
{
    uint64_t key = efg_recorded_key(call->phase, call->iteration);
    if (call->iteration == EFG_RECORDED_NONE || !efg_map_find(&b->wanted, call->iteration))
        return 0;
    if (b->key != key)
        begin_iteration(b, key);
    struct cell *cell = cell_of(b, call->site);
    if (!cell)
        return -ENOMEM;
    cell->call += (int64_t)(call->end - call->begin);
    cell->calls++;
    if (b->first_site == EFG_NONE) {
        b->first_site = call->site;
        b->first = call->begin;
    } else {
        cell->compute += (int64_t)(call->begin - b->last);
    }
    b->last = call->end;
    return 0;
}

/* Returns its index, EFG_NONE without memory. */
static uint32_t slot_of(struct efg_beside *b, const struct efg_recorded_span *span)
{
    uint64_t index = efg_map_number(&b->slots, efg_recorded_key(span->phase, span->number));
    if (index == b->slot.size / sizeof *span)
        efg_buffer_put(&b->slot, span, sizeof *span);
    return index == UINT64_MAX || b->slot.failed ? EFG_NONE : (uint32_t)index;
}

/* Now it is known when it began and ended. */
static int end_iteration(struct efg_beside *b, const struct efg_recorded_span *span)
{
    uint64_t key = efg_recorded_key(span->phase, span->number);
    if (span->number == EFG_RECORDED_NONE || !efg_map_find(&b->wanted, span->number))
        return 0;
    if (b->key != key)
        begin_iteration(b, key);
    uint32_t slot = slot_of(b, span);
    bool has_calls = b->first_site != EFG_NONE;
    struct cell *last = cell_of(b, EFG_NONE), *first = has_calls ? cell_of(b, b->first_site) : last;
    if (slot == EFG_NONE || !last || !first)
        return -ENOMEM;
    if (has_calls)
        first->compute += (int64_t)(b->first - span->begin);
    last->compute += (int64_t)(span->end - (has_calls ? b->last : span->begin));
    for (size_t i = b->begun / sizeof *last; i < b->cells.size / sizeof *last; i++)
        cells_of(b)[i].slot = slot;
    begin_iteration(b, EFG_RECORDED_NONE);
    return 0;
}

int efg_beside_take(struct efg_beside *b, const struct efg_recorded_item *item)
{
    switch (item->kind) {
    case EFG_RECORDED_LOCATION:
        b->rank = item->location.rank;
        b->cells.size = b->begun; /* of an iteration that has no end */
        begin_iteration(b, EFG_RECORDED_NONE);
        return 0;
    case EFG_RECORDED_CALL:
        return add_call(b, &item->call);
    case EFG_RECORDED_ITERATION:
        return end_iteration(b, &item->span);
    }
    return 0;
}

/* --- pairs --- */

static const struct efg_recorded_span *slots_of(const struct efg_beside *b)
{
    return (struct efg_recorded_span *)b->slot.data;
}

/* The last one of that NUMBER, in the PHASE (any: EFG_RECORDED_NONE); slow ones first. */
static uint32_t find_slot(const struct efg_beside *b, uint64_t number, uint64_t phase)
{
    const struct efg_recorded_span *slots = slots_of(b);
    uint32_t found = EFG_NONE;
    for (uint32_t i = 0; i < b->slots.count; i++)
        if (slots[i].number == number && (phase == EFG_RECORDED_NONE || slots[i].phase == phase) &&
            (found == EFG_NONE || slots[found].kept != EFG_KEPT_SLOW || slots[i].kept == EFG_KEPT_SLOW))
            found = i;
    return found;
}

/* That of the same phase, or else of another one. */
static uint32_t find_other(const struct efg_beside *b, uint64_t number, uint64_t phase)
{
    uint32_t found = find_slot(b, number, phase);
    return found == EFG_NONE ? find_slot(b, number, EFG_RECORDED_NONE) : found;
}

static void find_slots(const struct efg_beside *b, struct efg_beside_pair *pair)
{
    uint64_t behind = pair->number[0] + 1, phase = EFG_RECORDED_NONE;
    pair->slot[0] = find_slot(b, pair->number[0], EFG_RECORDED_NONE);
    if (pair->slot[0] != EFG_NONE)
        phase = slots_of(b)[pair->slot[0]].phase;
    pair->slot[1] = find_other(b, pair->number[1], phase);
    if (pair->slot[1] == EFG_NONE && efg_map_find(&b->wanted, behind) &&
        (pair->slot[1] = find_other(b, behind, phase)) != EFG_NONE)
        pair->number[1] = behind;
    for (int i = 0; i < 2; i++) {
        pair->is_found[i] = pair->slot[i] != EFG_NONE;
        if (!pair->is_found[i])
            continue;
        pair->kept[i] = slots_of(b)[pair->slot[i]].kept;
        pair->times[i] = slots_of(b)[pair->slot[i]].times;
    }
}

/* Of which iteration of PAIR a slot is: 0, 1, or 2 for neither. */
static int side_of(const struct efg_beside_pair *pair, uint32_t slot)
{
    return slot == pair->slot[0] ? 0 : slot == pair->slot[1] ? 1 : 2;
}

/* --- ranks --- */

static struct efg_beside_rank *rank_of(struct efg_beside_pair *pair, uint32_t rank)
{
    if (pair->rank_count && pair->ranks[pair->rank_count - 1].rank == rank)
        return &pair->ranks[pair->rank_count - 1];
    if (efg_array_grow(&pair->ranks, pair->rank_count, 1, sizeof *pair->ranks))
        return NULL;
    pair->ranks[pair->rank_count] = (struct efg_beside_rank){.rank = rank};
    return &pair->ranks[pair->rank_count++];
}

static int64_t growth(const struct efg_beside_rank *rank)
{
    return rank->time[0] - rank->time[1];
}

/* Locations come by rank, and so do cells. */
static int sum_ranks(const struct efg_beside *b, struct efg_beside_pair *pair)
{
    for (size_t i = 0; i < b->cells.size / sizeof(struct cell); i++) {
        const struct cell *cell = &cells_of(b)[i];
        int side = side_of(pair, cell->slot);
        if (side > 1)
            continue;
        struct efg_beside_rank *rank = rank_of(pair, cell->rank);
        if (!rank)
            return -ENOMEM;
        rank->has[side] = true;
        rank->time[side] += cell->compute + cell->call;
        rank->compute[side] += cell->compute;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pair->rank_count; i++)
        if (pair->ranks[i].has[0] && pair->ranks[i].has[1])
            pair->ranks[kept++] = pair->ranks[i];
    pair->left_out = pair->rank_count - kept;
    pair->rank_count = kept;
    for (uint32_t i = 0; i < kept; i++) {
        if (llabs(growth(&pair->ranks[i])) > llabs(growth(&pair->ranks[pair->longest])))
            pair->longest = i;
        for (int side = 0; side < 2; side++)
            pair->time[side] += pair->ranks[i].time[side];
    }
    return 0;
}

static bool has_rank(const struct efg_beside_pair *pair, uint32_t rank)
{
    uint32_t low = 0, high = pair->rank_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pair->ranks[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pair->rank_count && pair->ranks[low].rank == rank;
}

/* --- rows --- */

struct part { /* a row on one rank */
    uint32_t site, rank;
    bool is_compute;
    int64_t time[2];
    uint64_t calls[2];
};

static void add_part(struct efg_buffer *parts, const struct cell *cell, int side, bool is_compute)
{
    struct part part = {cell->site, cell->rank, is_compute, {0, 0}, {0, 0}};
    part.time[side] = is_compute ? cell->compute : cell->call;
    part.calls[side] = cell->calls;
    if (part.time[side] || part.calls[side])
        efg_buffer_put(parts, &part, sizeof part);
}

static int by_row(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    if (x->is_compute != y->is_compute)
        return x->is_compute - y->is_compute;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool is_of_row(const struct part *a, const struct part *b)
{
    return a->site == b->site && a->is_compute == b->is_compute;
}

/* Those of one row and rank become one. Returns how many are left. */
static size_t unite(struct part *parts, size_t count)
{
    size_t left = 0;
    if (count)
        qsort(parts, count, sizeof *parts, by_row);
    for (size_t i = 0; i < count; i++) {
        if (!left || by_row(&parts[left - 1], &parts[i])) {
            parts[left++] = parts[i];
            continue;
        }
        for (int side = 0; side < 2; side++) {
            parts[left - 1].time[side] += parts[i].time[side];
            parts[left - 1].calls[side] += parts[i].calls[side];
        }
    }
    return left;
}

/* The first COUNT of PARTS, on ascending ranks. */
static int add_row(struct efg_beside_pair *pair, const struct part *parts, size_t count)
{
    if (efg_array_grow(&pair->rows, pair->row_count, 1, sizeof *pair->rows))
        return -ENOMEM;
    struct efg_beside_row *row = &pair->rows[pair->row_count++];
    *row = (struct efg_beside_row){.site = parts->site, .is_compute = parts->is_compute, .rank = parts->rank};
    for (size_t i = 0; i < count; i++) {
        int64_t difference = parts[i].time[0] - parts[i].time[1];
        for (int side = 0; side < 2; side++) {
            row->time[side] += parts[i].time[side];
            row->calls[side] += parts[i].calls[side];
        }
        if (llabs(difference) > llabs(row->most)) {
            row->most = difference;
            row->rank = parts[i].rank;
        }
    }
    int error = 0;
    for (size_t i = 0; i < count && row->most && !error; i++) {
        int64_t difference = parts[i].time[0] - parts[i].time[1];
        if ((difference > 0) == (row->most > 0) && 2 * llabs(difference) >= llabs(row->most))
            error = efg_ranklist_add(&row->ranks, parts[i].rank);
    }
    return error;
}

static int64_t difference_of(const struct efg_beside_row *row)
{
    return row->time[0] - row->time[1];
}

static int by_difference(const void *a, const void *b)
{
    const struct efg_beside_row *x = a, *y = b;
    int64_t dx = llabs(difference_of(x)), dy = llabs(difference_of(y));
    if (dx != dy)
        return dx < dy ? 1 : -1;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return x->is_compute - y->is_compute;
}

static int make_rows(const struct efg_beside *b, struct efg_beside_pair *pair)
{
    struct efg_buffer parts = {0};
    int error = 0;
    for (size_t i = 0; i < b->cells.size / sizeof(struct cell); i++) {
        const struct cell *cell = &cells_of(b)[i];
        int side = side_of(pair, cell->slot);
        if (side > 1 || !has_rank(pair, cell->rank))
            continue;
        add_part(&parts, cell, side, true);
        if (cell->site != EFG_NONE)
            add_part(&parts, cell, side, false);
    }
    struct part *part = (struct part *)parts.data;
    size_t count = parts.failed ? 0 : unite(part, parts.size / sizeof *part);
    for (size_t i = 0, next; i < count && !error; i = next) {
        for (next = i + 1; next < count && is_of_row(&part[i], &part[next]);)
            next++;
        error = add_row(pair, &part[i], next - i);
    }
    error = parts.failed ? -ENOMEM : error;
    efg_buffer_fini(&parts);
    if (pair->row_count)
        qsort(pair->rows, pair->row_count, sizeof *pair->rows, by_difference);
    return error;
}

/* --- the whole --- */

int efg_beside_end(struct efg_beside *b)
{
    for (uint32_t i = 0; i < b->pair_count; i++) {
        struct efg_beside_pair *pair = &b->pairs[i];
        find_slots(b, pair);
        if (!pair->is_found[0] || !pair->is_found[1])
            continue;
        if (sum_ranks(b, pair) || make_rows(b, pair))
            return -ENOMEM;
        efg_beside_judge(b, pair);
    }
    return 0;
}

const struct efg_beside_pair *efg_beside_slowest(const struct efg_beside *b)
{
    const struct efg_beside_pair *slowest = NULL;
    for (uint32_t i = 0; i < b->pair_count; i++)
        if (b->pairs[i].rank_count && (!slowest || b->pairs[i].times[0] > slowest->times[0]))
            slowest = &b->pairs[i];
    return slowest;
}

void efg_beside_fini(struct efg_beside *b)
{
    for (uint32_t i = 0; i < b->pair_count; i++) {
        for (uint32_t r = 0; r < b->pairs[i].row_count; r++)
            efg_ranklist_fini(&b->pairs[i].rows[r].ranks);
        free(b->pairs[i].rows);
        free(b->pairs[i].ranks);
    }
    free(b->pairs);
    efg_recorded_names_fini(&b->names);
    efg_map_fini(&b->wanted);
    efg_map_fini(&b->slots);
    efg_map_fini(&b->open);
    efg_buffer_fini(&b->slot);
    efg_buffer_fini(&b->cells);
    *b = (struct efg_beside){0};
}
