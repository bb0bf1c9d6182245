/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares shares of the time in some iterations with those in all.
 */
#include "accuracy.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

void efg_accuracy_fini(struct efg_accuracy *a)
{
    free(a->samples);
    *a = (struct efg_accuracy){0};
}

int efg_accuracy_add(struct efg_accuracy *a, const struct efg_accuracy_sample *sample)
{
    int error = efg_array_grow(&a->samples, a->count, 1, sizeof *a->samples);

    if (!error)
        a->samples[a->count++] = *sample;
    return error;
}

void efg_accuracy_keep(struct efg_accuracy *a, bool has(const void *context, uint64_t first),
                       const void *context)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < a->count; i++)
        if (has(context, a->samples[i].first))
            a->samples[left++] = a->samples[i];
    a->count = left;
}

/* t(0.975) of so many degrees of freedom, 4 or more, to 1%. */
static double student(double freedom)
{
    return 1.96 + 2.4 / freedom + 3 / (freedom * freedom);
}

/* What is in no function. */
static double rest_of(const struct efg_accuracy_sample *s)
{
    double rest = s->time;

    for (uint32_t p = 0; p < EFG_ACCURACY_PARTS; p++)
        rest -= s->part[p];
    return rest;
}

static double part_of(const struct efg_accuracy_sample *s, uint32_t part)
{
    return part < EFG_ACCURACY_PARTS ? s->part[part] : rest_of(s);
}

/* How many times as many iterations sample I stands for as it has. */
static double weight_of(const struct efg_accuracy *a, const struct efg_accuracy_sample *all, uint32_t i)
{
    const struct efg_accuracy_sample *one = &a->samples[i];
    double first = (double)one->first, end = first + one->iterations;
    double from = fmin((double)all->first, first), to = fmax((double)all->first + all->iterations, end);

    if (i > 0)
        from = ((double)one[-1].first + one[-1].iterations + first) / 2;
    if (i + 1 < a->count)
        to = (end + (double)one[1].first) / 2;
    return fmax(1, (to - from) / one->iterations);
}

struct sums {
    double x, y, y_squares, squares; /* with weights */
};

static struct sums sum(const struct efg_accuracy *a, const struct efg_accuracy_sample *all, uint32_t part,
                       double kept)
{
    struct sums s = {0};

    for (uint32_t i = 0; i < a->count; i++) {
        double weight = weight_of(a, all, i), y = weight * a->samples[i].time;
        s.x += weight * part_of(&a->samples[i], part);
        s.y += y;
        s.y_squares += y * y;
    }
    for (uint32_t i = 0; s.y > 0 && i < a->count; i++) {
        double weight = weight_of(a, all, i);
        double off = weight * (part_of(&a->samples[i], part) - s.x / s.y * a->samples[i].time);
        s.squares += off * off / kept * (1 - kept / weight);
    }
    return s;
}

struct efg_accuracy_share efg_accuracy_share(const struct efg_accuracy *a,
                                             const struct efg_accuracy_sample *all, uint32_t part,
                                             double kept)
{
    struct sums s = sum(a, all, part, kept);
    double n = kept * a->count;

    if (s.y <= 0)
        return (struct efg_accuracy_share){0, 1};
    double freedom = fmax(kept * s.y * s.y / s.y_squares - 1, EFG_ACCURACY_LEAST - 1);
    return (struct efg_accuracy_share){s.x / s.y, student(freedom) * sqrt(n / (n - 1) * s.squares) / s.y};
}

static double error_of(const struct efg_accuracy *a, const struct efg_accuracy_sample *all, uint32_t part,
                       double kept)
{
    struct efg_accuracy_share s = efg_accuracy_share(a, all, part, kept);

    return fmax(s.half, fabs(s.share - part_of(all, part) / all->time));
}

double efg_accuracy_error(const struct efg_accuracy *a, const struct efg_accuracy_sample *all, double kept)
{
    double most = 0;

    if (kept * a->count < EFG_ACCURACY_LEAST || all->time <= 0)
        return 1;
    for (uint32_t part = 0; part <= EFG_ACCURACY_PARTS; part++)
        most = fmax(most, error_of(a, all, part, kept));
    return most < 1 ? most : 1;
}
