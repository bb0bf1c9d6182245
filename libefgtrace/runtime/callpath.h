/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call paths: who called the MPI function. A path is a number of this process, from 1;
 * its frames are modules and offsets, so that it means the same on all ranks in spite
 * of address randomisation. Frames of the MPI library and of ours are cut off.
 *
 * Paths are never forgotten: there are as many as the program has places to call from.
 */
#ifndef EFG_CALLPATH_H
#define EFG_CALLPATH_H

#include <stdint.h>

#include "core/record.h"

#define EFG_CALLPATH_DEPTH 128 /* frames, the most that can be asked for */

struct efg_path {
    uint64_t hash; /* agrees between ranks */
    uint32_t depth;
    const struct efg_frame *frames; /* innermost first */
};

/* Begin, with at most DEPTH frames a path. Returns 0, or -1 without memory. */
int efg_callpath_init(unsigned depth);

/* The path of the caller, and its hash; 0 when there is none (no memory). */
uint32_t efg_callpath_find(uint64_t *hash);

/* How many paths and modules there are, and each of them; ids from 1 for paths, from 0
 * for modules. What is returned stays valid. */
uint32_t efg_callpath_count(void);
struct efg_path efg_callpath_get(uint32_t id);
uint32_t efg_callpath_modules(void);
const char *efg_callpath_module(uint32_t id); /* path name of the file */

/* Bytes held. */
uint64_t efg_callpath_memory(void);

#endif
