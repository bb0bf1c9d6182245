/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When iterations are recorded: the conditions of the key `when`, with commas, which all have to hold.
 *
 *     time in A..B        iterations that begin between two times of the run; B may be left out
 *     iteration > 2.5x    that took more than 2.5 times the median of those before them, on some rank
 *     mpi > 60%           of whose time more was in MPI, on some rank; or less: mpi < 10%
 *     region NAME         that made a call in this region, or below a function of this name, on some rank
 *
 * The first is known beforehand, the others only when an iteration is over.
 */
#ifndef EFG_WHEN_H
#define EFG_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#define EFG_WHEN_TEXT 256

struct efg_when {
    char text[EFG_WHEN_TEXT]; /* as given; "": always */
    uint64_t from, to;        /* ns since the start; 0, UINT64_MAX: any time */
    uint32_t slower;          /* than so many times the median, in 1/1000; 0: any */
    uint32_t mpi_above;       /* millionths of its time; 0: any */
    uint32_t mpi_below;       /* likewise; 0: any */
    char region[EFG_WHEN_TEXT];
};

/* Returns NULL, or what is wrong, and *WHEN is unchanged. */
const char *efg_when_parse(const char *text, struct efg_when *when);

/* Whether there is something that is known only when an iteration is over. */
static inline bool efg_when_is_afterwards(const struct efg_when *when)
{
    return when->slower || when->mpi_above || when->mpi_below || *when->region;
}

/* What a value has to be. */
#define EFG_WHEN_EXPECTED \
    "conditions with commas: \"time in 10m..20m\", \"iteration > 2x\", \"mpi > 60%\", " \
    "\"mpi < 60%\", \"region NAME\""

#endif
