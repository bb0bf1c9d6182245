/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timeline as JSON, in two passes over the trace: a survey (how many calls, when iterations
 * begin and end, which messages have both ends), and what is written.
 *
 * If there are more calls than may be, the end is left out: iterations from the last one on, as
 * many as needed, which a pass in between counts; all locations up to the same moment. If one
 * iteration alone is too much, the last locations are left out of it, too.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "json.h"
#include "pairs.h"
#include "sites.h"

#define SLICES 64 /* of time, where there are no iterations */

struct flight { /* a message, by the number of its pair */
    uint64_t pair, sent, received, bytes;
    uint32_t from, to; /* locations */
    int has_send, has_receive;
};

struct spans {            /* of iterations, or of windows */
    struct efg_map index; /* by key */
    struct efg_recorded_span *span;
    uint32_t count;
};

struct timeline {
    struct efg_buffer *out;
    const struct efg_run *run;
    struct efg_recorded_limits limits;
    struct efg_recorded recorded;
    struct efg_recorded_names names;
    struct efg_recorded_pairs pairs;
    struct spans iterations, windows;
    uint64_t calls, ends; /* in the trace; ends of messages */
    /* what is kept */
    uint64_t until, next; /* calls that begin before; of iterations with smaller keys */
    uint32_t locations;   /* the first ones */
    uint64_t *slots; /* calls by when they begin: in the first, second, ... iteration, later */
    uint32_t slot_count;
    uint64_t *first; /* calls in the first of these, by location */
    /* the pass under way */
    uint32_t location;       /* + 1 */
    uint64_t kept, last;     /* calls; ns: end of the last one of this location */
    struct efg_buffer marks; /* iterations of this location */
    struct flight *flights;
    uint32_t flight_count, flight_room;
    struct efg_map flight_of; /* pair -> index */
};

/* --- spans --- */

static uint64_t key_of(const struct efg_recorded_span *span)
{
    return efg_recorded_key(span->window, span->number);
}

static int add_span(struct spans *s, const struct efg_recorded_span *span)
{
    uint32_t known = s->count;
    uint64_t *index = efg_map_put(&s->index, key_of(span));
    if (!index)
        return -ENOMEM;
    if (s->index.count > known) {
        if (!(known & (known - 1))) {
            void *more = realloc(s->span, (known ? 2 * (size_t)known : 1) * sizeof *s->span);
            if (!more)
                return -ENOMEM;
            s->span = more;
        }
        *index = s->count;
        s->span[s->count++] = *span;
    }
    struct efg_recorded_span *all = &s->span[*index];
    all->begin = span->begin < all->begin ? span->begin : all->begin;
    all->end = span->end > all->end ? span->end : all->end;
    return 0;
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = key_of(a), y = key_of(b);
    return (x > y) - (x < y);
}

static void sort_spans(struct spans *s)
{
    if (s->count)
        qsort(s->span, s->count, sizeof *s->span, by_key);
}

static void put_spans(struct timeline *t, const char *name, const struct spans *s,
                      int with_number)
{
    const char *comma = "";
    efg_buffer_print(t->out, ",\"%s\":[", name);
    for (uint32_t i = 0; i < s->count; i++) {
        if (with_number ? key_of(&s->span[i]) >= t->next : s->span[i].begin >= t->until)
            continue;
        efg_buffer_print(t->out, "%s[", comma);
        if (with_number)
            efg_buffer_print(t->out, "%" PRIu64 ",", s->span[i].number);
        efg_buffer_print(t->out, "%" PRIu64 ",%" PRIu64 "]", s->span[i].begin, s->span[i].end);
        comma = ",";
    }
    efg_buffer_print(t->out, "]");
}

static void free_spans(struct spans *s)
{
    efg_map_fini(&s->index);
    free(s->span);
}

/* --- passes --- */

/* Hand all items to TAKE, which returns 0 or -errno. Returns 0, or -1 if the trace cannot be
 * read. */
