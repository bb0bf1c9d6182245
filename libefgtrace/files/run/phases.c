/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The phases of a rank as a text, which is a fact of the rank: a line for each phase, and one that says which
 * windows belong to which. Words behind those that are known here are passed over.
 *
 *     thread 0
 *     main 2
 *     phase 1 53f940d736a2b1c0 4 2 0 789000000 789000000 538 720000000 66000000 600
 *     windows 1 1 2
 */
#include "parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* --- written --- */

static void put_phase(struct efg_buffer *out, const struct efg_run_phase *p)
{
    efg_buffer_print(out,
                     "phase %" PRIu32 " %" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64
                     " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                     p->number, p->loop.function, p->loop.node, p->loop.depth, p->begin, p->end, p->time,
                     p->counted, p->iterations_time, p->iterations_mpi, p->loop.iterations);
}

char *efg_run_phases_text(const struct efg_run_thread *thread)
{
    struct efg_buffer out = {0};

    efg_buffer_print(&out, "thread %" PRIu32 "\nmain %" PRIu32 "\n", thread->number, thread->main_phase);
    for (uint32_t i = 0; i < thread->phase_count; i++)
        put_phase(&out, &thread->phases[i]);
    efg_buffer_print(&out, "windows");
    for (uint32_t i = 0; i < thread->window_count; i++)
        efg_buffer_print(&out, " %" PRIu32, thread->windows[i].phase);
    return efg_buffer_text(&out);
}

/* --- read --- */

static int get_phase(struct efg_run_thread *thread, const char *line)
{
    struct efg_run_phase p = {0};
    int fields = sscanf(line,
                        "phase %" SCNu32 " %" SCNx64 " %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNu64
                        " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                        &p.number, &p.loop.function, &p.loop.node, &p.loop.depth, &p.begin, &p.end, &p.time,
                        &p.counted, &p.iterations_time, &p.iterations_mpi, &p.loop.iterations);

    if (fields < 10 || p.loop.node >= thread->graph.node_count || p.loop.depth > EFG_MOST_FRAMES ||
        p.end < p.begin)
        return -EBADMSG;
    if (fields == 10) /* an older file */
        p.loop.iterations = p.counted;
    if (efg_array_grow(&thread->phases, thread->phase_count, 1, sizeof p))
        return -ENOMEM;
    thread->phases[thread->phase_count++] = p;
    return 0;
}

/* Whether Q says more of the phase that P is, too: of the main loop, else of the loop that lasted. */
static bool is_better(const struct efg_run_thread *thread, const struct efg_run_phase *p,
                      const struct efg_run_phase *q)
{
    uint64_t main = p->number == thread->main_phase ? thread->loops.main.function : 0;

    if (main && (p->loop.function == main) != (q->loop.function == main))
        return q->loop.function == main;
    return q->time > p->time;
}

/* Windows know a phase by its number. Where ranks agreed on one number for loops that this rank had one after
 * the other, it is one phase. */
static void unite_phases(struct efg_run_thread *thread)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < thread->phase_count; i++) {
        struct efg_run_phase *p = thread->phases, q = thread->phases[i];
        while (p < thread->phases + kept && (!q.number || p->number != q.number))
            p++;
        if (p == thread->phases + kept) {
            thread->phases[kept++] = q;
            continue;
        }
        struct efg_run_phase both = is_better(thread, p, &q) ? q : *p;
        both.begin = p->begin < q.begin ? p->begin : q.begin;
        both.end = p->end > q.end ? p->end : q.end;
        both.time = p->time + q.time;
        *p = both;
    }
    thread->phase_count = kept;
}

static void get_windows(struct efg_run_thread *thread, const char *numbers)
{
    for (uint32_t i = 0; i < thread->window_count; i++) {
        char *end;
        thread->windows[i].phase = (uint32_t)strtoul(numbers, &end, 10);
        numbers = end;
    }
}

static int get_line(struct efg_run_thread *thread, const char *line)
{
    if (!strncmp(line, "phase ", 6))
        return get_phase(thread, line);
    if (!strncmp(line, "main ", 5))
        thread->main_phase = (uint32_t)strtoul(line + 5, NULL, 10);
    else if (!strncmp(line, "windows", 7))
        get_windows(thread, line + 7);
    return 0;
}

static int get_lines(struct efg_run_thread *thread, const char *text)
{
    int error = 0;

    for (const char *line = text; *line && !error; line += strcspn(line, "\n"), line += *line == '\n')
        error = get_line(thread, line);
    return error;
}

int efg_run_phases_read(struct efg_run_rank *rank)
{
    uint32_t number = 0;
    int error = 0;

    if (!rank->phases || sscanf(rank->phases, "thread %" SCNu32, &number) != 1)
        return 0;
    for (uint32_t i = 0; i < rank->thread_count && !error; i++) {
        if (rank->threads[i].number != number)
            continue;
        error = get_lines(&rank->threads[i], rank->phases);
        unite_phases(&rank->threads[i]);
    }
    return error;
}

/* --- asked for --- */

const struct efg_run_phase *efg_run_phase(const struct efg_run_thread *thread, uint32_t number)
{
    for (uint32_t i = 0; number && i < thread->phase_count; i++)
        if (thread->phases[i].number == number)
            return &thread->phases[i];
    return NULL;
}
