/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accuracy: whether what is recorded of a loop stands for all of it, as far as shares of its time go.
 *
 * What each function takes of the time of all iterations is known exactly (X / Y, sums over all). A sample
 * x, y of recorded iterations stands for those around it, up to half-way to the next samples, as in the
 * report (files/run/weigh.c): for w times as many as it has. Else what is recorded more densely, where more
 * was wanted, would count more. The share in n samples is R = sum w x / sum w y, and with 95% confidence it
 * is as far from that of all as
 *
 *     t(0.975, m - 1) sqrt(n / (n - 1) sum (w (x - R y))^2 (1 - 1 / w)) / sum w y
 *
 * where m = (sum w y)^2 / sum (w y)^2 is how many samples of one weight would tell as much. The error of a
 * function is the larger one of this and of |R - X / Y|; that of the samples is the largest of any function,
 * or of what is none.
 *
 * Source: Cochran, "Sampling Techniques" (1977), on ratio estimators; Kish, "Survey Sampling" (1965), on m.
 */
#ifndef EFG_ACCURACY_H
#define EFG_ACCURACY_H

#include <stdbool.h>
#include <stdint.h>

#define EFG_ACCURACY_PARTS 24 /* functions that are told apart, but for the last: the others */
#define EFG_ACCURACY_LEAST 5  /* samples: fewer prove nothing */

/* Of iterations in a row: how many, how long, and how much of that in each function; ns. */
struct efg_accuracy_sample {
    uint64_t first; /* number of the first one */
    double iterations, time, part[EFG_ACCURACY_PARTS];
};

/* All zero is one without samples. Those ascend, and do not overlap. */
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

/* The share of a PART in the samples, EFG_ACCURACY_PARTS: of what is in no function; half of its interval.
 * ALL is the sum of all iterations, and FIRST of all. What that may be expected to be if only so many of the
 * samples are KEPT: 1 for all, 0.5 for half. There are EFG_ACCURACY_LEAST then. */
struct efg_accuracy_share {
    double share, half;
};
struct efg_accuracy_share efg_accuracy_share(const struct efg_accuracy *accuracy,
                                             const struct efg_accuracy_sample *all, uint32_t part,
                                             double kept);

/* The error of all: a share, 0 to 1; 1 if there are too few samples. */
double efg_accuracy_error(const struct efg_accuracy *accuracy, const struct efg_accuracy_sample *all,
                          double kept);

#endif
