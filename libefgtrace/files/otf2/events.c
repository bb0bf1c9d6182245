/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Step 3: the events of one location, in one pass over its log.
 *
 * Definitions take the next entry of the map, all other records are written as what they are.
 * What refers to something that is not defined, or ends what never began, comes from a damaged
 * log and is dropped, so that the trace stays balanced.
 *
 * Nothing is written before the first window. Between two windows goes a bracket of
 * MeasurementOnOff, OFF at the last event before it (calls that completed what the window had
 * begun may follow the window's end), ON where the next one begins. A log that ends in the
 * midst of things, because the job was killed, has all that is open left at its
 * last moment. Strays are left out, with the requests that they are of.
 *
 * When OTF2 could not write (a full disk), its buffers are not to be touched any more: OTF2 3.0
 * then copies beyond their end, even in closing. So the first failure ends the pass.
 */
#include "metrics.h"

#include <errno.h>
#include <stdlib.h>

/* Moment of a record since the start of the trace, and never after its end. */
static uint64_t moment_of(const struct efg_otf2_pass *p, const struct efg_record *r)
{
    uint64_t ns = efg_log_ns(&p->clock, r->time);
    if (ns < p->first)
        return 0;
    return (ns < p->last ? ns : p->last) - p->first;
}

static void begin_window(struct efg_otf2_pass *p, uint64_t time)
{
    struct efg_otf2_stack *s = &p->stack;
    efg_otf2_leave_all(s, s->next);
    if (p->has_begun && !s->failed) {
        s->failed |= OTF2_EvtWriter_MeasurementOnOff(s->writer, NULL, efg_otf2_tick(s, 0),
                                                     OTF2_MEASUREMENT_OFF) != OTF2_SUCCESS;
        s->failed = s->failed || OTF2_EvtWriter_MeasurementOnOff(s->writer, NULL, efg_otf2_tick(s, time),
                                                                 OTF2_MEASUREMENT_ON) != OTF2_SUCCESS;
    }
    p->has_begun = true;
}

static const struct efg_otf2_route *find_path(const struct efg_otf2_pass *p, uint32_t id)
{
    static const struct efg_otf2_route none = {.name = EFG_NONE, .site = EFG_NONE};
    uint32_t row;
    return efg_otf2_find(p, EFG_ITEM_PATH, id, &row) && row < p->path_count ? p->paths + row : &none;
}

static void walk(struct efg_otf2_pass *p, const struct efg_otf2_route *path, uint64_t time)
{
    /* none as long as no path is known */
    const struct efg_otf2_frame *functions = path->count ? p->functions + path->start : NULL;
    efg_otf2_walk(&p->stack, functions, path->count, time);
}

static void enter_call(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time)
{
    uint32_t region;
    efg_otf2_return(&p->stack, time);
    p->in_collective = 0;
    p->counted.known = 0;
    p->entered = r->time;
    if (!efg_otf2_find(p, EFG_ITEM_CALL, r->call, &region))
        return;
    const struct efg_otf2_route *path = find_path(p, r->a);
    walk(p, path, time);
    efg_otf2_call(&p->stack, region, path->site, path->name, r->d, time);
}

static void nest(struct efg_otf2_pass *p, uint32_t innermost, uint64_t time)
{
    uint32_t regions[EFG_OTF2_NESTED];
    efg_otf2_regions(&p->stack, regions, efg_otf2_find_regions(p, innermost, regions), time);
}

static void change_region(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time)
{
    const struct efg_otf2_route *path = find_path(p, r->a);
    efg_otf2_return(&p->stack, time);
    if (path->count)
        walk(p, path, time);
    nest(p, r->b, time);
}

static void begin_iteration(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time)
{
    struct efg_otf2_why why = {EFG_NONE, EFG_NONE};
    efg_otf2_find(p, EFG_ITEM_WHEN, 0, &why.when);
    efg_otf2_find_phase(p, r->c, &why.loop);
    efg_otf2_iteration_begin(&p->stack, r, why, time);
    nest(p, (uint32_t)r->e, time);
}

static void write_frame(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time)
{
    switch (r->kind) {
    case EFG_REC_WINDOW_BEGIN:
        begin_window(p, time);
        return nest(p, r->b, time);
    case EFG_REC_WINDOW_END:
        return efg_otf2_leave_all(&p->stack, time);
    case EFG_REC_ITERATION_BEGIN:
        return begin_iteration(p, r, time);
    case EFG_REC_ITERATION_END:
        return efg_otf2_iteration_end(&p->stack, time);
    case EFG_REC_ENTER:
        return enter_call(p, r, time);
    case EFG_REC_LEAVE:
        efg_otf2_leave_counted(p, time);
        return efg_otf2_return(&p->stack, time);
    case EFG_REC_REGION:
        return change_region(p, r, time);
    }
}

static OTF2_ErrorCode write_content(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time)
{
    if (r->kind <= EFG_REC_REQUEST_CANCELLED)
        return efg_otf2_write_message(p, r, time);
    if (r->kind <= EFG_REC_COLLECTIVE_COMPLETE)
        return efg_otf2_write_collective(p, r, time);
    if (r->kind <= EFG_REC_RMA_DESTROY)
        return efg_otf2_write_rma(p, r, time);
    return efg_otf2_write_io(p, r, time);
}

/* How many records, the one just read and those behind it, come at its time before their call is left at
 * that time, too. */
static uint64_t count_to_leave(const struct efg_otf2_pass *p, uint64_t time)
{
    struct efg_log_reader ahead = p->reader;
    const struct efg_record *r;
    uint64_t count = 1;
    while (ahead.at < p->count && (r = efg_log_read(&ahead, NULL))) {
        if (r->kind >= EFG_REC_DEF_CALL)
            continue;
        if (r->time != time || r->kind == EFG_REC_LEAVE)
            return r->time == time ? count : 0;
        count++;
    }
    return 0;
}

/* What a call found at its end is before that end; of very many things, the first ones would be before they
 * were sent. */
static uint64_t content_moment(struct efg_otf2_pass *p, const struct efg_record *r)
{
    uint64_t moment = moment_of(p, r), lead;
    if (!p->to_leave && r->time != p->entered)
        p->to_leave = count_to_leave(p, r->time);
    lead = p->to_leave < EFG_OTF2_LEAD ? p->to_leave : EFG_OTF2_LEAD;
    p->to_leave -= p->to_leave > 0;
    return moment > lead ? moment - lead : 0;
}

static void define(struct efg_otf2_pass *p, const struct efg_record *r)
{
    efg_otf2_define_record(p, r);
    if (r->kind == EFG_REC_DEF_COUNTERS)
        efg_otf2_begin_counting(p, r->a);
}

static void write_record(struct efg_otf2_pass *p, const struct efg_record *r)
{
    struct efg_otf2_stack *s = &p->stack;
    if (r->kind >= EFG_REC_DEF_CALL)
        return define(p, r);
    if (r->kind == EFG_REC_PART || (!p->has_begun && r->kind != EFG_REC_WINDOW_BEGIN))
        return; /* parts are of other locations (team.c) */
    if (r->kind == EFG_REC_COUNT)
        return efg_otf2_take_count(p, r);
    if (r->kind <= EFG_REC_LEAVE || r->kind == EFG_REC_REGION)
        return write_frame(p, r, moment_of(p, r));
    s->failed |= write_content(p, r, efg_otf2_tick(s, content_moment(p, r))) != OTF2_SUCCESS;
}

static void write_all(struct efg_otf2_pass *p, const struct efg_record *(*next)(void *), void *context)
{
    const struct efg_record *r;
    efg_otf2_read_head(p);
    while (!p->map.failed && !p->stack.failed && p->reader.at < p->count &&
           (r = efg_log_read(&p->reader, NULL)))
        write_record(p, r);
    while (next && !p->map.failed && !p->stack.failed && (r = next(context)))
        write_record(p, r);
    efg_otf2_leave_all(&p->stack, p->stack.next);
}

static void free_pass(struct efg_otf2_pass *p)
{
    OTF2_AttributeList_Delete(p->stack.attributes);
    free(p->stack.frames);
    efg_otf2_forget(p);
    efg_strays_ahead_fini(&p->strays);
}

/* The writer is closed at once: each one holds its chunks. */
static int finish(OTF2_Archive *archive, struct efg_otf2_pass *p, uint64_t location,
                  struct efg_otf2_count *count)
{
    OTF2_EvtWriter *writer = p->stack.writer;
    count->marks = p->stack.marks;
    count->calls = p->stack.calls;
    if (p->stack.failed || p->strays.failed ||
        OTF2_EvtWriter_GetNumberOfEvents(writer, &count->events) != OTF2_SUCCESS ||
        OTF2_Archive_CloseEvtWriter(archive, writer) != OTF2_SUCCESS ||
        efg_otf2_write_local(archive, location, p->last - p->first) != 0 ||
        efg_otf2_write_team(archive, p, count) != 0)
        return -EIO;
    return p->map.failed ? -EBADMSG : 0;
}

static int write_location(OTF2_Archive *archive, struct efg_otf2_pass *p,
                          const struct efg_record *(*next)(void *), void *context,
                          struct efg_otf2_count *count)
{
    uint64_t location = efg_otf2_location(p->reader.view->header);
    *count = (struct efg_otf2_count){0};
    p->stack.writer = OTF2_Archive_GetEvtWriter(archive, location);
    if (!p->stack.writer)
        return -EIO;
    p->stack.attributes = OTF2_AttributeList_New();
    if (p->stack.attributes)
        write_all(p, next, context);
    else
        p->stack.failed = true;
    int rc = finish(archive, p, location, count);
    free_pass(p);
    return rc;
}

int efg_otf2_events(OTF2_Archive *archive, const struct efg_log_view *log, const void *map, size_t size,
                    const struct efg_strays *strays, struct efg_otf2_count *count)
{
    struct efg_otf2_pass p = {
        .reader = {.view = log},
        .map = efg_reader(map, size),
        .strays.next = efg_strays_of(strays, log->header->rank, log->header->thread),
    };
    return write_location(archive, &p, NULL, NULL, count);
}

int efg_otf2_stream(OTF2_Archive *archive, const struct efg_log_view *log, const void *map, size_t size,
                    const struct efg_record *(*next)(void *), void *context, struct efg_otf2_count *count)
{
    struct efg_otf2_pass p = {.reader = {.view = log}, .map = efg_reader(map, size)};
    return write_location(archive, &p, next, context, count);
}
