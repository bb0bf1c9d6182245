/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call flow: what an event flow graph says of the sites of its call tree at one moment. Per
 * function, its sites are the nodes of a small graph of their own:
 *
 *     the loop in run   halo -> MPI_Allreduce -> halo ..     steps from one site to another
 *
 * Everything is a sum over the edges and nodes of the event flow graph: it takes O(nodes + edges +
 * sites).
 */
#ifndef EFG_CALLFLOW_H
#define EFG_CALLFLOW_H

#include <stdbool.h>

#include "history.h"

/* From one site of a function to another. */
struct efg_step_between {
    uint32_t from, to; /* sites */
    uint64_t count;
};

/* Of a site; all but the time over the whole run. */
struct efg_flow {
    uint64_t entries; /* from outside of it */
    uint64_t repeats; /* of a leaf: visits right after another one */
    uint64_t events;  /* at it and below */
    double time;      /* ns at it and below, in the window of the history */
};

struct efg_callflow {
    const struct efg_graph *graph;
    const struct efg_calltree *tree;
    uint32_t sites; /* that there were */
    struct efg_flow *flow;
    struct efg_step_between *steps; /* those of one function together */
    uint32_t *first_step; /* those of function F: from first_step[F] to first_step[F + 1] - 1 */
    uint32_t site_room, step_room;
};

/* All zero is an empty one. */
void efg_callflow_fini(struct efg_callflow *flow);

/* Look at the graph of HISTORY, which has a call tree, at NOW ns. Returns 0, or -ENOMEM. */
int efg_callflow_fill(struct efg_callflow *flow, const struct efg_history *history, uint64_t now);

static inline const struct efg_site *efg_callflow_site(const struct efg_callflow *flow,
                                                       uint32_t site)
{
    return &flow->tree->sites[site];
}

/* How often the call at the leaf SITE was made; of another site, how often it was entered. */
static inline uint64_t efg_callflow_visits(const struct efg_callflow *flow, uint32_t site)
{
    return flow->flow[site].entries + flow->flow[site].repeats;
}

/* How often it was SITE's turn. Where calls come in any order, one may sometimes come twice in a row:
 * these count as separate visits; many in a row are a loop over partners, which counts once. Where the
 * code is known, each call in the outermost loop counts: it comes at most once in each round; and each of
 * a function that makes several. */
uint64_t efg_callflow_turns(const struct efg_callflow *flow, uint32_t site);

/* Whether the steps of FUNCTION lead from its site FROM to its site TO, and back: they are in one loop of it,
 * or in one around it. */
bool efg_callflow_is_cycle(const struct efg_callflow *flow, uint32_t function, uint32_t from, uint32_t to);

/* How many of the ROUNDS of a loop of FUNCTION, each of which entered SITE, went on from there: the last
 * one of a loop that asks there whether it is over did not. */
uint64_t efg_callflow_whole(const struct efg_callflow *flow, uint32_t function, uint32_t site,
                            uint64_t rounds);

/* The place of SITE in the code of its function. */
efg_place efg_callflow_place(const struct efg_callflow *flow, uint32_t site);

/* Whether it is known that SITE comes at most once in each call of its function. */
bool efg_callflow_is_straight(const struct efg_callflow *flow, uint32_t site);

/* Whether it is known that the call at LEAF, which is below SITE, is made at most once each time that SITE
 * comes. */
bool efg_callflow_is_once(const struct efg_callflow *flow, uint32_t leaf, uint32_t site);

/* Whether it is known that every path through its loop, or its function, includes SITE. */
bool efg_callflow_is_always(const struct efg_callflow *flow, uint32_t site);

/* Whether it is a matter of timing how often the call at SITE is made. Of a site that is no call it is that
 * of the one it leads to, if it leads to no other. */
bool efg_callflow_is_timed(const struct efg_callflow *flow, uint32_t site);

/* How many equally long gaps would vary as little as those of SITE do, with the open one up to now:
 * sum^2 / sum of squares. A loop over commands of which one is the whole run has about 1. */
double efg_callflow_rounds(const struct efg_callflow *flow, uint32_t site);

/* Events since SITE was entered first, and the mean gap before that. 0: it was not entered twice. */
double efg_callflow_span(const struct efg_callflow *flow, uint32_t site);

/* Whether SITE was entered 4 times or more, at gaps that hardly vary. */
bool efg_callflow_is_steady(const struct efg_callflow *flow, uint32_t site);

#endif
