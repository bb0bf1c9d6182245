/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads and writes what parallel regions of OpenMP did, and makes efficiencies of it. */
#include "openmp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"

char *efg_openmp_text(const struct efg_openmp_place *places, uint32_t count)
{
    struct efg_buffer out = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct efg_openmp_place *p = &places[i];
        if (p->visits)
            efg_buffer_print(&out,
                             "%s %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
                             " %" PRIu64 " %" PRIu64 "\n",
                             p->is_barrier ? "barrier" : "parallel", p->path, p->visits, p->time, p->room,
                             p->busy, p->most, p->waited, p->threads);
    }
    return out.size ? efg_buffer_text(&out) : NULL;
}

bool efg_openmp_next(const char **at, struct efg_openmp_place *p)
{
    char kind[16];
    int length = 0;
    if (!*at || !**at)
        return false;
    if (sscanf(*at,
               "%15s %" SCNx64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 "%n",
               kind, &p->path, &p->visits, &p->time, &p->room, &p->busy, &p->most, &p->waited, &p->threads,
               &length) != 9 ||
        (*at)[length] != '\n')
        return false;
    p->is_barrier = strcmp(kind, "barrier") == 0;
    *at += length + 1;
    return true;
}

struct efg_openmp_totals efg_openmp_sum(const char *text)
{
    struct efg_openmp_totals t = {0};
    struct efg_openmp_place p;
    while (efg_openmp_next(&text, &p)) {
        if (p.is_barrier)
            continue;
        t.visits += p.visits;
        t.time += p.time;
        t.room += p.room;
        t.busy += p.busy;
        t.most += p.most;
        t.waited += p.waited;
        t.threads = p.threads > t.threads ? p.threads : t.threads;
    }
    return t;
}

static double share(double part, double of)
{
    return of > 0 ? part / of : 0;
}

struct efg_openmp_efficiency efg_openmp_efficiency(const struct efg_openmp_totals *t, double time, double mpi)
{
    double outside = time - mpi - (double)t->time, busy = (double)t->busy, waited = (double)t->waited;
    double alone = outside > 0 ? outside : 0; /* the main thread, outside of regions and of MPI */
    double useful = alone + busy, idle = alone * (t->threads ? (double)t->threads - 1 : 0);
    double lost = (double)t->room - busy - waited, runtime = lost > 0 ? lost : 0;
    return (struct efg_openmp_efficiency){.all = share(useful, useful + idle + waited + runtime),
                                          .balance = share(useful + idle, useful + idle + waited),
                                          .scheduling =
                                              share(useful + idle + waited, useful + idle + waited + runtime),
                                          .serialization = share(useful, useful + idle)};
}
