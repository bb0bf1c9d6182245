/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The communication matrix of the recorded iterations as JSON.
 */
#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "core/graph/graph.h"
#include "recorded.h"

struct pair {
    uint32_t from, to;
    uint64_t count, bytes;
};

struct matrix {
    struct efg_map index; /* from << 32 | to -> index */
    struct pair *pairs;
    uint32_t count;
    uint64_t sizes[EFG_BINS];
};

static uint32_t bin_of(uint64_t bytes)
{
    uint32_t bin = bytes ? 63 - (uint32_t)__builtin_clzll(bytes) : 0;
    return bin < EFG_BINS ? bin : EFG_BINS - 1;
}

/* Returns 0, or -1 without memory. */
static int add(struct matrix *m, const struct efg_recorded_message *message)
{
    uint64_t *index = efg_map_put(&m->index, (uint64_t)message->from << 32 | message->to);
    if (!index)
        return -1;
    if (m->index.count > m->count) {
        if (!(m->count & (m->count - 1))) {
            size_t room = m->count ? 2 * (size_t)m->count : 1;
            void *pairs = realloc(m->pairs, room * sizeof *m->pairs);
            if (!pairs)
                return -1;
            m->pairs = pairs;
        }
        *index = m->count;
        m->pairs[m->count++] = (struct pair){message->from, message->to, 0, 0};
    }
    m->pairs[*index].count++;
    m->pairs[*index].bytes += message->bytes;
    m->sizes[bin_of(message->bytes)]++;
    return 0;
}

static int by_ranks(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void put(struct efg_buffer *out, struct matrix *m, uint32_t ranks)
{
    if (m->count)
        qsort(m->pairs, m->count, sizeof *m->pairs, by_ranks);
    efg_buffer_print(out, "{\"sizes\":[");
    for (uint32_t i = 0; i < EFG_BINS; i++)
        efg_buffer_print(out, "%s%" PRIu64, i ? "," : "", m->sizes[i]);
    efg_buffer_print(out, "],\"matrix\":[");
    for (uint32_t i = 0; i < m->count; i++)
        efg_buffer_print(out, "%s[%u,%u,%" PRIu64 ",%" PRIu64 "]", i ? "," : "",
                         m->pairs[i].from, m->pairs[i].to, m->pairs[i].count,
                         m->pairs[i].bytes);
    efg_buffer_print(out, "],\"ranks\":%u}", ranks);
}

int efg_recorded_json_messages(struct efg_buffer *out, const struct efg_run *run, char *message,
                               size_t size)
{
    struct efg_recorded recorded;
    struct efg_recorded_item item;
    struct matrix m = {0};
    int got = efg_recorded_open(&recorded, run) ? -1 : 1;
    while (got > 0 && (got = efg_recorded_next(&recorded, &item)) > 0) {
        if (item.kind == EFG_RECORDED_MESSAGE && item.message.is_send &&
            add(&m, &item.message)) {
            out->failed = 1;
            got = 0;
        }
    }
    if (got < 0) {
        snprintf(message, size, "%s", recorded.message);
        efg_buffer_print(out, "null");
    } else {
        put(out, &m, recorded.ranks);
    }
    efg_recorded_close(&recorded);
    efg_map_fini(&m.index);
    free(m.pairs);
    return got;
}
