/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow of Python: which loops of its function a call is in (core/flow/place.h), from its instructions.
 * Jumps to handlers of exceptions are left out: what is in one is not known.
 */
#ifndef EFG_PYFLOW_H
#define EFG_PYFLOW_H

#include <stdbool.h>

#include "core/flow/place.h"

#define EFG_PYFLOW_FORS 3

/* A call that was made. */
struct efg_pycall {
    uint32_t unit; /* where a frame said that its function was: efg_pycode_unit */
    uint32_t line;
    uint32_t instruction;         /* the unit that it begins at; of twins, that of the innermost one */
    struct efg_position position; /* all zero: not known */
    /* The innermost loops that it is in, as far as they are loops of `for` and it comes in each round,
     * innermost first: where each is entered, and so where the call is if these are left out. Their
     * iterators are in the stack of the frame, that of the innermost one in SLOT, each further one below
     * the one before. */
    struct efg_position entry[EFG_PYFLOW_FORS];
    uint32_t for_count, slot;
};

/* What the instructions of the PyCodeObject CODE, up to 64 kB, say of CALL, whose unit and line are filled
 * in. Nothing is known without memory, or if some of them were put there to watch the program. */
void efg_pyflow_look(uintptr_t code, struct efg_pycall *call);

/* The position of LINE of a function, of which these COUNT calls were made. One that makes several has that
 * of the innermost. FIRSTS loops, the innermost ones, are left out. */
struct efg_position efg_pyflow_position(const struct efg_pycall *calls, uint32_t count, uint32_t line,
                                        unsigned firsts);

#endif
