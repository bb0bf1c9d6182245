/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the recorded iterations with the whole run. What was recorded is cut into samples of
 * iterations. A figure is a ratio of sums over samples; how far it may be off follows from how the samples
 * differ, by the distribution of Student.
 *
 * Source: the ratio estimator, as in Cochran, "Sampling Techniques" (1977).
 */
#include "representative.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/conf/conf.h"
#include "files/summary/summary.h"
#include "parts.h"

/* --- figures --- */

/* The 0.975 quantile of Student's distribution: a table, then the expansion for large DEGREES.
 */
static double student(uint32_t degrees)
{
    static const double small[] = {0, 12.7062, 4.3027, 3.1824, 2.7764};
    const double z = 1.959964, n = degrees;
    if (degrees < sizeof small / sizeof *small)
        return small[degrees];
    return z + (pow(z, 3) + z) / (4 * n) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n) +
           (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * n * n * n);
}

/* The ratio of sums of X and Y, both by sample, beside that of the run; STEP: how far they are
 * apart at least if it matters, beside 2%. What is in one sample only has no interval, and is no evidence. */
static struct efg_figure ratio(uint32_t samples, const double *x, const double *y, double run, double step)
{
    double sum_x = 0, sum_y = 0, squares = 0;
    uint32_t seen = 0;
    struct efg_figure f = {.run = run};
    for (uint32_t i = 0; i < samples; i++) {
        sum_x += x[i];
        sum_y += y[i];
        seen += y[i] > 0;
    }
    if (sum_y <= 0 || !isfinite(run) || (seen < 2 && samples > 1))
        return f;
    f.is_known = true;
    f.recorded = sum_x / sum_y;
    for (uint32_t i = 0; i < samples; i++)
        squares += pow(x[i] - f.recorded * y[i], 2);
    if (seen < 2)
        return f;
    f.error = student(seen - 1) * sqrt(squares / seen / (seen - 1)) * seen / sum_y;
    double apart = fabs(f.recorded - run), larger = fmax(f.recorded, run);
    f.differs = seen > 2 && apart > f.error && apart >= step && apart > 0.02 * larger;
    return f;
}

struct columns { /* the sums of a row, by sample */
    double *time, *calls, *bytes;
};

static struct efg_figure time_of(const struct efg_representative_work *w, const double *time, double whole)
{
    return ratio(w->samples, time, w->count, whole / (double)w->r->iterations, 0);
}

/* Figures of a row whose sums are in C and in the run TIME, CALLS. */
static struct efg_representative_row row_of(const struct efg_representative_work *w, const struct columns *c,
                                            double time, double calls)
{
    const struct efg_representative *r = w->r;
    struct efg_representative_row row = {0};
    double iterations = (double)r->iterations;
    row.time = time_of(w, c->time, time);
    row.share = ratio(w->samples, c->time, w->duration, time / (r->time.run * iterations), 0.002);
    if (c->calls && calls > 0) {
        row.mean = ratio(w->samples, c->time, c->calls, time / calls, 0);
        row.calls = ratio(w->samples, c->calls, w->count, calls / iterations, 1 / (double)r->recorded);
    }
    row.impact = (row.time.recorded - row.time.run) / r->time.run;
    return row;
}

static void fill(const struct efg_representative_work *w, uint32_t item, struct columns *c)
{
    for (uint32_t i = 0; i < w->samples; i++) {
        const struct efg_representative_sums *s = efg_representative_sums_of(w, item, i);
        c->time[i] = s->time;
        c->calls[i] = s->calls;
        c->bytes[i] = s->bytes;
    }
}

static bool is_recorded(const struct efg_representative_work *w, const struct columns *c)
{
    double calls = 0, time = 0;
    for (uint32_t i = 0; i < w->samples; i++) {
        calls += c->calls[i];
        time += c->time[i];
    }
    return calls > 0 || time > 0;
}

static void put_row(struct efg_representative *r, struct efg_representative_row row, uint32_t kind,
                    uint32_t id)
{
    row.kind = kind;
    row.id = id;
    r->rows[r->row_count++] = row;
}

/* --- which loops --- */

static uint32_t outermost(const struct efg_looptree *tree, uint32_t loop)
{
    while (tree->loops[loop].parent != EFG_NONE)
        loop = tree->loops[loop].parent;
    return loop;
}

static bool is_compared(const struct efg_representative_work *w, uint32_t loop)
{
    return loop != EFG_NONE && w->is_compared[outermost(&w->r->merged->tree, loop)];
}

