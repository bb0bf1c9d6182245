/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes the time in each function from the graph, at both ends of a window. Functions get their places in the
 * order in which they come.
 */
#include "enough.h"

#include "core/window/accuracy.h"
#include "runtime/calls/call.h"
#include "runtime/process/job.h"
#include "steering.h"
#include "windows.h"

#define WHOLE 1000000

static const struct efg_job *const job = &efg_job;
static const struct efg_steering *const s = &efg_steering;
static const struct efg_agree *const agree = &efg_steering.control.agree;

static struct {
    struct efg_accuracy accuracy;
    struct efg_accuracy_sample start, opened; /* sums until then: that the pivot is marked, of the window */
    uint8_t place[EFG_CALLS];                 /* of each function, from 1 */
    uint8_t places;
    double longest; /* ns: of all iterations of the loop that ERROR is of */
    uint64_t error;
} enough;

static uint32_t place_of(uint32_t call)
{
    if (call >= EFG_CALLS)
        return EFG_ACCURACY_PARTS - 1;
    if (!enough.place[call] && enough.places < EFG_ACCURACY_PARTS)
        enough.place[call] = ++enough.places;
    return enough.place[call] ? enough.place[call] - 1u : EFG_ACCURACY_PARTS - 1;
}

static struct efg_accuracy_sample sums(const struct efg_graph *graph)
{
    struct efg_accuracy_sample sums = {0};

    for (uint32_t i = 0; i < graph->node_count; i++)
        sums.part[place_of(graph->nodes[i].signature.call)] += (double)efg_node_time(&graph->nodes[i]);
    return sums;
}

/* ITERATIONS that took TIME, which began when there was BEFORE. */
static struct efg_accuracy_sample since(const struct efg_accuracy_sample *before,
                                        const struct efg_graph *graph, uint64_t iterations, uint64_t time)
{
    struct efg_accuracy_sample sample = sums(graph);

    for (uint32_t p = 0; p < EFG_ACCURACY_PARTS; p++)
        sample.part[p] -= before->part[p];
    sample.iterations = (double)iterations;
    sample.time = (double)time;
    return sample;
}

static struct efg_accuracy_sample all(const struct efg_thread *t)
{
    struct efg_accuracy_sample all =
        since(&enough.start, &t->graph, t->iterations.all.count, t->iterations.all.sum);
    uint64_t number = efg_steering_number(t), count = t->iterations.all.count;

    all.first = number > count ? number - count : 0;
    return all;
}

/* The loop with the most time counts. */
static void note_error(const struct efg_thread *t)
{
    struct efg_accuracy_sample whole = all(t);

    if (!enough.accuracy.count || whole.time < enough.longest)
        return;
    enough.longest = whole.time;
    enough.error = (uint64_t)(efg_accuracy_error(&enough.accuracy, &whole, 1) * WHOLE) + 1;
}

void efg_enough_restart(const struct efg_thread *t)
{
    if (!job->conf.accuracy)
        return;
    efg_accuracy_fini(&enough.accuracy);
    enough.start = sums(&t->graph);
}

void efg_enough_open(const struct efg_thread *t)
{
    if (job->conf.accuracy)
        enough.opened = sums(&t->graph);
}

void efg_enough_close(const struct efg_thread *t)
{
    const struct efg_run_window *w = efg_windows_present();

    if (!job->conf.accuracy || !w || w->select != EFG_SELECT_SPREAD || !w->complete)
        return;
    struct efg_accuracy_sample sample =
        since(&enough.opened, &t->graph, w->last - w->first, w->end - w->start);
    sample.first = w->first;
    efg_accuracy_add(&enough.accuracy, &sample);
}

static bool is_kept(const void *context, uint64_t first)
{
    (void)context;
    return efg_spread_has(&agree->spread, first);
}

void efg_enough_settle(void)
{
    if (job->conf.accuracy && efg_windows_select(agree->part) == EFG_SELECT_SPREAD && agree->spread.count)
        efg_accuracy_keep(&enough.accuracy, is_kept, NULL);
}

static bool has_room(const struct efg_thread *t)
{
    return !t->recorder.failed &&
           (uint64_t)(t->recorder.log.end - t->recorder.log.next.word) * sizeof *t->recorder.log.end >
               job->conf.log_limit / 2;
}

bool efg_enough_is_rough(const struct efg_thread *t)
{
    if (!job->conf.accuracy || s->control.trigger.state != EFG_DONE || !has_room(t))
        return false;
    struct efg_accuracy_sample whole = all(t);
    return efg_accuracy_error(&enough.accuracy, &whole, 0.5) * WHOLE > (double)job->conf.accuracy;
}

void efg_enough_finish(const struct efg_thread *t)
{
    if (job->conf.accuracy)
        note_error(t);
}

uint64_t efg_enough_error(void)
{
    return enough.error;
}
