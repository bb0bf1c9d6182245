/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The series of iterations, as bytes and back. Slots are written in the units that they are
 * rounded to, as differences to the slot before; how many there are follows from the count of
 * iterations, and of the last one the time is what is left of their sum: so the sums are always
 * those of the iterations.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

struct scale {
    unsigned unit, shift;
    uint32_t slots;
};

/* TIME in units of 2^BITS ns. */
static uint64_t in_units(uint64_t time, unsigned bits)
{
    return time >> bits;
}

/* --- writing --- */

static void put_slots(struct efg_buffer *out, const struct efg_series *s, struct scale scale)
{
    unsigned bits = scale.unit + scale.shift;
    uint64_t time = 0, mpi = 0;
    for (uint32_t i = 0; i < scale.slots; i++) {
        const struct efg_series_slot *slot = &s->slot[i];
        if (i + 1 < scale.slots) {
            efg_run_put_signed(out, in_units(slot->time, bits) - time);
            efg_run_put_signed(out, in_units(slot->mpi, bits) - mpi);
            time = in_units(slot->time, bits);
            mpi = in_units(slot->mpi, bits);
        }
        if (scale.shift) {
            efg_run_put_signed(out, time - in_units(slot->least, scale.unit));
            efg_run_put_signed(out, in_units(slot->most, scale.unit) - time);
        }
    }
}

static void put_longest(struct efg_buffer *out, const struct efg_series *s)
{
    uint64_t number = s->first, start = s->start;
    efg_buffer_number(out, s->longest_count);
    for (uint32_t i = 0; i < s->longest_count; i++) {
        const struct efg_iteration *iteration = &s->longest[i];
        efg_buffer_number(out, iteration->number - number);
        efg_buffer_number(out, iteration->start - start);
        efg_buffer_number(out, iteration->time);
        efg_buffer_number(out, iteration->mpi);
        number = iteration->number;
        start = iteration->start;
    }
}

static void put_rounded(struct efg_buffer *out, const struct efg_series *s)
{
    struct scale scale = {efg_series_unit(s), s->shift, efg_series_slots(s)};
    efg_buffer_number(out, 1 + (uint64_t)scale.shift);
    efg_buffer_number(out, scale.unit);
    efg_buffer_number(out, s->first);
    efg_buffer_number(out, s->start);
    put_slots(out, s, scale);
    put_longest(out, s);
}

void efg_thread_put_series(struct efg_buffer *out, const struct efg_run_thread *thread)
{
    const struct efg_series *series = thread->series;
    if (!series || !series->count || series->count != thread->iterations.all.count) {
        efg_buffer_number(out, 0);
        return;
    }
    size_t size = efg_series_size(efg_series_slots(series));
    struct efg_series *rounded = malloc(size);
    out->failed |= !rounded;
    if (!rounded)
        return;
    memcpy(rounded, series, size);
    efg_series_round(rounded);
    put_rounded(out, rounded);
    free(rounded);
}

/* --- reading --- */

/* UNITS of 2^BITS ns. */
static uint64_t get_time(struct efg_input *in, uint64_t units, unsigned bits)
{
    efg_input_expect(in, units <= UINT64_MAX >> bits);
    return units << bits;
}

static void get_slots(struct efg_input *in, struct efg_series *s, struct scale scale,
                      const struct efg_run_iterations *sums)
{
    unsigned bits = scale.unit + scale.shift;
    uint64_t time = 0, mpi = 0, time_left = sums->all.sum, mpi_left = sums->all_mpi;
    for (uint32_t i = 0; i < scale.slots && !in->reader.failed; i++) {
        struct efg_series_slot *slot = &s->slot[i];
        slot->time = time_left;
        slot->mpi = mpi_left;
        if (i + 1 < scale.slots) {
            time += efg_input_signed(in);
            mpi += efg_input_signed(in);
            slot->time = get_time(in, time, bits);
            slot->mpi = get_time(in, mpi, bits);
        }
        efg_input_expect(in, slot->time <= time_left && slot->mpi <= mpi_left);
        time_left -= slot->time;
        mpi_left -= slot->mpi;
        slot->least = slot->most = slot->time;
        if (scale.shift) {
            slot->least = get_time(in, time - efg_input_signed(in), scale.unit);
            slot->most = get_time(in, time + efg_input_signed(in), scale.unit);
        }
        efg_input_expect(in, slot->least <= slot->most);
    }
}

static void get_longest(struct efg_input *in, struct efg_series *s)
{
    uint64_t number = s->first, start = s->start;
    size_t count = efg_reader_count(&in->reader, EFG_LEAST_ITERATION);
    efg_input_expect(in, count <= EFG_SERIES_LONGEST);
    for (size_t i = 0; i < count && !in->reader.failed; i++) {
        number += efg_input_number(in);
        start += efg_input_number(in);
        s->longest[s->longest_count++] = (struct efg_iteration){
            .number = number,
            .start = start,
            .time = efg_input_number(in),
            .mpi = efg_input_number(in),
        };
    }
}

/* How many slots COUNT iterations take, if it can be. */
static uint32_t slots_of(struct efg_input *in, uint64_t count, unsigned shift)
{
    uint64_t slots = count ? ((count - 1) >> shift) + 1 : 0;
    efg_input_expect(in, slots && slots <= EFG_SERIES_SLOTS);
    efg_input_expect(in, 2 * (slots - 1) <= in->reader.size - in->reader.at); /* bytes */
    return in->reader.failed ? 0 : (uint32_t)slots;
}

void efg_thread_get_series(struct efg_input *in, struct efg_run_thread *thread)
{
    uint64_t count = thread->iterations.all.count;
    struct scale scale = {.shift = efg_input_to(in, 64)};
    if (!scale.shift--)
        return;
    scale.unit = efg_input_to(in, 63 - scale.shift);
    scale.slots = slots_of(in, count, scale.shift);
    if (!scale.slots)
        return;
    thread->series = efg_input_need(in, calloc(1, efg_series_size(scale.slots)));
    if (!thread->series)
        return;
    thread->series->count = count;
    thread->series->shift = scale.shift;
    thread->series->first = efg_input_number(in);
    thread->series->start = efg_input_number(in);
    get_slots(in, thread->series, scale, &thread->iterations);
    get_longest(in, thread->series);
}
