/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Noise: what a machine that does other things besides makes of the times of a recording. The
 * same for the same seed.
 */
#ifndef LOOPS_NOISE_H
#define LOOPS_NOISE_H

#include <stdint.h>

struct noise_options {
    double sigma;     /* each duration is multiplied by a log-normal number; 0: as recorded */
    double stalls;    /* of 1 to 50 ms, so many a second; 0: none */
    int fixed_pauses; /* 1: pauses between samples are as the rule says; else by half to 1.5 */
};

#define NOISE_STEPS 8192

/* Factors of durations, equally likely. */
struct noise_factors {
    float factor[NOISE_STEPS];
};

void noise_factors_init(struct noise_factors *factors, double sigma);

struct noise {
    const struct noise_options *options;
    const struct noise_factors *factors;
    uint64_t random;
    double now;        /* ns */
    double next_stall; /* ns */
};

/* OPTIONS and FACTORS outlive NOISE. */
void noise_init(struct noise *noise, const struct noise_options *options,
                const struct noise_factors *factors, uint64_t seed);

/* Let a duration of NS go by, as noise makes it. Returns the time at its end. */
uint64_t noise_pass(struct noise *noise, uint64_t ns);

/* A pause of NS between samples. */
uint64_t noise_pause(struct noise *noise, uint64_t ns);

#endif
