/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel regions of OpenMP, and barriers in them, by call path; as text in the facts of a rank, a line
 * each:
 *
 *     parallel|barrier PATH VISITS TIME ROOM BUSY MOST WAITED THREADS
 *
 * PATH: hash of the call path in hex, 0 for what found no room. Times in ns, summed over the visits: TIME of
 * the region on the main thread; ROOM, that times the number of its threads; BUSY, what these did but for
 * waiting; MOST, what they had done if all were as busy as the busiest one; WAITED, for each other. THREADS:
 * the most. A barrier has TIME only: what the main thread waited.
 */
#ifndef EFG_RUN_OPENMP_H
#define EFG_RUN_OPENMP_H

#include <stdbool.h>
#include <stdint.h>

struct efg_openmp_place {
    bool is_barrier;
    uint64_t path, visits, time, room, busy, most, waited, threads;
};

/* Sums over all regions of a rank. */
struct efg_openmp_totals {
    uint64_t visits, time, room, busy, most, waited, threads;
};

/* COUNT places as text, to be freed; those without visits are left out. NULL: none, or no memory. */
char *efg_openmp_text(const struct efg_openmp_place *places, uint32_t count);

/* The next place from the line *AT on, which is moved behind it. Returns whether there is one; what is no
 * such line ends it. */
bool efg_openmp_next(const char **at, struct efg_openmp_place *place);

struct efg_openmp_totals efg_openmp_sum(const char *text);

/*
 * Efficiencies, by the names of TALP, of a run of TIME with MPI ns in MPI (sums over ranks, ns), of which
 * TOTALS are in parallel regions: of what all threads could have computed outside of MPI, they were useful
 * for a part, and waited for each other (load balance), for the runtime (scheduling), or for the main thread
 * between regions (serialization).
 *
 *     efficiency = load balance x scheduling x serialization
 *
 * Source: TALP of the DLB library, OpenMP metrics.
 */
struct efg_openmp_efficiency {
    double all, balance, scheduling, serialization; /* 0 to 1 */
};
struct efg_openmp_efficiency efg_openmp_efficiency(const struct efg_openmp_totals *totals, double time,
                                                   double mpi);

#endif
