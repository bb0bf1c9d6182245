/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Merged graph: the event flow graphs of ranks of a run as one. Nodes are the same on two ranks
 * if their signatures are: the same call, call path, and, where they were recorded, relative
 * partner, size, communicator, region. Counts and times are sums over the ranks; the number of
 * visits of each rank is kept besides. Threads of a rank are taken together.
 *
 * Nodes are in order of first appearance: as on the first rank, and the additional nodes of other
 * ranks come after the node that they follow there.
 *
 * Ranks are added one after the other, so that the memory is that of the merged graph and of one
 * rank; unless the part of each rank in each node and edge is to be kept.
 *
 * Source: Fürlinger and Skinner, "Capturing and visualizing event flow graphs of MPI
 * applications" (2010).
 */
#ifndef EFG_MERGED_H
#define EFG_MERGED_H

#include <stdbool.h>

#include "core/loop/looptree.h"
#include "files/run/runfile.h"
#include "own.h"

#define EFG_VISITS_MOST 16 /* different numbers that are kept */

struct efg_visits { /* ranks with equally many visits: LEAST equals MOST, unless there are more
                       different numbers than are kept, which are then one item */
    uint64_t least, most;
    struct efg_ranklist ranks;
};

struct efg_merged_item { /* a node or an edge */
    struct efg_ranklist ranks;
    struct efg_visits *visits; /* by the lowest rank */
    uint32_t visits_count;
    uint32_t next;          /* a node's: the next node, while ranks are added */
    uint64_t bin[EFG_BINS]; /* as in efg_stat, which has no room for sums over many ranks */
};

struct efg_merged_part { /* what a rank contributes to a node or an edge */
    uint32_t rank, id;    /* RANK: its index */
    uint64_t time, spent; /* ns: in the calls of a node, all polls included; on an edge */
    uint64_t calls;       /* of a node, without polls */
};

struct efg_merged_places { /* what a rank found; kind EFG_PIVOT_NONE, function 0: nothing */
    struct efg_run_pivot pivot;
    struct efg_run_loop main;
    struct efg_own own; /* its loops */
};

struct efg_merged {
    struct efg_ranklist ranks;
    uint64_t rank_count;
    uint64_t duration;      /* ns that they ran, together */
    unsigned dimensions;    /* set of enum efg_dimension */
    struct efg_graph graph; /* as efg_graph_unite makes it; but visits are those of the rank
                               with the most */
    struct efg_merged_item *nodes, *edges;
    uint32_t node_items, edge_items; /* how many, while ranks are added */
    bool keeps_parts;
    struct efg_buffer node_parts, edge_parts; /* struct efg_merged_part, by rank */
    uint32_t first;           /* node, while ranks are added */
    struct efg_looptree tree; /* repetitions, entries, events by these visits; times are sums */
    struct efg_ranklist *loops;  /* the ranks of each */
    uint64_t *repetitions;       /* of each, by the rank SPEAKER; 0: it is none of its own */
    struct efg_merged_places at; /* of the rank SPEAKER */
    uint32_t speaker;            /* the rank that represents these */
};

/* Begin to merge those ranks of RUN that are marked in IS_WANTED, by index (NULL: all), with
 * signatures reduced to DIMENSIONS; add one of them, in their order, which has the INDEX (those
 * that left no graph are left out); find the loops. Return 0 or -ENOMEM. FINI in any case, also
 * of what is all zero. */
int efg_merged_begin(struct efg_merged *merged, const struct efg_run *run,
                     const char *is_wanted, unsigned dimensions);
int efg_merged_add(struct efg_merged *merged, const struct efg_run *run,
                   const struct efg_run_rank *rank, uint32_t index);
int efg_merged_end(struct efg_merged *merged, const struct efg_run *run);
void efg_merged_fini(struct efg_merged *merged);

/* The fewest and the most visits of its ranks. */
void efg_merged_visits(const struct efg_merged_item *item, uint64_t *least, uint64_t *most);

/* How often LOOP was repeated: by the rank SPEAKER; if it is none of its own, by the rank with the most, or,
 * where ranks enter it on different ways, no more often than that. */
uint64_t efg_merged_repetitions(const struct efg_merged *merged, uint32_t loop);

/* Add the threads of RANK to ONE, which was made by efg_graph_init. PLACES (may be NULL, else all zero):
 * where its pivot, its main loop and its loops are in ONE. Returns 0 or -ENOMEM. */
int efg_merged_threads(struct efg_graph *one, struct efg_merged_places *places,
                       const struct efg_run *run, const struct efg_run_rank *rank,
                       unsigned dimensions);

/* The dimensions that all graphs of RUN have: those asked for, without those dropped. */
unsigned efg_merged_dimensions(const struct efg_run *run);

#endif
