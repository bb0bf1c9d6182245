/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When iterations are recorded: the conditions of the key `when`, with commas, which all have to hold.
 *
 *     time in A..B        iterations that begin between two times of the run; B may be left out
 *     iteration > 2.5x    that took more than 2.5 times the median of those before them, on some rank
 *     mpi > 60%           of whose time more was in MPI, on some rank; or less: mpi < 10%
 *     region NAME         that made a call in this region, or below a function of this name, on some rank
 *     COUNTER > N         in which so many were counted (base/counters.h), on some rank; or fewer: <
 *     COUNTER / s > N     ... in each second of its time; or less
 *     COUNTER / COUNTER > N   ... for each one of the other counter; or less. "ipc" is instructions / cycles
 *
 * The first is known beforehand, the others only when an iteration is over.
 */
#ifndef EFG_WHEN_H
#define EFG_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/counters.h"

#define EFG_WHEN_TEXT 256
#define EFG_WHEN_COUNTS 4 /* conditions on counters */

/* A number for what is beside a counter. */
enum { EFG_WHEN_ALL = 254, EFG_WHEN_SECOND };

struct efg_when_count {
    uint8_t counter, by; /* BY: the other counter, EFG_WHEN_SECOND, or EFG_WHEN_ALL: counted at all */
    bool is_above;
    double limit;
};

struct efg_when {
    char text[EFG_WHEN_TEXT]; /* as given; "": always */
    uint64_t from, to;        /* ns since the start; 0, UINT64_MAX: any time */
    uint32_t slower;          /* than so many times the median, in 1/1000; 0: any */
    uint32_t mpi_above;       /* millionths of its time; 0: any */
    uint32_t mpi_below;       /* likewise; 0: any */
    char region[EFG_WHEN_TEXT];
    uint32_t count_count;
    struct efg_when_count counts[EFG_WHEN_COUNTS];
};

/* Returns NULL, or what is wrong, and *WHEN is unchanged. */
const char *efg_when_parse(const char *text, struct efg_when *when);

/* Whether there is something that is known only when an iteration is over. */
static inline bool efg_when_is_afterwards(const struct efg_when *when)
{
    return when->slower || when->mpi_above || when->mpi_below || *when->region || when->count_count;
}

/* Add the counters of WHEN that LIST does not have yet. Returns false if LIST has no room for all of them. */
bool efg_when_add_counters(const struct efg_when *when, struct efg_counter_list *list);

/* Whether all conditions on counters hold for an iteration that took NS and has counted VALUES of LIST, which
 * has all that they need. */
bool efg_when_counts(const struct efg_when *when, const struct efg_counter_list *list, const uint64_t *values,
                     uint64_t ns);

/* What a value has to be. */
#define EFG_WHEN_EXPECTED                                                               \
    "conditions with commas: \"time in 10m..20m\", \"iteration > 2x\", \"mpi > 60%\", " \
    "\"mpi < 60%\", \"region NAME\", \"ipc < 0.5\", \"faults / s > 100\""

#endif
