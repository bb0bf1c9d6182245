/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The map of a log, read along with its definitions: each takes the next entry, and from
 * then on the log's id stands for that, until the log defines it anew.
 *
 * Invariant: as many entries were taken as definitions that have one were met.
 */
#include "pass.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void efg_otf2_read_head(struct efg_otf2_pass *p)
{
    p->first = efg_reader_u64(&p->map);
    p->last = efg_reader_u64(&p->map);
    p->clock = efg_log_get_clock(&p->map);
    p->count = efg_reader_number(&p->map);
    p->stack.team = efg_otf2_read_team(&p->map);
    p->stack.end = p->last - p->first;
}

static struct efg_otf2_route *new_path(struct efg_otf2_pass *p, size_t functions)
{
    if (functions > UINT32_MAX - p->function_count ||
        efg_array_grow(&p->paths, p->path_count, 1, sizeof *p->paths) ||
        efg_array_grow(&p->functions, p->function_count, functions, sizeof *p->functions))
        return NULL;
    return p->paths + p->path_count++;
}

static uint64_t read_path(struct efg_otf2_pass *p)
{
    uint32_t name = (uint32_t)efg_reader_number(&p->map);
    uint32_t site = (uint32_t)efg_reader_number(&p->map) - 1;
    size_t count = efg_reader_count(&p->map, 2);
    struct efg_otf2_route *path = new_path(p, count);
    if (!path) {
        p->stack.failed = true;
        return 0;
    }
    *path = (struct efg_otf2_route){name, site, p->function_count, (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        struct efg_otf2_frame *function = p->functions + p->function_count++;
        function->region = (uint32_t)efg_reader_number(&p->map);
        function->position = (uint32_t)efg_reader_number(&p->map);
    }
    return p->path_count - 1;
}

static uint64_t read_entry(struct efg_otf2_pass *p, enum efg_otf2_item item)
{
    return item == EFG_ITEM_PATH ? read_path(p) : efg_reader_number(&p->map);
}

/* The log's ID stands for what the map says next. */
static void define(struct efg_otf2_pass *p, enum efg_otf2_item item, uint32_t id)
{
    uint64_t key = (uint64_t)item << 32 | id, found = efg_reader_number(&p->map);
    if (found == EFG_ITEM_BAD) {
        efg_map_remove(&p->ids, key);
        return;
    }
    if (found != item) {
        p->map.failed = true;
        return;
    }
    uint64_t *value = efg_map_put(&p->ids, key);
    if (value)
        *value = read_entry(p, item);
    else
        p->stack.failed = true;
}

/* What is around it is defined before it: there are no circles. */
static void define_region(struct efg_otf2_pass *p, const struct efg_record *r)
{
    define(p, EFG_ITEM_REGION, r->a);
    uint64_t *value = efg_map_find(&p->ids, (uint64_t)EFG_ITEM_REGION << 32 | r->a);
    if (value && r->b < r->a)
        *value |= (uint64_t)r->b << 32;
}

void efg_otf2_define_record(struct efg_otf2_pass *p, const struct efg_record *r)
{
    switch (r->kind) {
    case EFG_REC_DEF_CALL:
        return define(p, EFG_ITEM_CALL, r->call);
    case EFG_REC_DEF_PATH:
        return define(p, EFG_ITEM_PATH, r->a);
    case EFG_REC_DEF_COMM:
        return define(p, EFG_ITEM_COMM, r->a);
    case EFG_REC_DEF_WIN:
        return define(p, EFG_ITEM_WIN, r->a);
    case EFG_REC_DEF_FILE:
        return define(p, EFG_ITEM_FILE, r->a);
    case EFG_REC_DEF_GROUP:
        return define(p, EFG_ITEM_GROUP, r->a);
    case EFG_REC_DEF_REGION:
        return define_region(p, r);
    case EFG_REC_DEF_WHEN:
        return define(p, EFG_ITEM_WHEN, 0);
    case EFG_REC_DEF_PHASE:
        return define(p, EFG_ITEM_PHASE, r->a);
    case EFG_REC_DEF_COUNTERS:
        return define(p, EFG_ITEM_COUNTERS, 0);
    }
}

bool efg_otf2_find(const struct efg_otf2_pass *p, enum efg_otf2_item item, uint32_t id, uint32_t *found)
{
    const uint64_t *value = efg_map_find(&p->ids, (uint64_t)item << 32 | id);
    if (value)
        *found = (uint32_t)*value;
    return value != NULL;
}

/* Behind what was read so far. */
static bool find_ahead(const struct efg_otf2_pass *p, enum efg_otf2_item item, uint32_t id, uint32_t *found)
{
    struct efg_otf2_pass ahead = {.reader = p->reader, .map = p->map, .count = p->count};
    const struct efg_record *r;
    bool is_found = false;
    while (!is_found && !ahead.map.failed && !ahead.stack.failed && ahead.reader.at < ahead.count &&
           (r = efg_log_read(&ahead.reader, NULL))) {
        efg_otf2_define_record(&ahead, r);
        is_found = r->kind >= EFG_REC_DEF_CALL && efg_otf2_find(&ahead, item, id, found);
    }
    efg_otf2_forget(&ahead);
    return is_found;
}

void efg_otf2_find_phase(struct efg_otf2_pass *p, uint32_t phase, uint32_t *loop)
{
    *loop = EFG_NONE;
    if (!phase || phase == EFG_PHASE_LATER || efg_otf2_find(p, EFG_ITEM_PHASE, phase, loop))
        return;
    find_ahead(p, EFG_ITEM_PHASE, phase, loop);
    uint64_t *value = efg_map_put(&p->ids, (uint64_t)EFG_ITEM_PHASE << 32 | phase);
    if (value)
        *value = *loop;
}

uint32_t efg_otf2_find_regions(const struct efg_otf2_pass *p, uint32_t id, uint32_t regions[EFG_OTF2_NESTED])
{
    uint32_t count = 0, at = EFG_OTF2_NESTED;
    while (at > 0) {
        const uint64_t *value = id ? efg_map_find(&p->ids, (uint64_t)EFG_ITEM_REGION << 32 | id) : NULL;
        if (!value)
            break;
        regions[--at] = (uint32_t)*value;
        id = (uint32_t)(*value >> 32);
    }
    count = EFG_OTF2_NESTED - at;
    memmove(regions, regions + at, count * sizeof *regions);
    return count;
}

void efg_otf2_forget(struct efg_otf2_pass *p)
{
    free(p->functions);
    free(p->paths);
    efg_map_fini(&p->ids);
}
