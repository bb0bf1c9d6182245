/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ranks have in common, as bytes: names, groups, places in the source.
 */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* --- names --- */

/* How many of the outermost frames of two paths are the same. */
static uint32_t count_shared(const struct efg_run_path *a, const struct efg_run_path *b)
{
    uint32_t shared = 0;
    while (shared < a->depth && shared < b->depth) {
        const struct efg_frame *x = &a->frames[a->depth - 1 - shared];
        const struct efg_frame *y = &b->frames[b->depth - 1 - shared];
        if (x->module != y->module || x->offset != y->offset)
            break;
        shared++;
    }
    return shared;
}

/* Of PATH what differs from the one BEFORE, which may be NULL. */
static void put_path(struct efg_buffer *out, const struct efg_run_path *path,
                     const struct efg_run_path *before)
{
    uint32_t shared = before ? count_shared(path, before) : 0;
    efg_buffer_u64(out, path->hash);
    efg_buffer_number(out, shared);
    efg_buffer_number(out, path->depth - shared);
    for (uint32_t i = 0; i < path->depth - shared; i++) {
        efg_buffer_number(out, path->frames[i].module);
        efg_buffer_number(out, path->frames[i].offset);
    }
}

static void put_names(struct efg_buffer *out, const struct efg_run_names *names)
{
    efg_buffer_number(out, names->call_count);
    for (uint32_t i = 0; i < names->call_count; i++) {
        efg_buffer_number(out, names->calls[i].id);
        efg_buffer_number(out, names->calls[i].class);
        efg_buffer_string(out, names->calls[i].name);
    }
    efg_buffer_number(out, names->module_count);
    for (uint32_t i = 0; i < names->module_count; i++)
        efg_buffer_string(out, names->modules[i]);
    efg_buffer_number(out, names->path_count);
    for (uint32_t i = 0; i < names->path_count; i++)
        put_path(out, &names->paths[i], i ? &names->paths[i - 1] : NULL);
    efg_buffer_number(out, names->region_count);
    for (uint32_t i = 0; i < names->region_count; i++) {
        efg_buffer_number(out, names->regions[i].id);
        efg_buffer_string(out, names->regions[i].name);
    }
}

static void get_path(struct efg_input *in, struct efg_run_path *path, const struct efg_run_path *before,
                     uint32_t module_count)
{
    path->hash = efg_reader_u64(&in->reader);
    uint32_t shared = efg_input_to(in, before ? before->depth : 0);
    size_t own = efg_reader_count(&in->reader, EFG_LEAST_FRAME);
    efg_input_expect(in, own + shared <= EFG_MOST_FRAMES);
    if (in->reader.failed || own + shared == 0)
        return;
    path->frames = efg_input_need(in, calloc(own + shared, sizeof *path->frames));
    if (!path->frames)
        return;
    path->depth = (uint32_t)own + shared;
    for (size_t i = 0; i < own; i++) {
        path->frames[i].module = efg_input_32(in);
        path->frames[i].offset = efg_input_number(in);
        efg_input_expect(in, path->frames[i].module < module_count);
    }
    if (shared)
        memcpy(path->frames + own, before->frames + before->depth - shared, shared * sizeof *path->frames);
}

int efg_run_get_names(struct efg_run_names *names, const void *bytes, size_t size)
{
    struct efg_input in = efg_input(bytes, size);
    names->calls = efg_input_array(&in, EFG_LEAST_CALL, sizeof *names->calls, &names->call_count);
    for (uint32_t i = 0; i < names->call_count; i++) {
        names->calls[i].id = efg_input_32(&in);
        names->calls[i].class = efg_input_32(&in);
        names->calls[i].name = efg_input_string(&in);
    }
    names->modules = efg_input_array(&in, EFG_LEAST_MODULE, sizeof *names->modules, &names->module_count);
    for (uint32_t i = 0; i < names->module_count; i++)
        names->modules[i] = efg_input_string(&in);
    names->paths = efg_input_array(&in, EFG_LEAST_PATH, sizeof *names->paths, &names->path_count);
    for (uint32_t i = 0; i < names->path_count; i++)
        get_path(&in, &names->paths[i], i ? &names->paths[i - 1] : NULL, names->module_count);
    names->regions = efg_input_array(&in, EFG_LEAST_REGION, sizeof *names->regions, &names->region_count);
    for (uint32_t i = 0; i < names->region_count; i++) {
        names->regions[i].id = efg_input_32(&in);
        names->regions[i].name = efg_input_string(&in);
    }
    return efg_input_outcome(&in);
}

/* --- groups --- */

static void put_groups(struct efg_buffer *out, const struct efg_run_common *common)
{
    efg_buffer_number(out, common->group_count);
    for (uint32_t i = 0; i < common->group_count; i++) {
        const struct efg_run_group *group = &common->groups[i];
        efg_ranklist_put(out, &group->ranks);
        efg_buffer_number(out, group->path_count);
        for (uint32_t k = 0; k < group->path_count; k++)
            efg_buffer_number(out, group->paths[k]);
        efg_buffer_number(out, group->size);
        efg_buffer_put(out, group->shape, group->size);
    }
}

