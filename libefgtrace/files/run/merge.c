/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds what some ranks have in common to what others have. What is added is first renumbered as
 * the merge numbers it, then looked up by its hash and compared: modules by name, paths by their
 * frames, graphs by their shape and the paths in it, sequences by 128 bits of hash and their
 * size, as they are too large to be sent along. New things are moved over, others only bring
 * their ranks. Calls and regions have ids that agree between ranks.
 */
#include "merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "parts.h"

void efg_merge_fini(struct efg_merge *merge)
{
    efg_run_common_fini(&merge->common);
    efg_map_fini(&merge->calls);
    efg_map_fini(&merge->modules);
    efg_map_fini(&merge->paths);
    efg_map_fini(&merge->regions);
    efg_map_fini(&merge->groups);
    efg_map_fini(&merge->orders);
    memset(merge, 0, sizeof *merge);
}

/* Room for one more in an array of COUNT. Returns 0 or -ENOMEM. */
static int grow(struct efg_merge *m, void *array, uint32_t count, size_t size)
{
    m->failed |= efg_array_grow(array, count, 1, size) != 0;
    return m->failed ? -ENOMEM : 0;
}

typedef bool is_same_fn(const struct efg_merge *m, uint32_t number, const void *thing);

/* The number of the THING with the hash KEY among COUNT; COUNT itself if it is new. */
static uint32_t find(struct efg_merge *m, struct efg_map *map, uint64_t key, uint32_t count,
                     is_same_fn *is_same, const void *thing)
{
    for (;; key++) { /* another thing may have this hash: the next one then */
        uint64_t *number = efg_map_put(map, key);
        if (!number) {
            m->failed = true;
            return count;
        }
        if (!*number)
            *number = (uint64_t)count + 1;
        if (*number > count || is_same(m, (uint32_t)(*number - 1), thing))
            return (uint32_t)(*number - 1);
    }
}

static bool is_same_id(const struct efg_merge *m, uint32_t number, const void *thing)
{
    (void)m, (void)number, (void)thing; /* the key is the id */
    return true;
}

/* --- names --- */

static void add_call(struct efg_merge *m, struct efg_run_call *call)
{
    struct efg_run_names *names = &m->common.names;
    uint32_t count = names->call_count;
    if (find(m, &m->calls, call->id, count, is_same_id, NULL) < count)
        return;
    if (grow(m, &names->calls, count, sizeof *names->calls))
        return;
    names->calls[names->call_count++] = *call;
    call->name = NULL;
}

static void add_region(struct efg_merge *m, struct efg_run_region *region)
{
    struct efg_run_names *names = &m->common.names;
    uint32_t count = names->region_count;
    if (find(m, &m->regions, region->id, count, is_same_id, NULL) < count)
        return;
    if (grow(m, &names->regions, count, sizeof *names->regions))
        return;
    names->regions[names->region_count++] = *region;
    region->name = NULL;
}

static bool is_same_module(const struct efg_merge *m, uint32_t number, const void *thing)
{
    return !strcmp(m->common.names.modules[number], thing);
}

static uint32_t add_module(struct efg_merge *m, char **module)
{
    struct efg_run_names *names = &m->common.names;
    uint32_t count = names->module_count;
    uint32_t number =
        find(m, &m->modules, efg_hash_bytes(0, *module, strlen(*module)), count, is_same_module, *module);
    if (number < count || m->failed)
        return number;
    if (grow(m, &names->modules, count, sizeof *names->modules))
        return number;
    names->modules[names->module_count++] = *module;
    *module = NULL;
    return number;
}

static bool is_same_path(const struct efg_merge *m, uint32_t number, const void *thing)
{
    const struct efg_run_path *a = &m->common.names.paths[number], *b = thing;
    return a->hash == b->hash && a->depth == b->depth &&
           (!a->depth || !memcmp(a->frames, b->frames, a->depth * sizeof *a->frames));
}

static void add_position(struct efg_merge *m, const struct efg_run_position *position,
                         const uint32_t *module_number)
{
    struct efg_frame frame = {.module = module_number[position->module], .offset = position->offset};
    m->failed |= efg_run_position_add(&m->common.names, &frame, position->position) != 0;
}

static uint32_t add_path(struct efg_merge *m, struct efg_run_path *path, const uint32_t *module_number)
{
    struct efg_run_names *names = &m->common.names;
    uint32_t count = names->path_count;
    for (uint32_t i = 0; i < path->depth; i++)
        path->frames[i].module = module_number[path->frames[i].module];
    uint32_t number = find(m, &m->paths, path->hash, count, is_same_path, path);
    if (number < count || m->failed)
        return number;
    if (grow(m, &names->paths, count, sizeof *names->paths))
        return number;
    names->paths[names->path_count++] = *path;
    *path = (struct efg_run_path){0};
    return number;
}

/* --- groups --- */

