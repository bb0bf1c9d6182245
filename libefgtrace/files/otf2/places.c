/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who took part, and where: the system tree, the ranks, the threads.
 *
 * One machine, the hosts below it, and below a host what is known of where a rank ran. Nodes
 * are interned, so ranks at the same place share them, and a parent always has a smaller id
 * than its children. Every rank has a thread 0, with or without a log of it.
 */
#include "parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the system tree --- */

static uint32_t add_node(struct efg_otf2_unifier *u, uint32_t parent, uint32_t name, const char *class,
                         uint32_t domain)
{
    struct efg_otf2_node node = {.parent = parent, .name = name, .domain = domain};
    node.class = efg_otf2_intern_text(&u->strings, class);
    return efg_otf2_intern(&u->nodes, &node, sizeof node);
}

static uint32_t machine(struct efg_otf2_unifier *u)
{
    return add_node(u, EFG_NONE, efg_otf2_intern_text(&u->strings, "machine"), "machine",
                    OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
}

/* HOST: a string's row; 0, the empty one, for none. */
static uint32_t host_node(struct efg_otf2_unifier *u, uint32_t host)
{
    uint32_t root = machine(u);
    return host ? add_node(u, root, host, "node", OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY) : root;
}

/* A part of PARENT, or PARENT itself where NUMBER is not known; NUMBER: + 1, or 0. */
static uint32_t part(struct efg_otf2_unifier *u, uint32_t parent, const char *class, uint32_t number,
                     uint32_t domain)
{
    char name[32];
    if (!number)
        return parent;
    snprintf(name, sizeof name, "%s %" PRIu32, class, number - 1);
    return add_node(u, parent, efg_otf2_intern_text(&u->strings, name), class, domain);
}

/* As far down as is known. */
static uint32_t core_node(struct efg_otf2_unifier *u, uint32_t host, uint32_t package, uint32_t numa,
                          uint32_t core)
{
    uint32_t node = host_node(u, host);
    node = part(u, node, "package", package, OTF2_SYSTEM_TREE_DOMAIN_SOCKET);
    node = part(u, node, "numa", numa, OTF2_SYSTEM_TREE_DOMAIN_NUMA);
    return part(u, node, "core", core, OTF2_SYSTEM_TREE_DOMAIN_CORE);
}

/* --- ranks and threads --- */

static void cast_ranks(struct efg_otf2_unifier *u, struct efg_otf2_cast *cast)
{
    char name[32];
    machine(u);                              /* node 0, where ranks without a log are */
    for (int i = 0; i < u->log_count; i++) { /* the first one of a rank says where it is */
        const struct efg_otf2_log *log = u->logs + i;
        uint32_t node = core_node(u, log->host, log->package, log->numa, log->core);
        uint32_t *place = &cast->rank_nodes[log->rank];
        *place = *place ? *place : node;
    }
    for (uint32_t i = 0; i < u->ranks; i++) {
        snprintf(name, sizeof name, "MPI Rank %" PRIu32, i);
        cast->rank_names[i] = efg_otf2_intern_text(&u->strings, name);
    }
}

static uint32_t thread_name(struct efg_otf2_unifier *u, uint64_t thread)
{
    char name[32];
    if (thread > EFG_OTF2_WORKER)
        snprintf(name, sizeof name, "OMP thread %" PRIu64, thread - EFG_OTF2_WORKER);
    else
        snprintf(name, sizeof name, "Thread %" PRIu64, thread);
    return efg_otf2_intern_text(&u->strings, thread ? name : "Master thread");
}

static int by_location(const void *one, const void *other)
{
    const struct efg_otf2_thread *a = one, *b = other;
    return (a->location > b->location) - (a->location < b->location);
}

static void cast_threads(struct efg_otf2_unifier *u, const uint64_t *events, struct efg_otf2_cast *cast)
{
    struct efg_otf2_thread *t = cast->threads;
    for (uint32_t rank = 0; rank < u->ranks; rank++) /* all thread 0, in the order of ids */
        t[rank].location = rank;
    cast->thread_count = u->ranks;
    for (int i = 0; i < u->log_count; i++) {
        const struct efg_otf2_log *log = u->logs + i;
        struct efg_otf2_thread *own = t + (log->thread ? cast->thread_count++ : log->rank);
        own->location = (uint64_t)log->thread << 32 | log->rank;
        own->events = events[i];
        own->has_log = true;
        for (uint32_t k = 0; k < log->workers; k++)
            t[cast->thread_count++] = (struct efg_otf2_thread){
                .location = (uint64_t)(EFG_OTF2_WORKER + k + 1) << 32 | log->rank,
                .events = log->parts[k] * EFG_OTF2_PART,
                .has_log = true,
            };
    }
    for (uint32_t i = 0; i < cast->thread_count; i++)
        t[i].name = thread_name(u, t[i].location >> 32);
    qsort(t, cast->thread_count, sizeof *t, by_location);
}

int efg_otf2_cast(struct efg_otf2_unifier *u, const uint64_t *events, struct efg_otf2_cast *cast)
{
    cast->rank_nodes = calloc(u->ranks + 1, sizeof *cast->rank_nodes);
    cast->rank_names = calloc(u->ranks + 1, sizeof *cast->rank_names);
    cast->threads =
        calloc((size_t)u->ranks + (size_t)u->log_count + u->worker_count + 1, sizeof *cast->threads);
    if (!cast->rank_nodes || !cast->rank_names || !cast->threads) {
        efg_otf2_cast_fini(cast);
        return -ENOMEM;
    }
    cast_ranks(u, cast);
    cast_threads(u, events, cast);
    return 0;
}

void efg_otf2_cast_fini(struct efg_otf2_cast *cast)
{
    free(cast->rank_nodes);
    free(cast->rank_names);
    free(cast->threads);
    *cast = (struct efg_otf2_cast){0};
}
