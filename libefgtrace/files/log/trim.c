/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cuts a stretch of a log down to a span of time. One pass, reading ahead of writing. A call
 * is its ENTER, what follows, and its LEAVE; calls are not nested. Invariant: what is written is
 * never behind what is read. It holds since a record that goes leaves more room than the next one
 * may then need for its time; since a mark that is moved to FROM follows a WINDOW_BEGIN, which
 * has its whole time wherever it is moved; since a WINDOW_BEGIN that gets other words waits for the
 * next record that stays; and since one that is moved back to TO still comes later than what is before
 * it.
 */
#include "trim.h"

#include <string.h>

#include "base/map.h"

#define RMA_AND_IO (1ull << 63) /* match ids and request numbers share one set */

struct trim {
    struct efg_log_view view; /* what is read */
    struct efg_log_reader reader;
    struct efg_log_place out;
    const struct efg_trim_part *part;
    uint64_t calls;           /* kept */
    struct efg_map started;   /* what kept calls have started */
    struct efg_record window; /* a WINDOW_BEGIN that waits; kind EFG_REC_NONE: none does */
};

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

/* What would reach into records that were not read yet, which a recorder does not write, goes.
 */
static void put_now(struct trim *t, const struct efg_record *r)
{
    const uint32_t *read = t->view.words + t->reader.at;
    uint32_t words[EFG_LOG_RECORD];
    uint64_t before = r->kind == EFG_REC_WINDOW_BEGIN ? ~r->time : t->out.time;
    struct efg_log_place place = efg_log_encode((struct efg_log_place){words, before}, r);
    size_t count = (size_t)(place.word - words);
    if (count > (size_t)(read - t->out.word))
        return;
    memcpy(t->out.word, words, count * sizeof *words);
    t->out = (struct efg_log_place){t->out.word + count, r->time};
}

static void put_window(struct trim *t)
{
    if (t->window.kind == EFG_REC_NONE)
        return;
    put_now(t, &t->window);
    t->window.kind = EFG_REC_NONE;
}

static void put(struct trim *t, const struct efg_record *r)
{
    put_window(t);
    put_now(t, r);
}

static void keep_inner(struct trim *t, struct efg_record r)
{
    uint64_t begun = starts(&r), ended = completes(&r);
    if (begun)
        efg_map_put(&t->started, begun);
    if (ended && !efg_map_find(&t->started, ended)) {
        if (r.kind != EFG_REC_IRECV)
            return;
        r.kind = EFG_REC_RECV;
        r.e = 0;
    }
    put(t, &r);
}

/* The rest of the call that was entered at ENTER: whether it lies within the span. */
static bool is_within(const struct trim *t, uint64_t enter)
{
    struct efg_log_reader ahead = t->reader;
    const struct efg_record *r;
    do
        r = efg_log_read(&ahead, NULL);
    while (r && r->kind != EFG_REC_LEAVE);
    return r && enter >= t->part->from && r->time <= t->part->to;
}

/* Marks of iterations are renumbered; those of others go. */
static void move_mark(struct trim *t, struct efg_record r)
{
    bool is_iteration = r.kind == EFG_REC_ITERATION_BEGIN || r.kind == EFG_REC_ITERATION_END;

    if (is_iteration) {
        r.d += t->part->shift;
        if (r.d < t->part->first || r.d >= t->part->last)
            return;
    }
    r.time = r.time < t->part->from ? t->part->from : r.time;
    r.time = r.time > t->part->to ? t->part->to : r.time;
    put(t, &r);
}

/* It has other words then: they have room when an iteration has gone. */
static void hold_window(struct trim *t, struct efg_record r)
{
    r.time = t->part->from;
    r.a = t->part->count;
    r.e = t->part->sum;
    t->window = r;
}

static void keep_definition(struct trim *t, struct efg_record r, const void *payload)
{
    r.time = t->out.time;
    t->out = efg_log_encode_definition(t->out, &r, payload);
}

