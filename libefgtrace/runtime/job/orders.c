/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Brings together the orders of calls that the threads kept. Each thread ends its own order; what all kept
 * is one section of the run file.
 */
#include "orders.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/watch/threads.h"

static const struct efg_job *const job = &efg_job;

/* The segments to SEGMENTS, the rest to OUT; both point to what the order of T owns. */
static void end_thread(struct efg_thread *t, struct efg_buffer *segments, struct efg_run_sequence_thread *out)
{
    uint64_t kept = efg_order_end(&t->order, segments);
    if (t->order.error)
        efg_note("thread %u: the order of calls is kept for the first %llu of %llu: %s", t->number,
                 (unsigned long long)kept, (unsigned long long)t->graph.events, strerror(-t->order.error));
    *out = (struct efg_run_sequence_thread){
        .events = kept,
        .table_count = t->order.table_count,
        .tables = t->order.tables,
        .segments = segments->data,
        .size = segments->size,
    };
}

static void free_orders(void)
{
    for (struct efg_thread *t = efg_threads.list; t; t = t->next)
        efg_order_fini(&t->order);
}

void efg_orders_end(struct efg_buffer *out, struct efg_run_order *order)
{
    struct efg_run_sequence sequence = {.thread_count = efg_threads.count};

    if (!job->conf.sequence)
        return;
    struct efg_buffer *segments = calloc(efg_threads.count, sizeof *segments);
    sequence.threads = calloc(efg_threads.count, sizeof *sequence.threads);
    if (segments && sequence.threads) {
        for (struct efg_thread *t = efg_threads.list; t; t = t->next)
            end_thread(t, &segments[t->number], &sequence.threads[t->number]);
        efg_runfile_put_sequence(out, (uint32_t)job->rank, &sequence, order);
    }
    for (uint32_t i = 0; segments && i < efg_threads.count; i++)
        efg_buffer_fini(&segments[i]);
    free(segments);
    free(sequence.threads);
    free_orders();
}
