/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Perf: counters of the thread that opens them, in one group: they are read together, with one system
 * call, or with none where that can be done (pages.h). Those of PAPI (papi.h) are read after them. Only this
 * thread is counted, not those that it makes, nor its children; a program that is executed does not have
 * their files.
 */
#ifndef EFG_PERF_H
#define EFG_PERF_H

#include "base/counters.h"
#include "pages.h"
#include "papi.h"

struct efg_perf {
    struct efg_counter_list list; /* those that could be opened, those of PAPI last */
    struct efg_papi papi;         /* these */
    int file[EFG_COUNTERS];       /* of each of the others; the first one leads the group */
    struct efg_pages pages;       /* of these */
    bool is_user_only;            /* what the kernel does for the thread does not count */
};

struct efg_perf_refused { /* what cannot be counted, and why */
    unsigned count;
    uint8_t id[EFG_COUNTERS];
    char why[EFG_COUNTERS][EFG_PAPI_WHY]; /* with what to do about it */
};

struct efg_perf_reading {
    uint64_t value[EFG_COUNTERS];
    uint64_t enabled, running; /* ns that the group was to count, and has counted; 0: PAPI has all of it */
    bool is_by_call;           /* of the system, or of PAPI */
};

/* Open those of WANTED that can be. Returns how many. They take at most a fourth of the files that this
 * process may open, and have high numbers. */
unsigned efg_perf_open(struct efg_perf *perf, const struct efg_counter_list *wanted,
                       struct efg_perf_refused *refused);
void efg_perf_close(struct efg_perf *perf);

/* By the thread that opened them. Returns 0, or -errno: the files are no longer what they were. */
int efg_perf_read(struct efg_perf *perf, struct efg_perf_reading *reading);

/* From here on by system calls only. */
void efg_perf_leave_pages(struct efg_perf *perf);

/* SAY, for each reason, the NAMES of all counters that it holds for. */
void efg_perf_explain(const struct efg_perf_refused *refused, void say(const char *names, const char *why));

#endif
