/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The timeline as JSON. The trace is read once; what may be shown of it is kept.
 *
 * If there are more calls than may be, the end is left out: iterations from the last one on, as
 * many as needed; all locations up to the same moment. If one iteration alone is too much, the
 * last locations are left out of it, too. While the trace is read, calls are dropped by the same
 * rule whenever they have no room: what is still to come only makes the part that is shown
 * smaller. Of calls between iterations some more are kept, as the last iteration shown may yet
 * end later.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "cli/json.h"
#include "files/otf2/otf2.h"
#include "json.h"

#define SLICES 64         /* of time, where there are no iterations */
#define KINDS 32          /* of waiting, at most */
#define RESERVE (1 << 14) /* calls that are kept before any are dropped, at least */

struct call {
    uint64_t begin, end, key; /* KEY: of the iteration, or EFG_RECORDED_NONE */
    uint64_t number;          /* among the calls of the location */
    uint32_t site, location;
};

struct mark { /* an iteration of a location */
    struct efg_recorded_span span;
    uint32_t location;
};

struct flight { /* a message, by its pair */
    uint64_t pair, sent, received, bytes;
    uint32_t from, to; /* locations */
    bool has_send, has_receive;
};

struct part { /* what is shown */
    uint64_t until, next;
    uint32_t locations; /* the first ones */
    uint64_t calls;     /* at most so many */
};

/* --- spans --- */

static uint64_t key_of(const struct efg_recorded_span *span)
{
    return efg_recorded_key(span->phase, span->number);
}

static struct efg_recorded_span *span_of(const struct efg_timeline_spans *s, uint64_t index)
{
    return (struct efg_recorded_span *)s->span.data + index;
}

static int add_span(struct efg_timeline_spans *s, const struct efg_recorded_span *span)
{
    uint64_t index = efg_map_number(&s->index, key_of(span));
    if (index == s->span.size / sizeof *span)
        efg_buffer_put(&s->span, span, sizeof *span);
    if (index == UINT64_MAX || s->span.failed)
        return -ENOMEM;
    struct efg_recorded_span *all = span_of(s, index);
    all->begin = span->begin < all->begin ? span->begin : all->begin;
    all->end = span->end > all->end ? span->end : all->end;
    return 0;
}

static int by_key(const void *a, const void *b)
{
    return efg_compare(key_of(a), key_of(b));
}

/* Their places change: the index is made anew. */
static void sort_spans(struct efg_timeline_spans *s)
{
    if (s->index.count)
        qsort(s->span.data, s->index.count, sizeof(struct efg_recorded_span), by_key);
    for (uint64_t i = 0; i < s->index.count; i++)
        *efg_map_find(&s->index, key_of(span_of(s, i))) = i;
}

static void put_spans(struct efg_buffer *out, const char *name, const struct efg_timeline_spans *s,
                      const struct part *part, bool with_number)
{
    const char *comma = "";
    efg_buffer_print(out, ",\"%s\":[", name);
    for (uint64_t i = 0; i < s->index.count; i++) {
        const struct efg_recorded_span *span = span_of(s, i);
        if (with_number ? key_of(span) >= part->next : span->begin >= part->until)
            continue;
        efg_buffer_print(out, "%s[", comma);
        if (with_number)
            efg_buffer_print(out, "%" PRIu64 ",", span->number);
        efg_buffer_print(out, "%" PRIu64 ",%" PRIu64 "]", span->begin, span->end);
        comma = ",";
    }
    efg_buffer_print(out, "]");
}

static void put_kept(struct efg_buffer *out, const struct efg_timeline_spans *s, const struct part *part)
{
    const char *comma = "";
    efg_buffer_print(out, ",\"kept\":[");
    for (uint64_t i = 0; i < s->index.count; i++) {
        const struct efg_recorded_span *span = span_of(s, i);
        const char *kept = efg_otf2_kept(span->kept);
        if (key_of(span) >= part->next)
            continue;
        efg_buffer_print(out, "%s[\"%s\",%.3f]", comma, kept ? kept : "", span->times / 1000.0);
        comma = ",";
    }
    efg_buffer_print(out, "]");
}

/* --- what is shown --- */

static bool is_kept(const struct call *call, uint64_t until, uint64_t next)
{
    return call->key == EFG_RECORDED_NONE ? call->begin < until : call->key < next;
}

static uint32_t slot_count(const struct efg_timeline *t)
{
    return (t->iterations.index.count ? (uint32_t)t->iterations.index.count : SLICES) + 1;
}

