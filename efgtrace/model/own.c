/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the loops of one rank among those of the merged graph, by the sets of their calls.
 */
#include "own.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "files/summary/summary.h"

int efg_own_make(struct efg_own *own, const struct efg_run *run, const struct efg_run_thread *thread)
{
    *own = (struct efg_own){.node_count = thread->graph.node_count};
    own->node = calloc((size_t)own->node_count + 1, sizeof *own->node);
    for (uint32_t i = 0; own->node && i < own->node_count; i++)
        own->node[i] = i;
    return own->node ? efg_summary_tree(&own->tree, run, &thread->graph, &thread->loops.main) : -ENOMEM;
}

void efg_own_fini(struct efg_own *own)
{
    efg_looptree_fini(&own->tree);
    free(own->node);
    *own = (struct efg_own){0};
}

void efg_own_follow(struct efg_own *own, const uint32_t *node)
{
    for (uint32_t i = 0; i < own->node_count; i++)
        own->node[i] = node[own->node[i]];
}

/* NODE of the merged graph is in LOOP of TREE and in those around it: SETS gets a number for the nodes of
 * each, which is the same for the same ones. */
static void enter(const struct efg_looptree *tree, uint32_t loop, uint32_t node, uint64_t *sets)
{
    for (uint32_t l = loop; l != EFG_NONE; l = tree->loops[l].parent)
        sets[l] += efg_hash_mix(0, node);
}

/* The sets of both trees, of the nodes that the rank has. WHERE, by node: one more than that of the rank. */
static void fill(const struct efg_own *own, const struct efg_looptree *tree, uint32_t node_count,
                 uint32_t *where, uint64_t *own_sets, uint64_t *sets)
{
    for (uint32_t i = 0; i < own->node_count; i++)
        where[own->node[i]] = i + 1;
    for (uint32_t v = 0; v < node_count; v++) {
        if (where[v]) {
            enter(&own->tree, own->tree.loop_of[where[v] - 1], v, own_sets);
            enter(tree, tree->loop_of[v], v, sets);
        }
    }
}

/* The main loops belong together. Parents come before children in both: of several with the same calls the
 * outermost ones do. */
static void match(const struct efg_own *own, const struct efg_looptree *tree, const uint64_t *own_sets,
                  const uint64_t *sets, uint64_t *repetitions)
{
    bool is_known = own->tree.main != EFG_NONE && tree->main != EFG_NONE;
    if (is_known)
        repetitions[tree->main] = own->tree.loops[own->tree.main].repetitions;
    for (uint32_t o = 0; o < own->tree.count; o++) {
        uint32_t l = 0;
        while (l < tree->count && (repetitions[l] || sets[l] != own_sets[o] ||
                                   tree->loops[l].function != own->tree.loops[o].function))
            l++;
        if (l < tree->count && !(is_known && o == own->tree.main))
            repetitions[l] = own->tree.loops[o].repetitions;
    }
}

int efg_own_repetitions(const struct efg_own *own, const struct efg_looptree *tree, uint32_t node_count,
                        uint64_t *repetitions)
{
    uint32_t *where = calloc((size_t)node_count + 1, sizeof *where);
    uint64_t *own_sets = calloc((size_t)own->tree.count + 1, sizeof *own_sets);
    uint64_t *sets = calloc((size_t)tree->count + 1, sizeof *sets);
    int error = where && own_sets && sets ? 0 : -ENOMEM;
    if (!error) {
        fill(own, tree, node_count, where, own_sets, sets);
        match(own, tree, own_sets, sets, repetitions);
    }
    free(where);
    free(own_sets);
    free(sets);
    return error;
}
