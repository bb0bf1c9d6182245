/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens and closes windows, on all threads. Invariant: the epoch of the process is odd while it is recorded,
 * and changes whenever that begins or ends; a thread whose epoch differs has not followed yet.
 *
 * Recording begins before the window does, and ends after it, so that the other ends of its messages are
 * there: these are its margins, of which at the end nothing else is left (files/log/trim.h).
 *
 * A window may turn out to be longer than what is kept of it: its loop was over, another rank
 * has fewer iterations, or it was recorded before the ranks agreed. So the times of its visits
 * are kept (marks), and the excess becomes a margin once the ranks have said what they have.
 */
#include "windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/compare.h"
#include "files/log/trim.h"
#include "iterations.h"
#include "runtime/process/job.h"
#include "threads.h"
#include "why.h"

#define MARGIN 10     /* times as many iterations as a window has are before it, and behind it */
#define MARGIN_PART 8 /* of what is left of the log */

static const struct efg_job *const job = &efg_job;
static struct efg_steering *const s = &efg_steering;
static const struct efg_agree *const agree = &efg_steering.control.agree;

/* Visits of the pivot since the window was opened, the last one of its end. */
static struct {
    struct mark {
        uint64_t time; /* ticks */
        uint64_t mpi;  /* ns in MPI until then */
    } * list;
    uint32_t count;
    uint64_t first; /* number of the visit of list[0] */
} marks;

static uint64_t logged_offset;    /* of the numbers that the log has for the present window */
static struct efg_span *recorded; /* of each window: from when to when it was recorded, with its margins */
static uint64_t recording_since;  /* ticks: the present recording; 0: there is none */
static bool is_any_removed;       /* there are recordings in the logs of which no window is left */
static bool is_any_renumbered;    /* there are windows whose phase the log does not have yet */

/* --- lists --- */

struct efg_run_window *efg_windows_present(void)
{
    return s->has_window ? &s->windows[s->window_count - 1] : NULL;
}

enum efg_select efg_windows_select(uint32_t part)
{
    bool is_first = efg_conf_selects(&job->conf, EFG_SELECT_FIRST) ||
                    !efg_conf_selects(&job->conf, EFG_SELECT_SPREAD) ||
                    efg_when_is_afterwards(&job->conf.when);
    return part || !is_first ? EFG_SELECT_SPREAD : EFG_SELECT_FIRST;
}

static int add_window(struct efg_run_window window)
{
    if (efg_array_grow(&s->windows, s->window_count, 1, sizeof *s->windows) ||
        efg_array_grow(&s->recorded, s->window_count, 1, sizeof *s->recorded) ||
        efg_array_grow(&recorded, s->window_count, 1, sizeof *recorded))
        return -ENOMEM;
    s->windows[s->window_count] = window;
    recorded[s->window_count] = (struct efg_span){recording_since, UINT64_MAX};
    memset(&s->recorded[s->window_count++], 0, sizeof *s->recorded);
    s->has_window = 1;
    return 0;
}

/* The same of one of the loop that is agreed on. */
static int add_agreed(struct efg_run_window window)
{
    window.function = agree->loop;
    window.select = agree->asking ? EFG_SELECT_ASKED : efg_windows_select(agree->part);
    window.phase = efg_agree_phase(agree);
    return add_window(window);
}

/* Without memory the window stays as long as it is. */
static int add_mark(const struct efg_thread *t, uint64_t now)
{
    if (efg_array_grow(&marks.list, marks.count, 1, sizeof *marks.list))
        return -ENOMEM;
    marks.list[marks.count++] = (struct mark){now, efg_iterations_mpi(&t->graph, now)};
    return 0;
}

/* --- opened and closed --- */

static void turn_epoch(struct efg_thread *t)
{
    uint32_t epoch = __atomic_load_n(&efg_epoch, __ATOMIC_RELAXED);

    if (epoch == EFG_EPOCH_OVER)
        return; /* nobody follows any more */
    t->epoch = epoch + 1;
    __atomic_store_n(&efg_epoch, t->epoch, __ATOMIC_RELAXED);
}

static uint64_t log_bytes(const struct efg_thread *t)
{
    return (uint64_t)((char *)t->recorder.log.next.word - (char *)t->recorder.window_start.word);
}

static void begin_recording(struct efg_thread *t, uint64_t now)
{
    if (recording_since)
        return;
    recording_since = now;
    efg_recorder_begin(&t->recorder, now);
    turn_epoch(t);
}

