/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Symbols: from module and offset to function, file and line, through elfutils' libdw.
 * Inlined functions come out as frames of their own. While the
 * application runs, it is used for nothing but a loop that is asked for by its name.
 */
#ifndef EFG_SYMBOLS_H
#define EFG_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

struct efg_symbol {       /* strings belong to the resolver */
    const char *function; /* demangled; "?" if not known */
    const char *linkage;  /* as the linker knows it, mangled; NULL if not known */
    const char *file;     /* source file, "" if not known */
    uint32_t line;        /* 0 if not known */
    uint32_t first_line;  /* where the function begins, 0 if not known */
};

struct efg_symbols; /* a resolver: keeps modules open and remembers answers */

struct efg_symbols *efg_symbols_new(void); /* NULL without memory */
void efg_symbols_free(struct efg_symbols *symbols);

/*
 * Resolve OFFSET in the ELF file MODULE. Returns the number of frames, >= 1, innermost
 * (inlined) first, and points *FRAMES to them; valid until the resolver is
 * freed. A module that cannot be read gives one frame: function "?", file ""; so does every
 * module where SYMBOLS is NULL.
 */
int efg_symbols_find(struct efg_symbols *symbols, const char *module, uint64_t offset,
                     const struct efg_symbol **frames);

/* Before anything is asked for: debug files are looked for in FOLDER, too (NULL: none), which outlives it,
 * and at the servers of DEBUGINFOD_URLS. */
void efg_symbols_look_further(struct efg_symbols *symbols, const char *folder);

#define EFG_DEBUG_FOLDER "/usr/lib/debug" /* of the debug files that are installed */
#define EFG_DEBUG_NAME 160

struct efg_symbols_lack {      /* of a module without names */
    bool is_gone;              /* it cannot be read; then nothing else is known */
    char file[EFG_DEBUG_NAME]; /* its debug file by build id, below a folder; "" if it has no build id */
    const char *link;          /* the name of the debug file that it gives; NULL if it gives none */
    int servers_said;          /* 0: none was asked; -ENOSYS: libdebuginfod is missing; else -errno */
};

/* Whether MODULE, which begins with "/", is stripped and no debug file was found, or is gone: why, to LACK.
 * The C library has nothing that anybody wants. */
bool efg_symbols_lack(struct efg_symbols *symbols, const char *module, struct efg_symbols_lack *lack);

/* Where the function begins that has OFFSET in the ELF file MODULE, also where it has no name; OFFSET if that
 * is not known. */
uint64_t efg_symbols_start(struct efg_symbols *symbols, const char *module, uint64_t offset);

/* From now on answer with copies of the COUNT frames, > 0, unless they were already asked for;
 * the module need not exist. Returns 0 or -ENOMEM. */
int efg_symbols_know(struct efg_symbols *symbols, const char *module, uint64_t offset,
                     const struct efg_symbol *frames, int count);

#endif
