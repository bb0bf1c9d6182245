/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call tree: the nodes of an event flow graph by their call paths, outermost frame first.
 *
 *     main ─┬─ setup ── MPI_Bcast
 *           └─ run ─┬─ halo ─┬─ MPI_Irecv      an inner node is a call site: all calls that
 *                   │        └─ MPI_Wait       were made below it
 *                   └─ MPI_Allreduce           a leaf is a node of the graph
 *
 * If the same call site of a function is entered again, a loop in that function has gone
 * round. A site is entered by an edge of the graph that comes from outside of it:
 *
 *     edge MPI_Wait -> MPI_Allreduce   enters MPI_Allreduce, and nothing else
 *     edge MPI_Allreduce -> MPI_Irecv  enters halo, and MPI_Irecv
 *
 * So each edge belongs to one function, the deepest one that both of its ends are below (here
 * run), and is a step from one of its sites to another. How often each site was entered follows
 * from the counts of the edges (callflow.h). How regularly does not follow from them: so each site
 * has the sums of the gaps between its entries. A site with a single site below it is entered
 * whenever that one is: only leaves and sites that branch are kept up to date, event by event.
 *
 * Ids are indices, in the order of first appearance: parents come before their children.
 * Memory: about 170 bytes a site, including what the finder needs (finder.h), from the graph's
 * budget; when that is used up, a path ends at the last site that exists, and the tree is full.
 */
#ifndef EFG_CALLTREE_H
#define EFG_CALLTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/budget.h"
#include "base/map.h"
#include "core/flow/place.h"

#define EFG_CALLTREE_ROOT 0
#define EFG_CALLTREE_DEPTH 128 /* frames of a path, at most */
#define EFG_SITE_BYTES 64      /* of the finder's memory, for a site */

/* Names the frames of the call path PATH, outermost first, by keys that agree between ranks.
 * Returns how many, up to EFG_CALLTREE_DEPTH. */
typedef uint32_t efg_path_keys(uint32_t path, uint64_t *keys);

/* Gaps between visits, in events: sums, and the number of the last visit. */
struct efg_gaps {
    uint64_t last;  /* number of the event, from 1; 0: not visited yet */
    uint64_t count; /* gaps */
    double gap1, gap2; /* sum of gaps, and of their squares */
};

struct efg_site {
    uint64_t hash;        /* of the path down to it; agrees between ranks */
    uint32_t parent;      /* EFG_NONE for the root */
    uint32_t branch;      /* the nearest site above it with several children, or the root */
    uint32_t first_child, next_sibling; /* EFG_NONE ends a list */
    uint32_t child_count;
    uint32_t depth;       /* 0 for the root */
    uint32_t node;        /* of the graph; EFG_NONE for a site that is no leaf */
    efg_place place;      /* in its function; EFG_PLACE_UNASKED until it is asked for */
    uint32_t order, leg, firsts; /* with it; 0 until then */
    struct efg_gaps gaps; /* of entries; kept up to date unless child_count is 1 */
    uint64_t born;        /* ns: when the first call below it was entered; 0: not known */
};

struct efg_calltree {
    struct efg_site *sites;
    uint32_t count, room;
    struct efg_map by_hash; /* number of a site */
    uint64_t charged;       /* bytes of the budget, for by_hash */
    bool is_full;           /* 1: a site is missing */
    uint64_t born;          /* of what is added now */
    uint32_t cut;           /* frames that paths were cut to, which had more; 0: none was */
    efg_path_keys *keys;
    efg_path_position *position; /* of the frames of paths; NULL: not known */
    struct efg_budget *budget;
};

/* An empty tree with a root. KEYS may be NULL: then a path is one frame. Returns 0, or -ENOMEM if
 * budget or memory is not enough. */
int efg_calltree_init(struct efg_calltree *tree, efg_path_keys *keys, struct efg_budget *budget);
void efg_calltree_fini(struct efg_calltree *tree);

/* The leaf of NODE, which has the call path PATH and is told apart from other nodes of the same path
 * by its hash, NAME; made if it is new. The root if there is no memory for a leaf. */
uint32_t efg_calltree_add(struct efg_calltree *tree, uint32_t node, uint32_t path, uint64_t name);

/* Whether calls below SITE, or visits of it if it is a leaf, may come from anywhere in what was cut off. */
static inline bool efg_calltree_is_cut(const struct efg_calltree *tree, uint32_t site)
{
    return tree->cut && tree->sites[site].depth >= tree->cut;
}

/* Frames of the longest path. */
uint32_t efg_calltree_longest(const struct efg_calltree *tree);

/* The deepest site that both A and B are below, or that is one of them. */
uint32_t efg_calltree_common(const struct efg_calltree *tree, uint32_t a, uint32_t b);

/* The child of TOP that is SITE or above it. */
uint32_t efg_calltree_child(const struct efg_calltree *tree, uint32_t top, uint32_t site);

/* Whether SITE is TOP or below it. */
bool efg_calltree_is_below(const struct efg_calltree *tree, uint32_t site, uint32_t top);

/* The next site of TREE at or below TOP after SITE, depth first; EFG_NONE after the last. */
uint32_t efg_calltree_next(const struct efg_calltree *tree, uint32_t site, uint32_t top);

/* The same, without what is below SITE. */
uint32_t efg_calltree_behind(const struct efg_calltree *tree, uint32_t site, uint32_t top);

/* The site with this HASH, or EFG_NONE. */
uint32_t efg_calltree_find(const struct efg_calltree *tree, uint64_t hash);

/* Event number EVENT entered LEAF from outside of a site at depth TOP_DEPTH, which is LEAF or above it. */
static inline void efg_calltree_enter(struct efg_calltree *tree, uint32_t leaf, uint32_t top_depth,
                                      uint64_t event)
{
    for (uint32_t x = leaf; x && tree->sites[x].depth >= top_depth; x = tree->sites[x].branch) {
        struct efg_gaps *gaps = &tree->sites[x].gaps;
        double gap = (double)(int64_t)(event - gaps->last);
        if (gaps->last) {
            gaps->gap1 += gap;
            gaps->gap2 += gap * gap;
            gaps->count++;
        }
        gaps->last = event;
    }
}

/* The site whose gaps are those of SITE: the first one at or below it that branches, or a leaf. */
uint32_t efg_calltree_gaps(const struct efg_calltree *tree, uint32_t site);

#endif