static bool has_rank_of(const struct efg_ranklist *list, const struct efg_ranklist *other)
{
    for (uint32_t i = 0; i < other->range_count; i++)
        for (uint32_t n = 0; n < other->ranges[i].count; n++)
            if (efg_ranklist_has(list, other->ranges[i].first + n * other->ranges[i].stride))
                return true;
    return false;
}

/* Ranks that do not have the main loop, but recorded iterations, have another one in its place, with call
 * sites of its own. Returns the time of all of these. */
static double find_compared(const struct efg_representative_work *w)
{
    const struct efg_merged *m = w->r->merged;
    double whole = (double)m->tree.loops[w->r->loop].time;
    w->is_compared[w->r->loop] = true;
    for (uint32_t v = 0; v < m->graph.node_count; v++) {
        uint32_t loop = m->tree.loop_of[v] == EFG_NONE ? EFG_NONE : outermost(&m->tree, m->tree.loop_of[v]);
        double calls = 0;
        for (uint32_t i = 0; i < w->samples; i++)
            calls += efg_representative_sums_of(w, v, i)->calls;
        if (loop == EFG_NONE || w->is_compared[loop] || !(calls > 0) ||
            has_rank_of(&m->loops[w->r->loop], &m->loops[loop]))
            continue;
        w->is_compared[loop] = true;
        whole += (double)m->tree.loops[loop].time;
    }
    return whole;
}

/* --- rows --- */

/* Takes what is in calls off REST, by sample. Returns the time of them in the run. */
static double put_calls(struct efg_representative_work *w, struct columns *c, double *rest)
{
    struct efg_representative *r = w->r;
    const struct efg_looptree *tree = &r->merged->tree;
    double sum = 0;
    for (uint32_t v = 0; v < r->merged->graph.node_count; v++) {
        const struct efg_node *node = &r->merged->graph.nodes[v];
        bool is_inside = is_compared(w, tree->loop_of[v]);
        fill(w, v, c);
        if (!(is_inside || is_recorded(w, c)))
            continue;
        double time = (double)efg_node_time(node), calls = (double)node->time.count;
        struct efg_representative_row row = row_of(w, c, time, calls);
        if (!w->hides[v] && calls > 0)
            row.bytes = ratio(w->samples, c->bytes, c->calls, (double)node->bytes / calls, 0);
        put_row(r, row, EFG_ROW_CALL, v);
        sum += is_inside ? time : 0;
        for (uint32_t i = 0; i < w->samples; i++)
            rest[i] -= c->time[i];
    }
    return sum;
}

static void put_loops(struct efg_representative_work *w, struct columns *c)
{
    struct efg_representative *r = w->r;
    const struct efg_looptree *tree = &r->merged->tree;
    for (uint32_t l = 0; l < tree->count; l++) {
        const struct efg_node *header = &r->merged->graph.nodes[tree->loops[l].header];
        if (outermost(tree, l) == l || !is_compared(w, l) || !header->time.count)
            continue;
        fill(w, r->merged->graph.node_count + l, c);
        put_row(r, row_of(w, c, (double)tree->loops[l].time, (double)header->time.count), EFG_ROW_LOOP, l);
    }
}

/* By how much of an iteration it is off for certain; next to nothing counts as nothing. */
static double excess_of(const struct efg_representative_row *row)
{
    double apart = fabs(row->time.recorded - row->time.run), limits = apart - row->time.error;
    double excess = apart > 0 ? fabs(row->impact) * limits / apart : 0;
    return row->time.differs && excess >= 0.001 ? excess : 0;
}

static int by_excess(const void *a, const void *b)
{
    const struct efg_representative_row *x = a, *y = b;
    double more = excess_of(x) - excess_of(y), larger = fabs(x->impact) - fabs(y->impact);
    if (more != 0 || larger != 0)
        return (more != 0 ? more : larger) < 0 ? 1 : -1;
    return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : (x->id > y->id) - (x->id < y->id);
}

/* WHOLE: time of the loops. Threads of a rank run at the same time. */
static double coverage_of(const struct efg_merged *m, double whole)
{
    double share = efg_percent(whole, (double)m->duration) / 100;
    return share < 1 ? share : 1;
}

/* As the summary has it; a run file of before does not say it, but the graph does. */
static double mean_of_all(const struct efg_representative_work *w)
{
    const struct efg_totals *totals = &w->run->common.totals;
    return totals->like_count ? (double)totals->like_time / (double)totals->like_count
                              : w->r->time.run / (double)w->r->ranks;
}

