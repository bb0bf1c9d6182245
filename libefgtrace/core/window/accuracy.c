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

static double error_of(const struct efg_accuracy *a, const struct efg_accuracy_sample *all, uint32_t part,
                       double kept)
{
    double x = 0, y = 0, iterations = 0, squares = 0, n = a->count;

    for (uint32_t i = 0; i < a->count; i++) {
        x += part_of(&a->samples[i], part);
        y += a->samples[i].time;
        iterations += kept * a->samples[i].iterations;
    }
    if (y <= 0)
        return 1;
    for (uint32_t i = 0; i < a->count; i++) {
        double off = part_of(&a->samples[i], part) - x / y * a->samples[i].time;
        squares += off * off;
    }
    double left = all->iterations > iterations ? 1 - iterations / all->iterations : 0;
    double half = student(kept * n - 1) * sqrt(squares / ((n - 1) * n * kept) * left) / (y / n);
    return fmax(half, fabs(x / y - part_of(all, part) / all->time));
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
