/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory of the events that wait. Invariant: all events that wait have the same detail, that
 * of the graph.
 */
#include "backlog.h"

#include <errno.h>
#include <stdlib.h>

#define LINE 64 /* bytes of a cache line */
#define SPARE 8 /* events that come when somebody jumped out of where a full one is emptied */

_Static_assert(sizeof(struct efg_event) == LINE, "an event is a cache line");

int efg_backlog_init(struct efg_backlog *backlog)
{
    backlog->event = aligned_alloc(LINE, (EFG_BACKLOG + SPARE) * sizeof *backlog->event);
    backlog->count = 0;
    return backlog->event ? 0 : -ENOMEM;
}

void efg_backlog_fini(struct efg_backlog *backlog)
{
    free(backlog->event);
    *backlog = (struct efg_backlog){0};
}

void efg_backlog_coarsen(struct efg_backlog *backlog, struct efg_detail from, struct efg_detail to,
                         efg_cut_path *cut)
{
    for (uint32_t i = 0; i < backlog->count; i++) {
        struct efg_event *event = &backlog->event[i];
        event->signature = efg_coarsen_signature(event->signature, from, to, cut, &event->path_hash);
    }
}
