/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First rounds: a call in the first round of a loop that has few of them has a call path of its own, as if it
 * was made in front of the loop.
 *
 *     for (step = 0; step < 1000; step++)
 *         for (stage = 0; stage < 3; stage++)
 *             exchange();                     stage 0: a call in the loop of the steps
 *
 * That is what compilers make of such loops, too (they peel them), and for the same reason: what happens once
 * in each round of the outer loop can be told from the rest. Nothing else may tell of the steps: they make no
 * call of their own.
 *
 * Frames of such paths have in their offset how many loops that is of (files/log/record.h). The outermost
 * loop of a program has its first round but once: it is left alone.
 *
 * Which round it is is read where the function keeps it: in machine code, what counts the rounds is in a
 * register, which a function that is called has saved, or in the stack; in Python, there is an iterator.
 */
#ifndef EFG_FIRSTS_H
#define EFG_FIRSTS_H

#include "core/flow/few.h"
#include "files/log/record.h"
#include "memo.h"
#include "pyflow.h"
#include "python.h"

#define EFG_FIRSTS_FRAMES 3 /* of a path, the innermost ones with such loops */
#define EFG_FIRSTS_ROUNDS (EFG_FIRSTS_FRAMES * EFG_FEW_LOOPS)
#define EFG_FIRSTS_PATHS (1u << 2 * EFG_FIRSTS_FRAMES)
_Static_assert(EFG_PYFLOW_FORS < 4 && EFG_FEW_LOOPS < 4, "2 bits for each frame");

/* A frame of the path, from the innermost one on, and those of its loops that are looked at. */
struct efg_first {
    uint32_t frame;
    uint32_t caller; /* number of the return address; of the function, if it is one of Python */
    uint32_t most;   /* loops, the innermost ones */
    bool is_python;
    uint32_t slot; /* of Python */
    struct efg_few few;
};

struct efg_firsts {
    uint32_t count;
    struct efg_first of[EFG_FIRSTS_FRAMES];
    uint32_t path[EFG_FIRSTS_PATHS]; /* by which loops are in their first rounds; 0: not known; atomic */
};

/* Before the first of these: nothing is around. */
struct efg_firsts_search {
    struct efg_firsts firsts;
    bool is_in_loop;
};

/* To the search comes the frame number FRAME of a path; outer frames come before inner ones. It is in a
 * function of Python, number FUNCTION, which made CALL; */
void efg_firsts_add_python(struct efg_firsts_search *search, uint32_t frame, uint32_t function,
                           const struct efg_pycall *call);

/* or of machine code, at POSITION, in the loops FEW. */
void efg_firsts_add(struct efg_firsts_search *search, uint32_t frame, uint32_t caller,
                    struct efg_position position, const struct efg_few *few);

/* Where what counts the rounds is, in a path of machine code alone, for all walks that are the same as WALK,
 * from FRAME: to ROUNDS, with room for EFG_FIRSTS_ROUNDS. Returns how many there are. */
uint32_t efg_firsts_locate(const struct efg_firsts *firsts, const uintptr_t *frame,
                           const struct efg_walk *walk, struct efg_memo_round *rounds);

/* Which loops are in their first rounds: an index of PATH. 0: none is. The COUNT ROUNDS are where they
 * are now. */
uint32_t efg_firsts_now(const struct efg_firsts *firsts, const struct efg_python *python,
                        const struct efg_memo_round *rounds, uint32_t count);

/* Say so in the FRAMES of a path. */
void efg_firsts_mark(const struct efg_firsts *firsts, uint32_t now, struct efg_frame *frames);

#endif
