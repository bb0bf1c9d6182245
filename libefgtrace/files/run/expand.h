/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expand: the calls of a thread one after the other, from the sequence in the run file. One
 * segment is in memory at a time, so that any number of calls can be gone through.
 */
#ifndef EFG_EXPAND_H
#define EFG_EXPAND_H

#include <stdbool.h>

#include "core/order/reader.h"
#include "runfile.h"

struct efg_expand {
    const struct efg_run_sequence_thread *thread;
    uint32_t node_count;                 /* of the graph as it is */
    struct efg_reader from;              /* behind the segment at hand */
    struct efg_sequence_segment segment; /* at hand, if HAS_SEGMENT */
    struct efg_sequence_reader reader;
    bool has_segment;
    uint64_t at; /* number of the next call, from 0 */
};

/* Go through the calls of THREAD, which must stay, and whose graph has NODE_COUNT nodes. */
void efg_expand_init(struct efg_expand *expand, const struct efg_run_sequence_thread *thread,
                     uint32_t node_count);
void efg_expand_fini(struct efg_expand *expand);

/* The next call is of NODE of the graph, and so are COUNT - 1 more. Returns 1; 0 after the last
 * one; -EBADMSG if the sequence is damaged, -ENOMEM. */
int efg_expand_next(struct efg_expand *expand, uint32_t *node, uint64_t *count);

/* Make call number TO, or what follows the last one, the next; not backwards. In time that does
 * not depend on how many are passed. Returns 0, -EBADMSG, -ENOMEM. */
int efg_expand_skip(struct efg_expand *expand, uint64_t to);

#endif
