/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rounds of Python's loops: in which one a loop is, from the iterator that it takes its items of. It lies in
 * the frame of the function for as long as the loop goes on.
 */
#ifndef EFG_PYROUNDS_H
#define EFG_PYROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#define EFG_PYROUNDS_FEW 8

struct efg_pyrounds_types { /* addresses of PyListIter_Type and so on; 0: not known */
    uintptr_t list, tuple, range, enumerate, zip;
};

void efg_pyrounds_init(const struct efg_pyrounds_types *types);

/* Whether ITERATOR, an object or 0, has given the first of EFG_PYROUNDS_FEW items at most: of a list, a
 * tuple, a range (from 3.12 on, of one that begins at 0 and goes on by 1), or of enumerate or zip, whose
 * first one counts, of these. It must be there. */
bool efg_pyrounds_is_first(uintptr_t iterator);

#endif
