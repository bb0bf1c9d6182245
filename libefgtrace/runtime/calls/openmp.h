/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libefgtrace-openmp.so tells libefgtrace.so of the parallel regions of OpenMP. It is preloaded beside
 * that one where the key `openmp` is on, and finds the function below by its name.
 */
#ifndef EFG_OPENMP_H
#define EFG_OPENMP_H

#include <stdint.h>

enum efg_openmp_what {
    EFG_OPENMP_FORK,         /* the main thread begins a parallel region */
    EFG_OPENMP_JOIN,         /* ... ends it */
    EFG_OPENMP_BARRIER,      /* ... comes to a barrier in it */
    EFG_OPENMP_BARRIER_OVER, /* ... leaves that */
};

/* What a thread other than the main one did in a region: its number in the team, from 1; when it began, and
 * when it came to the end, in ns of CLOCK_MONOTONIC. */
struct efg_openmp_part {
    uint32_t thread;
    uint64_t begin, end;
};
#define EFG_OPENMP_PARTS 255 /* threads that are told of, at most; as EFG_LOG_PARTS */

/* Times in ns. Of a barrier: TIME, what the main thread waited. */
struct efg_openmp_sums {
    uint64_t time; /* from fork to join */
    uint64_t threads;
    uint64_t busy;                       /* of all threads: in the region, but not in its barriers */
    uint64_t most;                       /* of the thread that is busy longest */
    uint64_t waited;                     /* of all threads: in barriers, and at the end for the last one */
    const struct efg_openmp_part *parts; /* by thread */
    uint32_t part_count;
};

/* FRAME: the __builtin_frame_address(0) of the function that the program calls. */
typedef void efg_openmp_tell(int what, const struct efg_openmp_sums *sums, const uintptr_t *frame);
#define EFG_OPENMP_TELL "efgtrace_openmp"

/* What says that libefgtrace-openmp.so is there: an int. */
#define EFG_OPENMP_PRESENT "efgtrace_openmp_present"

#endif
