/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds call paths to the tree. A path is followed from the root, by the hashes of its prefixes: a
 * site that is not yet there is made. When a site gets its second child, it begins to branch:
 * until then its entries were those of its only child, so it takes over the gaps of that one.
 *
 * Invariants: a parent's id is lower than its child's; branch is the nearest site above that
 * has not exactly one child, or the root; gaps of inner sites with several children are up to
 * date.
 */
#include "calltree.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/none.h"
#include "signature.h"

#define FIRST_ROOM 128
#define ROOT_HASH 1
#define BYTES (sizeof(struct efg_site) + EFG_SITE_BYTES)

int efg_calltree_init(struct efg_calltree *tree, efg_path_keys *keys, struct efg_budget *budget)
{
    *tree = (struct efg_calltree){.keys = keys, .budget = budget};
    if (!efg_budget_take(budget, FIRST_ROOM * BYTES, 0))
        return -ENOMEM;
    tree->sites = malloc(FIRST_ROOM * sizeof *tree->sites);
    if (!tree->sites) {
        efg_budget_give(budget, FIRST_ROOM * BYTES);
        return -ENOMEM;
    }
    tree->room = FIRST_ROOM;
    tree->sites[tree->count++] = (struct efg_site){
        .hash = ROOT_HASH,
        .parent = EFG_NONE,
        .first_child = EFG_NONE,
        .next_sibling = EFG_NONE,
        .node = EFG_NONE,
        .place = EFG_PLACE_UNASKED,
    };
    return 0;
}

void efg_calltree_fini(struct efg_calltree *tree)
{
    efg_budget_give(tree->budget, tree->room * BYTES + tree->charged);
    free(tree->sites);
    efg_map_fini(&tree->by_hash);
    *tree = (struct efg_calltree){.keys = tree->keys, .budget = tree->budget};
}

/* ---- sites ---- */

static int grow(struct efg_calltree *tree, uint32_t more)
{
    if (!efg_budget_take(tree->budget, more * BYTES, efg_budget_spare(tree->budget)))
        return -ENOMEM;
    if (efg_array_grow(&tree->sites, tree->room, more, sizeof *tree->sites)) {
        efg_budget_give(tree->budget, more * BYTES);
        return -ENOMEM;
    }
    tree->room += more;
    return 0;
}

/* Twice as much, or a quarter more. */
static int make_room(struct efg_calltree *tree)
{
    if (tree->count < tree->room || (efg_budget_is_ample(tree->budget) && grow(tree, tree->room) == 0))
        return 0;
    return grow(tree, tree->room / 4);
}

/* The map may grow by the next key. */
static int make_map_room(struct efg_calltree *tree)
{
    uint64_t held = efg_map_memory(&tree->by_hash), more = held ? 2 * held : 4096;

    if (!efg_map_is_full(&tree->by_hash) || more <= tree->charged)
        return 0;
    if (!efg_budget_take(tree->budget, more - tree->charged, 0))
        return -ENOMEM;
    tree->charged = more;
    return 0;
}

uint32_t efg_calltree_gaps(const struct efg_calltree *tree, uint32_t site)
{
    while (tree->sites[site].child_count == 1)
        site = tree->sites[site].first_child;
    return site;
}

/* SITE, which has one child, gets another: it branches from now on. */
static void begin_branch(struct efg_calltree *tree, uint32_t site)
{
    uint32_t below = efg_calltree_gaps(tree, site), x = site;

    tree->sites[site].gaps = tree->sites[below].gaps;
    do {
        x = tree->sites[x].first_child;
        tree->sites[x].branch = site;
    } while (x != below);
}