static void trim(struct trim *t)
{
    const struct efg_record *r;
    const void *payload;
    bool is_inside = false, is_kept = false;
    while ((r = efg_log_read(&t->reader, &payload))) {
        if (!is_inside && r->kind == EFG_REC_ENTER) {
            is_inside = true;
            is_kept = is_within(t, r->time);
            t->calls += (uint64_t)is_kept;
        }
        if (r->kind >= EFG_REC_DEF_CALL)
            keep_definition(t, *r, payload);
        else if (r->kind == EFG_REC_WINDOW_BEGIN && r->time < t->part->from && t->part->has_flight)
            hold_window(t, *r);
        else if (!is_inside)
            move_mark(t, *r);
        else if (is_kept)
            keep_inner(t, *r);
        is_inside = is_inside && r->kind != EFG_REC_LEAVE;
    }
    put_window(t);
}

static struct trim begin_at(struct efg_log *log, struct efg_log_place begin)
{
    return (struct trim){.view = {.words = begin.word, .count = (uint64_t)(log->next.word - begin.word)},
                         .out = begin};
}

/* A reader of the file sees what is before BEGIN, until the end. */
static void finish(struct trim *t, struct efg_log *log)
{
    log->next = t->out;
    efg_log_commit(log);
    efg_map_fini(&t->started);
}

uint64_t efg_trim(struct efg_log *log, struct efg_log_place begin, const struct efg_trim_part *part)
{
    struct trim t = begin_at(log, begin);

    t.part = part;
    t.reader = (struct efg_log_reader){.view = &t.view, .record.time = begin.time};
    log->next = begin;
    efg_log_commit(log);
    trim(&t);
    finish(&t, log);
    return t.calls;
}

static struct efg_log_place first_place(const struct efg_log *log)
{
    return (struct efg_log_place){(uint32_t *)((char *)log->header + EFG_LOG_HEADER), 0};
}

/* --- whole windows --- */

struct filter {
    bool (*is_dropped)(const void *context, uint64_t begin);
    void (*mark)(const void *context, struct efg_record *iteration);
    const void *context;
    bool joins;        /* windows that touch become one */
    bool is_out;       /* the present window goes */
    bool is_cut;       /* the one before it goes, and what is under way between them */
    bool has_last_end; /* that of the window before it was not written yet */
    struct efg_record last_end;
};

static void put_last_end(struct trim *t, struct filter *f)
{
    if (f->has_last_end)
        put(t, &f->last_end);
    f->has_last_end = false;
}

static void begin_window(struct trim *t, struct filter *f, const struct efg_record *r)
{
    bool touches = r->time == f->last_end.time && r->d == f->last_end.d, was_out = f->is_out;

    f->is_out = f->is_dropped(f->context, r->time);
    if (f->joins && touches && f->has_last_end && !f->is_out) {
        f->has_last_end = false;
        return;
    }
    put_last_end(t, f);
    if (!touches || was_out) {
        f->is_cut = touches && was_out;
        efg_map_fini(&t->started);
    }
    if (!f->is_out)
        put(t, r);
}

/* Its end waits for what comes next. */
static void end_window(struct filter *f, const struct efg_record *r)
{
    f->last_end = *r;
    f->has_last_end = !f->is_out;
}

static void put_marked(struct trim *t, const struct filter *f, struct efg_record r)
{
    if (f->mark && r.kind == EFG_REC_ITERATION_BEGIN)
        f->mark(f->context, &r);
    put(t, &r);
}

static void filter_windows(struct trim *t, struct filter *f)
{
    const struct efg_record *r;
    const void *payload;

    while ((r = efg_log_read(&t->reader, &payload))) {
        if (r->kind == EFG_REC_WINDOW_BEGIN)
            begin_window(t, f, r);
        else if (r->kind == EFG_REC_WINDOW_END)
            end_window(f, r);
        else if (r->kind >= EFG_REC_DEF_CALL)
            keep_definition(t, *r, payload);
        else if (!f->is_out && f->is_cut)
            keep_inner(t, *r);
        else if (!f->is_out)
            put_marked(t, f, *r);
    }
    put_last_end(t, f);
}

