/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums by call path: in a table that is never larger than what is fixed here; when it is full, further paths
 * are summed up together, as that of hash 0.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "hybrid.h"

#include <dlfcn.h>

#include "base/buffer.h"
#include "files/run/openmp.h"
#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/watch/tracer.h"

#define PLACES 256 /* call paths; the last one is for all others */

static struct efg_openmp_place places[PLACES];
static uint32_t count;

void efg_hybrid_begin(void)
{
    if (efg_job.conf.openmp && efg_job_is_first() && !dlsym(RTLD_DEFAULT, EFG_OPENMP_PRESENT))
        efg_note(
            "parallel regions are not seen, as libefgtrace-openmp.so is not preloaded: preload it beside "
            "libefgtrace.so, or use `efgtrace run --openmp`");
}

static struct efg_openmp_place *place_of(bool is_barrier, uint64_t path)
{
    for (uint32_t i = 0; i < count; i++)
        if (places[i].path == path && places[i].is_barrier == is_barrier)
            return &places[i];
    if (count == PLACES - 2) /* one for regions, one for barriers */
        return path ? place_of(is_barrier, 0) : &places[count + is_barrier];
    places[count] = (struct efg_openmp_place){.is_barrier = is_barrier, .path = path};
    return &places[count++];
}

static void add(bool is_barrier, uint64_t path, const struct efg_openmp_sums *s)
{
    struct efg_openmp_place *p = place_of(is_barrier, path);
    uint64_t threads = s->threads ? s->threads : 1;
    p->is_barrier = is_barrier;
    p->visits++;
    p->time += s->time;
    p->room += s->time * threads;
    p->busy += s->busy;
    p->most += s->most * threads;
    p->waited += s->waited;
    p->threads = threads > p->threads ? threads : p->threads;
}

static void add_event(int id, const struct efg_openmp_sums *sums, const uintptr_t *frame)
{
    struct efg_call call = {.id = (uint16_t)id, .shape = EFG_SHAPE_PLAIN, .frame = frame};
    if (!efg_tracer_enter(&call))
        return;
    efg_tracer_leave(&call, MPI_SUCCESS);
    add(id == EFG_CALL_omp_barrier, call.hash, sums);
}

/* Ticks follow CLOCK_MONOTONIC. */
static void add_parts(const struct efg_openmp_sums *sums)
{
    uint64_t shift = efg_clock_ticks() - efg_clock_read(CLOCK_MONOTONIC);
    for (uint32_t i = 0; i < sums->part_count; i++) {
        const struct efg_openmp_part *part = &sums->parts[i];
        efg_tracer_part(part->thread, part->begin + shift, part->end + shift);
    }
}

void efg_hybrid_tell(int what, const struct efg_openmp_sums *sums, const uintptr_t *frame)
{
    if (!efg_job.conf.openmp || !frame)
        return;
    switch (what) {
    case EFG_OPENMP_FORK:
        efg_tracer_within(1, "omp parallel", frame);
        break;
    case EFG_OPENMP_JOIN:
        add_parts(sums);
        efg_tracer_within(-1, "omp parallel", frame);
        add_event(EFG_CALL_omp_parallel, sums, frame);
        break;
    case EFG_OPENMP_BARRIER:
        efg_tracer_within(1, "omp barrier", frame);
        break;
    case EFG_OPENMP_BARRIER_OVER:
        efg_tracer_within(-1, "omp barrier", frame);
        add_event(EFG_CALL_omp_barrier, sums, frame);
        break;
    }
}

char *efg_hybrid_text(void)
{
    return efg_openmp_text(places, count == PLACES - 2 ? PLACES : count);
}
