/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Codes bits by chances that are mixed from several predictions. A chance p is mixed as its logit,
 * stretch(p) = ln(p / (1 - p)), in 1/256 from -2047 to 2047; squash() is the inverse. The mixed chance is
 * squash(sum of weight x stretch(chance)), and each weight moves by (error of the mixed chance) x (its
 * input).
 *
 * A number n is written as the number of digits that n + 1 has in base 2, in base 1, then
 * these digits but the first: Elias's gamma code, but that each bit is coded in the contexts
 * given, together with the bits before it.
 *
 * Invariant of the coder: low <= high, and their first byte differs; each bit leaves the part
 * of [low, high] that belongs to it, in proportion to its chance.
 */
#include "mixer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ONE 65536          /* a chance, a weight */
#define CERTAIN (ONE - 24) /* no chance is above that, or below ONE - it */
#define FIRST_WEIGHT 10000
#define LEARN 80 /* how fast weights move; this and the others: by trial, and of little effect */
#define MOST_SEEN 30

/* ---- logistic mixing ---- */

/* ONE / (1 + e^-(x / 256)), between points that are 128 apart. */
static int squash(int x)
{
    static const int points[33] = {22,    36,    60,    98,    162,   267,   439,   720,   1179,
                                   1921,  3108,  4971,  7812,  11955, 17625, 24743, 32768, 40793,
                                   47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097,
                                   65269, 65374, 65438, 65476, 65500, 65514};
    if (x > 2047)
        x = 2047;
    if (x < -2047)
        x = -2047;
    int left = (x + 2048) / 128, part = (x + 2048) % 128;
    return (points[left] * (128 - part) + points[left + 1] * part) / 128;
}

/* The smallest x with squash(x) >= p, for 4096 chances p. */
static void fill_stretched(int16_t *stretched)
{
    int x = -2047;
    for (int p = 0; p < 4096; p++) {
        while (x < 2047 && squash(x) < 16 * p + 8)
            x++;
        stretched[p] = (int16_t)x;
    }
}

static int mix(const int32_t *weights, const int *inputs)
{
    int64_t sum = 0;
    for (int i = 0; i < EFG_MIXER_CONTEXTS; i++)
        sum += (int64_t)weights[i] * inputs[i];
    sum /= ONE;
    int chance = squash(sum > 2047 ? 2047 : sum < -2047 ? -2047 : (int)sum);
    return chance > CERTAIN ? CERTAIN : chance < ONE - CERTAIN ? ONE - CERTAIN : chance;
}

static void learn(int32_t *weights, const int *inputs, int error)
{
    for (int i = 0; i < EFG_MIXER_CONTEXTS; i++)
        weights[i] += (int32_t)((int64_t)inputs[i] * error * LEARN / (16 * ONE));
}

static struct efg_mixer_slot *find_slot(struct efg_mixer *m, uint32_t context)
{
    struct efg_mixer_slot *slot = &m->slots[context & m->mask];
    uint8_t check = (uint8_t)(context >> 24);

    if (slot->check != check || !slot->seen)
        *slot = (struct efg_mixer_slot){.chance = ONE / 2, .check = check};
    return slot;
}

static void count(struct efg_mixer_slot *slot, int bit)
{
    int goal = bit ? ONE - 1 : 0;

    slot->chance = (uint16_t)(slot->chance + 2 * (goal - slot->chance) / (2 * slot->seen + 3));
    if (slot->seen < MOST_SEEN)
        slot->seen++;
}

/* ---- arithmetic coding ---- */

static void shift_byte(struct efg_mixer *m)
{
    if (m->to) {
        unsigned char byte = (unsigned char)(m->high >> 24);
        efg_buffer_put(m->to, &byte, 1);
    } else {
        bool there = m->from.at < m->from.size;
        m->code = m->code << 8 | (there ? m->from.data[m->from.at++] : 0u);
    }
    m->low <<= 8;
    m->high = m->high << 8 | 255;
}

static int code_bit(struct efg_mixer *m, int chance, int bit)
{
    uint32_t range = m->high - m->low;
    uint32_t middle = m->low + (uint32_t)((uint64_t)range * (uint32_t)chance / ONE);

    if (!m->to)
        bit = m->code <= middle;
    if (bit)
        m->high = middle;
    else
        m->low = middle + 1;
    while ((m->low ^ m->high) >> 24 == 0)
        shift_byte(m);
    return bit;
}

/* ---- bits and numbers ---- */

/* BEFORE: what is known of the number that the bit is a part of. */
static int mix_bit(struct efg_mixer *m, const uint32_t *contexts, unsigned set, uint32_t before, int bit)
{
    struct efg_mixer_slot *slots[EFG_MIXER_CONTEXTS];
    int inputs[EFG_MIXER_CONTEXTS];

    for (uint32_t i = 0; i < EFG_MIXER_CONTEXTS; i++) {
        slots[i] = find_slot(m, efg_mixer_hash(efg_mixer_hash(contexts[i], before), i));
        inputs[i] = m->stretched[slots[i]->chance / 16];
    }
    int chance = mix(m->weights[set], inputs);
    bit = code_bit(m, chance, bit);
    learn(m->weights[set], inputs, (bit ? ONE : 0) - chance);
    for (int i = 0; i < EFG_MIXER_CONTEXTS; i++)
        count(slots[i], bit);
    return bit;
}

int efg_mixer_bit(struct efg_mixer *m, const uint32_t *contexts, unsigned set, int bit)
{
    return mix_bit(m, contexts, set, 0, bit);
}

uint64_t efg_mixer_number(struct efg_mixer *m, const uint32_t *contexts, unsigned set, uint64_t number)
{
    uint64_t value = 1, wanted = m->to ? number + 1 : 1;
    uint32_t digits = 63 - (uint32_t)__builtin_clzll(wanted), have = 0;

    while (have < 62 && mix_bit(m, contexts, set, have, have < digits))
        have++;
    while (have-- > 0) {
        uint32_t before = efg_mixer_hash((uint32_t)value, 64 + have);
        value = value << 1 | (uint64_t)mix_bit(m, contexts, set, before, wanted >> have & 1);
    }
    return value - 1;
}

int efg_mixer_init(struct efg_mixer *m, struct efg_buffer *to, struct efg_reader from, uint32_t slots)
{
    memset(m, 0, sizeof *m);
    m->slots = calloc(slots, sizeof *m->slots);
    if (!m->slots)
        return -ENOMEM;
    m->mask = slots - 1;
    m->to = to;
    m->from = from;
    m->high = UINT32_MAX;
    fill_stretched(m->stretched);
    for (int s = 0; s < EFG_MIXER_SETS; s++)
        for (int i = 0; i < EFG_MIXER_CONTEXTS; i++)
            m->weights[s][i] = FIRST_WEIGHT;
    for (int i = 0; i < 4 && !to; i++)
        shift_byte(m);
    m->low = 0;
    m->high = UINT32_MAX;
    return 0;
}

void efg_mixer_fini(struct efg_mixer *m)
{
    free(m->slots);
    memset(m, 0, sizeof *m);
}

void efg_mixer_end(struct efg_mixer *m)
{
    /* Followed by zeros, which is what a reader finds, it is in [low, high]. */
    unsigned char byte = (unsigned char)((m->low + 0x00ffffff) >> 24);
    if (byte)
        efg_buffer_put(m->to, &byte, 1);
}
