/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of the resolver, between its own .c files: symbols.c (answers, names), elf.c
 * (files and symbol tables), dwarf.c (debug information).
 */
#ifndef EFG_SYMBOLS_PARTS_H
#define EFG_SYMBOLS_PARTS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "symbols.h"

/* --- elf.c --- */

struct efg_elf {          /* an ELF file with what debug information it has, in it or beside it */
    Elf *elf, *debug_elf; /* NULL where there is none */
    Dwarf *dwarf;
    bool wants_dwarf;
    int servers_said; /* 0: none was asked; -ENOSYS: libdebuginfod is missing; else -errno */
};

struct efg_function { /* of a symbol table; the name belongs to the Elf */
    uint64_t low, high;
    const char *name;
};

struct efg_function_table {
    struct efg_function *functions; /* by low */
    size_t count;
};

/* Open the ELF file PATH; all NULL if it cannot be read or is not ELF. Without WANTS_DWARF, only the
 * symbol table of debug files. These are looked for in FOLDER, too, unless it is NULL, and if
 * ASKS_SERVERS, at the servers of DEBUGINFOD_URLS. */
void efg_elf_open(struct efg_elf *file, const char *path, bool wants_dwarf, const char *folder,
                  bool asks_servers);
void efg_elf_close(struct efg_elf *file);

/* Whether FILE is stripped, and no debug file was found. */
bool efg_elf_is_bare(const struct efg_elf *file);

/* Where its debug file is by build id, below a folder of debug files: to NAME, "" if it has no build id. */
void efg_elf_debug_name(const struct efg_elf *file, char name[EFG_DEBUG_NAME]);

/* The functions of the best symbol table: .symtab, here or in the debug file, else .dynsym.
 * May find none. */
void efg_elf_functions(struct efg_function_table *table, const struct efg_elf *file);

/* Where the function at ADDRESS begins, by the unwind table; ADDRESS itself if that does not know. */
uint64_t efg_elf_start(const struct efg_elf *file, uint64_t address);

/* The name of the function at ADDRESS, or NULL. */
const char *efg_elf_name(const struct efg_function_table *table, uint64_t address);

/* --- dwarf.c --- */

#define EFG_INLINE_MAX 64 /* most inlined frames at one place */

struct efg_dwarf_frame {  /* strings belong to the Dwarf */
    const char *function; /* as written in the source, NULL if not known */
    const char *linkage;  /* as the linker knows it, NULL if not known */
    const char *file;     /* as the compiler was told, NULL if not known */
    const char *folder;   /* in which the compiler ran, NULL if not known */
    int line, first_line; /* 0 if not known */
};

struct efg_dwarf_index; /* of one Dwarf: where its units are, and the functions of those met */

struct efg_dwarf_index *efg_dwarf_index_new(Dwarf *dwarf); /* NULL without memory */
void efg_dwarf_index_free(struct efg_dwarf_index *index);

/* The frames at ADDRESS, innermost first, at most EFG_INLINE_MAX + 1. Returns their number, 0
 * when the address is unknown; 1 without a function when only the line is known. */
int efg_dwarf_find(struct efg_dwarf_index *index, uint64_t address, struct efg_dwarf_frame *frames);

#endif
