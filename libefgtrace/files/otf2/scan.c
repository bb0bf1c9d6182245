/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Step 1: what a log needs defined.
 *
 * One pass over the records. Every definition becomes one item, a senseless one EFG_ITEM_BAD,
 * so that the pass of step 3 can count along. Members of communicators are sent as runs (first,
 * step, length): rows, columns and copies of the world take a few bytes, whatever
 * their size.
 *
 * The trace starts at the first window; only from there on do times count.
 */
#include "metrics.h"
#include "usage.h"

#include <errno.h>
#include <string.h>

#include "base/counters.h"

/* Like efg_buffer_string, from bytes that need not end with a zero. */
static void put_text(struct efg_buffer *out, const char *text, uint64_t size)
{
    size_t length = text ? strnlen(text, size) : 0;
    efg_buffer_number(out, length);
    efg_buffer_put(out, text, length);
}

static void put_call(struct efg_buffer *out, const struct efg_record *r, const void *payload)
{
    efg_buffer_number(out, EFG_ITEM_CALL);
    efg_buffer_number(out, r->a);
    put_text(out, payload, r->d);
}

static void put_module(struct efg_buffer *out, const struct efg_record *r, const void *payload)
{
    efg_buffer_number(out, EFG_ITEM_MODULE);
    efg_buffer_number(out, r->a);
    put_text(out, payload, r->d);
}

static void put_frames(struct efg_buffer *out, const struct efg_record *r, const void *payload)
{
    const struct efg_frame *frames = payload;
    uint64_t count = r->d / sizeof *frames;
    efg_buffer_number(out, count);
    for (uint64_t i = 0; i < count; i++) {
        efg_buffer_number(out, frames[i].module);
        efg_buffer_number(out, frames[i].offset);
    }
}

static void put_path(struct efg_buffer *out, const struct efg_record *r, const void *payload)
{
    efg_buffer_number(out, EFG_ITEM_PATH);
    efg_buffer_u64(out, r->e);
    put_frames(out, r, payload);
}

/* How many of the COUNT ranks go on like the first two. */
static uint32_t run_length(const uint32_t *rank, uint32_t count)
{
    uint32_t length = count < 2 ? count : 2;
    while (length < count && rank[length] - rank[length - 1] == rank[1] - rank[0])
        length++;
    return length;
}

static void put_ranks(struct efg_buffer *out, const uint32_t *rank, uint32_t count)
{
    efg_buffer_number(out, count);
    while (count) {
        uint32_t length = run_length(rank, count);
        efg_buffer_number(out, length);
        efg_buffer_number(out, rank[0]);
        if (length > 1)
            efg_buffer_u32(out, rank[1] - rank[0]); /* modulo 2^32: may go down */
        rank += length;
        count -= length;
    }
}

/* Whether the members lie in the payload and in the world. */
static bool members_fit(const struct efg_record *r, const struct efg_members *m, uint32_t ranks)
{
    if (r->d < sizeof *m || m->local == 0 ||
        (r->d - sizeof *m) / sizeof *m->rank < (uint64_t)m->local + m->remote)
        return false;
    for (uint64_t i = 0; i < (uint64_t)m->local + m->remote; i++)
        if (m->rank[i] >= ranks)
            return false;
    return m->local <= ranks && m->remote <= ranks && (m->remote > 0) == (r->b == EFG_COMM_INTER);
}

/* Dimensions of the grid, and name: what the COUNT bytes AT are, if they are that. */
static void put_grid_and_name(struct efg_buffer *out, const uint32_t *at, uint64_t count)
{
    uint32_t dims = count >= sizeof *at ? *at : 0;
    uint64_t size = (1 + 2 * (uint64_t)dims) * sizeof *at;
    if (dims > EFG_OTF2_DIMS || count < size)
        dims = 0;
    efg_buffer_number(out, dims);
    for (uint32_t i = 0; i < 2 * dims; i++)
        efg_buffer_number(out, at[1 + i]);
    put_text(out, count > size ? (const char *)at + size : NULL, count > size ? count - size : 0);
}

static void put_comm(struct efg_buffer *out, const struct efg_record *r, const void *payload, uint32_t ranks)
{
    const struct efg_members *m = payload;
    bool is_fixed = r->b == EFG_COMM_WORLD || r->b == EFG_COMM_SELF;
    if (!is_fixed && (r->b > EFG_COMM_INTER || !members_fit(r, m, ranks))) {
        efg_buffer_number(out, EFG_ITEM_BAD);
        return;
    }
    efg_buffer_number(out, EFG_ITEM_COMM);
    efg_buffer_number(out, r->a);
    efg_buffer_number(out, r->b);
    efg_buffer_number(out, r->c);
    efg_buffer_u64(out, r->e);
    if (is_fixed)
        return;
    put_ranks(out, m->rank, m->local);
    put_ranks(out, m->rank + m->local, m->remote);
    uint32_t members = m->local + m->remote;
    put_grid_and_name(out, m->rank + members, r->d - sizeof *m - members * sizeof *m->rank);
}

static void put_group(struct efg_buffer *out, const struct efg_record *r, const void *payload, uint32_t ranks)
{
    const struct efg_members *m = payload;
    if (!members_fit(r, m, ranks)) {
        efg_buffer_number(out, EFG_ITEM_BAD);
        return;
    }
    efg_buffer_number(out, EFG_ITEM_GROUP);
    efg_buffer_number(out, r->a);
    put_ranks(out, m->rank, m->local);
}

