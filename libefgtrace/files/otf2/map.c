/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the unifier to the map of each log: what of the log became which definition.
 *
 *     first, last (ns since 1970, of all logs) | clock | records | team | entries | EFG_ITEM_END
 *
 * Clock and number of records are those of the scan, so that a job which goes on meanwhile
 * cannot put an event outside of the time that the definitions promise.
 */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>

#define SLACK 1000 /* ns behind the last event, for those that move on because no two have one time */

enum { GROUP_LOCATIONS, GROUP_SELF, GROUP_FIRST }; /* the order in which they are written */

uint32_t efg_otf2_group(uint32_t row)
{
    return GROUP_FIRST + row;
}

uint32_t efg_otf2_group_of(const struct efg_otf2_comm *comm)
{
    return comm->kind == EFG_COMM_SELF ? GROUP_SELF : efg_otf2_group(comm->group);
}

uint32_t efg_otf2_comm_size(const struct efg_otf2_unifier *u, uint32_t row)
{
    const struct efg_otf2_comm *comm = efg_otf2_key(&u->comms, row);
    return (uint32_t)(u->groups.rows[comm->group].size / sizeof(uint32_t));
}

uint32_t efg_otf2_name(const struct efg_otf2_unifier *u, enum efg_otf2_item item, uint32_t row)
{
    const uint64_t *name = efg_map_find(&u->names, (uint64_t)item << 32 | row);
    return name ? (uint32_t)*name : EFG_NONE;
}

void efg_otf2_span(const struct efg_otf2_unifier *u, uint64_t *first, uint64_t *last)
{
    *first = u->first;
    *last = u->last;
    if (*first == UINT64_MAX) /* no events at all */
        *first = u->log_count ? u->start : 0;
    if (*last <= *first)
        *last = *first + 1;
    *last += SLACK;
}

/* --- teams of threads: their numbers are behind those of MPI --- */

uint32_t efg_otf2_team_comm(const struct efg_otf2_unifier *u, uint32_t team)
{
    return u->comms.count + team;
}

uint32_t efg_otf2_team_threads(const struct efg_otf2_unifier *u)
{
    return efg_otf2_group(u->groups.count);
}

uint32_t efg_otf2_team_group(const struct efg_otf2_unifier *u, uint32_t team)
{
    return efg_otf2_team_threads(u) + 1 + team;
}

static void put_team(const struct efg_otf2_unifier *u, const struct efg_otf2_log *log, struct efg_buffer *out)
{
    efg_buffer_number(out, log->workers);
    if (!log->workers)
        return;
    efg_buffer_number(out, efg_otf2_team_comm(u, log->team));
    efg_buffer_number(out, u->parallel);
    efg_buffer_number(out, u->barrier);
}

/* --- the order of communicators --- */

enum { OPEN = EFG_NONE, CLIMBING = EFG_NONE - 1 };

static uint32_t parent_of(const struct efg_otf2_unifier *u, uint32_t row)
{
    uint64_t value = u->comms.rows[row].value;
    return value ? (uint32_t)(value - 1) : EFG_NONE;
}

/* Climb from ROW to the first ancestor that has an id, then number all on the way down.
 * The way is kept in the end of comm_order that is not yet in use. */
static uint32_t number_with_parents(struct efg_otf2_unifier *u, uint32_t row, uint32_t next)
{
    uint32_t top = u->comms.count;
    while (row != EFG_NONE && u->comm_ids[row] == OPEN) {
        u->comm_ids[row] = CLIMBING;
        u->comm_order[--top] = row;
        row = parent_of(u, row);
    }
    if (row != EFG_NONE && u->comm_ids[row] == CLIMBING)
        u->comms.rows[u->comm_order[top]].value = 0; /* a circle: cut it */
    for (; top < u->comms.count; top++) {
        row = u->comm_order[top];
        u->comm_ids[row] = next;
        u->comm_order[next++] = row;
    }
    return next;
}

int efg_otf2_order_comms(struct efg_otf2_unifier *u)
{
    uint32_t next = 0;
    if (u->comm_ids)
        return 0;
    u->comm_ids = malloc((u->comms.count + 1) * sizeof *u->comm_ids);
    u->comm_order = malloc((u->comms.count + 1) * sizeof *u->comm_order);
    if (!u->comm_ids || !u->comm_order)
        return -ENOMEM;
    for (uint32_t i = 0; i < u->comms.count; i++)
        u->comm_ids[i] = OPEN;
    for (uint32_t i = 0; i < u->comms.count; i++)
        next = number_with_parents(u, i, next);
    return 0;
}

/* --- entries --- */

/* From where the entry begins to where the next one does. */
static void put_path(const struct efg_otf2_unifier *u, uint32_t row, struct efg_buffer *out)
{
    uint64_t from = u->paths.rows[row].value, to = u->path_entries.size;
    if (row + 1 < u->paths.count)
        to = u->paths.rows[row + 1].value;
    efg_buffer_put(out, u->path_entries.data + from, to - from);
}

static void put_entry(const struct efg_otf2_unifier *u, struct efg_otf2_reference reference,
                      struct efg_buffer *out)
{
    efg_buffer_number(out, reference.item);
    switch (reference.item) {
    case EFG_ITEM_PATH:
        return put_path(u, reference.row, out);
    case EFG_ITEM_COMM:
        return efg_buffer_number(out, u->comm_ids[reference.row]);
    case EFG_ITEM_GROUP:
        return efg_buffer_number(out, efg_otf2_group(reference.row));
    case EFG_ITEM_CALL:
    case EFG_ITEM_WIN:
    case EFG_ITEM_FILE:
    case EFG_ITEM_REGION:
    case EFG_ITEM_WHEN:
    case EFG_ITEM_PHASE:
    case EFG_ITEM_COUNTERS:
        return efg_buffer_number(out, reference.row);
    }
}

/* Logs that define the same have the same entries: they are made once. */
static const struct efg_buffer *entries_of(struct efg_otf2_unifier *u, struct efg_otf2_set *set)
{
    if (set->entries.size)
        return &set->entries;
    for (uint32_t i = 0; i < set->reference_count; i++)
        put_entry(u, set->references[i], &set->entries);
    efg_buffer_number(&set->entries, EFG_ITEM_END);
    return &set->entries;
}

int efg_otf2_map(struct efg_otf2_unifier *u, int index, struct efg_buffer *out)
{
    const struct efg_otf2_log *log = u->logs + index;
    uint64_t first, last;
    if (efg_otf2_order_comms(u) != 0)
        return -ENOMEM;
    const struct efg_buffer *entries = entries_of(u, &u->sets[log->set]);
    efg_otf2_span(u, &first, &last);
    efg_buffer_u64(out, first);
    efg_buffer_u64(out, last);
    efg_log_put_clock(out, &log->clock);
    efg_buffer_number(out, log->count);
    put_team(u, log, out);
    efg_buffer_put(out, entries->data, entries->size);
    return out->failed || entries->failed ? -ENOMEM : 0;
}
