/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accuracy: whether what is recorded of a loop stands for all of it, as far as shares of its time go.
 *
 * What each function takes of the time of all iterations is known exactly (X / Y, sums over all). Of those
 * that are recorded, n samples x, y, the share is R = sum x / sum y, and with 95% confidence it is as far
 * from that of all as
 *
 *     t(0.975, n - 1) sqrt(sum (x - R y)^2 / (n (n - 1))) sqrt(1 - n / N) / mean y
 *
 * where N is the number of all. The error of a function is the larger one of this and of |R - X / Y|; that of
 * the samples is the largest of any function, or of what is none.
 *
 * Source: Cochran, "Sampling Techniques" (1977), on ratio estimators.
 */
#ifndef EFG_ACCURACY_H
#define EFG_ACCURACY_H

#include <stdbool.h>
#include <stdint.h>

#define EFG_ACCURACY_PARTS 24 /* functions that are told apart, but for the last: the others */
#define EFG_ACCURACY_LEAST 5  /* samples: fewer prove nothing */

/* Of iterations: how many, how long, and how much of that in each function; ns. */
struct efg_accuracy_sample {
    uint64_t first; /* number of the first one */
    double iterations, time, part[EFG_ACCURACY_PARTS];
};

/* All zero is one without samples. */
struct efg_accuracy {
    struct efg_accuracy_sample *samples;
    uint32_t count;
};

void efg_accuracy_fini(struct efg_accuracy *accuracy);

/* Returns 0 or -ENOMEM. */
int efg_accuracy_add(struct efg_accuracy *accuracy, const struct efg_accuracy_sample *sample);

/* Only samples stay that HAS says true of, by their first iterations. */
void efg_accuracy_keep(struct efg_accuracy *accuracy, bool has(const void *context, uint64_t first),
                       const void *context);

/* The error, where ALL is the sum of all iterations: a share, 0 to 1; 1 if there are too few samples. What it
 * may be expected to be if only so many of the samples are KEPT: 1 for all, 0.5 for half. */
double efg_accuracy_error(const struct efg_accuracy *accuracy, const struct efg_accuracy_sample *all,
                          double kept);

#endif
