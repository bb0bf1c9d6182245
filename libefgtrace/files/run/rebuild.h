/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rebuild: times for the calls of a sequence, of which only sums are known. Each visit of a node takes its
 * mean duration, each transition its mean time between the calls, rounded so that the sums over the run are
 * those of the graph, to the ns. Before it comes the mean of the polls that found nothing and that it has
 * ended.
 */
#ifndef EFG_REBUILD_H
#define EFG_REBUILD_H

#include <stdbool.h>

#include "base/map.h"
#include "expand.h"

struct efg_rebuild {
    struct efg_expand expand;
    const struct efg_graph *graph;
    struct efg_map edges;              /* from << 32 | to -> edge + 1 */
    uint64_t *nodes_seen, *edges_seen; /* visits so far */
    uint64_t *polled;                  /* ns of polls before all visits of each node */
    uint32_t node, before;             /* of the last call; before it, or EFG_NONE */
    uint64_t left;                     /* further calls of NODE */
    uint64_t now;                      /* ns since the start of the thread */
    bool failed;                       /* the sequence is damaged, or memory is out */
};

struct efg_rebuilt {
    uint32_t node, edge; /* EDGE: from the call before; EFG_NONE: not known */
    uint64_t enter, leave; /* ns since the start of the thread */
    uint64_t polled;       /* ns of polls between the call before and ENTER */
};

/* For the calls of THREAD, which has the order SEQUENCE; both must stay. Returns 0 or -ENOMEM.
 */
int efg_rebuild_init(struct efg_rebuild *rebuild, const struct efg_run_thread *thread,
                     const struct efg_run_sequence_thread *sequence);
void efg_rebuild_fini(struct efg_rebuild *rebuild);

/* The next call. Returns true, or false after the last one and when it has failed. */
bool efg_rebuild_next(struct efg_rebuild *rebuild, struct efg_rebuilt *call);

/* ns from the start of the thread to the end of its last call. */
uint64_t efg_rebuild_end(const struct efg_run_thread *thread);

#endif
