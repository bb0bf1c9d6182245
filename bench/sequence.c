/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What it costs to keep the whole order of events, and how small that is: for sequences as some
 * kinds of programs make them, of 100, 1000 and 10000 steps.
 *
 *     make build/tests/bench_sequence && build/tests/bench_sequence
 *
 *     ns           of CPU per event, all of it but the writing; hot, median of several turns
 *     pairs        in the blocks
 *     plain, mixed bytes as efg_sequence_put writes them; a process mixes up to 20000 pairs,
 * the rest is left to the tool ms           that the mixing takes progress.    bytes of
 * arithmetic progressions, see progressions.h zstd         bytes of differences between nodes
 * in LEB128, by `zstd -19`, if there is one
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "progressions.h"

#include "core/order/sequence.h"
#include "files/order/sequence_file.h"

#define MEMORY (1600 << 10)
#define TURNS 5

static uint32_t *events;
static size_t event_count, event_room;
static uint64_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % n);
}

static void event(uint32_t node)
{
    if (event_count == event_room) {
        event_room = event_room ? 2 * event_room : 1 << 16;
        events = realloc(events, event_room * sizeof *events);
        if (!events)
            exit(1);
    }
    events[event_count++] = node;
}

static void several(uint32_t node, uint32_t count)
{
    while (count-- > 0)
        event(node);
}

static void in_a_row(uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        event(first + i);
}

/* ---- shapes ---- */

/* Exchanges with four neighbours, output every 20 steps, a checkpoint every 100. */
static void stencil(uint32_t steps)
{
    for (uint32_t step = 0; step < steps; step++) {
        in_a_row(0, 10);
        if (step % 20 == 19)
            in_a_row(10, 3);
        if (step % 100 == 99)
            in_a_row(20, 12);
    }
}

/* Sweeps from 8 corners through 10 planes; 3 to 7 of them until a step has converged. */
static void wavefront(uint32_t steps)
{
    for (uint32_t step = 0; step < steps; step++) {
        for (uint32_t sweep = 3 + below(5); sweep > 0; sweep--) {
            for (uint32_t corner = 0; corner < 8; corner++)
                for (uint32_t plane = 0; plane < 10; plane++)
                    in_a_row(4 * corner, 4);
            event(40);
        }
        in_a_row(41, 3);
    }
}

/* Level LEVEL steps twice for each step of the one above; its neighbours change every 10 steps.
 */
static void refine(const uint32_t *neighbours, uint32_t level)
{
    several(10 * level, neighbours[level]);
    several(10 * level + 1, neighbours[level] + neighbours[level] / 3);
    event(10 * level + 2);
    for (uint32_t half = 0; half < 2 && level < 3; half++)
        refine(neighbours, level + 1);
    in_a_row(10 * level + 3, 3);
}

static void adaptive_mesh(uint32_t steps)
{
    uint32_t neighbours[4] = {6, 9, 12, 20};

    for (uint32_t step = 0; step < steps; step++) {
        refine(neighbours, 0);
        event(50);
        if (step % 10 != 9)
            continue;
        in_a_row(51, 6);
        neighbours[1 + below(3)] = 4 + below(20);
        several(60, 1 + below(5));
    }
}

/* Conjugate gradients with 5 to 9 V-cycles of 8 levels a step; the levels are made anew every
 * 20 steps. */
static void smooth(const uint32_t *neighbours, uint32_t level)
{
    for (uint32_t sweep = 0; sweep < 2; sweep++) {
        several(level, neighbours[level]);
        several(10 + level, neighbours[level]);
        event(20);
    }
}

static void multigrid(uint32_t steps)
{
    uint32_t neighbours[8] = {6, 8, 12, 15, 11, 7, 4, 2};

    for (uint32_t step = 0; step < steps; step++) {
        for (uint32_t cycle = 5 + below(5); cycle > 0; cycle--) {
            for (uint32_t level = 0; level < 7; level++)
                smooth(neighbours, level);
            in_a_row(30, 3);
            for (uint32_t level = 7; level-- > 0;)
                smooth(neighbours, level);
            in_a_row(40, 2);
        }
        if (step % 20 == 19) {
            for (uint32_t level = 1; level < 8; level++) {
                neighbours[level] = neighbours[level] / 2 + 1 + below(8);
                in_a_row(50, 4);
            }
        }
        event(60);
    }
}