/* A child of PARENT, for the hash HASH; PARENT itself without memory. */
static uint32_t add_site(struct efg_calltree *tree, uint32_t parent, uint64_t hash)
{
    bool has_room = !make_room(tree) && !make_map_room(tree);
    uint64_t *slot = has_room ? efg_map_put(&tree->by_hash, hash) : NULL;
    if (!slot) {
        tree->is_full = true;
        return parent;
    }
    struct efg_site *above = &tree->sites[parent];
    if (parent != EFG_CALLTREE_ROOT && above->child_count == 1)
        begin_branch(tree, parent);
    tree->sites[tree->count] = (struct efg_site){
        .hash = hash,
        .parent = parent,
        .branch = parent != EFG_CALLTREE_ROOT && above->child_count == 0 ? above->branch : parent,
        .first_child = EFG_NONE,
        .next_sibling = above->first_child,
        .depth = above->depth + 1,
        .node = EFG_NONE,
        .place = EFG_PLACE_UNASKED,
        .born = tree->born,
    };
    above->child_count++;
    above->first_child = tree->count;
    *slot = tree->count;
    return tree->count++;
}

static uint32_t get_site(struct efg_calltree *tree, uint32_t parent, uint64_t key)
{
    uint64_t hash = efg_hash_mix(tree->sites[parent].hash, key);
    const uint64_t *found = efg_map_find(&tree->by_hash, hash);

    return found ? (uint32_t)*found : add_site(tree, parent, hash);
}

uint32_t efg_calltree_add(struct efg_calltree *tree, uint32_t node, uint32_t path, uint64_t name)
{
    uint64_t keys[EFG_CALLTREE_DEPTH] = {path};
    uint32_t depth = tree->keys ? tree->keys(path, keys) : path != 0;
    uint32_t site = EFG_CALLTREE_ROOT;

    for (uint32_t i = 0; i < depth; i++)
        site = get_site(tree, site, keys[i]);
    site = get_site(tree, site, ~name);
    if (tree->sites[site].first_child != EFG_NONE)
        return EFG_CALLTREE_ROOT; /* no memory for a leaf */
    tree->sites[site].node = node;
    return site;
}

/* ---- looking around ---- */

uint32_t efg_calltree_longest(const struct efg_calltree *tree)
{
    uint32_t deepest = 1; /* a leaf */

    for (uint32_t i = 0; i < tree->count; i++)
        deepest = tree->sites[i].depth > deepest ? tree->sites[i].depth : deepest;
    return deepest - 1;
}

uint32_t efg_calltree_find(const struct efg_calltree *tree, uint64_t hash)
{
    const uint64_t *found = efg_map_find(&tree->by_hash, hash);

    if (hash == ROOT_HASH)
        return EFG_CALLTREE_ROOT;
    return found ? (uint32_t)*found : EFG_NONE;
}

uint32_t efg_calltree_child(const struct efg_calltree *tree, uint32_t top, uint32_t site)
{
    while (site != top && tree->sites[site].parent != top)
        site = tree->sites[site].parent;
    return site;
}

bool efg_calltree_is_below(const struct efg_calltree *tree, uint32_t site, uint32_t top)
{
    while (tree->sites[site].depth > tree->sites[top].depth)
        site = tree->sites[site].parent;
    return site == top;
}

uint32_t efg_calltree_common(const struct efg_calltree *tree, uint32_t a, uint32_t b)
{
    while (a != b) {
        uint32_t *lower = tree->sites[a].depth > tree->sites[b].depth ? &a : &b;
        *lower = tree->sites[*lower].parent;
    }
    return a;
}

uint32_t efg_calltree_next(const struct efg_calltree *tree, uint32_t site, uint32_t top)
{
    uint32_t child = tree->sites[site].first_child;

    return child != EFG_NONE ? child : efg_calltree_behind(tree, site, top);
}

uint32_t efg_calltree_behind(const struct efg_calltree *tree, uint32_t site, uint32_t top)
{
    while (site != top && tree->sites[site].next_sibling == EFG_NONE)
        site = tree->sites[site].parent;
    return site == top ? EFG_NONE : tree->sites[site].next_sibling;
}