static void put_object(struct efg_buffer *out, const struct efg_record *r, const void *payload)
{
    bool is_file = r->kind == EFG_REC_DEF_FILE;
    efg_buffer_number(out, is_file ? EFG_ITEM_FILE : EFG_ITEM_WIN);
    efg_buffer_number(out, r->a);
    efg_buffer_number(out, r->b);
    efg_buffer_u64(out, r->e);
    put_text(out, payload, r->d);
}

static void put_region(struct efg_buffer *out, const struct efg_record *r, const void *payload)
{
    efg_buffer_number(out, EFG_ITEM_REGION);
    put_text(out, payload, r->d);
}

static void put_when(struct efg_buffer *out, const struct efg_record *r, const void *payload)
{
    efg_buffer_number(out, EFG_ITEM_WHEN);
    put_text(out, payload, r->d);
}

static void put_counters(struct efg_buffer *out, const struct efg_record *r, const void *payload)
{
    if (!payload || !r->a || r->a > EFG_COUNTERS || efg_otf2_count_names(payload, r->d) != r->a) {
        efg_buffer_number(out, EFG_ITEM_BAD);
        return;
    }
    efg_buffer_number(out, EFG_ITEM_COUNTERS);
    put_text(out, payload, r->d);
}

static void put_mark(struct efg_buffer *out, enum efg_otf2_item item, const struct efg_record *r)
{
    efg_buffer_number(out, item);
    efg_buffer_number(out, r->a);
}

static void put_item(struct efg_buffer *out, const struct efg_record *r, const void *payload, uint32_t ranks)
{
    switch (r->kind) {
    case EFG_REC_DEF_CALL:
        return put_call(out, r, payload);
    case EFG_REC_DEF_MODULE:
        return put_module(out, r, payload);
    case EFG_REC_DEF_PATH:
        return put_path(out, r, payload);
    case EFG_REC_DEF_COMM:
        return put_comm(out, r, payload, ranks);
    case EFG_REC_DEF_WIN:
    case EFG_REC_DEF_FILE:
        return put_object(out, r, payload);
    case EFG_REC_DEF_GROUP:
        return put_group(out, r, payload, ranks);
    case EFG_REC_DEF_REGION:
        return put_region(out, r, payload);
    case EFG_REC_DEF_WHEN:
        return put_when(out, r, payload);
    case EFG_REC_DEF_COUNTERS:
        return put_counters(out, r, payload);
    case EFG_REC_DEF_PHASE:
        put_mark(out, EFG_ITEM_PHASE, r);
        return put_frames(out, r, payload);
    case EFG_REC_RMA_CREATE:
        return put_mark(out, EFG_ITEM_WIN_CREATED, r);
    case EFG_REC_IO_OPEN:
        return put_mark(out, EFG_ITEM_FILE_OPENED, r);
    }
}

struct span {
    uint64_t first, last;
};

static void widen(struct span *span, const struct efg_record *r, const struct efg_log_clock *clock)
{
    uint64_t now = efg_log_ns(clock, r->time);
    if (span->first > span->last) { /* nothing yet */
        if (r->kind == EFG_REC_WINDOW_BEGIN)
            *span = (struct span){now, now};
    } else if (now > span->last) {
        span->last = now;
    }
}

static struct span put_items(struct efg_buffer *out, const struct efg_log_view *log,
                             const struct efg_log_clock *clock, struct efg_strays_ahead *strays,
                             struct efg_otf2_usage *usage)
{
    struct span span = {1, 0};
    const void *payload;
    struct efg_log_reader reader = {.view = log};
    for (const struct efg_record *r; (r = efg_log_read(&reader, &payload));) {
        put_item(out, r, payload, log->header->ranks);
        if (!efg_strays_have(strays, r, reader.at))
            efg_otf2_usage_take(usage, r, clock);
        if (r->kind < EFG_REC_DEF_CALL)
            widen(&span, r, clock);
    }
    efg_buffer_number(out, EFG_ITEM_END);
    return span;
}

int efg_otf2_scan(const struct efg_log_view *log, const struct efg_strays *strays, struct efg_buffer *out)
{
    const struct efg_log_header *h = log->header;
    struct efg_log_clock clock = efg_log_clock(h);
    struct efg_buffer items = {0};
    struct efg_otf2_usage usage = {0};
    struct efg_strays_ahead ahead = {0};
    if (strays)
        ahead.next = efg_strays_of(strays, h->rank, h->thread);
    efg_buffer_number(out, h->rank);
    efg_buffer_number(out, h->ranks);
    efg_buffer_number(out, h->thread);
    put_text(out, h->host, sizeof h->host);
    efg_buffer_number(out, h->package);
    efg_buffer_number(out, h->numa);
    efg_buffer_number(out, h->core);
    efg_buffer_number(out, h->pid);
    efg_log_put_clock(out, &clock);
    efg_buffer_number(out, log->count);
    struct span span = put_items(&items, log, &clock, &ahead, &usage);
    efg_buffer_number(out, items.size);
    efg_buffer_put(out, items.data, items.size);
    efg_buffer_u64(out, span.first);
    efg_buffer_u64(out, span.last);
    efg_otf2_usage_put(&usage, out);
    out->failed |= efg_otf2_scan_team(log, out) != 0;
    efg_otf2_usage_fini(&usage);
    efg_strays_ahead_fini(&ahead);
    out->failed |= items.failed || ahead.failed;
    efg_buffer_fini(&items);
    return out->failed ? -ENOMEM : 0;
}
