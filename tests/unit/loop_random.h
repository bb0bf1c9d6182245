/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random numbers, the same ones as Python's module random gives for the same seed: the programs
 * of loop_programs.h were written in Python first, and what was measured with them holds for as
 * long as they remain the same.
 */
#ifndef EFG_LOOP_RANDOM_H
#define EFG_LOOP_RANDOM_H

#include <stdint.h>

#define LOOP_RANDOM_WORDS 624

struct loop_random {
    uint32_t word[LOOP_RANDOM_WORDS];
    uint32_t used; /* of the words */
};

/* random.Random(seed) */
void loop_random_init(struct loop_random *random, uint32_t seed);

/* randint(least, most), which are less than 2^31 apart */
uint32_t loop_random_between(struct loop_random *random, uint32_t least, uint32_t most);

/* shuffle(items) */
void loop_random_shuffle(struct loop_random *random, uint32_t *items, uint32_t count);

/* lognormvariate(0, sigma) */
double loop_random_lognormal(struct loop_random *random, double sigma);

#endif
