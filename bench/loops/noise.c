/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log-normal factors come from a table of quantiles: drawing one costs a look-up, and half a
 * billion are drawn for a table of results. Stalls are a Poisson process in the time that goes
 * by; one that falls into a duration makes it longer.
 */
#include "noise.h"

#include "base/hash.h"

#include <math.h>

#define SECOND 1e9
#define SHORTEST 1e6 /* ns, of a stall */
#define LONGEST 50e6

/* The number that a normal variable is below with probability P. */
static double normal_quantile(double p)
{
    double low = -10, high = 10;

    while (high - low > 1e-9) {
        double middle = (low + high) / 2;
        if (erfc(-middle / sqrt(2)) / 2 < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void noise_factors_init(struct noise_factors *factors, double sigma)
{
    for (int i = 0; i < NOISE_STEPS; i++)
        factors->factor[i] = (float)exp(sigma * normal_quantile((i + 0.5) / NOISE_STEPS));
}

static uint64_t next(struct noise *noise)
{
    noise->random = efg_hash_mix(noise->random, 1);
    return noise->random;
}

/* More than 0, at most 1. */
static double fraction(struct noise *noise)
{
    return (double)((next(noise) >> 11) + 1) * 0x1p-53;
}

static void plan_stall(struct noise *noise)
{
    double mean = noise->options->stalls > 0 ? SECOND / noise->options->stalls : INFINITY;

    noise->next_stall = noise->now - mean * log(fraction(noise));
    if (!isfinite(mean))
        noise->next_stall = INFINITY;
}

void noise_init(struct noise *noise, const struct noise_options *options, const struct noise_factors *factors,
                uint64_t seed)
{
    *noise = (struct noise){.options = options, .factors = factors};
    noise->random = efg_hash_mix(1, seed);
    plan_stall(noise);
}

uint64_t noise_pass(struct noise *noise, uint64_t ns)
{
    noise->now += (double)ns * (double)noise->factors->factor[next(noise) % NOISE_STEPS];
    while (noise->now >= noise->next_stall) {
        noise->now += SHORTEST + (LONGEST - SHORTEST) * fraction(noise);
        plan_stall(noise);
    }
    return (uint64_t)noise->now;
}

uint64_t noise_pause(struct noise *noise, uint64_t ns)
{
    if (noise->options->fixed_pauses)
        return ns;
    return (uint64_t)((double)ns * (0.5 + fraction(noise)));
}