static bool is_same_group(const struct efg_merge *m, uint32_t number, const void *thing)
{
    const struct efg_run_group *a = &m->common.groups[number], *b = thing;
    return a->size == b->size && a->path_count == b->path_count && !memcmp(a->shape, b->shape, a->size) &&
           (!a->path_count || !memcmp(a->paths, b->paths, a->path_count * sizeof *a->paths));
}

static void add_group(struct efg_merge *m, struct efg_run_group *group, const uint32_t *path_number)
{
    struct efg_run_common *common = &m->common;
    uint32_t count = common->group_count;
    for (uint32_t i = 0; i < group->path_count; i++)
        group->paths[i] = path_number[group->paths[i] - 1] + 1;
    uint32_t number = find(m, &m->groups, group->hash, count, is_same_group, group);
    if (m->failed)
        return;
    if (number < count) {
        m->failed |= efg_ranklist_append(&common->groups[number].ranks, &group->ranks) != 0;
        return;
    }
    if (grow(m, &common->groups, count, sizeof *common->groups))
        return;
    common->groups[common->group_count++] = *group;
    *group = (struct efg_run_group){0};
}

static bool is_same_order(const struct efg_merge *m, uint32_t number, const void *thing)
{
    const struct efg_run_order *a = &m->common.orders[number], *b = thing;
    return a->hash[0] == b->hash[0] && a->hash[1] == b->hash[1] && a->size == b->size;
}

static void add_order(struct efg_merge *m, struct efg_run_order *order)
{
    struct efg_run_common *common = &m->common;
    uint32_t count = common->order_count;
    uint32_t number = find(m, &m->orders, order->hash[0], count, is_same_order, order);
    if (m->failed)
        return;
    if (number < count) {
        m->failed |= efg_ranklist_append(&common->orders[number].ranks, &order->ranks) != 0;
        return;
    }
    if (grow(m, &common->orders, count, sizeof *common->orders))
        return;
    common->orders[common->order_count++] = *order;
    *order = (struct efg_run_order){0};
}

void efg_merge_order(struct efg_merge *merge, uint32_t rank, const struct efg_run_order *order)
{
    struct efg_run_order one = {.hash = {order->hash[0], order->hash[1]}, .size = order->size};
    if (efg_ranklist_add(&one.ranks, rank))
        merge->failed = true;
    else
        add_order(merge, &one);
    efg_ranklist_fini(&one.ranks);
}

static void add_all(struct efg_merge *m, struct efg_run_common *more, uint32_t *module_number,
                    uint32_t *path_number)
{
    struct efg_run_names *names = &more->names;
    for (uint32_t i = 0; i < names->call_count; i++)
        add_call(m, &names->calls[i]);
    for (uint32_t i = 0; i < names->region_count; i++)
        add_region(m, &names->regions[i]);
    for (uint32_t i = 0; i < names->module_count; i++)
        module_number[i] = add_module(m, &names->modules[i]);
    for (uint32_t i = 0; i < names->path_count; i++)
        path_number[i] = add_path(m, &names->paths[i], module_number);
    for (uint32_t i = 0; i < names->position_count && !m->failed; i++)
        add_position(m, &names->positions[i], module_number);
    for (uint32_t i = 0; i < more->group_count; i++)
        add_group(m, &more->groups[i], path_number);
    for (uint32_t i = 0; i < more->order_count; i++)
        add_order(m, &more->orders[i]);
    efg_totals_add(&m->common.totals, &more->totals);
}

void efg_merge_add(struct efg_merge *merge, struct efg_run_common *more)
{
    uint32_t *module_number = calloc(more->names.module_count + 1, sizeof *module_number);
    uint32_t *path_number = calloc(more->names.path_count + 1, sizeof *path_number);
    if (module_number && path_number)
        add_all(merge, more, module_number, path_number);
    else
        merge->failed = true;
    free(module_number);
    free(path_number);
    efg_run_common_fini(more);
}

/* --- a rank --- */

static char *copy_text(struct efg_merge *m, const char *text)
{
    char *copy = strdup(text ? text : "");
    m->failed |= !copy;
    return copy;
}

static void copy_call(struct efg_merge *m, struct efg_run_names *to, const struct efg_run_names *names,
                      uint32_t id)
{
    for (uint32_t i = 0; i < to->call_count; i++)
        if (to->calls[i].id == id)
            return;
    for (uint32_t i = 0; i < names->call_count; i++) {
        if (names->calls[i].id != id)
            continue;
        char *name = copy_text(m, names->calls[i].name);
        if (!grow(m, &to->calls, to->call_count, sizeof *to->calls))
            to->calls[to->call_count++] = (struct efg_run_call){id, names->calls[i].class, name};
        else
            free(name);
        return;
    }
}

