/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways into a node: how often each edge would count in a window if it were the pivot. It
 * counts its own visits and those of rarer edges into the same node, as efg_graph_mark_pivot
 * says and efg_graph_count_edge does for the whole run.
 */
#ifndef EFG_WAYS_H
#define EFG_WAYS_H

#include "history.h"

/* Fill COUNTED, and use ORDER: both have an element for each edge of the history's graph. */
void efg_ways_count(const struct efg_history *history, uint32_t *order, uint64_t *counted);

#endif
