/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds a known loop by its function; of several, the one that ran about as often; of these, the one around a
 * node.
 */
#include "recognise.h"

#define AS_OFTEN 1.1

#include "base/hash.h"

static double ratio(uint64_t a, uint64_t b)
{
    return a > b ? (double)a / ((double)b + 1) : (double)b / ((double)a + 1);
}

static bool is_in(const struct efg_loop *loop, uint64_t function)
{
    return loop->function == function || loop->twin == function;
}

uint32_t efg_looptree_nearest(const struct efg_looptree *tree, uint64_t function, uint64_t iterations)
{
    uint32_t best = EFG_NONE;

    for (uint32_t l = 0; l < tree->count; l++)
        if (is_in(&tree->loops[l], function) &&
            (best == EFG_NONE || ratio(tree->loops[l].repetitions, iterations) <
                                     ratio(tree->loops[best].repetitions, iterations)))
            best = l;
    return best;
}

uint32_t efg_looptree_around(const struct efg_looptree *tree, uint64_t function, uint64_t iterations,
                             uint32_t inner)
{
    uint32_t best = efg_looptree_nearest(tree, function, iterations);

    for (uint32_t l = best == EFG_NONE ? EFG_NONE : inner; l != EFG_NONE; l = tree->loops[l].parent)
        if (is_in(&tree->loops[l], function) &&
            ratio(tree->loops[l].repetitions, iterations) <=
                AS_OFTEN * ratio(tree->loops[best].repetitions, iterations))
            return l;
    return best;
}

/* The hashes of call sites are made as in calltree.c, of keys from the outermost one on. */
uint32_t efg_looptree_find(const struct efg_looptree *tree, const struct efg_graph *graph,
                           efg_path_keys *path_keys, const struct efg_loop_known *known)
{
    if (!tree->count)
        return EFG_NONE;
    uint64_t keys[EFG_CALLTREE_DEPTH], hash = tree->root;
    const struct efg_node *node = &graph->nodes[known->node];
    uint32_t depth = path_keys(node->signature.path, keys);

    for (uint32_t i = 0; i < depth && i < known->depth; i++)
        hash = efg_hash_mix(hash, keys[i]);
    uint32_t loop = efg_looptree_around(tree, hash, known->iterations, tree->loop_of[known->node]);
    if (loop == EFG_NONE && known->depth >= depth)
        loop = efg_looptree_nearest(tree, efg_hash_mix(hash, ~node->hash), known->iterations);
    return loop;
}