/* Messages are met in the order in which they come. */
static void polling(uint32_t steps)
{
    for (uint32_t step = 0; step < steps; step++) {
        in_a_row(0, 8);
        for (uint32_t left = 8; left > 0;) {
            uint32_t found = 1 + below(left < 3 ? left : 3);
            event(10 + below(4) % (found + 1));
            left -= found;
        }
        in_a_row(20, 3);
    }
}

static void at_random(uint32_t steps)
{
    for (uint32_t i = 0; i < 50 * steps; i++)
        event(below(16));
}

/* ---- what it is compared with ---- */

static size_t progressions(void)
{
    struct progressions p = {0};
    for (size_t i = 0; i < event_count; i++)
        progressions_add(&p, events[i]);
    size_t bytes = progressions_bytes(&p);
    progressions_free(&p);
    return bytes;
}

/* 0 if there is no zstd. */
static size_t zstd(void)
{
    char path[] = "/tmp/bench_sequence_XXXXXX", command[128];
    struct efg_buffer deltas = {0};
    size_t size = 0;
    int fd = mkstemp(path);

    for (size_t i = 0; i < event_count; i++) {
        int64_t delta = (int64_t)events[i] - (i ? events[i - 1] : 0);
        efg_buffer_number(&deltas, delta < 0 ? (uint64_t)(-2 * delta - 1) : 2 * (uint64_t)delta);
    }
    if (fd < 0 || write(fd, deltas.data, deltas.size) != (ssize_t)deltas.size)
        exit(1);
    snprintf(command, sizeof command, "zstd -19 -q -c %s 2>/dev/null | wc -c", path);
    FILE *pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%zu", &size) != 1)
        size = 0;
    if (pipe)
        pclose(pipe);
    close(fd);
    unlink(path);
    efg_buffer_fini(&deltas);
    return size;
}

/* ---- measuring ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct sizes {
    uint64_t pairs;
    size_t plain, mixed;
    double ns; /* of mixing */
};

static int measure_sizes(void *context, const struct efg_sequence_segment *segment)
{
    struct sizes *sizes = context;
    struct efg_buffer plain = {0}, mixed = {0};

    efg_sequence_put(&plain, segment, 0);
    double start = measure_time(CLOCK_PROCESS_CPUTIME_ID);
    efg_sequence_put(&mixed, segment, UINT32_MAX);
    sizes->ns += measure_time(CLOCK_PROCESS_CPUTIME_ID) - start;
    sizes->pairs += segment->pair_count;
    sizes->plain += plain.size;
    sizes->mixed += mixed.size;
    efg_buffer_fini(&plain);
    efg_buffer_fini(&mixed);
    return 0;
}

static int take(void *context, const struct efg_sequence_segment *segment)
{
    *(uint64_t *)context += segment->length;
    return 0;
}

static double compress(efg_sequence_sink *sink, void *context)
{
    static struct efg_sequence sequence;
    if (efg_sequence_init(&sequence, MEMORY, sink, context) != 0)
        exit(1);
    double start = measure_time(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < event_count; i++)
        efg_sequence_add(&sequence, events[i]);
    efg_sequence_close(&sequence);
    double ns = (measure_time(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)event_count;
    efg_sequence_fini(&sequence);
    return ns;
}

static void print_row(const char *name, uint32_t steps)
{
    struct sizes sizes = {0};
    double ns[TURNS];
    uint64_t taken = 0;

    for (int i = 0; i < TURNS; i++)
        ns[i] = compress(take, &taken);
    qsort(ns, TURNS, sizeof *ns, compare);
    compress(measure_sizes, &sizes);
    size_t by_zstd = zstd();
    printf("%-13s %6u %9zu  %5.1f %7llu %8zu %8zu %6.1f  %9zu ", name, steps, event_count, ns[TURNS / 2],
           (unsigned long long)sizes.pairs, sizes.plain, sizes.mixed, sizes.ns / 1e6, progressions());
    if (by_zstd)
        printf("%8zu\n", by_zstd);
    else
        printf("%8s\n", "-");
}

int main(void)
{
    static const struct {
        const char *name;
        void (*make)(uint32_t steps);
    } shapes[] = {{"stencil", stencil},     {"wavefront", wavefront}, {"adaptive mesh", adaptive_mesh},
                  {"multigrid", multigrid}, {"polling", polling},     {"random", at_random}};

    printf("shape          steps    events     ns   pairs    plain    mixed     ms  progress.  "
           "   zstd\n");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (uint32_t steps = 100; steps <= 10000; steps *= 10) {
            event_count = 0;
            seed = 1;
            shapes[s].make(steps);
            print_row(shapes[s].name, steps);
        }
    }
    free(events);
    return 0;
}