/* Of the present window, if there is one. What is under way is waited for, or, if it is a STOP, no longer. */
static void end_recording(struct efg_thread *t, uint64_t now, bool is_stop)
{
    if (!recording_since)
        return;
    recording_since = 0;
    if (s->has_window)
        recorded[s->window_count - 1].to = now;
    if (is_stop)
        efg_recorder_stop(&t->recorder, now);
    else
        efg_recorder_end(&t->recorder, now);
    if (__atomic_load_n(&efg_epoch, __ATOMIC_RELAXED) & 1) /* or all is over */
        turn_epoch(t);
}

bool efg_windows_are_recorded(void)
{
    return recording_since != 0;
}

/* --- margins --- */

/* What a margin may have: a part of what is left. */
static uint64_t margin_room(const struct efg_thread *t)
{
    const struct efg_log *log = &t->recorder.log;
    uint64_t bytes = log->header ? (uint64_t)(log->end - log->next.word) * sizeof *log->end / MARGIN_PART : 0;

    return bytes < job->conf.ring ? bytes : job->conf.ring;
}

bool efg_windows_is_near(uint64_t number, uint64_t first, uint64_t length)
{
    return number < first && first - number <= MARGIN * length;
}

/* One that is too large begins again. */
void efg_windows_approach(struct efg_thread *t, uint64_t now)
{
    if (recording_since && log_bytes(t) > margin_room(t))
        efg_windows_discard(t);
    begin_recording(t, now);
}

/* Behind the present window, which is closed: enough is enough. */
void efg_windows_look_behind(struct efg_thread *t, uint64_t now)
{
    const struct efg_run_window *w = efg_windows_present();

    if (!w || !recording_since || !w->end)
        return;
    if (t->recorder.failed || log_bytes(t) - w->bytes > margin_room(t) ||
        t->tally.visits - marks.first > (w->last - w->first) * (MARGIN + 1))
        end_recording(t, now, false);
}

/* --- windows --- */

/* Why iteration NUMBER of W is. */
static enum efg_kept kept_of(const struct efg_run_window *w, uint64_t number)
{
    if (w->select == EFG_SELECT_ASKED || w->select == EFG_SELECT_WHEN)
        return w->select == EFG_SELECT_ASKED ? EFG_KEPT_ASKED : EFG_KEPT_WHEN;
    if (w->select != EFG_SELECT_SLOW)
        return w->select == EFG_SELECT_SPREAD ? EFG_KEPT_SPREAD : EFG_KEPT_FIRST;
    return number == efg_run_window_slow(w) ? EFG_KEPT_SLOW : EFG_KEPT_BESIDE;
}

void efg_windows_open(struct efg_thread *t, uint64_t now)
{
    uint64_t first = efg_steering_number(t);
    begin_recording(t, now);
    if (add_agreed((struct efg_run_window){.first = first, .last = first, .start = now - job->start}))
        return;
    marks.first = t->tally.visits;
    logged_offset = s->control.offset;
    marks.count = 0;
    add_mark(t, now);
    efg_why_say(t, s->control.trigger.state == EFG_PROVISIONAL ? EFG_PHASE_LATER : efg_agree_phase(agree));
    efg_recorder_first(&t->recorder, now, first, kept_of(efg_windows_present(), first));
}

/* The number of the present iteration as the log has it: it may have another one by now. */
static uint64_t logged_number(const struct efg_thread *t)
{
    return t->tally.visits + logged_offset;
}

void efg_windows_next(struct efg_thread *t, uint64_t now)
{
    struct efg_run_window *w = efg_windows_present();

    if (!w)
        return;
    efg_recorder_next(&t->recorder, now, logged_number(t));
    if (!t->recorder.failed && !add_mark(t, now))
        w->last = efg_steering_number(t);
}

/* NULL: there is no memory for any. */
static const struct mark *mark_of(uint64_t number)
{
    uint64_t i = number - s->control.offset - marks.first;

    return marks.count ? &marks.list[i < marks.count ? i : marks.count - 1] : NULL;
}

static uint64_t time_of(uint64_t number)
{
    const struct mark *mark = mark_of(number);

    return mark ? mark->time : job->start + efg_windows_present()->start;
}

