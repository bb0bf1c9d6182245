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
#define READINGS 8 /* of two clocks, until they are as close as ... */
#define CLOSE 500  /* ns */

static struct efg_openmp_place places[PLACES];
static uint32_t count;
static uint64_t forked; /* ticks: the region at hand */

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
    struct efg_call call = {.id = (uint16_t)id, .shape = EFG_SHAPE_PLAIN, .thread = efg_self, .frame = frame};
    if (!efg_tracer_enter(&call))
        return;
    efg_tracer_leave(&call, MPI_SUCCESS);
    add(id == EFG_CALL_omp_barrier, call.hash, sums);
}

/* What ticks are ahead of CLOCK_MONOTONIC, as far as this thread is not held up while it reads both. */
static uint64_t find_shift(void)
{
    uint64_t shift = 0, least = UINT64_MAX;
    for (int i = 0; i < READINGS && least > CLOSE; i++) {
        uint64_t before = efg_clock_ticks(), there = efg_clock_read(CLOCK_MONOTONIC);
        uint64_t took = efg_clock_ticks() - before;
        if (took < least) {
            least = took;
            shift = before + took / 2 - there;
        }
    }
    return shift;
}

/* None begins before the region does. */
static void add_parts(const struct efg_openmp_sums *sums)
{
    uint64_t shift = sums->part_count ? find_shift() : 0;
    for (uint32_t i = 0; i < sums->part_count; i++) {
        uint64_t begin = sums->parts[i].begin + shift;
        efg_tracer_part(sums->parts[i].thread, begin > forked ? begin : forked, sums->parts[i].end + shift);
    }
}

void efg_hybrid_tell(int what, const struct efg_openmp_sums *sums, const uintptr_t *frame)
{
    if (!efg_job.conf.openmp || !frame)
        return;
    switch (what) {
    case EFG_OPENMP_FORK:
        efg_tracer_within(1, "omp parallel", frame);
        forked = efg_clock_ticks();
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
