/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads several runs: each is compared with the last one, whose call sites are those of all.
 *
 * How a call site grows: t = a * ranks^b is fitted to its times by least squares of the logarithms, so
 * 2^b is how many times as long it takes with twice the ranks. This is what Extra-P does, with one term and
 * no logarithm: as few runs as people make tell no more.
 */
#define _GNU_SOURCE /* qsort_r */
#include "several.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/complain.h"
#include "files/summary/summary.h"

/* --- the runs --- */

static int by_ranks(const void *a, const void *b)
{
    const struct efg_several_run *x = a, *y = b;
    if (x->ranks != y->ranks)
        return x->ranks < y->ranks ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static int open_all(struct efg_several *s, char *const *dir)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct efg_model model = {0};
        if (efg_model_open(&model, "compare", dir[i]))
            return EFG_TOLD;
        s->runs[i] = (struct efg_several_run){
            .dir = dir[i], .ranks = model.run.size, .start = model.run.common.totals.start};
        efg_model_fini(&model);
    }
    if (s->count > 2) /* of two, B is compared with A, whichever ran first */
        qsort(s->runs, s->count, sizeof *s->runs, by_ranks);
    s->is_scaling = s->runs[0].ranks != s->runs[s->count - 1].ranks;
    return 0;
}

static void take_run(struct efg_several_run *run, const struct efg_comparison *c, const char *last)
{
    if (c->matched.is_apart && (c->nameless[0] || c->nameless[1]))
        run->nameless = c->nameless[0] ? run->dir : last;
    run->time = c->time[0];
    run->watched = efg_summary_watched(&c->side[0].run);
    run->mpi = c->mpi[0];
    run->iteration = c->iteration[0];
    run->is_same_loop = c->is_same_loop;
    run->efficiency = c->efficiency[0];
    run->loop = c->loop[0];
}

/* --- the call sites --- */

static int make_sites(struct efg_several *s)
{
    uint32_t count = s->last.difference_count;
    s->sites = calloc((size_t)count + 1, sizeof *s->sites);
    s->times = calloc((size_t)count * s->count + 1, sizeof *s->times);
    if (!s->sites || !s->times)
        return efg_complain("compare", "no memory for the call sites of all runs");
    s->site_count = count;
    for (uint32_t i = 0; i < count; i++)
        s->sites[i] = (struct efg_several_site){.difference = i, .time = s->times + (size_t)i * s->count};
    return 0;
}

/* What C has of call sites of the last run, which are in no order here. */
static int take_sites(struct efg_several *s, uint32_t run, const struct efg_comparison *c)
{
    uint32_t nodes = s->last.side[1].merged.graph.node_count;
    double *time = calloc(2 * (size_t)nodes + 1, sizeof *time);
    if (!time)
        return efg_complain("compare", "no memory for the call sites of a run");
    for (uint32_t i = 0; i < c->difference_count; i++) {
        const struct efg_difference *d = &c->differences[i];
        if (d->node.b != EFG_NONE)
            time[2 * (size_t)d->node.b + d->is_compute] = d->time[0];
    }
    for (uint32_t i = 0; i < s->site_count; i++) {
        const struct efg_difference *d = &s->last.differences[s->sites[i].difference];
        s->sites[i].time[run] = time[2 * (size_t)d->node.b + d->is_compute];
    }
    free(time);
    return 0;
}

static double doubling_of(const struct efg_several *s, const double *time)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (time[i] <= 0)
            continue;
        double p = log2(s->runs[i].ranks), t = log2(time[i]);
        n++;
        x += p;
        y += t;
        xx += p * p;
        xy += p * t;
    }
    double spread = n * xx - x * x;
    return spread > 1e-9 ? exp2((n * xy - x * y) / spread) : 0;
}

static int by_falling_time(const void *a, const void *b, void *of)
{
    const struct efg_several *s = of;
    const struct efg_several_site *x = a, *y = b;
    double tx = x->time[s->count - 1], ty = y->time[s->count - 1];
    if (tx != ty)
        return tx < ty ? 1 : -1;
    return (x->difference > y->difference) - (x->difference < y->difference);
}

/* --- all --- */

static int compare_all(struct efg_several *s)
{
    const char *last = s->runs[s->count - 1].dir;
    if (efg_comparison_make(&s->last, (const char *const[]){last, last}) || make_sites(s))
        return EFG_TOLD;
    for (uint32_t i = 0; i < s->count; i++) {
        struct efg_comparison c = {0};
        int error = efg_comparison_make(&c, (const char *const[]){s->runs[i].dir, last});
        if (!error) {
            take_run(&s->runs[i], &c, last);
            error = take_sites(s, i, &c);
        }
        efg_comparison_fini(&c);
        if (error)
            return EFG_TOLD;
    }
    for (uint32_t i = 0; i < s->site_count; i++)
        s->sites[i].doubling = doubling_of(s, s->sites[i].time);
    qsort_r(s->sites, s->site_count, sizeof *s->sites, by_falling_time, s);
    return 0;
}

int efg_several_make(struct efg_several *s, char *const *dir, uint32_t count)
{
    *s = (struct efg_several){.count = count, .runs = calloc((size_t)count + 1, sizeof *s->runs)};
    if (!s->runs)
        return efg_complain("compare", "no memory for the runs");
    return open_all(s, dir) || compare_all(s) ? EFG_TOLD : 0;
}

void efg_several_fini(struct efg_several *s)
{
    efg_comparison_fini(&s->last);
    free(s->runs);
    free(s->sites);
    free(s->times);
}

/* --- slower --- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool efg_several_is_slower(const struct efg_several *s, double limit)
{
    const struct efg_several_run *last = &s->runs[s->count - 1];
    double *times = calloc(s->count, sizeof *times), median;
    bool is_loop = last->iteration > 0;
    uint32_t count = 0;
    char before[32], now[32];
    for (uint32_t i = 0; i + 1 < s->count; i++)
        is_loop &= s->runs[i].ranks != last->ranks || s->runs[i].is_same_loop;
    for (uint32_t i = 0; times && i + 1 < s->count; i++)
        if (s->runs[i].ranks == last->ranks)
            times[count++] = is_loop ? s->runs[i].iteration : s->runs[i].time;
    if (!count) {
        fprintf(stderr, "efgtrace compare: --fail-above: no other run has %u ranks as that in %s\n",
                last->ranks, last->dir);
        free(times);
        return true;
    }
    qsort(times, count, sizeof *times, by_value);
    median = (times[(count - 1) / 2] + times[count / 2]) / 2;
    free(times);
    double time = is_loop ? last->iteration : last->time;
    if (time <= median * (1 + limit))
        return false;
    efg_format_ns(before, sizeof before, (uint64_t)median);
    efg_format_ns(now, sizeof now, (uint64_t)time);
    fprintf(stderr, "efgtrace compare: %s is %.1f%% slower, more than %g%%: %s takes %s instead of %s\n",
            last->dir, 100 * (time / median - 1), 100 * limit,
            is_loop ? "an iteration of the main loop" : "the run", now, before);
    return true;
}
