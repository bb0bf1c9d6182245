/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A walk up the stack that says what it depends on. Only on x86-64; elsewhere it never
 * succeeds, and the caller does without it.
 */
#ifndef EFG_WALK_H
#define EFG_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "steps.h"

#define EFG_WALK_DEPTH 136 /* addresses, the most that can be asked for */
#define EFG_WALK_WORDS (3 * EFG_WALK_DEPTH)
#define EFG_WALK_MORE 515 /* words that others may add to those of a walk (python.h) */

/* AT holds VALUE. */
struct efg_word {
    const uintptr_t *at;
    uintptr_t value;
};

struct efg_walk { /* all zero to begin with; it may be kept for the next walk */
    void *address[EFG_WALK_DEPTH]; /* return addresses, innermost first */
    uint32_t count;
    struct efg_word word[EFG_WALK_WORDS + EFG_WALK_MORE];
    uint32_t word_count;
    bool is_lasting;        /* it holds until there is a new generation of modules */
    bool is_astray;         /* it has reached an address without memory */
    uintptr_t page;         /* known to be mapped, during a walk */
    const uintptr_t *start; /* where main returns to; NULL: not known, as in other threads */
    struct efg_map rules;   /* struct efg_rule by address, while the generation lasts */
    struct efg_steps steps; /* as long */
    struct efg_place place[EFG_WALK_DEPTH]; /* of each address, and how many words led to it: */
    uint32_t words_before[EFG_WALK_DEPTH];  /* of a walk that was a new one */
};

/* Find the return addresses, at most LIMIT, from the one of the function whose frame address
 * (__builtin_frame_address) is FRAME. Returns 0, or -errno if a frame on the way is not
 * understood.
 *
 * If the walk is lasting, a later one from the same FRAME in the same generation of modules
 * finds the same if all of the words have the same values. They must be compared in their
 * order: each can safely be read if the ones before it are equal. */
int efg_walk(struct efg_walk *walk, const uintptr_t *frame, uint32_t limit);

/* Forget the rules and the steps: the modules have changed. */
void efg_walk_forget(struct efg_walk *walk);

/* Bytes held beside the structure. */
uint64_t efg_walk_memory(const struct efg_walk *walk);

#endif
