/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One pass, reading ahead of writing. A call is its ENTER, what follows, and its LEAVE; calls
 * are not nested. Invariant: what is written is never behind what is read, so the records that
 * were not looked at yet are as they were.
 */
#include "trim.h"

#include <string.h>

#include "core/map.h"

#define RMA_AND_IO (1ull << 63) /* match ids and request numbers share one set */

struct trim {
    struct efg_record *out;
    uint64_t from, to;
    struct efg_map started; /* what kept calls have started */
};

static size_t length(const struct efg_record *r, size_t left)
{
    size_t payload =
        r->kind < EFG_REC_DEF_CALL ? 0 : (size_t)((r->d + sizeof *r - 1) / sizeof *r);
    return payload < left ? 1 + payload : left;
}

/* What the record starts or completes, 0 for nothing. */
static uint64_t starts(const struct efg_record *r)
{
    switch (r->kind) {
    case EFG_REC_ISEND:
    case EFG_REC_IRECV_REQUEST:
    case EFG_REC_COLLECTIVE_REQUEST:
        return r->e;
    case EFG_REC_RMA_PUT:
    case EFG_REC_RMA_GET:
    case EFG_REC_RMA_ATOMIC:
    case EFG_REC_IO_BEGIN:
        return r->e | RMA_AND_IO;
    default:
        return 0;
    }
}

static uint64_t completes(const struct efg_record *r)
{
    switch (r->kind) {
    case EFG_REC_ISEND_COMPLETE:
    case EFG_REC_IRECV:
    case EFG_REC_REQUEST_TEST:
    case EFG_REC_REQUEST_CANCELLED:
        return r->e;
    case EFG_REC_COLLECTIVE_COMPLETE:
        return r->c;
    case EFG_REC_RMA_COMPLETE_BLOCKING:
    case EFG_REC_RMA_COMPLETE_NONBLOCKING:
    case EFG_REC_RMA_COMPLETE_REMOTE:
    case EFG_REC_RMA_REQUEST:
    case EFG_REC_RMA_TEST:
    case EFG_REC_IO_COMPLETE:
    case EFG_REC_IO_ISSUED:
    case EFG_REC_IO_TEST:
    case EFG_REC_IO_CANCELLED:
        return r->e | RMA_AND_IO;
    default:
        return 0;
    }
}

static void put(struct trim *t, const struct efg_record *r, size_t count)
{
    memmove(t->out, r, count * sizeof *r);
    t->out += count;
}

static void keep_inner(struct trim *t, struct efg_record *r)
{
    uint64_t begun = starts(r), ended = completes(r);
    if (begun)
        efg_map_put(&t->started, begun);
    if (ended && !efg_map_find(&t->started, ended)) {
        if (r->kind != EFG_REC_IRECV)
            return;
        r->kind = EFG_REC_RECV;
        r->e = 0;
    }
    put(t, r, 1);
}

/* The records of one call, from its ENTER on; returns how many they were. */
static size_t trim_call(struct trim *t, struct efg_record *r, size_t left)
{
    size_t end = 0;
    while (end < left && r[end].kind != EFG_REC_LEAVE)
        end += length(&r[end], left - end);
    int keep = end < left && r->time >= t->from && r[end].time <= t->to;
    end = end < left ? end + 1 : left;
    for (size_t at = 0, step; at < end; at += step) {
        step = length(&r[at], end - at);
        if (r[at].kind >= EFG_REC_DEF_CALL)
            put(t, &r[at], step);
        else if (keep)
            keep_inner(t, &r[at]);
    }
    return end;
}

size_t efg_trim(struct efg_record *records, size_t count, uint64_t from, uint64_t to)
{
    struct trim t = {.out = records, .from = from, .to = to};
    for (size_t at = 0, step; at < count; at += step) {
        struct efg_record *r = &records[at];
        if (r->kind == EFG_REC_ENTER) {
            step = trim_call(&t, r, count - at);
            continue;
        }
        step = length(r, count - at);
        if (r->kind < EFG_REC_DEF_CALL) { /* marks: within the span */
            r->time = r->time < from ? from : r->time;
            r->time = r->time > to ? to : r->time;
        }
        put(&t, r, step);
    }
    efg_map_fini(&t.started);
    return (size_t)(t.out - records);
}
