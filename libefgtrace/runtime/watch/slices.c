/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * As in ring.c, the older half goes when there is no more room, but for what is wanted. What is kept is cut
 * by time when the program ends, as a margin is. Invariant: while they are open, edges[i] is where slice i
 * begins, and the last one is the present one.
 */
#include "slices.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "steering.h"
#include "why.h"
#include "windows.h"

static const struct efg_job *const job = &efg_job;
static const struct efg_agree *const agree = &efg_steering.control.agree;
static struct efg_slow *const slow = &efg_steering.control.agree.slow;

static struct {
    bool is_open;
    struct edge {
        uint64_t time; /* ticks */
        uint32_t *word;
    } * edges;
    uint32_t count;
    uint64_t bytes;
    uint64_t asked; /* when what is asked for began: ns on the common time line */
    uint64_t from;  /* ticks: where the slice begins that it began in; 0: that is not here */
} slices;

/* Of slice I, which is whole. */
static bool is_wanted(uint32_t i)
{
    if (i + 1 >= slices.count)
        return false;
    uint64_t from = slices.edges[i].time, to = slices.edges[i + 1].time;
    return efg_slow_has_time(slow, from + efg_job_base(), to + efg_job_base()) ||
           efg_windows_meet((struct efg_span){from, to}, false);
}

bool efg_slices_are_open(void)
{
    return slices.is_open;
}

/* The last slice that begins by TIME; the first one, if none does. */
static uint32_t at(uint64_t time)
{
    return efg_array_find(slices.edges, slices.count, sizeof *slices.edges, time);
}

static bool is_dropped(const void *context, uint64_t time)
{
    (void)context;
    return !is_wanted(at(time));
}

static uint64_t bytes_from(const struct efg_thread *t, uint32_t i)
{
    return (uint64_t)(t->recorder.log.next.word - slices.edges[i].word) * sizeof(uint32_t);
}

static void add_edge(const struct efg_thread *t, uint64_t now)
{
    if (efg_array_grow(&slices.edges, slices.count, 1, sizeof *slices.edges))
        return; /* the present one is longer */
    slices.edges[slices.count++] = (struct edge){now, t->recorder.boundary.word};
}

static void begin(struct efg_thread *t, uint64_t now, uint64_t bytes)
{
    free(slices.edges);
    slices.edges = NULL;
    slices.count = 0;
    slices.bytes = bytes;
    efg_why_say(t, efg_agree_phase(agree));
    efg_recorder_begin_ring(&t->recorder, now, EFG_NO_ITERATION);
    if (t->recorder.is_on)
        add_edge(t, now);
    slices.is_open = slices.count > 0;
}

static void turn(struct efg_thread *t, uint64_t now)
{
    efg_recorder_turn_ring(&t->recorder, now, EFG_NO_ITERATION);
    if (!t->recorder.failed)
        add_edge(t, now);
}

/* The first GONE slices, but for those that are wanted. */
static void cut(struct efg_thread *t, uint32_t gone)
{
    uint64_t start = efg_clock_cpu();

    ptrdiff_t moved = efg_recorder_cut_ring(&t->recorder, slices.edges[gone].word, is_dropped, NULL);
    slices.count -= gone;
    memmove(slices.edges, &slices.edges[gone], slices.count * sizeof *slices.edges);
    for (uint32_t i = 0; i < slices.count; i++)
        slices.edges[i].word += moved;
    t->cost.rare += efg_clock_cpu() - start;
}

static void shrink(struct efg_thread *t)
{
    uint32_t gone = slices.count / 2;

    while (gone + 1 < slices.count && bytes_from(t, gone) > slices.bytes / 2)
        gone++;
    slow->span = slices.edges[slices.count - 1].time - slices.edges[gone].time;
    cut(t, gone);
}

void efg_slices_save(struct efg_thread *t)
{
    uint32_t gone = slices.is_open ? slices.count : 0;

    while (gone > 0 && !is_wanted(gone - 1))
        gone--;
    if (gone)
        cut(t, gone);
}

void efg_slices_end(struct efg_thread *t, uint64_t now)
{
    if (!slices.is_open)
        return;
    turn(t, now);
    efg_recorder_end_ring(&t->recorder, is_dropped, NULL);
    slices.is_open = false;
}