static int pass(struct timeline *t,
                int (*take)(struct timeline *, const struct efg_recorded_item *), char *message,
                size_t size)
{
    struct efg_recorded_item item;
    int got = efg_recorded_open(&t->recorded, t->run) ? -1 : 1;
    t->location = 0;
    while (got > 0 && (got = efg_recorded_next(&t->recorded, &item)) > 0) {
        t->location += item.kind == EFG_RECORDED_LOCATION;
        if (take(t, &item)) {
            t->out->failed = 1;
            got = 0;
        }
    }
    if (got < 0)
        snprintf(message, size, "%s", t->recorded.message);
    return got;
}

static int survey(struct timeline *t, const struct efg_recorded_item *item)
{
    switch (item->kind) {
    case EFG_RECORDED_CALL:
        t->calls++;
        return 0;
    case EFG_RECORDED_ITERATION:
        return add_span(&t->iterations, &item->span);
    case EFG_RECORDED_WINDOW:
        return add_span(&t->windows, &item->span);
    case EFG_RECORDED_MESSAGE:
        return efg_recorded_pairs_add(&t->pairs, &item->message);
    }
    return 0;
}

/* --- what is kept --- */

static uint64_t slot_end(const struct timeline *t, uint32_t slot)
{
    if (slot + 1 == t->slot_count)
        return UINT64_MAX;
    return t->iterations.count ? t->iterations.span[slot].end
                               : t->recorded.length / SLICES * (slot + 1);
}

/* Whether CALL belongs to this slot or one before it: calls between iterations by their time.
 */
static int is_by(const struct timeline *t, const struct efg_recorded_call *call, uint32_t slot)
{
    if (call->iteration != EFG_RECORDED_NONE && slot < t->iterations.count)
        return efg_recorded_key(call->window, call->iteration) <=
               key_of(&t->iterations.span[slot]);
    return call->begin < slot_end(t, slot);
}

static int count_slots(struct timeline *t, const struct efg_recorded_item *item)
{
    uint32_t low = 0, high = t->slot_count - 1;
    if (item->kind != EFG_RECORDED_CALL)
        return 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (is_by(t, &item->call, middle))
            high = middle;
        else
            low = middle + 1;
    }
    t->slots[low]++;
    if (!low)
        t->first[t->location - 1]++;
    return 0;
}

static void choose(struct timeline *t)
{
    uint64_t sum = t->slots[0];
    uint32_t slots = 1;
    while (slots < t->slot_count && sum + t->slots[slots] <= t->limits.calls)
        sum += t->slots[slots++];
    t->until = slot_end(t, slots - 1);
    if (slots < t->iterations.count)
        t->next = key_of(&t->iterations.span[slots]);
    if (sum <= t->limits.calls)
        return;
    sum = t->first[0];
    for (t->locations = 1; t->locations < t->recorded.location_count; t->locations++) {
        if (sum + t->first[t->locations] > t->limits.calls)
            break;
        sum += t->first[t->locations];
    }
}

static int limit(struct timeline *t, char *message, size_t size)
{
    t->slot_count = (t->iterations.count ? t->iterations.count : SLICES) + 1;
    t->slots = calloc(t->slot_count, sizeof *t->slots);
    t->first = calloc((size_t)t->recorded.location_count + 1, sizeof *t->first);
    efg_recorded_close(&t->recorded);
    t->out->failed |= !t->slots || !t->first;
    if (t->out->failed)
        return 0;
    int error = pass(t, count_slots, message, size);
    if (!error)
        choose(t);
    return error;
}

/* --- messages --- */

static int add_flight(struct timeline *t, uint64_t pair)
{
    if (t->flight_count == t->flight_room) {
        uint32_t room = t->flight_room ? 2 * t->flight_room : 1024;
        void *flights = realloc(t->flights, room * sizeof *t->flights);
        if (!flights)
            return -ENOMEM;
        t->flights = flights;
        t->flight_room = room;
    }
    t->flights[t->flight_count++] = (struct flight){.pair = pair};
    return 0;
}

/* Of messages with both ends, what is within the limits; a second half may still be missing
 * then. */
