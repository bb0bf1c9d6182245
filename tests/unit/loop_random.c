/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The generator is the Mersenne Twister: 624 words, each made anew of its own highest bit, the
 * lower bits of the next word, and the word 397 places further on. What is handed out is a
 * word, tempered. Integers below n are drawn with as many bits as n has, until one is below n.
 *
 * Sources: Matsumoto and Nishimura, "Mersenne Twister" (1998); Kinderman and Monahan, "Computer
 * generation of random variables using the ratio of uniform deviates" (1977).
 */
#include "loop_random.h"

#include <math.h>

#define WORDS LOOP_RANDOM_WORDS
#define FAR 397

static void fill(uint32_t *word, uint32_t seed)
{
    word[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++)
        word[i] = 1812433253u * (word[i - 1] ^ word[i - 1] >> 30) + i;
}

static uint32_t following(uint32_t *word, uint32_t i)
{
    if (i + 1 < WORDS)
        return i + 1;
    word[0] = word[WORDS - 1];
    return 1;
}

/* Python's seed is a key of any length; here it is one word. */
void loop_random_init(struct loop_random *random, uint32_t seed)
{
    uint32_t *word = random->word, i = 1;

    fill(word, 19650218);
    for (uint32_t k = 0; k < WORDS; k++) {
        word[i] = (word[i] ^ (word[i - 1] ^ word[i - 1] >> 30) * 1664525u) + seed;
        i = following(word, i);
    }
    for (uint32_t k = 1; k < WORDS; k++) {
        word[i] = (word[i] ^ (word[i - 1] ^ word[i - 1] >> 30) * 1566083941u) - i;
        i = following(word, i);
    }
    word[0] = 0x80000000u;
    random->used = WORDS;
}

static void renew(struct loop_random *random)
{
    uint32_t *word = random->word;

    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t y = (word[i] & 0x80000000u) | (word[(i + 1) % WORDS] & 0x7fffffffu);
        word[i] = word[(i + FAR) % WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    random->used = 0;
}

static uint32_t next(struct loop_random *random)
{
    if (random->used == WORDS)
        renew(random);
    uint32_t y = random->word[random->used++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

static uint32_t below(struct loop_random *random, uint32_t n)
{
    int spare = __builtin_clz(n);
    uint32_t value = next(random) >> spare;

    while (value >= n)
        value = next(random) >> spare;
    return value;
}

uint32_t loop_random_between(struct loop_random *random, uint32_t least, uint32_t most)
{
    return least + below(random, most - least + 1);
}

void loop_random_shuffle(struct loop_random *random, uint32_t *items, uint32_t count)
{
    for (uint32_t i = count - 1; i > 0; i--) {
        uint32_t k = below(random, i + 1), item = items[i];
        items[i] = items[k];
        items[k] = item;
    }
}

/* From 0 to less than 1, with 53 bits. */
static double fraction(struct loop_random *random)
{
    uint32_t high = next(random) >> 5, low = next(random) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

static double normal(struct loop_random *random)
{
    const double width = 4 * exp(-0.5) / sqrt(2.0);
    double u, z;

    do {
        z = width * (fraction(random) - 0.5);
        u = 1 - fraction(random);
        z /= u;
    } while (z * z / 4 > -log(u));
    return z;
}

double loop_random_lognormal(struct loop_random *random, double sigma)
{
    return exp(normal(random) * sigma);
}