/* Sums of the iterations from FIRST on. */
static void account(const struct efg_run_window *w)
{
    struct efg_run_iterations *r = &s->recorded[w - s->windows];
    uint64_t from = w->first - s->control.offset - marks.first,
             to = w->last - s->control.offset - marks.first;

    memset(r, 0, sizeof *r);
    for (uint64_t i = from; i < to && i + 1 < marks.count; i++) {
        uint64_t time = marks.list[i + 1].time - marks.list[i].time;
        efg_stat_add(&r->recorded, time);
        r->recorded_mpi += efg_iterations_mpi_of(time, marks.list[i].mpi, marks.list[i + 1].mpi);
    }
}

uint64_t efg_windows_first_visit(void)
{
    return marks.count ? marks.first : UINT64_MAX;
}

uint32_t efg_windows_visits(void)
{
    return marks.count;
}

/* What the log of THREAD, which does not record, says of the iterations of W. */
static void remark(struct efg_thread *t, struct efg_run_window *w, struct efg_span span)
{
    struct efg_recorder *r = &t->recorder;

    if (r->failed || !r->log.header)
        return;
    w->events = efg_trim_marks(&r->log, r->window_start,
                               &(struct efg_trim_part){.span = span,
                                                       .first = w->first,
                                                       .last = w->last,
                                                       .shift = s->control.offset - logged_offset,
                                                       .phase = w->phase});
    logged_offset = s->control.offset;
    efg_log_commit(&r->log);
}

void efg_windows_close(struct efg_thread *t, uint64_t now, bool whole)
{
    struct efg_run_window *w = efg_windows_present();
    int is_failed = t->recorder.failed;

    if (!w)
        return;
    if (whole)
        efg_recorder_last(&t->recorder, now, logged_number(t) - 1);
    if (whole && !is_failed && !add_mark(t, now))
        w->last = efg_steering_number(t);
    w->end = time_of(w->last) - job->start;
    w->events = t->recorder.calls;
    w->bytes = log_bytes(t);
    w->complete = whole && !t->recorder.failed;
    if (!whole) {
        end_recording(t, now, true);
        remark(t, w, (struct efg_span){job->start + w->start, time_of(w->last)});
    }
    account(w);
}

void efg_windows_keep(struct efg_thread *t, uint64_t now, uint64_t first, uint64_t end)
{
    struct efg_run_window *w = efg_windows_present();

    if (!w || (w->first == first && w->last == end && logged_offset == s->control.offset)) {
        end_recording(t, now, false);
        return;
    }
    struct efg_span span = {time_of(first), time_of(end)};
    end_recording(t, now, true);
    efg_recorder_stop(&t->recorder, now); /* what is under way is not waited for any longer */
    w->first = first;
    w->last = end;
    w->start = span.from - job->start;
    w->end = span.to - job->start;
    w->complete = end - first == s->control.trigger.length;
    remark(t, w, span);
    account(w);
}

void efg_windows_renumber(struct efg_thread *t)
{
    struct efg_run_window *w = efg_windows_present();

    if (!w)
        return;
    is_any_renumbered = true;
    efg_why_say(t, efg_agree_phase(agree));
    w->function = agree->loop; /* nothing was agreed when it was opened */
    w->select = efg_windows_select(agree->part);
    w->phase = efg_agree_phase(agree);
    w->last += marks.first + s->control.offset - w->first;
    w->first = marks.first + s->control.offset;
}

void efg_windows_discard(struct efg_thread *t)
{
    if (!s->has_window && !recording_since)
        return;
    efg_recorder_discard(&t->recorder);
    s->window_count -= s->has_window;
    s->has_window = 0;
    marks.count = 0;
    recording_since = 0;
    if (__atomic_load_n(&efg_epoch, __ATOMIC_RELAXED) & 1) /* or all is over */
        turn_epoch(t);
}

/* --- windows of other ranks --- */

void efg_windows_follow(struct efg_thread *t, uint64_t now)
{
    efg_windows_discard(t);
    begin_recording(t, now);
    if (add_agreed((struct efg_run_window){.start = now - job->start}))
        return;
    marks.count = 0;
}

void efg_windows_trim(struct efg_thread *t, uint64_t now, struct efg_span span, uint64_t first, uint64_t end)
{
    struct efg_run_window *w = efg_windows_present();
    uint64_t base = efg_job_base();

    if (!w)
        return;
    end_recording(t, now, true);
    efg_recorder_stop(&t->recorder, now);
    w->first = first;
    w->last = end;
    w->start = span.from - base - job->start;
    w->end = span.to - base - job->start;
    w->bytes = log_bytes(t);
    w->complete = 1;
    remark(t, w, (struct efg_span){span.from - base, span.to - base});
}