static uint64_t slot_end(const struct efg_timeline *t, uint32_t slot)
{
    if (slot + 1 >= slot_count(t))
        return UINT64_MAX;
    return t->iterations.index.count ? span_of(&t->iterations, slot)->end
                                     : t->recorded->length / SLICES * (slot + 1);
}

static uint64_t slot_key(const struct efg_timeline *t, uint32_t slot)
{
    return slot < t->iterations.index.count ? key_of(span_of(&t->iterations, slot)) : UINT64_MAX;
}

/* Whether all of it is still there. */
static bool is_whole(const struct efg_timeline *t, uint32_t slot)
{
    return (t->next == UINT64_MAX || slot_key(t, slot) < t->next) && slot_end(t, slot) <= t->until;
}

/* Slots: the first iteration, the second, ..., later. Calls between them belong to one by time. */
static uint32_t slot_of(const struct efg_timeline *t, const struct call *call)
{
    uint32_t low = 0, high = slot_count(t) - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool is_by = call->key != EFG_RECORDED_NONE && middle < t->iterations.index.count
                         ? call->key <= slot_key(t, middle)
                         : call->begin < slot_end(t, middle);
        if (is_by)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* PART: as many of the first SLOTS as have room for their calls; or the first locations of the
 * first slot. IN_SLOT: calls in each slot; FIRST: in the first one, by location. */
static void choose(const struct efg_timeline *t, struct part *part, const uint64_t *in_slot,
                   const uint64_t *first, uint32_t *slots)
{
    uint64_t sum = in_slot[0];
    for (*slots = 1; *slots < slot_count(t) && is_whole(t, *slots); ++*slots) {
        if (sum + in_slot[*slots] > part->calls)
            break;
        sum += in_slot[*slots];
    }
    part->until = slot_end(t, *slots - 1);
    part->next = slot_key(t, *slots);
    if (sum <= part->calls)
        return;
    sum = first[0];
    for (part->locations = 1; part->locations < t->recorded->location_count; part->locations++) {
        if (sum + first[part->locations] > part->calls)
            break;
        sum += first[part->locations];
    }
}

static int find_part(struct efg_timeline *t, struct part *part, uint32_t *slots)
{
    const struct call *calls = (struct call *)t->calls.data;
    size_t count = t->calls.size / sizeof *calls;
    uint64_t *in_slot = calloc(slot_count(t), sizeof *in_slot);
    uint64_t *first = calloc((size_t)t->recorded->location_count + 1, sizeof *first);
    for (size_t i = 0; in_slot && first && i < count; i++) {
        uint32_t slot = slot_of(t, &calls[i]);
        in_slot[slot]++;
        if (!slot)
            first[calls[i].location]++;
    }
    if (in_slot && first)
        choose(t, part, in_slot, first, slots);
    int error = in_slot && first ? 0 : -ENOMEM;
    free(in_slot);
    free(first);
    return error;
}

/* --- reading --- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Drop messages that will not be shown. */
static int prune_flights(struct efg_timeline *t)
{
    const struct flight *flights = (struct flight *)t->flights.data;
    size_t count = t->flights.size / sizeof *flights;
    efg_map_fini(&t->flight_of);
    t->flights.size = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t known = t->flight_of.count, *index;
        struct flight flight = flights[i];
        if (flight.sent >= t->until || flight.received >= t->until)
            continue;
        index = efg_map_put(&t->flight_of, flight.pair);
        if (!index)
            return -ENOMEM;
        *index = known;
        efg_buffer_put(&t->flights, &flight, sizeof flight);
    }
    return 0;
}

/* Drop what will not be shown, and ask for more room if that is little. */
static int prune(struct efg_timeline *t)
{
    struct part part = {t->until, t->next, UINT32_MAX, t->limits.calls};
    struct call *calls = (struct call *)t->calls.data;
    struct mark *marks = (struct mark *)t->marks.data;
    size_t count = t->calls.size / sizeof *calls, mark_count = t->marks.size / sizeof *marks;
    uint32_t slots = 1;
    sort_spans(&t->iterations);
    if (find_part(t, &part, &slots))
        return -ENOMEM;
    t->next = least(t->next, part.next);
    t->until = least(t->until, slot_end(t, slots)); /* of one more */
    t->last = (uint32_t)least(t->last, part.locations);
    t->calls.size = t->marks.size = 0;
    for (size_t i = 0; i < count; i++)
        if (calls[i].location <= t->last && is_kept(&calls[i], t->until, t->next))
            efg_buffer_put(&t->calls, &calls[i], sizeof *calls);
    for (size_t i = 0; i < mark_count; i++)
        if (key_of(&marks[i].span) < t->next)
            efg_buffer_put(&t->marks, &marks[i], sizeof *marks);
    if (t->calls.size / sizeof *calls > t->reserve / 2)
        t->reserve = 2 * (t->calls.size / sizeof *calls);
    return prune_flights(t);
}