static int put_end(struct timeline *t, const struct efg_recorded_message *m)
{
    uint64_t pair = efg_recorded_pair(&t->pairs, m);
    if (pair == EFG_RECORDED_NONE || m->time >= t->until)
        return 0;
    uint64_t *index = efg_map_find(&t->flight_of, pair);
    if (!index) {
        if (t->flight_count / 2 >= t->limits.messages)
            return 0;
        index = efg_map_put(&t->flight_of, pair);
        if (!index || add_flight(t, pair))
            return -ENOMEM;
        *index = t->flight_count - 1;
    }
    struct flight *flight = &t->flights[*index];
    *(m->is_send ? &flight->sent : &flight->received) = m->time;
    *(m->is_send ? &flight->from : &flight->to) = t->location - 1;
    *(m->is_send ? &flight->has_send : &flight->has_receive) = 1;
    if (m->is_send)
        flight->bytes = m->bytes;
    return 0;
}

static int by_sending(const void *a, const void *b)
{
    const struct flight *x = a, *y = b;
    if (x->sent != y->sent)
        return x->sent < y->sent ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

/* Returns how many it has put. */
static uint64_t put_messages(struct timeline *t)
{
    uint64_t count = 0, last = 0;
    if (t->flight_count)
        qsort(t->flights, t->flight_count, sizeof *t->flights, by_sending);
    efg_buffer_print(t->out, ",\"messages\":[");
    for (uint32_t i = 0; i < t->flight_count && count < t->limits.messages; i++) {
        const struct flight *f = &t->flights[i];
        if (!f->has_send || !f->has_receive)
            continue;
        efg_buffer_print(t->out, "%s%u,%u,%" PRIu64 ",%" PRId64 ",%" PRIu64, count ? "," : "",
                         f->from, f->to, f->sent - last, (int64_t)(f->received - f->sent),
                         f->bytes);
        last = f->sent;
        count++;
    }
    efg_buffer_print(t->out, "]");
    return count;
}

/* --- locations --- */

static void end_location(struct timeline *t)
{
    if (t->last == EFG_RECORDED_NONE)
        return;
    efg_buffer_print(t->out, "],\"iterations\":[");
    efg_buffer_put(t->out, t->marks.data, t->marks.size);
    t->out->failed |= t->marks.failed;
    efg_buffer_print(t->out, "]}");
    t->marks.size = 0;
    t->last = EFG_RECORDED_NONE;
}

static void begin_location(struct timeline *t, const struct efg_recorded_item *item)
{
    end_location(t);
    efg_buffer_print(t->out, "%s{\"rank\":%u,\"thread\":%u,\"calls\":[",
                     t->location > 1 ? "," : "", item->location.rank, item->location.thread);
    t->last = 0;
}

static void put_call(struct timeline *t, const struct efg_recorded_call *call)
{
    int is_between = call->iteration == EFG_RECORDED_NONE;
    if (t->kept >= t->limits.calls ||
        (is_between ? call->begin >= t->until
                    : efg_recorded_key(call->window, call->iteration) >= t->next))
        return;
    int is_first = t->out->data[t->out->size - 1] == '[';
    uint64_t begin = call->begin < t->last ? t->last : call->begin;
    uint64_t end = call->end < begin ? begin : call->end;
    efg_buffer_print(t->out, "%s%" PRIu64 ",%" PRIu64 ",%u", is_first ? "" : ",",
                     begin - t->last, end - begin, call->site);
    t->last = end;
    t->kept++;
}

static void put_iteration(struct timeline *t, const struct efg_recorded_span *span)
{
    if (key_of(span) < t->next)
        efg_buffer_print(&t->marks, "%s%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                         t->marks.size ? "," : "", span->number, span->begin,
                         span->end - span->begin);
}

static int put(struct timeline *t, const struct efg_recorded_item *item)
{
    if (t->location > t->locations)
        return 0;
    switch (item->kind) {
    case EFG_RECORDED_LOCATION:
        begin_location(t, item);
        break;
    case EFG_RECORDED_CALL:
        put_call(t, &item->call);
        break;
    case EFG_RECORDED_ITERATION:
        put_iteration(t, &item->span);
        break;
    case EFG_RECORDED_MESSAGE:
        return put_end(t, &item->message);
    }
    return t->out->failed ? -ENOMEM : 0;
}

/* --- the rest --- */

static void put_site(struct timeline *t, const struct efg_recorded_site *site,
                     struct efg_otf2_table *functions)
{
    char label[512];
    struct efg_node node;
    efg_recorded_label(&t->names, site, label, sizeof label);
    efg_recorded_node(&t->names, site, &node);
    efg_buffer_print(t->out, "{\"label\":");
    efg_json_quote(t->out, label);
    efg_buffer_print(t->out, ",\"function\":%u,\"hash\":\"0x%" PRIx64 "\"}",
                     efg_otf2_intern_text(functions, site->function), node.hash);
}

static void put_sites(struct timeline *t)
{
    struct efg_otf2_table functions = {0};
    efg_buffer_print(t->out, ",\"sites\":[");
    for (uint32_t i = 0; i < t->recorded.site_count; i++) {
        efg_buffer_print(t->out, i ? "," : "");
        put_site(t, &t->recorded.sites[i], &functions);
    }
    efg_buffer_print(t->out, "],\"functions\":[");
    for (uint32_t i = 0; i < functions.count; i++) {
        efg_buffer_print(t->out, i ? "," : "");
        efg_json_quote(t->out, efg_otf2_key(&functions, i));
    }
    efg_buffer_print(t->out, "]");
    t->out->failed |= functions.failed;
    efg_otf2_table_fini(&functions);
}

static void put_left_out(struct timeline *t, uint64_t messages)
{
    char text[512] = "";
    size_t at = 0;
    if (t->kept < t->calls)
        at = (size_t)snprintf(
            text, sizeof text, "it has the first %" PRIu64 " of %" PRIu64 " calls%s", t->kept,
            t->calls,
            t->locations < t->recorded.location_count ? ", of the first locations only" : "");
    if (messages < t->pairs.count)
        snprintf(text + at, sizeof text - at, "%s %" PRIu64 " of %" PRIu64 " messages",
                 at ? " and" : "it has", messages, t->pairs.count);
    efg_buffer_print(t->out, ",\"left_out\":");
    efg_json_quote(t->out, text);
}

static int write_all(struct timeline *t, char *message, size_t size)
{
    if (pass(t, survey, message, size))
        return -1;
    sort_spans(&t->iterations);
    sort_spans(&t->windows);
    efg_recorded_pairs_number(&t->pairs);
    t->until = t->next = UINT64_MAX;
    t->locations = t->recorded.location_count;
    if (t->calls > t->limits.calls && limit(t, message, size))
        return -1;
    efg_recorded_close(&t->recorded);
    t->last = EFG_RECORDED_NONE;
    efg_buffer_print(t->out, "{\"locations\":[");
    if (pass(t, put, message, size))
        return -1;
    end_location(t);
    uint64_t length = t->recorded.length;
    efg_buffer_print(t->out, "],\"start\":%" PRIu64 ",\"end\":%" PRIu64, t->recorded.start,
                     t->until < length ? t->until : length);
    put_spans(t, "windows", &t->windows, 0);
    put_spans(t, "iterations", &t->iterations, 1);
    put_sites(t);
    put_left_out(t, put_messages(t));
    efg_buffer_print(t->out, "}");
    return 0;
}

int efg_recorded_json_timeline(struct efg_buffer *out, const struct efg_run *run,
                               struct efg_recorded_limits limits, char *message, size_t size)
{
    struct timeline t = {.out = out, .run = run, .limits = limits, .recorded.pipe = -1};
    size_t before = out->size;
    int error = efg_recorded_names_init(&t.names, run);
    out->failed |= error != 0;
    error = error ? 0 : write_all(&t, message, size);
    if (error) {
        out->size = before;
        efg_buffer_print(out, "null");
    }
    efg_recorded_close(&t.recorded);
    efg_recorded_names_fini(&t.names);
    efg_recorded_pairs_fini(&t.pairs);
    free_spans(&t.iterations);
    free_spans(&t.windows);
    efg_map_fini(&t.flight_of);
    efg_buffer_fini(&t.marks);
    free(t.flights);
    free(t.slots);
    free(t.first);
    return error;
}
