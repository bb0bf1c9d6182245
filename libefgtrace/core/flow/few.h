/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops of few rounds: those that count them, from the same number on to the same one each time, or to
 * one that is as far from the first one each time, as the code says:
 *
 *     mov $1, %ebx          SET      for (stage = 1; stage <= 3; stage++)
 *  0: mov %ebx, %edi
 *     call advect                        advect(stage);
 *     add $1, %ebx          ADD
 *     cmp $4, %ebx          COMPARE
 *     jne 0b
 *
 * In the first round %ebx has a value that it has in no other one: so a call tells in which it is made. What
 * goes through an array is counted by where it is; and that there are two rounds by what is set to another
 * number where the loop is not left:
 *
 *     lea 48(%rbp), %r12                               xor %ebx, %ebx
 *  0: mov %rbp, %rdi                                0: mov %ebx, %edi
 *     call advect                                      call shift
 *     add $16, %rbp                                    test %ebx, %ebx
 *     cmp %r12, %rbp                                   jne 1f
 *     jne 0b                                           mov $1, %ebx
 *                                                      jmp 0b
 */
#ifndef EFG_FEW_H
#define EFG_FEW_H

#include <stdbool.h>

#include "blocks.h"

#define EFG_FEW_ROUNDS 8   /* rounds, more or less: by how the end is compared, it may be one more */
#define EFG_FEW_LOOPS 3 /* of a call, the innermost ones */

enum efg_note_kind {
    EFG_NOTE_SET, /* to a number, or to the sum of it and a variable */
    EFG_NOTE_ADD,
    EFG_NOTE_COMPARE, /* with a number, or a variable */
    EFG_NOTE_CHANGE, /* to what is not known */
};

/* What the instruction that is turn number TURN, an EFG_TURN_NOTE, does with a variable. */
struct efg_note {
    uint32_t turn;
    enum efg_note_kind kind;
    uint64_t variable; /* names it */
    uint64_t other;    /* names another one, or 0 */
    int64_t number;
};

/* What counts the rounds of a loop: notes. */
struct efg_few_counter {
    efg_place place;   /* of the loop */
    uint32_t change;   /* in each round; or in each but the last one, which begins with the other number */
    uint32_t set;      /* before the first one; EFG_NONE: nothing counts them */
    int64_t first;     /* in the first round, before CHANGE, it has the value of this ... */
    uint64_t other;    /* and this variable, unless it is 0 */
};

/* A function. */
struct efg_noted {
    const struct efg_turn *turns;
    const struct efg_position *position; /* of each turn, */
    const uint32_t *order;               /* and when it comes: blocks.h */
    uint32_t turn_count;
    const struct efg_note *notes;
    uint32_t note_count;
    struct efg_few_counter last; /* that was looked for: all zero at first */
};

struct efg_few_loop {
    uint64_t variable;
    uint32_t first; /* at the call, in the first round, the lower 32 bits of its value are this, */
    uint64_t other; /* more than those of this variable, unless it is 0 */
    struct efg_position entry; /* where the call is if this loop and those in it are left out */
};

/* The innermost loops that a call is in, as far as they have few rounds, in each of which it comes, innermost
 * first. */
struct efg_few {
    uint32_t count;
    struct efg_few_loop loop[EFG_FEW_LOOPS];
};

/* Of the call that is turn number CALL. */
struct efg_few efg_few_find(struct efg_noted *noted, uint32_t call);

#endif