static uint32_t location_of(const struct efg_timeline *t)
{
    return (uint32_t)(t->locations.size / sizeof(struct efg_recorded_item)) - 1;
}

static int add_call(struct efg_timeline *t, const struct efg_recorded_call *call)
{
    struct call kept = {call->begin, call->end, EFG_RECORDED_NONE, t->number++, call->site, location_of(t)};
    if (call->iteration != EFG_RECORDED_NONE)
        kept.key = efg_recorded_key(call->phase, call->iteration);
    t->call_count++;
    if (kept.location > t->last || !is_kept(&kept, t->until, t->next))
        return 0;
    efg_buffer_put(&t->calls, &kept, sizeof kept);
    if (t->calls.failed)
        return -ENOMEM;
    return t->calls.size / sizeof kept > t->reserve ? prune(t) : 0;
}

static int add_iteration(struct efg_timeline *t, const struct efg_recorded_span *span)
{
    struct mark mark = {*span, location_of(t)};
    if (key_of(span) < t->next)
        efg_buffer_put(&t->marks, &mark, sizeof mark);
    return t->marks.failed ? -ENOMEM : add_span(&t->iterations, span);
}

/* One end of a message. */
static int add_end(struct efg_timeline *t, const struct efg_recorded_message *m)
{
    uint64_t pair = efg_recorded_pairs_add(&t->pairs, m), known = t->flight_of.count, *index;
    struct flight none = {.pair = pair};
    if (pair == EFG_RECORDED_NONE)
        return -ENOMEM;
    if (m->time >= t->until || location_of(t) > t->last)
        return 0;
    index = known < t->reserve ? efg_map_put(&t->flight_of, pair) : efg_map_find(&t->flight_of, pair);
    if (!index)
        return known < t->reserve ? -ENOMEM : 0;
    if (t->flight_of.count > known) {
        *index = known;
        efg_buffer_put(&t->flights, &none, sizeof none);
    }
    if (t->flights.failed)
        return -ENOMEM;
    struct flight *flight = (struct flight *)t->flights.data + *index;
    *(m->is_send ? &flight->sent : &flight->received) = m->time;
    *(m->is_send ? &flight->from : &flight->to) = location_of(t);
    *(m->is_send ? &flight->has_send : &flight->has_receive) = true;
    if (m->is_send)
        flight->bytes = m->bytes;
    return 0;
}

int efg_timeline_begin(struct efg_timeline *t, const struct efg_run *run, const struct efg_recorded *recorded,
                       struct efg_recorded_limits limits)
{
    uint64_t most = limits.calls > limits.messages ? limits.calls : limits.messages;
    *t = (struct efg_timeline){.recorded = recorded,
                               .limits = limits,
                               .reserve = 2 * most > RESERVE ? 2 * most : RESERVE,
                               .until = UINT64_MAX,
                               .next = UINT64_MAX,
                               .last = UINT32_MAX};
    return efg_recorded_names_init(&t->names, run);
}

int efg_timeline_take(struct efg_timeline *t, const struct efg_recorded_item *item)
{
    switch (item->kind) {
    case EFG_RECORDED_LOCATION:
        efg_buffer_put(&t->locations, item, sizeof *item);
        t->number = 0;
        return t->locations.failed ? -ENOMEM : 0;
    case EFG_RECORDED_CALL:
        return add_call(t, &item->call);
    case EFG_RECORDED_ITERATION:
        return add_iteration(t, &item->span);
    case EFG_RECORDED_WINDOW:
        return add_span(&t->windows, &item->span);
    case EFG_RECORDED_MESSAGE:
        return add_end(t, &item->message);
    }
    return 0;
}

void efg_timeline_fini(struct efg_timeline *t)
{
    efg_recorded_names_fini(&t->names);
    efg_recorded_pairs_fini(&t->pairs);
    efg_map_fini(&t->iterations.index);
    efg_map_fini(&t->windows.index);
    efg_map_fini(&t->flight_of);
    efg_buffer_fini(&t->iterations.span);
    efg_buffer_fini(&t->windows.span);
    efg_buffer_fini(&t->locations);
    efg_buffer_fini(&t->calls);
    efg_buffer_fini(&t->marks);
    efg_buffer_fini(&t->flights);
}

/* --- waiting --- */

struct waits { /* of a location */
    struct efg_buffer text;
    uint64_t last; /* call that waits */
    struct kinds { /* of all locations */
        const char *name[KINDS];
        uint32_t count;
    } * kinds;
};

