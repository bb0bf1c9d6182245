/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Python: which functions of a program that CPython runs have led to a call, and at which lines. What the
 * interpreter keeps for itself is read where it lies: nothing is imported, no lock is taken, and the
 * thread need not hold the global one. A thread's own frames do not change while it is in a call.
 *
 * Known are versions 3.9 to 3.13 (pylayout.h). Nothing is believed until each structure of a first call was
 * found to be what it should: until then every address is looked up before it is read, and if anything is
 * wrong, there are no frames of Python from then on.
 *
 * A function that was freed, with another one at the same address since, is taken for the old one.
 */
#ifndef EFG_PYTHON_H
#define EFG_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

#include "walk.h"

#define EFG_PYTHON_DEPTH 128                       /* frames of functions, the innermost ones */
#define EFG_PYTHON_WORDS (3 + 4 * EFG_PYTHON_DEPTH) /* of these */

struct efg_python_frame {
    uintptr_t code; /* PyCodeObject */
    uintptr_t at;   /* where in it: pycode.h */
};

struct efg_python { /* of a thread */
    uintptr_t state; /* its PyThreadState */
    uint32_t count;
    struct efg_python_frame frame[EFG_PYTHON_DEPTH]; /* innermost first */
};

/* Find the interpreter of this process, if it has one. */
void efg_python_init(void);

/* Of the loops of the function that is FUNCTION calls out from the innermost one, the innermost MOST of
 * which take their items from iterators in SLOT of its stack and those below: how many of them, from the
 * innermost one outwards, are in the first of a few rounds (pyrounds.h). P is up to date, and these are
 * its frames. */
unsigned efg_python_firsts(const struct efg_python *p, uint32_t function, uint32_t slot, unsigned most);

/* Whether ADDRESS is in the interpreter, and it is one that is understood. */
bool efg_python_is_at(uintptr_t address);

/* Which state of the interpreter this thread has now: before efg_python_read, and before words are
 * compared. */
void efg_python_update(struct efg_python *python);

/* Read the frames of this thread. What they depend on, its state included, goes to WORD, as in walk.h, with
 * room for EFG_PYTHON_WORDS. Returns how many; python->count is 0 if there are no frames. */
uint32_t efg_python_read(struct efg_python *python, struct efg_word *word);

/* The version of the interpreter, "3.14.0 (main ...", if it has called MPI and its frames were not
 * understood; else NULL. */
const char *efg_python_missed(void);

#endif
