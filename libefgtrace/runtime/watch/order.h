/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order: the sequence of a thread's events (core/order/sequence.h), as it is kept until MPI_Finalize.
 *
 * Finished segments are kept as bytes: the last ones in memory, the others in a file, so
 * that memory stays bounded. When the graph merges nodes, the node numbers in earlier segments
 * refer to another table; what each of them has become is kept, too.
 */
#ifndef EFG_ORDER_H
#define EFG_ORDER_H

#include <stdbool.h>

#include "base/buffer.h"
#include "core/order/sequence.h"
#include "files/order/sequence_file.h"

struct efg_order {
    bool is_on;
    bool is_cut; /* later events are not added */
    struct efg_sequence sequence;
    struct efg_buffer done; /* segments as bytes, after those in the file */
    char *path;             /* of the file, which is made when it is needed */
    uint64_t in_file;       /* bytes */
    struct efg_sequence_table *tables;
    uint32_t table_count; /* that are over; the present graph is number table_count */
    uint64_t held;        /* bytes charged to the budget */
    int error;            /* -errno of why it ended early, or 0 */
    bool is_ending;
};

/* Begin, for thread number THREAD, with its share of the budget. PATH is where the file may be
 * made if it is needed, NULL for nowhere; it is copied. Without memory it is off. */
void efg_order_begin(struct efg_order *order, uint32_t thread, const char *path);

/* Whether the next events are added. */
static inline bool efg_order_goes_on(const struct efg_order *order)
{
    return order->is_on && !order->is_cut;
}

/* The next event is of NODE. */
static inline void efg_order_add(struct efg_order *order, uint32_t node)
{
    if (efg_order_goes_on(order))
        efg_sequence_add(&order->sequence, node);
}

/* The graph has merged nodes: of COUNT nodes, number I has become NEW_ID[I]. */
void efg_order_rename(struct efg_order *order, const uint32_t *new_id, uint32_t count);

/* Adjust the charge to the budget of the process to what is held. Call now and then. */
void efg_order_settle(struct efg_order *order);

/* Put the order so far in OUT: the segments that are not in the file, as bytes, none of them
 * mixed; the order itself does not change. Returns the number of events in the file and in
 * OUT, which fails without memory. */
uint64_t efg_order_peek(const struct efg_order *order, struct efg_buffer *out);

/* No more events. Put all segments in OUT, as files/order/sequence_file.h writes them; the file is
 * removed. Returns how many events they have. */
uint64_t efg_order_end(struct efg_order *order, struct efg_buffer *out);

void efg_order_fini(struct efg_order *order);

#endif
