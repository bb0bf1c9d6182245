/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks: the flow graph of a function, from the turns in its code: where it does something else than
 * to go on with the next instruction, or where something is noted. Blocks begin where turns lead to, and
 * behind them; an edge leads from each block to where it may go on. It does not matter what kind of code
 * it is.
 *
 * A switch leads to all blocks that nothing else leads to; so a function has one at most.
 */
#ifndef EFG_BLOCKS_H
#define EFG_BLOCKS_H

#include "place.h"

enum efg_turn_kind {
    EFG_TURN_CALL,
    EFG_TURN_NOTE, /* it does go on, but its position is asked for (few.h) */
    EFG_TURN_JUMP,
    EFG_TURN_BRANCH, /* a jump, or it goes on behind it */
    EFG_TURN_SWITCH,
    EFG_TURN_END,  /* of the function, or of what is known of it */
    EFG_TURN_YIELD, /* the function ends, and may begin behind it the next time */
    EFG_TURN_HALT, /* as behind the last instruction of a piece of code: no block begins here */
};

struct efg_turn {
    uint32_t at, behind; /* offset of the instruction, and of the next one */
    enum efg_turn_kind kind;
    uint32_t to; /* JUMP, BRANCH: offset; EFG_NONE: out of the function */
};

/* The POSITION of each of COUNT turns, which are sorted, of code from offset 0 to SIZE; and to ORDER,
 * unless it is NULL, the NUMBER of its block (place.h). Returns 0, or -ENOMEM. */
int efg_blocks_find(const struct efg_turn *turns, uint32_t count, uint32_t size,
                    struct efg_position *position, uint32_t *order);

#endif