static uint32_t kind_of(struct kinds *kinds, const char *name)
{
    uint32_t i = 0;
    while (i < kinds->count && kinds->name[i] != name)
        i++;
    if (i == kinds->count && i < KINDS)
        kinds->name[kinds->count++] = name;
    return i;
}

/* CALL is the one with this INDEX of those that are shown of its location. */
static void add_wait(struct waits *waits, const struct efg_timeline *t, const struct call *call,
                     uint64_t index)
{
    if (!t->wait_of)
        return;
    struct efg_recorded_wait wait = t->wait_of(t->context, call->location, call->number);
    if (!wait.time)
        return;
    uint32_t kind = kind_of(waits->kinds, wait.kind);
    efg_buffer_print(&waits->text, "%s%" PRIu64 ",%" PRIu64 ",%u,%d", waits->text.size ? "," : "",
                     index - waits->last, wait.time, kind, wait.rank == EFG_NONE ? -1 : (int)wait.rank);
    waits->last = index;
}

static void put_waits(struct efg_buffer *out, const struct efg_timeline *t, struct waits *waits)
{
    if (t->wait_of) {
        efg_buffer_print(out, "],\"waits\":[");
        efg_buffer_put(out, waits->text.data, waits->text.size);
    }
    out->failed |= waits->text.failed;
    efg_buffer_fini(&waits->text);
}

static void put_kinds(struct efg_buffer *out, const struct kinds *kinds)
{
    efg_buffer_print(out, ",\"kinds\":[");
    for (uint32_t i = 0; i < kinds->count; i++) {
        efg_buffer_print(out, i ? "," : "");
        efg_json_quote(out, kinds->name[i]);
    }
    efg_buffer_print(out, "]");
}

/* --- locations --- */

/* The calls of LOCATION, from AT on, as far as they are in PART, at most ROOM. Returns how many. */
static uint64_t put_calls(struct efg_buffer *out, const struct efg_timeline *t, const struct part *part,
                          uint32_t location, uint64_t room, size_t *at, struct waits *waits)
{
    const struct call *calls = (struct call *)t->calls.data;
    size_t count = t->calls.size / sizeof *calls;
    uint64_t last = 0, put = 0;
    for (; *at < count && calls[*at].location == location; ++*at) {
        const struct call *call = &calls[*at];
        if (put >= room || !is_kept(call, part->until, part->next))
            continue;
        uint64_t begin = call->begin < last ? last : call->begin;
        uint64_t end = call->end < begin ? begin : call->end;
        efg_buffer_print(out, "%s%" PRIu64 ",%" PRIu64 ",%u", put ? "," : "", begin - last, end - begin,
                         call->site);
        last = end;
        add_wait(waits, t, call, put);
        put++;
    }
    return put;
}

static void put_marks(struct efg_buffer *out, const struct efg_timeline *t, const struct part *part,
                      uint32_t location, size_t *at)
{
    const struct mark *marks = (struct mark *)t->marks.data;
    size_t count = t->marks.size / sizeof *marks;
    const char *comma = "";
    for (; *at < count && marks[*at].location == location; ++*at) {
        const struct efg_recorded_span *span = &marks[*at].span;
        if (key_of(span) >= part->next)
            continue;
        efg_buffer_print(out, "%s%" PRIu64 ",%" PRIu64 ",%" PRIu64, comma, span->number, span->begin,
                         span->end - span->begin);
        comma = ",";
    }
}

/* Returns how many calls it has put. */
static uint64_t put_locations(struct efg_buffer *out, const struct efg_timeline *t, const struct part *part)
{
    const struct efg_recorded_item *items = (struct efg_recorded_item *)t->locations.data;
    uint64_t kept = 0;
    size_t call = 0, mark = 0, count = t->locations.size / sizeof *items;
    struct kinds kinds = {0};
    for (uint32_t i = 0; i < count && i < part->locations; i++) {
        efg_buffer_print(out, "%s{\"rank\":%u,\"thread\":%u,\"calls\":[", i ? "," : "",
                         items[i].location.rank, items[i].location.thread);
        struct waits waits = {.kinds = &kinds};
        kept += put_calls(out, t, part, i, part->calls - kept, &call, &waits);
        put_waits(out, t, &waits);
        efg_buffer_print(out, "],\"iterations\":[");
        put_marks(out, t, part, i, &mark);
        efg_buffer_print(out, "]}");
    }
    efg_buffer_print(out, "]");
    if (t->wait_of)
        put_kinds(out, &kinds);
    return kept;
}

/* --- messages --- */