void efg_windows_add_past(struct efg_run_window window, struct efg_span span)
{
    marks.count = 0;
    if (!add_agreed(window))
        recorded[s->window_count - 1] = span;
}

int efg_windows_join(struct efg_thread *t, uint64_t now)
{
    uint32_t epoch = __atomic_load_n(&efg_epoch, __ATOMIC_RELAXED);

    if (epoch == EFG_EPOCH_OVER)
        return -ECANCELED;
    t->epoch = epoch;
    if (t->epoch & 1)
        efg_recorder_begin(&t->recorder, now);
    else
        efg_recorder_end(&t->recorder, now);
    return 0;
}

/* --- windows that are done --- */

void efg_windows_settle(void)
{
    struct efg_run_window *w = efg_windows_present();

    if (w) {
        w->agreed = 1;
        w->is_apart = agree->moments > 0;
        w->phase = efg_agree_phase(agree);
        w->turn = agree->turns;
    }
    s->has_window = 0;
}

static void remove_from_list(uint32_t i)
{
    struct efg_run_window *w = &s->windows[i];
    uint32_t behind = s->window_count - i - 1;

    memmove(w, w + 1, behind * sizeof *w);
    memmove(&s->recorded[i], &s->recorded[i + 1], behind * sizeof *s->recorded);
    memmove(&recorded[i], &recorded[i + 1], behind * sizeof *recorded);
    s->window_count--;
}

/* From the list; from the logs at the end of the run. */
static void remove_window(uint32_t i)
{
    is_any_removed = true;
    remove_from_list(i);
}

void efg_windows_choose(uint32_t phase, enum efg_select select, const uint8_t *keep)
{
    for (uint32_t i = 0, n = 0; i < s->window_count;) {
        if (efg_windows_is_of(&s->windows[i], phase, select) && !keep[n++])
            remove_window(i);
        else
            i++;
    }
}

/* --- iterations that are kept after the fact --- */

static bool is_of_ring(const struct efg_run_window *w)
{
    return w->select == EFG_SELECT_SLOW || w->select == EFG_SELECT_WHEN;
}

const struct efg_run_window *efg_windows_find_slow(uint64_t first, uint64_t start)
{
    for (uint32_t i = 0; i < s->window_count; i++)
        if (is_of_ring(&s->windows[i]) && s->windows[i].first == first && s->windows[i].start >= start)
            return &s->windows[i];
    return NULL;
}

bool efg_windows_meet(struct efg_span span, bool is_usual)
{
    for (uint32_t i = 0; i < s->window_count; i++)
        if (!(is_usual && is_of_ring(&s->windows[i])) && recorded[i].from < span.to &&
            recorded[i].to > span.from)
            return true;
    return false;
}

void efg_windows_add_slow(struct efg_run_window window, const struct efg_run_iterations *sums,
                          struct efg_span span)
{
    uint32_t i = s->window_count;

    window.select = efg_when_is_afterwards(&job->conf.when) ? EFG_SELECT_WHEN : EFG_SELECT_SLOW;
    if (add_window(window))
        return;
    s->has_window = 0;
    s->recorded[i] = *sums;
    recorded[i] = span;
}

void efg_windows_sweep(uint64_t start, bool is_wanted(uint64_t number), uint32_t times(uint64_t number))
{
    for (uint32_t i = s->window_count; i-- > 0;) {
        struct efg_run_window *w = &s->windows[i];
        if (!is_of_ring(w) || w->start < start)
            continue;
        w->times = times(w->first);
        if (!is_wanted(w->first))
            remove_window(i);
    }
}

static bool touches(const struct efg_run_window *a, const struct efg_run_window *b)
{
    return is_of_ring(a) && is_of_ring(b) && a->end == b->start && a->last == b->first &&
           a->phase == b->phase;
}

/* The one behind W goes on with it. */
static void unite(struct efg_run_window *w)
{
    w->last = w[1].last;
    w->end = w[1].end;
    w->events += w[1].events;
    w->bytes += w[1].bytes;
    w->times += w[1].times; /* one of them has it */
}

