/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Goes through the calls of a thread.
 *
 * Invariants:
 *   - AT is the number of calls in the segments before the present one, and in it before its
 *     reader
 *   - segments follow one another, the last one ends with the last call: else it is damage
 */
#include "expand.h"

#include <errno.h>
#include <string.h>

void efg_expand_init(struct efg_expand *e, const struct efg_run_sequence_thread *thread, uint32_t node_count)
{
    memset(e, 0, sizeof *e);
    e->thread = thread;
    e->node_count = node_count;
    e->from = efg_reader(thread->segments, thread->size);
}

static void close_segment(struct efg_expand *e)
{
    if (!e->has_segment)
        return;
    efg_sequence_reader_fini(&e->reader);
    efg_sequence_segment_fini(&e->segment);
    e->has_segment = false;
}

void efg_expand_fini(struct efg_expand *e)
{
    close_segment(e);
    memset(e, 0, sizeof *e);
}

/* Read the next segment, or if it ends before call number TO, pass it. */
static int take_segment(struct efg_expand *e, uint64_t to)
{
    struct efg_sequence_segment head;
    struct efg_reader behind = e->from;

    if (efg_sequence_pass(&behind, &head) != 0 || head.start != e->at ||
        head.length > e->thread->events - e->at || head.table > e->thread->table_count)
        return -EBADMSG;
    if (head.length <= to - e->at) {
        e->from = behind;
        e->at += head.length;
        return 0;
    }
    int error = efg_sequence_get(&e->from, &e->segment);
    if (error)
        return error;
    efg_sequence_reader_init(&e->reader, &e->segment, 1);
    e->has_segment = true;
    return 0;
}

/* Load the segment that contains call number TO. Returns 1; 0 if there is none; -errno. */
static int find_segment(struct efg_expand *e, uint64_t to)
{
    if (e->has_segment && e->segment.start + e->segment.length <= to) {
        e->at = e->segment.start + e->segment.length;
        close_segment(e);
    }
    int error = 0;
    while (!e->has_segment && e->from.at < e->from.size && !error)
        error = take_segment(e, to);
    if (!error && !e->has_segment && e->at != e->thread->events)
        error = -EBADMSG;
    return error ? error : e->has_segment;
}

/* What NODE of an earlier graph has become. */
static int rename_node(const struct efg_expand *e, uint32_t *node)
{
    if (e->segment.table < e->thread->table_count) {
        const struct efg_sequence_table *table = &e->thread->tables[e->segment.table];
        if (*node >= table->count)
            return -EBADMSG;
        *node = table->node[*node];
    }
    return *node < e->node_count ? 0 : -EBADMSG;
}

int efg_expand_next(struct efg_expand *e, uint32_t *node, uint64_t *count)
{
    int found = find_segment(e, e->at);

    if (found <= 0)
        return found;
    if (efg_sequence_next(&e->reader, node, count) <= 0 || rename_node(e, node) != 0)
        return -EBADMSG;
    e->at += *count;
    return 1;
}

int efg_expand_skip(struct efg_expand *e, uint64_t to)
{
    int found = to > e->at ? find_segment(e, to) : 0;

    if (found <= 0)
        return found;
    int error = efg_sequence_skip(&e->reader, to);
    if (!error)
        e->at = to;
    return error;
}
