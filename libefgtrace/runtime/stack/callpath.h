/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call paths: who called the MPI function. A path is a number of this process, from 1;
 * its frames are modules and offsets, so that it means the same on all ranks in spite
 * of address randomisation. Frames of the MPI library and of ours are cut off.
 *
 * Paths are never forgotten. When they have used up their part of the memory, further ones are cut: the
 * inner quarter of their frames is not told apart any longer, and so on until none are; each time they get
 * a quarter of what is left of 3/8 of the memory. Of paths that are cut, first rounds are not told apart.
 */
#ifndef EFG_CALLPATH_H
#define EFG_CALLPATH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/flow/place.h"
#include "files/log/record.h"

#define EFG_CALLPATH_DEPTH 128 /* frames, the most that can be asked for */

struct efg_firsts; /* firsts.h */

struct efg_path {
    uint64_t hash; /* agrees between ranks */
    uint32_t depth;
    const struct efg_frame *frames; /* innermost first */
    struct efg_firsts *firsts;      /* NULL: none of its loops is looked at; atomic */
};

struct efg_callpath_mine; /* expected.h */

/* Begin, with at most DEPTH frames a path, the innermost ones; with PYTHON, functions of Python are frames,
 * too (python.h). PLACE returns where the calling thread is to have what each call touches, which is all
 * zero at first; NULL: that is left to this module. Returns 0, or -EAGAIN if there are too many keys. */
int efg_callpath_init(unsigned depth, bool python, struct efg_callpath_mine *place(void));

/* The path of the caller of the function whose __builtin_frame_address(0) is FRAME, and its hash;
 * 0 if there is none (no memory). That function calls this one, directly or through up to
 * EFG_CALLPATH_BETWEEN others. */
uint32_t efg_callpath_find(const uintptr_t *frame, uint64_t *hash);

#define EFG_CALLPATH_BETWEEN 2

/* ns of processor time that this thread spent on new paths, as their functions are analysed then, since it
 * asked for this the last time. */
uint64_t efg_callpath_spent(void);

/* Frames of new paths, at most: the outermost of those that there are. */
unsigned efg_callpath_depth(void);

/* Frames of the longest path that was found, whatever it was cut to. */
unsigned efg_callpath_longest(void);

/* From now on paths have at most DEPTH frames, and each existing path that has more gets a shorter one.
 * Returns the number of frames, which is less if there was not enough memory. This
 * thread forgets how it found its paths; others may find longer ones until they call this. */
unsigned efg_callpath_limit(unsigned depth);

/* The path of the outermost DEPTH frames of the path ID, and its *HASH: for a DEPTH that
 * efg_callpath_limit has returned. */
uint32_t efg_callpath_cut(uint32_t id, unsigned depth, uint64_t *hash);

/* How many paths and modules there are, and each of them; ids from 1 for paths, from 0
 * for modules. What is returned stays valid. */
uint32_t efg_callpath_count(void);
struct efg_path efg_callpath_get(uint32_t id);

/* The position of the call in frame number FRAME, from the outermost one on, of the path ID, in the code
 * of its function: the machine's (code.h) or Python's, as far as its calls are known so far (pyflow.h). */
struct efg_position efg_callpath_position(uint32_t id, uint32_t frame);

/* The same of FRAME, one of some path, if its function was analysed before. */
struct efg_position efg_callpath_known_position(const struct efg_frame *frame);

uint32_t efg_callpath_modules(void);
const char *efg_callpath_module(uint32_t id); /* path name of the file */

/* The frames of the path ID by KEYS that agree between ranks, outermost first: see
 * core/graph/calltree.h. */
uint32_t efg_callpath_keys(uint32_t id, uint64_t *keys);

#endif
