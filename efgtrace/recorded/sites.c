/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the node of the graph that a recorded call belongs to. Nodes are looked up by the hashes of
 * function and call path, once for each site of the trace.
 */
#include "sites.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "files/summary/summary.h"

static uint64_t hash_of(const char *function)
{
    return efg_hash_bytes(0, function, strlen(function));
}

static int put(struct efg_map *map, uint64_t key, uint64_t value)
{
    uint64_t *at = efg_map_put(map, key);
    if (at)
        *at = value;
    return at ? 0 : -ENOMEM;
}

int efg_recorded_names_init(struct efg_recorded_names *names, const struct efg_run *run)
{
    const struct efg_run_names *known = &run->common.names;
    int error = 0;
    *names = (struct efg_recorded_names){.run = run};
    for (uint32_t i = 0; i < known->call_count && !error; i++)
        error = put(&names->calls, hash_of(known->calls[i].name), known->calls[i].id);
    for (uint32_t i = 0; i < known->path_count && !error; i++)
        error = put(&names->paths, known->paths[i].hash, i + 1);
    return error;
}

void efg_recorded_names_fini(struct efg_recorded_names *names)
{
    efg_map_fini(&names->calls);
    efg_map_fini(&names->paths);
}

int efg_recorded_node(const struct efg_recorded_names *names, const struct efg_recorded_site *site,
                      struct efg_node *node)
{
    const uint64_t *call = efg_map_find(&names->calls, hash_of(site->function)),
                   *path = efg_map_find(&names->paths, site->path);
    *node = (struct efg_node){0};
    if (!call)
        return -ENOENT;
    node->signature.call = (uint32_t)*call;
    node->signature.path = path && site->path ? (uint32_t)*path : 0;
    node->hash = efg_signature_name(&node->signature, node->signature.path ? site->path : 0);
    return 0;
}

void efg_recorded_place(const struct efg_recorded_names *names, const struct efg_recorded_site *site,
                        char *text, size_t size)
{
    struct efg_node node;
    efg_recorded_node(names, site, &node);
    efg_summary_place(names->run, &node, text, size);
}

void efg_recorded_label(const struct efg_recorded_names *names, const struct efg_recorded_site *site,
                        char *text, size_t size)
{
    struct efg_node node;
    if (efg_recorded_node(names, site, &node))
        snprintf(text, size, "%s", site->function);
    else
        efg_summary_node(names->run, &node, text, size);
}
