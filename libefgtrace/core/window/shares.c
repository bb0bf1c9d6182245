/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A list of loops. Invariant: what the present pivot has counted is in none of them before it is replaced.
 */
#include "shares.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"

void efg_shares_fini(struct efg_shares *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        efg_accuracy_fini(&s->loops[i].accuracy);
    free(s->loops);
    *s = (struct efg_shares){0};
}

/* --- sums --- */

static double end_of(const struct efg_accuracy_sample *s)
{
    return (double)s->first + s->iterations;
}

static void add_time(struct efg_accuracy_sample *all, const struct efg_accuracy_sample *more)
{
    all->time += more->time;
    for (uint32_t p = 0; p < EFG_ACCURACY_PARTS; p++)
        all->part[p] += more->part[p];
}

/* What they stand for reaches from the first one to the last one of both. */
static void unite(struct efg_accuracy_sample *all, const struct efg_accuracy_sample *more)
{
    if (all->time <= 0 || more->time <= 0) {
        *all = all->time > 0 ? *all : *more;
        return;
    }
    double end = fmax(end_of(all), end_of(more));
    all->first = more->first < all->first ? more->first : all->first;
    all->iterations = end - (double)all->first;
    add_time(all, more);
}

/* --- loops --- */

static struct efg_shares_loop *find(const struct efg_shares *s, uint32_t phase)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->loops[i].phase == phase)
            return &s->loops[i];
    return NULL;
}

/* NULL without memory. */
static struct efg_shares_loop *find_or_add(struct efg_shares *s, uint32_t phase, uint64_t function)
{
    struct efg_shares_loop *loop = find(s, phase);

    if (loop || efg_array_grow(&s->loops, s->count, 1, sizeof *s->loops))
        return loop;
    s->loops[s->count] = (struct efg_shares_loop){.phase = phase, .function = function};
    return &s->loops[s->count++];
}

static struct efg_accuracy_sample all_of(const struct efg_shares *s, const struct efg_shares_loop *loop)
{
    struct efg_accuracy_sample all = loop->all;

    if (loop->phase == s->phase)
        unite(&all, &s->all);
    add_time(&all, &loop->levels);
    return all;
}

void efg_shares_restart(struct efg_shares *s)
{
    struct efg_shares_loop *loop = s->phase ? find(s, s->phase) : NULL;

    if (loop)
        unite(&loop->all, &s->all);
    s->phase = 0;
    s->all = (struct efg_accuracy_sample){0};
}

/* Returns what was counted of those that were in FUNCTION. */
static struct efg_accuracy_sample forget(struct efg_shares *s, uint64_t function,
                                         bool is_known(uint32_t phase))
{
    struct efg_accuracy_sample levels = {0};
    uint32_t left = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        struct efg_shares_loop *one = &s->loops[i];
        struct efg_accuracy_sample all = all_of(s, one);
        if (is_known(one->phase)) {
            s->loops[left++] = *one;
            continue;
        }
        if (one->function == function)
            add_time(&levels, &all);
        efg_accuracy_fini(&one->accuracy);
    }
    s->count = left;
    return levels;
}

void efg_shares_name(struct efg_shares *s, uint32_t phase, uint64_t function, bool is_known(uint32_t phase))
{
    struct efg_accuracy_sample levels = forget(s, function, is_known);
    struct efg_shares_loop *loop = find_or_add(s, phase, function);

    s->phase = phase;
    if (loop)
        add_time(&loop->levels, &levels);
}

/* --- samples --- */

int efg_shares_add(struct efg_shares *s, uint32_t phase, uint64_t function,
                   const struct efg_accuracy_sample *sample)
{
    struct efg_shares_loop *loop = find_or_add(s, phase, function);

    if (!loop)
        return -ENOMEM;
    while (loop->accuracy.count &&
           end_of(&loop->accuracy.samples[loop->accuracy.count - 1]) > (double)sample->first)
        loop->accuracy.count--;
    return efg_accuracy_add(&loop->accuracy, sample);
}

struct question {
    bool (*has)(uint32_t phase, uint64_t first);
    uint32_t phase;
};

static bool ask(const void *context, uint64_t first)
{
    const struct question *question = context;

    return question->has(question->phase, first);
}

void efg_shares_keep(struct efg_shares *s, uint32_t phase, bool has(uint32_t phase, uint64_t first))
{
    struct efg_shares_loop *loop = find(s, phase);

    if (loop)
        efg_accuracy_keep(&loop->accuracy, ask, &(struct question){has, phase});
}

/* --- results --- */

uint32_t efg_shares_longest(const struct efg_shares *s)
{
    double longest = 0;
    uint32_t phase = 0;

    for (uint32_t i = 0; i < s->count; i++) {
        double time = all_of(s, &s->loops[i]).time;
        if (time > longest) {
            longest = time;
            phase = s->loops[i].phase;
        }
    }
    return phase;
}

double efg_shares_error(const struct efg_shares *s, uint32_t phase, double kept)
{
    const struct efg_shares_loop *loop = find(s, phase);

    if (!loop || !loop->accuracy.count)
        return -1;
    struct efg_accuracy_sample all = all_of(s, loop);
    return efg_accuracy_error(&loop->accuracy, &all, kept);
}