static int by_sending(const void *a, const void *b)
{
    const struct flight *x = a, *y = b;
    if (x->sent != y->sent)
        return x->sent < y->sent ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

static bool is_shown(const struct flight *f, const struct part *part)
{
    return f->has_send && f->has_receive && f->sent < part->until && f->received < part->until &&
           f->from < part->locations && f->to < part->locations;
}

/* Returns how many it has put. */
static uint64_t put_messages(struct efg_buffer *out, struct efg_timeline *t, const struct part *part,
                             uint64_t most)
{
    struct flight *flights = (struct flight *)t->flights.data;
    uint64_t shown = 0, last = 0, count = t->flights.size / sizeof *flights;
    if (count)
        qsort(flights, count, sizeof *flights, by_sending);
    efg_buffer_print(out, ",\"messages\":[");
    for (uint64_t i = 0; i < count && shown < most; i++) {
        const struct flight *f = &flights[i];
        if (!is_shown(f, part))
            continue;
        efg_buffer_print(out, "%s%u,%u,%" PRIu64 ",%" PRId64 ",%" PRIu64, shown ? "," : "", f->from, f->to,
                         f->sent - last, (int64_t)(f->received - f->sent), f->bytes);
        last = f->sent;
        shown++;
    }
    efg_buffer_print(out, "]");
    return shown;
}

/* --- the rest --- */

static void put_site(struct efg_buffer *out, const struct efg_timeline *t,
                     const struct efg_recorded_site *site, struct efg_otf2_table *functions)
{
    char label[512];
    struct efg_node node;
    efg_recorded_label(&t->names, site, label, sizeof label);
    efg_recorded_node(&t->names, site, &node);
    efg_buffer_print(out, "{\"label\":");
    efg_json_quote(out, label);
    efg_buffer_print(out, ",\"function\":%u,\"hash\":\"0x%" PRIx64 "\"}",
                     efg_otf2_intern_text(functions, site->function), node.hash);
}

static void put_sites(struct efg_buffer *out, const struct efg_timeline *t)
{
    struct efg_otf2_table functions = {0};
    efg_buffer_print(out, ",\"sites\":[");
    for (uint32_t i = 0; i < t->recorded->site_count; i++) {
        efg_buffer_print(out, i ? "," : "");
        put_site(out, t, &t->recorded->sites[i], &functions);
    }
    efg_buffer_print(out, "],\"functions\":[");
    for (uint32_t i = 0; i < functions.count; i++) {
        efg_buffer_print(out, i ? "," : "");
        efg_json_quote(out, efg_otf2_key(&functions, i));
    }
    efg_buffer_print(out, "]");
    out->failed |= functions.failed;
    efg_otf2_table_fini(&functions);
}

static void put_left_out(struct efg_buffer *out, const struct efg_timeline *t, const struct part *part,
                         uint64_t calls, uint64_t messages)
{
    uint64_t pairs = efg_recorded_pairs_count(&t->pairs);
    char text[512] = "";
    size_t at = 0;
    if (calls < t->call_count)
        at = (size_t)snprintf(
            text, sizeof text, "it has the first %" PRIu64 " of %" PRIu64 " calls%s", calls, t->call_count,
            part->locations < t->recorded->location_count ? ", of the first locations only" : "");
    if (messages < pairs)
        snprintf(text + at, sizeof text - at, "%s %" PRIu64 " of %" PRIu64 " messages",
                 at ? " and" : "it has", messages, pairs);
    efg_buffer_print(out, ",\"left_out\":");
    efg_json_quote(out, text);
}

void efg_timeline_json(struct efg_buffer *out, struct efg_timeline *t, struct efg_recorded_limits limits)
{
    struct part part = {UINT64_MAX, UINT64_MAX, t->recorded->location_count, limits.calls};
    uint32_t slots;
    sort_spans(&t->iterations);
    sort_spans(&t->windows);
    out->failed |= t->call_count > limits.calls && find_part(t, &part, &slots);
    efg_buffer_print(out, "{\"locations\":[");
    uint64_t calls = put_locations(out, t, &part), length = t->recorded->length;
    efg_buffer_print(out, ",\"start\":%" PRIu64 ",\"end\":%" PRIu64, t->recorded->start,
                     part.until < length ? part.until : length);
    put_spans(out, "windows", &t->windows, &part, false);
    put_spans(out, "iterations", &t->iterations, &part, true);
    put_kept(out, &t->iterations, &part);
    put_sites(out, t);
    put_left_out(out, t, &part, calls, put_messages(out, t, &part, limits.messages));
    efg_buffer_print(out, "}");
}