static void copy_region(struct efg_merge *m, struct efg_run_names *to, const struct efg_run_names *names,
                        uint32_t id)
{
    for (uint32_t i = 0; i < to->region_count; i++)
        if (to->regions[i].id == id)
            return;
    for (uint32_t i = 0; i < names->region_count; i++) {
        if (names->regions[i].id != id)
            continue;
        char *name = copy_text(m, names->regions[i].name);
        if (!grow(m, &to->regions, to->region_count, sizeof *to->regions))
            to->regions[to->region_count++] = (struct efg_run_region){id, name};
        else
            free(name);
        return;
    }
}

static void copy_path(struct efg_merge *m, struct efg_run_names *to, const struct efg_run_path *path)
{
    size_t size = path->depth * sizeof *path->frames;
    struct efg_frame *frames = size ? malloc(size) : NULL;
    m->failed |= size && !frames;
    if (grow(m, &to->paths, to->path_count, sizeof *to->paths)) {
        free(frames);
        return;
    }
    if (size)
        memcpy(frames, path->frames, size);
    for (uint32_t i = 0; i < path->depth; i++)
        frames[i].zero = 0;
    to->paths[to->path_count++] = (struct efg_run_path){path->hash, path->depth, frames};
}

/* MODULE gets the next NUMBER, from 1. */
static void copy_module(struct efg_merge *m, struct efg_run_names *to, const char *module, uint32_t *number)
{
    char *name = copy_text(m, module);
    if (!grow(m, &to->modules, to->module_count, sizeof *to->modules))
        to->modules[to->module_count++] = name;
    else
        free(name);
    *number = to->module_count;
}

/* Those of the frames of the paths that were copied, whose modules are still those of NAMES. */
static void copy_positions(struct efg_merge *m, struct efg_run_names *to, const struct efg_run_names *names)
{
    for (uint32_t i = 0; i < to->path_count && !m->failed; i++)
        for (uint32_t k = 0; k < to->paths[i].depth && !m->failed; k++) {
            const struct efg_frame *frame = &to->paths[i].frames[k];
            m->failed |= efg_run_position_add(to, frame, efg_run_position(names, frame)) != 0;
        }
}

/* The modules of the paths that were copied, numbered anew. */
static void copy_modules(struct efg_merge *m, struct efg_run_names *to, const struct efg_run_names *names)
{
    uint32_t *number = calloc(names->module_count + 1, sizeof *number); /* + 1 */
    m->failed |= !number;
    for (uint32_t i = 0; i < to->path_count && !m->failed; i++)
        for (uint32_t k = 0; k < to->paths[i].depth && !m->failed; k++) {
            uint32_t *module = &to->paths[i].frames[k].module;
            if (!number[*module])
                copy_module(m, to, names->modules[*module], &number[*module]);
            *module = number[*module] - 1;
        }
    for (uint32_t i = 0; i < to->position_count && !m->failed; i++)
        to->positions[i].module = number[to->positions[i].module] - 1;
    free(number);
}

/* The names that RANK uses, numbered in the order of their first use. */
static void copy_names(struct efg_merge *m, struct efg_run_common *to, const struct efg_run_names *names,
                       const struct efg_run_rank *rank)
{
    struct efg_run_group *group = &to->groups[0];
    for (uint32_t k = 0; k < rank->thread_count; k++) {
        const struct efg_graph *graph = &rank->threads[k].graph;
        for (uint32_t i = 0; i < graph->node_count && !m->failed; i++) {
            copy_call(m, &to->names, names, graph->nodes[i].signature.call);
            copy_region(m, &to->names, names, graph->nodes[i].signature.region);
        }
    }
    for (uint32_t i = 0; i < group->path_count && !m->failed; i++) {
        copy_path(m, &to->names, &names->paths[group->paths[i] - 1]);
        group->paths[i] = i + 1;
    }
    copy_positions(m, &to->names, names);
    copy_modules(m, &to->names, names);
}

void efg_merge_rank(struct efg_merge *merge, const struct efg_run_names *names,
                    const struct efg_run_rank *rank)
{
    struct efg_run_common one = {.groups = calloc(1, sizeof *one.groups)};
    if (!one.groups) {
        merge->failed = true;
        return;
    }
    one.group_count = 1;
    if (efg_run_shape_put(&one.groups[0], rank) || efg_ranklist_add(&one.groups[0].ranks, rank->rank) ||
        efg_totals_rank(&one.totals, rank))
        merge->failed = true;
    efg_totals_classes(&one.totals, names, rank);
    copy_names(merge, &one, names, rank);
    if (merge->failed)
        efg_run_common_fini(&one);
    else
        efg_merge_add(merge, &one);
}

/* --- bytes: as in the file --- */

void efg_merge_put(struct efg_buffer *out, const struct efg_merge *merge)
{
    efg_run_put_common(out, &merge->common);
    out->failed |= merge->failed;
}

int efg_merge_get(struct efg_merge *merge, const void *bytes, size_t size)
{
    struct efg_run_common more = {0};
    int error = efg_run_get_common(&more, bytes, size);
    if (error)
        efg_run_common_fini(&more);
    else
        efg_merge_add(merge, &more);
    return error ? error : merge->failed ? -ENOMEM : 0;
}
