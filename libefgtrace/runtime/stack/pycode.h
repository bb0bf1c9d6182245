/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a function of Python is called, its instructions, and which of its lines each belongs to. All of
 * it lies in the function's PyCodeObject, which does not change, but that instructions are replaced by
 * faster ones for the same.
 */
#ifndef EFG_PYCODE_H
#define EFG_PYCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pylayout.h"

struct efg_pytypes { /* addresses of PyCode_Type, PyUnicode_Type, PyBytes_Type */
    uintptr_t code, text, bytes;
};

/* Functions are of this LAYOUT. */
void efg_pycode_init(const struct efg_pylayout *layout, const struct efg_pytypes *types);

/* From now on all addresses can be read. */
void efg_pycode_trust(void);

/* Whether a word can be read at ADDRESS. */
bool efg_pycode_is_there(uintptr_t address);

/* What is at ADDRESS: it can be read. */
uintptr_t efg_pycode_word(uintptr_t address);
unsigned char efg_pycode_byte(uintptr_t address);

/* Whether the object at ADDRESS, or what can be read there, is a PyCodeObject. */
bool efg_pycode_is_code(uintptr_t address);

/* Whether CODE has names that are text, and a table of lines. */
bool efg_pycode_is_sound(uintptr_t code);

/* The name of CODE as a module (files/symbols/script.h), cut to SIZE bytes. */
void efg_pycode_name(uintptr_t code, char *name, size_t size);

/* The line of CODE that the instruction AT belongs to (struct efg_python_frame); 0 if it has none. */
uint32_t efg_pycode_line(uintptr_t code, uintptr_t at);

/* The code unit of CODE that AT is in. */
uint32_t efg_pycode_unit(uintptr_t code, uintptr_t at);

/* Ranges of instructions of a line, one after the other. */
struct efg_pylines {
    uintptr_t to;      /* offset in bytes where this one ends */
    uint32_t line;     /* of it; 0: it has none */
    uintptr_t at, end; /* of the table, what comes next */
    int64_t sum;       /* of its changes */
};

/* Before the first one of CODE; then the next one. Returns whether there was one. */
struct efg_pylines efg_pycode_lines(uintptr_t code);
bool efg_pycode_next_line(struct efg_pylines *lines);

/* Code units, of two bytes: an instruction and its argument, or what an instruction keeps behind itself. */
struct efg_pyunits {
    uintptr_t at;
    uint64_t count;
};

/* Those of CODE; none if it is not sound. */
struct efg_pyunits efg_pycode_units(uintptr_t code);

/* How functions are laid out. */
const struct efg_pylayout *efg_pycode_layout(void);

#endif
