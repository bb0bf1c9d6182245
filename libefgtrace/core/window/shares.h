/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares: how accurate the samples of each loop of the run are (accuracy.h), while pivots come and go.
 *
 * Another pivot of the same loop counts the same iterations, but for where they are cut. So what is known of
 * a loop stays when its pivot is replaced, and when the loop comes again after another one: it goes by its
 * phase, the number that the ranks have given it, which its windows have, too.
 *
 * The ranks forget a loop that turns out to be another level of the present one, with its windows. But time
 * in its iterations was time in the same nest, of which the report compares the whole: so it counts for what
 * the samples of the present level have to stand for.
 */
#ifndef EFG_SHARES_H
#define EFG_SHARES_H

#include "accuracy.h"

struct efg_shares_loop {
    uint32_t phase;
    uint64_t function;
    struct efg_accuracy accuracy;
    struct efg_accuracy_sample all;    /* its iterations, while pivots were marked that no longer are */
    struct efg_accuracy_sample levels; /* time and parts of those of other levels */
};

/* All zero is without any loop. */
struct efg_shares {
    struct efg_shares_loop *loops;
    uint32_t count;
    uint32_t phase;                 /* whose iterations the present pivot counts; 0: not known yet */
    struct efg_accuracy_sample all; /* these, so far: for the caller to set */
};

void efg_shares_fini(struct efg_shares *shares);

/* Another pivot is marked, or what the present one counts is taken for another loop from now on. */
void efg_shares_restart(struct efg_shares *shares);

/* The loop that the present pivot counts is that of PHASE, in FUNCTION. Of those that IS_KNOWN says false of,
 * the ones of that function were other levels of it. */
void efg_shares_name(struct efg_shares *shares, uint32_t phase, uint64_t function,
                     bool is_known(uint32_t phase));

/* A SAMPLE of it. Those that are not before it go: they have other numbers. Returns 0 or -ENOMEM. */
int efg_shares_add(struct efg_shares *shares, uint32_t phase, uint64_t function,
                   const struct efg_accuracy_sample *sample);

/* Of the samples of PHASE, only those stay that HAS says true of. */
void efg_shares_keep(struct efg_shares *shares, uint32_t phase, bool has(uint32_t phase, uint64_t first));

/* The phase with the most time; 0: there is none. */
uint32_t efg_shares_longest(const struct efg_shares *shares);

/* As efg_accuracy_error; less than 0: there are no samples. */
double efg_shares_error(const struct efg_shares *shares, uint32_t phase, double kept);

#endif
