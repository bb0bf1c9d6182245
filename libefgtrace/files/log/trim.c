/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes what a log holds, in place. One pass, reading ahead of writing. A call is its ENTER, what follows,
 * and its LEAVE; calls are not nested. Invariant: what is written is never behind what is read. It holds
 * since a record that goes leaves more room than the next one may then need for its time; since a
 * WINDOW_BEGIN has its whole time wherever it is moved, and one that gets other words has room behind it
 * (EFG_REC_NONE); and since a WINDOW_END that is moved back still comes later than what is before it.
 */
#include "trim.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/map.h"

size_t efg_spans_at(const struct efg_span *spans, size_t count, uint64_t time)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (spans[middle].to <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool efg_spans_have(const struct efg_span *spans, size_t count, uint64_t time)
{
    size_t i = efg_spans_at(spans, count, time);
    return i < count && spans[i].from <= time;
}

#define RMA_AND_IO (1ull << 63) /* match ids and request numbers share one set */

struct trim {
    struct efg_log_view view; /* what is read */
    struct efg_log_reader reader;
    struct efg_log_place out;
    struct efg_map started; /* what kept calls have started */
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
static void put(struct trim *t, const struct efg_record *r)
{
    const uint32_t *read = t->view.words + t->reader.at;
    uint32_t words[EFG_LOG_RECORD];
    uint64_t before = r->kind == EFG_REC_WINDOW_BEGIN ? ~r->time : t->out.time;
    if (read - t->out.word >= EFG_LOG_RECORD) {
        t->out = efg_log_encode((struct efg_log_place){t->out.word, before}, r);
        return;
    }
    struct efg_log_place place = efg_log_encode((struct efg_log_place){words, before}, r);
    size_t count = (size_t)(place.word - words);
    if (count > (size_t)(read - t->out.word))
        return;
    memcpy(t->out.word, words, count * sizeof *words);
    t->out = (struct efg_log_place){t->out.word + count, r->time};
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

static void keep_definition(struct trim *t, struct efg_record r, const void *payload)
{
    r.time = t->out.time;
    t->out = efg_log_encode_definition(t->out, &r, payload);
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

/* Read what is behind BEGIN, and write from there on. */
static struct trim start_at(struct efg_log *log, struct efg_log_place begin)
{
    struct trim t = begin_at(log, begin);

    t.reader.record.time = begin.time;
    log->next = begin;
    efg_log_commit(log);
    return t;
}

void efg_trim_rest(struct efg_log *log, struct efg_log_place begin)
{
    struct trim t = start_at(log, begin);
    const struct efg_record *r;
    const void *payload;

    t.reader.view = &t.view;
    while ((r = efg_log_read(&t.reader, &payload)))
        if (r->kind >= EFG_REC_DEF_CALL)
            keep_definition(&t, *r, payload);
    finish(&t, log);
}

/* --- marks --- */

static bool is_iteration(const struct efg_record *r)
{
    return r->kind == EFG_REC_ITERATION_BEGIN || r->kind == EFG_REC_ITERATION_END;
}

/* Marks of iterations are renumbered; those of others go. */
static void put_mark(struct trim *t, const struct efg_trim_part *part, struct efg_record r)
{
    r.d += part->shift;
    if (r.kind == EFG_REC_ITERATION_BEGIN && r.c == EFG_PHASE_LATER && part->phase)
        r.c = part->phase;
    if (r.d >= part->first && r.d < part->last)
        put(t, &r);
}

uint64_t efg_trim_marks(struct efg_log *log, struct efg_log_place begin, const struct efg_trim_part *part)
{
    struct trim t = start_at(log, begin);
    const struct efg_record *r;
    const void *payload;
    uint64_t calls = 0, enter = 0;

    t.reader.view = &t.view;
    while ((r = efg_log_read(&t.reader, &payload))) {
        if (r->kind == EFG_REC_ENTER)
            enter = r->time;
        calls += r->kind == EFG_REC_LEAVE && enter >= part->span.from && r->time <= part->span.to;
        if (r->kind >= EFG_REC_DEF_CALL)
            keep_definition(&t, *r, payload);
        else if (is_iteration(r))
            put_mark(&t, part, *r);
        else
            put(&t, r);
    }
    finish(&t, log);
    return calls;
}

static struct efg_log_place first_place(const struct efg_log *log)
{
    return (struct efg_log_place){(uint32_t *)((char *)log->header + EFG_LOG_HEADER), 0};
}

/* --- whole windows --- */

struct filter {
    bool (*is_dropped)(const void *context, uint64_t begin);
    bool (*goes_on)(const void *context, uint64_t begin);
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
    if (f->joins && touches && f->has_last_end && !f->is_out &&
        (!f->goes_on || f->goes_on(f->context, r->time))) {
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

/* What waits comes first: a definition that moves may take a word more, and then there was no room for it. */
static void keep_definition_behind(struct trim *t, struct filter *f, const struct efg_record *r,
                                   const void *payload)
{
    put_last_end(t, f);
    keep_definition(t, *r, payload);
}

static void keep_marked(struct trim *t, const struct filter *f, struct efg_record r)
{
    if (f->mark && r.kind == EFG_REC_ITERATION_BEGIN)
        f->mark(f->context, &r);
    if (f->is_cut)
        keep_inner(t, r);
    else
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
            keep_definition_behind(t, f, r, payload);
        else if (!f->is_out)
            keep_marked(t, f, *r);
    }
    put_last_end(t, f);
}

void efg_trim_windows(struct efg_log *log, bool is_dropped(const void *context, uint64_t begin),
                      bool goes_on(const void *context, uint64_t begin),
                      void mark(const void *context, struct efg_record *iteration), const void *context)
{
    struct trim t = begin_at(log, first_place(log));
    struct filter f = {
        .is_dropped = is_dropped, .goes_on = goes_on, .mark = mark, .context = context, .joins = true};

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

/* --- margins --- */

struct margins {
    const struct efg_trim_margins *given;
    struct efg_map requests;  /* those that stay: of calls inside, or needed */
    struct efg_map strays;    /* those that go */
    size_t windows;           /* begun so far */
    struct efg_record window; /* its beginning, until the room behind it is read; EFG_REC_NONE: none waits */
};

static bool is_inside(const struct efg_trim_margins *m, uint64_t time)
{
    return efg_spans_have(m->inside, m->inside_count, time);
}

static bool is_among(const uint64_t *places, size_t count, uint64_t place)
{
    return count && bsearch(&place, places, count, sizeof *places, efg_compare_numbers);
}

static bool is_needed(const struct efg_trim_margins *m, uint64_t place)
{
    return is_among(m->needed, m->needed_count, place);
}

/* Whether record R, which ends at PLACE, goes, or completes what goes. */
static bool is_stray(const struct margins *m, const struct efg_record *r, uint64_t place)
{
    uint64_t request = completes(r);

    return is_among(m->given->strays, m->given->stray_count, place) ||
           (request && efg_map_find(&m->strays, request));
}

/* Whether record R of a call in a margin, which was entered at ENTER and ends at PLACE, stays. A receive that
 * was taken along from before the margin does not: its completion is enough. */
static bool stays(const struct margins *m, const struct efg_record *r, uint64_t enter, uint64_t place)
{
    uint64_t request = starts(r) ? starts(r) : completes(r);

    if (r->kind == EFG_REC_IRECV_REQUEST && r->time == enter)
        return false;
    return (request && efg_map_find(&m->requests, request)) || is_needed(m->given, place);
}

/* Which requests stay. Not those of collectives that began in a margin, which is longer on some ranks:
 * readers take the k-th collective of a communicator for the same one on all. */
static void find_requests(struct margins *m, struct efg_log_reader reader)
{
    const struct efg_record *r;
    bool is_in = false;

    while ((r = efg_log_read(&reader, NULL))) {
        uint64_t request = starts(r) ? starts(r) : completes(r);
        if (r->kind == EFG_REC_ENTER)
            is_in = is_inside(m->given, r->time);
        if (r->kind == EFG_REC_ISEND_COMPLETE && !m->given->is_matched)
            continue;
        if (is_stray(m, r, reader.at) || (r->kind == EFG_REC_COLLECTIVE_REQUEST && !is_in)) {
            if (starts(r))
                efg_map_put(&m->strays, starts(r));
            continue;
        }
        if (request && (is_in || (starts(r) && is_needed(m->given, reader.at))))
            efg_map_put(&m->requests, request);
    }
}

/* Whether the call in a margin, the rest of which AHEAD has yet to read, stays. */
static bool call_stays(const struct margins *m, struct efg_log_reader ahead)
{
    uint64_t enter = ahead.record.time;
    const struct efg_record *r;

    while ((r = efg_log_read(&ahead, NULL)) && r->kind != EFG_REC_LEAVE)
        if (stays(m, r, enter, ahead.at))
            return true;
    return false;
}

/* What is left of the window that has just begun: [from, to], nothing if from > to. */
static struct efg_span rest_of_window(const struct trim *t, const struct margins *m, uint64_t begin)
{
    const struct efg_trim_margins *given = m->given;
    struct efg_log_reader ahead = t->reader;
    struct efg_span rest = {UINT64_MAX, 0};
    const struct efg_record *r;
    uint64_t end = begin;
    bool is_kept = false;

    while ((r = efg_log_read(&ahead, NULL)) && r->kind != EFG_REC_WINDOW_BEGIN) {
        end = r->kind < EFG_REC_DEF_CALL ? r->time : end;
        if (r->kind == EFG_REC_ENTER) {
            is_kept = is_inside(given, r->time) || call_stays(m, ahead);
            rest.from = is_kept && r->time < rest.from ? r->time : rest.from;
        }
        if (r->kind == EFG_REC_LEAVE && is_kept)
            rest.to = r->time;
    }
    for (size_t i = 0; given->is_leader && i < given->inside_count; i++) {
        struct efg_span in = given->inside[i];
        if (in.to <= begin || in.from >= end)
            continue;
        in.from = in.from < begin ? begin : in.from;
        in.to = in.to > end ? end : in.to;
        rest.from = in.from < rest.from ? in.from : rest.from;
        rest.to = in.to > rest.to ? in.to : rest.to;
    }
    if (given->is_leader && rest.from > rest.to)
        rest = (struct efg_span){begin, begin}; /* empty, so that those behind it keep their numbers */
    return rest;
}

/* The user's region at TIME, in the window that has just begun, in INNERMOST. */
static uint32_t region_at(const struct trim *t, uint64_t time, uint32_t innermost)
{
    struct efg_log_reader ahead = t->reader;
    const struct efg_record *r;

    while ((r = efg_log_read(&ahead, NULL)) && r->kind != EFG_REC_WINDOW_BEGIN)
        if (r->kind == EFG_REC_REGION && r->time < time)
            innermost = r->b;
    return innermost;
}

static void begin_rest(const struct trim *t, struct margins *m, struct efg_record r, struct efg_span rest)
{
    size_t i = m->windows - 1;

    r.time = rest.from;
    r.b = region_at(t, rest.from, r.b);
    if (i < m->given->gone_count) {
        r.a += m->given->gone[i].count;
        r.e += m->given->gone[i].sum;
    }
    m->window = r;
}

static void put_window(struct trim *t, struct margins *m)
{
    if (m->window.kind != EFG_REC_NONE)
        put(t, &m->window);
    m->window.kind = EFG_REC_NONE;
}

static void put_edge(struct trim *t, struct efg_record r, struct efg_span rest)
{
    bool is_within = r.kind == EFG_REC_REGION || r.kind == EFG_REC_COUNT || r.kind == EFG_REC_PART;

    if (is_within && (r.time < rest.from || r.time > rest.to))
        return;
    if (r.kind == EFG_REC_WINDOW_END && r.time > rest.to)
        r.time = rest.to > t->out.time ? rest.to : t->out.time;
    put(t, &r);
}

static void put_inner(struct trim *t, const struct margins *m, const struct efg_record *r, uint64_t enter)
{
    bool is_edge = r->kind == EFG_REC_ENTER || r->kind == EFG_REC_LEAVE;

    if (is_stray(m, r, t->reader.at))
        return;
    if (is_edge || is_inside(m->given, enter) || stays(m, r, enter, t->reader.at))
        keep_inner(t, *r);
}

static void trim_margins(struct trim *t, struct margins *m)
{
    struct efg_span rest = {0, UINT64_MAX};
    const struct efg_record *r;
    const void *payload;
    bool is_call = false, is_kept = false;
    uint64_t enter = 0;

    while ((r = efg_log_read(&t->reader, &payload))) {
        if (r->kind == EFG_REC_NONE)
            continue;
        put_window(t, m);
        if (r->kind == EFG_REC_WINDOW_BEGIN) {
            m->windows++;
            rest = rest_of_window(t, m, r->time);
            if (rest.from <= rest.to)
                begin_rest(t, m, *r, rest);
            continue;
        }
        if (!is_call && r->kind == EFG_REC_ENTER) {
            is_call = true;
            enter = r->time;
            is_kept = is_inside(m->given, enter) || call_stays(m, t->reader);
        }
        if (r->kind >= EFG_REC_DEF_CALL)
            keep_definition(t, *r, payload);
        else if (is_call && is_kept)
            put_inner(t, m, r, enter);
        else if (!is_call && rest.from <= rest.to)
            put_edge(t, *r, rest);
        is_call = is_call && r->kind != EFG_REC_LEAVE;
    }
    put_window(t, m);
}

static void trim_log(struct efg_log *log, const struct efg_trim_margins *given)
{
    struct margins m = {.given = given};
    struct trim t = start_at(log, first_place(log));

    t.reader.view = &t.view;
    find_requests(&m, t.reader);
    trim_margins(&t, &m);
    finish(&t, log);
    log->header->trimmed = 1;
    efg_map_fini(&m.requests);
    efg_map_fini(&m.strays);
}

int efg_trim_margins(const char *path, const struct efg_trim_margins *given)
{
    struct efg_log log;
    int error = efg_log_open_again(&log, path);

    if (error)
        return error;
    trim_log(&log, given);
    return efg_log_close(&log);
}

int efg_trim_view(struct efg_log_view *view, const struct efg_trim_margins *given)
{
    struct efg_log log;
    int error = efg_log_copy(&log, view);

    if (error)
        return error;
    trim_log(&log, given);
    view->count = log.header->used;
    return 0;
}

int efg_trim_view_windows(struct efg_log_view *view, bool is_dropped(const void *context, uint64_t begin),
                          const void *context)
{
    struct efg_log log;
    int error = efg_log_copy(&log, view);

    if (error)
        return error;
    efg_trim_windows(&log, is_dropped, NULL, NULL, context);
    view->count = log.header->used;
    return 0;
}
