/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flow of Python: which loops of its function a call is in (core/flow/place.h), from its instructions.
 * Jumps to handlers of exceptions are left out: what is in one is not known.
 */
#ifndef EFG_PYFLOW_H
#define EFG_PYFLOW_H

#include <stdbool.h>

#include "core/flow/place.h"

/* A call that was made. */
struct efg_pycall {
    uint32_t unit; /* where a frame said that its function was: efg_pycode_unit */
    uint32_t line;
    uint32_t instruction;         /* the unit that it begins at; of twins, that of the innermost one */
    struct efg_position position; /* all zero: not known */
};

/* What the instructions of the PyCodeObject CODE, up to 64 kB, say of CALL, whose unit and line are filled
 * in. Nothing is known without memory, or if some of them were put there to watch the program. */
void efg_pyflow_look(uintptr_t code, struct efg_pycall *call);

/* The position of LINE of a function, of which these COUNT calls were made. One that makes several has that
 * of the innermost. */
struct efg_position efg_pyflow_position(const struct efg_pycall *calls, uint32_t count, uint32_t line);

#endif