static int put_rows(struct efg_representative_work *w)
{
    struct efg_representative *r = w->r;
    double whole = find_compared(w);
    double *room = calloc(4 * ((size_t)w->samples + 1), sizeof *room);
    struct columns c = {room, room + w->samples, room + 2 * w->samples};
    double *rest = room + 3 * w->samples;
    r->rows = calloc((size_t)w->items + 1, sizeof *r->rows);
    if (!room || !r->rows) {
        free(room);
        return -ENOMEM;
    }
    r->coverage = coverage_of(r->merged, whole);
    r->time = time_of(w, w->duration, whole);
    r->each = ratio(w->samples, w->own_time, w->own_count, mean_of_all(w), 0);
    memcpy(rest, w->duration, w->samples * sizeof *rest);
    double mpi = put_calls(w, &c, rest);
    put_row(r, row_of(w, &(struct columns){.time = rest}, whole - mpi, 0), EFG_ROW_COMPUTE, EFG_NONE);
    put_loops(w, &c);
    qsort(r->rows, r->row_count, sizeof *r->rows, by_excess);
    free(room);
    return 0;
}

/* --- the whole --- */

/* The outermost loop around the main one. */
static uint32_t find_loop(const struct efg_merged *m)
{
    uint32_t loop = m->tree.main;
    while (loop != EFG_NONE && m->tree.loops[loop].parent != EFG_NONE)
        loop = m->tree.loops[loop].parent;
    return loop;
}

int efg_representative_begin(struct efg_representative *r, const struct efg_run *run,
                             const struct efg_recorded *recorded)
{
    *r = (struct efg_representative){.loop = EFG_NONE};
    struct efg_representative_work *w = r->work = calloc(1, sizeof *w);
    if (!w)
        return -ENOMEM;
    *w = (struct efg_representative_work){.r = r, .run = run, .recorded = recorded, .rank = EFG_NONE};
    const struct efg_run_thread *speaker = efg_run_rank_thread(&run->speaker);
    w->phase = speaker ? speaker->main_phase : 0;
    w->speaker = speaker;
    w->is_wanted = calloc((size_t)run->rank_count + 1, 1);
    w->of_window = calloc((speaker ? (size_t)speaker->window_count : 0) + 1, sizeof *w->of_window);
    if (w->of_window && speaker)
        efg_run_weigh(speaker, w->of_window);
    for (uint32_t i = 0; speaker && w->of_window && i < speaker->window_count; i++)
        w->has_spread |= speaker->windows[i].select == EFG_SELECT_SPREAD && w->of_window[i] > 0;
    return w->is_wanted && w->of_window ? efg_recorded_names_init(&w->names, run) : -ENOMEM;
}

int efg_representative_read(struct efg_representative *r, bool is_readable)
{
    struct efg_representative_work *w = r->work;
    if (efg_representative_end_thread(w))
        return -ENOMEM;
    r->recorded = is_readable ? w->index.count : 0;
    r->has_slow = w->has_slow;
    r->has_first = w->has_first;
    r->has_others = w->has_others;
    if (!is_readable) {
        efg_representative_say_unknown(r, w->recorded->message);
    } else if (!r->recorded && w->run->mode == EFG_MODE_FULL) {
        r->verdict = EFG_REPRESENTATIVE_YES;
        snprintf(r->sentence, sizeof r->sentence, "The trace is of the whole run.");
    } else if (!r->recorded) {
        efg_representative_say_unknown(r, w->has_slow ? "only slow ones, and those beside them, were recorded"
                                                      : "the trace has no iterations");
    }
    return 0;
}

const char *efg_representative_ranks(const struct efg_representative *r)
{
    return r->recorded ? r->work->is_wanted : NULL;
}

int efg_representative_end(struct efg_representative *r, const struct efg_merged *merged)
{
    if (!r->recorded)
        return 0;
    r->merged = merged;
    r->loop = find_loop(merged);
    r->ranks = merged->rank_count;
    r->iterations = merged->tree.main == EFG_NONE ? 0 : merged->tree.loops[merged->tree.main].repetitions;
    if (r->loop == EFG_NONE || !r->iterations || !merged->tree.loops[r->loop].time) {
        r->loop = EFG_NONE;
        efg_representative_say_unknown(r, "the graph has no loop around the beginning of an iteration");
        return 0;
    }
    if (efg_representative_add(r->work) || put_rows(r->work))
        return -ENOMEM;
    efg_representative_judge(r, r->work->run);
    return 0;
}

void efg_representative_fini(struct efg_representative *r)
{
    if (r->work)
        efg_representative_work_fini(r->work);
    free(r->work);
    free(r->rows);
    *r = (struct efg_representative){.loop = EFG_NONE};
}
