/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PAPI: counters by its names, which libpapi knows: presets (PAPI_TOT_INS) and native events of its
 * components (perf::PAGE-FAULTS). The library is loaded when it is first asked for anything, but not in a
 * program that uses it itself: a thread has one set of counters of PAPI at a time, and that is the program's.
 *
 * As perf.h: each thread has its own set, and counts itself only.
 */
#ifndef EFG_PAPI_H
#define EFG_PAPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EFG_PAPI_WHY 160

struct efg_papi {
    int set;        /* of events; belongs to the thread that made it */
    unsigned count; /* of events in it; 0: there is no set */
};

/* To the set of this thread, which does not count yet, the event of this NAME. Returns 0, or -errno, and WHY
 * not: empty if that is what the kernel's errno means. */
int efg_papi_add(struct efg_papi *papi, const char *name, char why[EFG_PAPI_WHY]);

/* From here on the set counts. Returns 0, or -errno, and WHY not; then there is no set. */
int efg_papi_start(struct efg_papi *papi, char why[EFG_PAPI_WHY]);

/* Any thread may, if that of the set is over. */
void efg_papi_close(struct efg_papi *papi);

/* What was counted so far, in the order in which the events were added. Returns 0 or -errno. */
int efg_papi_read(const struct efg_papi *papi, uint64_t *values);

/* Whether what the kernel does for the thread does not count. */
bool efg_papi_is_user_only(void);

#endif