void efg_trim_windows(struct efg_log *log, bool is_dropped(const void *context, uint64_t begin),
                      void mark(const void *context, struct efg_record *iteration), const void *context)
{
    struct trim t = begin_at(log, first_place(log));
    struct filter f = {.is_dropped = is_dropped, .mark = mark, .context = context, .joins = true};

    t.reader = (struct efg_log_reader){.view = &t.view};
    filter_windows(&t, &f);
    finish(&t, log);
}

/* What was before the first window counts as one that goes. Payloads begin at whole pairs of words, and so
 * they must again. */
struct efg_log_place efg_trim_front(struct efg_log *log, struct efg_log_place begin, const uint32_t *end,
                                    bool is_dropped(const void *context, uint64_t begin), const void *context)
{
    struct trim t = begin_at(log, begin);
    struct filter f = {.is_dropped = is_dropped, .context = context, .is_out = true};
    struct efg_log_place last = log->next;
    size_t words = (size_t)(last.word - end);

    t.view.count = (uint64_t)(end - begin.word);
    t.reader = (struct efg_log_reader){.view = &t.view, .record.time = begin.time};
    struct efg_log_reader ahead = t.reader;
    const struct efg_record *first = efg_log_read(&ahead, NULL);
    if (first)
        f.last_end = *first;
    filter_windows(&t, &f);
    if ((end - t.out.word) % 2)
        *t.out.word++ = EFG_REC_NONE;
    finish(&t, log);
    memmove(t.out.word, end, words * sizeof *end);
    log->next = (struct efg_log_place){t.out.word + words, last.time};
    return t.out;
}

/* --- threads that have no iterations --- */

struct chosen {
    bool (*is_inside)(const void *context, uint64_t time);
    const void *context;
};

/* The call that was entered at ENTER, the rest of which AHEAD has yet to read. */
static bool is_chosen(const struct trim *t, const struct chosen *chosen, struct efg_log_reader ahead,
                      uint64_t enter)
{
    const struct efg_record *r;

    if (chosen->is_inside(chosen->context, enter))
        return true;
    while ((r = efg_log_read(&ahead, NULL)) && r->kind != EFG_REC_LEAVE)
        if (completes(r) && efg_map_find(&t->started, completes(r)))
            return true;
    return false;
}

/* When the first call of the window begins that stays; 0 if there is none. */
static uint64_t first_chosen(const struct trim *t, const struct chosen *chosen)
{
    struct efg_log_reader ahead = t->reader;
    const struct efg_record *r;

    while ((r = efg_log_read(&ahead, NULL)) && r->kind != EFG_REC_WINDOW_BEGIN)
        if (r->kind == EFG_REC_ENTER && chosen->is_inside(chosen->context, r->time))
            return r->time;
    return 0;
}

static void move_edge(struct trim *t, const struct chosen *chosen, struct efg_record r, uint64_t first)
{
    if (!chosen->is_inside(chosen->context, r.time))
        r.time = r.kind == EFG_REC_WINDOW_BEGIN ? first : t->out.time;
    put(t, &r);
}

void efg_trim_calls(struct efg_log *log, bool is_inside(const void *context, uint64_t time),
                    const void *context)
{
    struct trim t = begin_at(log, first_place(log));
    const struct chosen chosen = {is_inside, context};
    const struct efg_record *r;
    const void *payload;
    uint64_t first = 0;
    bool is_call = false, is_kept = false;

    t.reader = (struct efg_log_reader){.view = &t.view};
    while ((r = efg_log_read(&t.reader, &payload))) {
        if (r->kind == EFG_REC_WINDOW_BEGIN)
            first = first_chosen(&t, &chosen);
        if (!is_call && r->kind == EFG_REC_ENTER) {
            is_call = true;
            is_kept = first && is_chosen(&t, &chosen, t.reader, r->time);
        }
        if (r->kind >= EFG_REC_DEF_CALL)
            keep_definition(&t, *r, payload);
        else if (is_call && is_kept)
            keep_inner(&t, *r);
        else if (!is_call && first)
            move_edge(&t, &chosen, *r, first);
        is_call = is_call && r->kind != EFG_REC_LEAVE;
    }
    finish(&t, log);
}
