/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User regions, by IPM's convention: MPI_Pcontrol(1, "name") enters, MPI_Pcontrol(-1, "name")
 * leaves. A region is known by a hash of its name, which agrees between ranks; the names are
 * kept in one table of the process, as far as there is room.
 *
 * Leaving a region leaves those inside it, too; leaving one that is not open does nothing.
 * Calls without a name (MPI_Pcontrol(1) alone, and all from Fortran) are ignored.
 */
#ifndef EFG_REGIONS_H
#define EFG_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#define EFG_REGION_DEPTH \
    64 /* nested regions; deeper ones count as the last of these */
#define EFG_REGION_NAMES 1024 /* kept; further regions are told apart, but have no name */
#define EFG_REGION_NAME \
    64 /* bytes of a name, with its final zero; the wrapper passes no longer ones */

struct efg_regions { /* open ones of a thread, outermost first */
    uint32_t depth;
    uint32_t id[EFG_REGION_DEPTH];
};

/* Those of this thread. */
struct efg_regions *efg_regions_own(void);

/* MPI_Pcontrol(LEVEL, NAME); NAME may be NULL. Returns whether others are open now. */
bool efg_regions_control(struct efg_regions *r, int level, const char *name);

/* What tells the region NAME from others, on all ranks. */
uint32_t efg_regions_id(const char *name);

/* The innermost region, 0 for none. */
static inline uint32_t efg_regions_current(const struct efg_regions *r)
{
    if (!r->depth)
        return 0;
    return r->id[(r->depth < EFG_REGION_DEPTH ? r->depth : EFG_REGION_DEPTH) - 1];
}

/* The innermost region, as one that lies in just those that it lies in: a number, from 1, that is the same as
 * long as the process lives; that of one around it where there is no room for more, 0 for none. */
uint32_t efg_regions_nest(const struct efg_regions *r);

/* The name of the region with this number; *AROUND: the number, always smaller, of the one around it or 0. */
const char *efg_regions_nested(uint32_t number, uint32_t *around);

/* The next region with a name, from *AT on (0 to begin with); *AT is moved past it.
 * Returns its name, or NULL at the end. */
const char *efg_regions_next(uint32_t *at, uint32_t *id);

#endif