uint32_t efg_windows_joined(struct efg_run_window *windows, uint32_t count)
{
    uint32_t left = count ? 1 : 0;

    for (uint32_t i = 1; i < count; i++) {
        windows[left] = windows[i];
        if (touches(&windows[left - 1], &windows[left]))
            unite(&windows[left - 1]);
        else
            left++;
    }
    return left;
}

void efg_windows_join_slow(void)
{
    for (uint32_t i = s->window_count; i-- > 1;) {
        struct efg_run_window *w = &s->windows[i - 1];
        if (!touches(w, w + 1))
            continue;
        unite(w);
        efg_stat_unite(&s->recorded[i - 1].recorded, &s->recorded[i].recorded);
        s->recorded[i - 1].recorded_mpi += s->recorded[i].recorded_mpi;
        recorded[i - 1].to = recorded[i].to;
        remove_from_list(i);
    }
}

/* The least slow one of PHASE; *COUNT of all. */
static uint32_t find_least_slow(uint32_t phase, uint32_t *count)
{
    uint32_t least = 0;

    *count = 0;
    for (uint32_t i = 0; i < s->window_count; i++) {
        if (!efg_windows_is_of(&s->windows[i], phase, EFG_SELECT_SLOW))
            continue;
        if (!*count || s->windows[i].times < s->windows[least].times)
            least = i;
        ++*count;
    }
    return least;
}

void efg_windows_choose_slow(uint32_t phase, uint32_t most)
{
    uint32_t count, least;

    while (least = find_least_slow(phase, &count), count > most)
        remove_window(least);
}

bool efg_windows_are_known(uint32_t phase)
{
    for (uint32_t i = 0; i < agree->loop_count; i++)
        if (agree->loops[i].phase == phase)
            return true;
    return phase == 0;
}

void efg_windows_drop_forgotten(void)
{
    for (uint32_t i = s->window_count; i-- > 0;)
        if (!efg_windows_are_known(s->windows[i].phase))
            remove_window(i);
}

/* No window is left of what is recorded since then. Of two recordings, one may begin when the other ends. */
static bool is_dropped(const void *context, uint64_t begin)
{
    (void)context;
    for (uint32_t i = 0; i < s->window_count; i++)
        if (begin == recorded[i].from || (begin > recorded[i].from && begin < recorded[i].to))
            return false;
    return true;
}

/* No window begins with what is recorded since then. */
static bool goes_on(const void *context, uint64_t begin)
{
    (void)context;
    for (uint32_t i = 0; i < s->window_count; i++)
        if (begin == recorded[i].from)
            return false;
    return true;
}

static const struct efg_run_window *window_at(uint64_t time)
{
    for (uint32_t i = 0; i < s->window_count; i++)
        if (time - job->start >= s->windows[i].start && time - job->start < s->windows[i].end)
            return &s->windows[i];
    return NULL;
}

static void mark_kept(const void *context, struct efg_record *iteration)
{
    const struct efg_run_window *w = window_at(iteration->time);

    (void)context;
    if (!w)
        return;
    iteration->a = kept_of(w, iteration->d);
    iteration->b = iteration->a == EFG_KEPT_SLOW ? w->times : 0;
    if (iteration->c == EFG_PHASE_LATER)
        iteration->c = w->phase;
}

void efg_windows_clean(void)
{
    bool is_adaptive = job->conf.mode == EFG_MODE_ADAPTIVE;

    for (struct efg_thread *t = efg_threads.list; t && is_adaptive; t = t->next)
        if (t->recorder.log.header &&
            (is_any_removed || is_any_renumbered || t != efg_threads.leader || s->control.agree.slow.wanted))
            efg_trim_windows(&t->recorder.log, is_dropped, goes_on, mark_kept, NULL);
}

struct efg_span *efg_windows_inside(size_t *count)
{
    struct efg_span *inside = calloc(s->window_count + 1, sizeof *inside);

    *count = inside ? s->window_count : 0;
    for (size_t i = 0; i < *count; i++)
        inside[i] = (struct efg_span){job->start + s->windows[i].start, job->start + s->windows[i].end};
    if (inside)
        qsort(inside, *count, sizeof *inside, efg_compare_numbers);
    for (size_t i = 1; i < *count; i++) /* of slices: one rank was late, another one early */
        if (inside[i].from < inside[i - 1].to)
            inside[i].from = inside[i - 1].to;
    return inside;
}
