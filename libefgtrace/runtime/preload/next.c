/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The next definition of a function in the chain: the one that the program would reach without
 * us.
 *
 *   1. the one after us among the libraries loaded with the program or for all of it
 *   2. the calling module's own: if MPI was loaded late and into a scope of its own, as Python
 *      loads its extensions, it is not after us
 *   3. libmpi, by its name
 *
 * If the first function is found only in the second way, that way comes first from then on:
 * MPI itself may later load parts of itself for the whole program, and what the program calls was
 * settled when it was loaded.
 *
 * Libraries that define MPI_X (profilers, coupling layers) are in the same chain, and may look up
 * the next one in this way too. So no library before us is ever called: this is
 * what keeps calls from going round.
 */
#define _GNU_SOURCE /* dladdr, dl_iterate_phdr, RTLD_NEXT */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "wrap.h"

_Atomic(void *) efg_wrap_functions[2][EFG_CALLS];

static bool holds(const struct dl_phdr_info *module, const void *address)
{
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        if (part->p_type == PT_LOAD &&
            (uintptr_t)address - (module->dlpi_addr + part->p_vaddr) < part->p_memsz)
            return true;
    }
    return false;
}

/* Modules come in the order in which they were loaded. */
struct order {
    const void *function;
    bool is_past_us;
};

static int find_in_order(struct dl_phdr_info *module, size_t size, void *data)
{
    struct order *o = data;
    (void)size;
    if (holds(module, o->function))
        return 1;
    o->is_past_us |= holds(module, efg_wrap_functions);
    return 0;
}

static bool is_behind_us(const void *function)
{
    struct order o = {.function = function};
    return dl_iterate_phdr(find_in_order, &o) && o.is_past_us;
}

/* The module that ADDRESS is in, held, or NULL. */
static void *hold_module(const void *address)
{
    Dl_info module;
    return address && dladdr(address, &module) && module.dli_fname
               ? dlopen(module.dli_fname, RTLD_NOLOAD | RTLD_LAZY)
               : NULL;
}

/* What is found stays loaded, since it will be called again. */
static void *look_up_for(const void *caller, const char *symbol)
{
    void *scope = hold_module(caller);
    void *function = scope ? dlsym(scope, symbol) : NULL;
    if (function && (!is_behind_us(function) || !hold_module(function)))
        function = NULL;
    if (scope)
        dlclose(scope);
    return function;
}

static int find_libmpi(struct dl_phdr_info *module, size_t size, void *name)
{
    const char *slash = strrchr(module->dlpi_name, '/');
    (void)size;
    const char *base = slash ? slash + 1 : module->dlpi_name;
    if ((strncmp(base, "libmpi.so", 9) != 0 && strncmp(base, "libmpich.so", 11) != 0 &&
         strncmp(base, "libmpi_abi.so", 13) != 0) ||
        strlen(module->dlpi_name) >= PATH_MAX)
        return 0;
    strcpy(name, module->dlpi_name);
    return 1;
}

static void *look_up_in_libmpi(const char *symbol)
{
    char name[PATH_MAX];
    if (!dl_iterate_phdr(find_libmpi, name))
        return NULL;
    void *library = dlopen(name, RTLD_NOLOAD | RTLD_LAZY);
    return library ? dlsym(library, symbol) : NULL;
}

static _Atomic enum { UNKNOWN, BEHIND_US, APART } where; /* MPI is */

void *efg_wrap_look_up(const char *symbol, const void *caller)
{
    void *function = where == APART ? look_up_for(caller, symbol) : NULL;
    if (!function)
        function = dlsym(RTLD_NEXT, symbol);
    if (!function && where != APART)
        function = look_up_for(caller, symbol);
    return function ? function : look_up_in_libmpi(symbol);
}

/* Stubs for serial programs have no profiling names. */
static void *look_up_by_other_name(const char *symbol, const void *caller)
{
    char other[64];
    snprintf(other, sizeof other, "P%s", symbol);
    return efg_wrap_look_up(*symbol == 'P' ? symbol + 1 : other, caller);
}

void *efg_wrap_find(int id, int named, const char *symbol, const void *caller)
{
    if (where == UNKNOWN)
        where = dlsym(RTLD_NEXT, symbol) ? BEHIND_US : APART;
    void *function = efg_wrap_look_up(symbol, caller);
    if (!function)
        function = look_up_by_other_name(symbol, caller);
    if (!function) {
        dprintf(STDERR_FILENO, "efgtrace: the program calls %s, but no MPI library is loaded that has it\n",
                symbol);
        abort();
    }
    atomic_store_explicit(&efg_wrap_functions[named][id], function, memory_order_relaxed);
    return function;
}
