/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Takes the time in each function from the graph, at both ends of a window. Functions get their places in the
 * order in which they come.
 */
#include "enough.h"

#include "core/window/shares.h"
#include "runtime/calls/call.h"
#include "runtime/process/job.h"
#include "steering.h"
#include "windows.h"

#define WHOLE 1000000
#define RECENT 0.02 /* of the time in iterations may not be looked at yet */

static const struct efg_job *const job = &efg_job;
static const struct efg_steering *const s = &efg_steering;
static const struct efg_agree *const agree = &efg_steering.control.agree;

static struct {
    struct efg_shares shares;
    bool is_visited;                   /* the pivot, since it is marked */
    struct efg_accuracy_sample first;  /* sums until its first visit */
    struct efg_accuracy_sample opened; /* sums until that with which the window began */
    uint8_t place[EFG_CALLS];          /* of each function, from 1 */
    uint8_t places;
} enough;

/* --- sums --- */

static uint32_t place_of(uint32_t call)
{
    if (call >= EFG_CALLS)
        return EFG_ACCURACY_PARTS - 1;
    if (!enough.place[call] && enough.places < EFG_ACCURACY_PARTS)
        enough.place[call] = ++enough.places;
    return enough.place[call] ? enough.place[call] - 1u : EFG_ACCURACY_PARTS - 1;
}

/* Until the present visit, at NOW: that may be the begin of a call that has been added already. */
static struct efg_accuracy_sample sums(const struct efg_graph *graph, uint64_t now)
{
    struct efg_accuracy_sample sums = {0};

    for (uint32_t i = 0; i < graph->node_count; i++)
        sums.part[place_of(graph->nodes[i].signature.call)] += (double)efg_node_time(&graph->nodes[i]);
    if (graph->current != EFG_NONE && graph->last_leave > now)
        sums.part[place_of(graph->nodes[graph->current].signature.call)] -= (double)(graph->last_leave - now);
    return sums;
}

/* ITERATIONS that took TIME, from FIRST on, of which BEFORE were the sums when they began. */
static struct efg_accuracy_sample since(const struct efg_accuracy_sample *before,
                                        const struct efg_graph *graph, uint64_t now, uint64_t first,
                                        uint64_t iterations, uint64_t time)
{
    struct efg_accuracy_sample sample = sums(graph, now);

    for (uint32_t p = 0; p < EFG_ACCURACY_PARTS; p++)
        sample.part[p] -= before->part[p];
    sample.first = first;
    sample.iterations = (double)iterations;
    sample.time = (double)time;
    return sample;
}

/* --- visits --- */

static void restart(void)
{
    efg_shares_restart(&enough.shares);
    enough.is_visited = false;
}

void efg_enough_restart(void)
{
    if (job->conf.accuracy)
        restart();
}

static void count(const struct efg_thread *t, uint64_t now)
{
    uint64_t iterations = t->iterations.all.count, number = efg_steering_number(t);
    uint64_t first = number > iterations ? number - iterations : 0;

    enough.shares.all = since(&enough.first, &t->graph, now, first, iterations, t->iterations.all.sum);
}

void efg_enough_visit(const struct efg_thread *t, uint64_t now)
{
    if (!job->conf.accuracy)
        return;
    if (!enough.is_visited)
        enough.first = sums(&t->graph, now);
    else if ((double)t->iterations.all.sum >= enough.shares.all.time * (1 + RECENT))
        count(t, now);
    enough.is_visited = true;
}

void efg_enough_open(const struct efg_thread *t, uint64_t now)
{
    if (job->conf.accuracy)
        enough.opened = sums(&t->graph, now);
}

void efg_enough_close(const struct efg_thread *t, uint64_t now)
{
    const struct efg_run_window *w = efg_windows_present();

    if (!job->conf.accuracy || !w || w->select != EFG_SELECT_SPREAD || !w->complete)
        return;
    struct efg_accuracy_sample sample =
        since(&enough.opened, &t->graph, now, w->first, w->last - w->first, w->end - w->start);
    efg_shares_add(&enough.shares, w->phase, agree->loop, &sample);
    count(t, now);
}

static bool has_window(uint32_t phase, uint64_t first)
{
    for (uint32_t i = 0; i < s->window_count; i++)
        if (s->windows[i].first == first && efg_windows_is_of(&s->windows[i], phase, EFG_SELECT_SPREAD))
            return true;
    return false;
}

void efg_enough_settle(void)
{
    uint32_t phase = efg_agree_phase(agree);

    if (!job->conf.accuracy || !s->is_owner)
        return;
    if (enough.shares.phase && enough.shares.phase != phase)
        restart();
    efg_shares_name(&enough.shares, phase, agree->loop, efg_windows_are_known);
    efg_shares_keep(&enough.shares, phase, has_window);
}

/* --- results --- */

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
    double error = efg_shares_error(&enough.shares, efg_agree_phase(agree), 0.5);
    return error < 0 || error * WHOLE > (double)job->conf.accuracy;
}

uint64_t efg_enough_error(uint32_t phase)
{
    uint32_t main = phase ? phase : efg_shares_longest(&enough.shares);

    efg_shares_keep(&enough.shares, main, has_window);
    double error = efg_shares_error(&enough.shares, main, 1);
    return error < 0 ? 0 : (uint64_t)(error * WHOLE) + 1;
}
