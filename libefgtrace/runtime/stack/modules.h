/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program and its shared libraries, and whether they are still the same. What is known
 * about an address holds until the module there is unloaded, as another one may take its place.
 *
 * All functions may be called by any thread. Modules are numbered from 0 and never forgotten;
 * one that is loaded again where it was is the same.
 */
#ifndef EFG_MODULES_H
#define EFG_MODULES_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"

struct efg_module {
    char *name;           /* path name of the file */
    uintptr_t base;       /* what its addresses are relative to */
    uintptr_t start, end; /* addresses it takes up */
    uint64_t hash;        /* of the file's name without its folder: agrees between ranks */
    const ElfW(Phdr) * segments;
    uint32_t segment_count;
    bool is_hidden;  /* MPI's own, or ours */
    bool is_binding; /* leads from Python to MPI: left out where it is known who called it */
    bool is_script;  /* no file, but a function of a script (files/symbols/script.h); offsets are lines */
    struct efg_pycall *calls; /* that a script made (pyflow.h); under the lock of call paths */
    uint32_t call_count;
    uint32_t seen;   /* number of the last scan that saw it loaded */
    bool is_watched; /* its unloading will be announced; atomic */
};

EFG_HOT_EXTERN uint64_t efg_modules_generations; /* atomic */

/* Increases when what was known about addresses is no longer valid: a watched module was
 * unloaded, or efg_modules_refresh found that another one is gone. One load, no lock. */
static inline uint64_t efg_modules_generation(void)
{
    return __atomic_load_n(&efg_modules_generations, __ATOMIC_ACQUIRE);
}

/* The module that ADDRESS is in, valid for ever; NULL if there is none. */
struct efg_module *efg_modules_find(uintptr_t address);

/* Its .eh_frame_hdr, or NULL. */
const uint8_t *efg_modules_frame_info(const struct efg_module *module);

/* Have the unloading of MODULE announced by a new generation. Returns 0 if it will be, and
 * before another module can be loaded in its place. */
int efg_modules_watch(struct efg_module *module);

/* Look for modules that were unloaded, watched or not: some 20 ns where there are none. */
void efg_modules_refresh(void);

/* The module for a function of a script, of this NAME, made if it is new; HASH agrees between ranks. NULL
 * without memory. */
struct efg_module *efg_modules_script(const char *name, uint64_t hash);

uint32_t efg_modules_number(const struct efg_module *module);
uint32_t efg_modules_count(void);
const struct efg_module *efg_modules_get(uint32_t number);

/* Bytes held. */
uint64_t efg_modules_memory(void);

#endif