static void get_shape(struct efg_input *in, struct efg_run_group *group)
{
    size_t size = efg_reader_count(&in->reader, 1);
    const void *shape = efg_reader_take(&in->reader, size);
    group->shape = shape ? efg_input_need(in, malloc(size + 1)) : NULL;
    if (!group->shape)
        return;
    memcpy(group->shape, shape, size);
    group->size = size;
    group->hash = efg_hash_bytes(0, shape, size);
}

static void get_group(struct efg_input *in, struct efg_run_group *group, uint32_t path_count)
{
    if (efg_ranklist_get(&in->reader, &group->ranks))
        in->no_memory = in->reader.failed = true;
    group->paths = efg_input_array(in, 1, sizeof *group->paths, &group->path_count);
    for (uint32_t i = 0; i < group->path_count; i++) {
        group->paths[i] = efg_input_to(in, path_count);
        efg_input_expect(in, group->paths[i] > 0);
    }
    get_shape(in, group);
}

int efg_run_get_groups(struct efg_run_common *common, const void *bytes, size_t size)
{
    struct efg_input in = efg_input(bytes, size);
    common->groups = efg_input_array(&in, EFG_LEAST_GROUP, sizeof *common->groups, &common->group_count);
    for (uint32_t i = 0; i < common->group_count && !in.reader.failed; i++)
        get_group(&in, &common->groups[i], common->names.path_count);
    return efg_input_outcome(&in);
}

/* --- sites --- */

void efg_run_put_sites(struct efg_buffer *out, const struct efg_run *run)
{
    efg_buffer_number(out, run->site_count);
    for (uint32_t i = 0; i < run->site_count; i++) {
        const struct efg_run_site *site = &run->sites[i];
        efg_buffer_string(out, site->module);
        efg_buffer_number(out, site->offset);
        efg_buffer_number(out, site->symbol_count);
        for (uint32_t k = 0; k < site->symbol_count; k++) {
            efg_buffer_string(out, site->symbols[k].function);
            efg_buffer_string(out, site->symbols[k].file);
            efg_buffer_number(out, site->symbols[k].line);
        }
    }
}

static void get_site(struct efg_input *in, struct efg_run_site *site)
{
    site->module = efg_input_string(in);
    site->offset = efg_input_number(in);
    site->symbols = efg_input_array(in, EFG_LEAST_SYMBOL, sizeof *site->symbols, &site->symbol_count);
    for (uint32_t i = 0; i < site->symbol_count; i++) {
        site->symbols[i].function = efg_input_string(in);
        site->symbols[i].file = efg_input_string(in);
        site->symbols[i].line = efg_input_32(in);
    }
}

int efg_run_get_sites(struct efg_run *run, const void *bytes, size_t size)
{
    struct efg_input in = efg_input(bytes, size);
    run->sites = efg_input_array(&in, EFG_LEAST_SITE, sizeof *run->sites, &run->site_count);
    for (uint32_t i = 0; i < run->site_count; i++)
        get_site(&in, &run->sites[i]);
    return efg_input_outcome(&in);
}

/* --- all of it: five sections --- */

void efg_run_put_common(struct efg_buffer *out, const struct efg_run_common *common)
{
    size_t begin = efg_section_begin(out, EFG_SECTION_NAMES, 0);
    put_names(out, &common->names);
    efg_section_end(out, begin);
    begin = efg_section_begin(out, EFG_SECTION_GROUPS, 0);
    put_groups(out, common);
    efg_section_end(out, begin);
    begin = efg_section_begin(out, EFG_SECTION_TOTALS, 0);
    efg_totals_put(out, &common->totals);
    efg_section_end(out, begin);
    begin = efg_section_begin(out, EFG_SECTION_ORDERS, 0);
    efg_run_put_orders(out, common);
    efg_section_end(out, begin);
    begin = efg_section_begin(out, EFG_SECTION_POSITIONS, 0);
    efg_run_put_positions(out, &common->names);
    efg_section_end(out, begin);
}

static int get_part(struct efg_run_common *common, uint32_t kind, const void *bytes, size_t size)
{
    switch (kind) {
    case EFG_SECTION_NAMES:
        return efg_run_get_names(&common->names, bytes, size);
    case EFG_SECTION_GROUPS:
        return efg_run_get_groups(common, bytes, size);
    case EFG_SECTION_ORDERS:
        return efg_run_get_orders(common, bytes, size);
    case EFG_SECTION_POSITIONS:
        return efg_run_get_positions(&common->names, bytes, size);
    default:
        return efg_totals_get(&common->totals, bytes, size);
    }
}

int efg_run_get_common(struct efg_run_common *common, const void *bytes, size_t size)
{
    static const uint32_t parts[] = {EFG_SECTION_NAMES, EFG_SECTION_GROUPS, EFG_SECTION_TOTALS,
                                     EFG_SECTION_ORDERS, EFG_SECTION_POSITIONS};
    struct efg_reader in = efg_reader(bytes, size);
    int error = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !error; i++) {
        const void *header = efg_reader_take(&in, EFG_SECTION_HEADER);
        struct efg_section section = header ? efg_section_get(header) : (struct efg_section){0};
        const void *payload = header ? efg_reader_take(&in, section.size) : NULL;
        error = payload && section.kind == parts[i] ? get_part(common, section.kind, payload, section.size)
                                                    : -EBADMSG;
    }
    return error ? error : in.at == in.size ? 0 : -EBADMSG;
}