void efg_slices_look(struct efg_thread *t, uint64_t now, uint64_t bytes)
{
    if (slices.is_open)
        turn(t, now);
    else
        begin(t, now, bytes);
    if (slices.is_open && t->recorder.failed)
        efg_slices_end(t, now);
    else if (slices.count > 1 && bytes_from(t, 0) > slices.bytes)
        shrink(t);
}

/* --- what is kept --- */

/* A slice of what is asked for is that of another one, too, which would not go, or of another window. */
static bool is_shared(void)
{
    const struct efg_slow_one *asked = &slow->asked;
    uint32_t last = at(asked->ended - efg_job_base());
    uint64_t end = last + 1 < slices.count ? slices.edges[last + 1].time : UINT64_MAX - efg_job_base();

    for (uint32_t i = 0; i < slow->count; i++) {
        const struct efg_slow_one *one = &slow->kept[i];
        uint64_t apart =
            one->number > asked->number ? one->number - asked->number : asked->number - one->number;
        if (apart >= slow->apart && one->begun < end + efg_job_base() &&
            one->ended > slices.from + efg_job_base())
            return true;
    }
    return efg_windows_meet((struct efg_span){slices.from, end}, true);
}

static void find_asked(void)
{
    uint64_t began = slow->asked.begun - efg_job_base();

    if (slices.asked != slow->asked.begun)
        slices.from = slices.is_open && slices.edges[0].time <= began ? slices.edges[at(began)].time : 0;
    slices.asked = slow->asked.begun;
    if (slices.from && (!slices.is_open || is_shared()))
        slices.from = 0;
}

/* TIME, or when the call was entered that was under way then: what it waited for came later. */
static uint64_t end_before(const struct efg_thread *t, uint64_t time)
{
    const uint32_t *word = slices.edges[at(time)].word;
    struct efg_log_view view = {.words = word, .count = (uint64_t)(t->recorder.log.next.word - word)};
    struct efg_log_reader reader = {.view = &view};
    uint64_t enter = time;

    for (const struct efg_record *r; slices.is_open && (r = efg_log_read(&reader, NULL));) {
        if (r->kind == EFG_REC_ENTER && r->time >= time)
            return time;
        if (r->kind == EFG_REC_ENTER)
            enter = r->time;
        else if (r->kind == EFG_REC_LEAVE && r->time > time)
            return enter;
    }
    return time;
}

/* If it is what was asked for last, and has none. */
static void add_window(const struct efg_thread *t, const struct efg_slow_one *one)
{
    uint64_t start = one->all_begun - efg_job_base() - job->start,
             end = one->all_ended - efg_job_base() - job->start;
    uint64_t first = one->number - slow->around;

    if (one->begun != slices.asked || efg_windows_find_slow(first, start))
        return;
    efg_windows_add_slow((struct efg_run_window){.function = agree->loop,
                                                 .phase = efg_agree_phase(agree),
                                                 .first = first,
                                                 .last = one->number + slow->around + 1,
                                                 .start = start,
                                                 .end = end_before(t, job->start + end) - job->start,
                                                 .complete = 1,
                                                 .agreed = 1},
                         &(struct efg_run_iterations){0},
                         (struct efg_span){slices.from, one->ended - efg_job_base()});
}

void efg_slices_settle(const struct efg_thread *t)
{
    for (uint32_t i = 0; i < slow->count; i++)
        add_window(t, &slow->kept[i]);
    if (slow->asked.score && slow->asked.ended)
        find_asked();
}

/* What another window has stays its own. */
void efg_slices_add(const struct efg_thread *t, struct efg_span span, uint64_t first, uint64_t end)
{
    uint32_t i = at(span.from);

    while (i + 1 < slices.count &&
           efg_windows_meet((struct efg_span){slices.edges[i].time, slices.edges[i + 1].time}, false))
        i++;
    efg_windows_add_past((struct efg_run_window){.first = first,
                                                 .last = end,
                                                 .start = span.from - job->start,
                                                 .end = end_before(t, span.to) - job->start,
                                                 .complete = 1},
                         (struct efg_span){slices.edges[i].time, span.to});
}

struct efg_span efg_slices_span(uint64_t now)
{
    bool is_placed = slow->asked.score && slow->asked.ended;
    struct efg_span none = {UINT64_MAX, 0};

    if (!slices.is_open || (is_placed && !slices.from))
        return none;
    return (struct efg_span){is_placed ? slices.asked : slices.edges[0].time + efg_job_base(),
                             now + efg_job_base()};
}
