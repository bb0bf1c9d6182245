/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a call path, as modules and offsets, to the functions on it, as regions.
 *
 * A frame gives one function or, where the compiler inlined some, several. Two paths share a
 * function if they agree on all outside of it and call it from the same place:
 * this place, the position, goes with each function of a path. For a real frame that is
 * module and offset, for one that others were inlined into, file and line.
 *
 * What starts a program or a thread is no part of it: all outside of the outermost main
 * is dropped, or without one (stripped programs, threads) the C library's frames at the
 * outer end.
 *
 * Each path is resolved once, when it first comes, into its entry of the maps:
 *
 *     name | site + 1 | functions | region position | region position | ...    outermost first
 *
 * Its name is a string, the hash by which the run file knows it: functions and lines do not
 * tell all paths apart.
 */
#include "parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "files/symbols/script.h"

#define START_FRAMES 4 /* at most this many lie outside of a main without a name */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static const char *module_of(const struct efg_otf2_unifier *u, const struct efg_frame *frame)
{
    return efg_otf2_key(&u->strings, frame->module);
}

static bool has_function(const struct efg_otf2_unifier *u, const struct efg_frame *frame, const char *name)
{
    const struct efg_symbol *symbols;
    int count = efg_symbols_find(u->symbols, module_of(u, frame), frame->offset, &symbols);
    for (int i = 0; i < count; i++)
        if (strcmp(symbols[i].function, name) == 0)
            return true;
    return false;
}

static bool is_start(const struct efg_otf2_unifier *u, const struct efg_frame *frame)
{
    static const char *const libraries[] = {"libc.so", "libc-2.", "libpthread", "ld-linux", "ld-musl"};
    static const char *const functions[] = {"_start", "start_thread", "__libc_start_main",
                                            "__libc_start_call_main"};
    const char *base = base_of(module_of(u, frame));
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (begins_with(base, libraries[i]))
            return true;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (has_function(u, frame, functions[i]))
            return true;
    return false;
}

/* How many of the COUNT frames belong to the program. */
static size_t program_frames(const struct efg_otf2_unifier *u, const struct efg_frame *frames, size_t count)
{
    size_t keep = count;
    for (size_t i = count; i > 0; i--)
        if (!efg_script_is(module_of(u, frames + i - 1)) && has_function(u, frames + i - 1, "main"))
            return i;
    for (size_t i = count; i > 0 && i + START_FRAMES > count; i--)
        if (is_start(u, frames + i - 1))
            keep = i - 1;
    return keep;
}

/* A function without a name is called after its module and where it begins (efg_otf2_nameless). One of
 * another library that stands before MPI's has the name of its module in front: readers take all that begins
 * with MPI_ for MPI. */
static uint32_t name_of(struct efg_otf2_unifier *u, const struct efg_symbol *symbol,
                        const struct efg_frame *frame)
{
    char text[256];
    const char *base = base_of(module_of(u, frame));
    if (begins_with(symbol->function, "MPI_"))
        snprintf(text, sizeof text, "%.100s: %.150s", base, symbol->function);
    else if (symbol->function[0] && strcmp(symbol->function, "?") != 0)
        return efg_otf2_intern_text(&u->strings, symbol->function);
    else
        efg_otf2_nameless(u->symbols, module_of(u, frame), frame->offset, text, sizeof text);
    return efg_otf2_intern_text(&u->strings, text);
}

void efg_otf2_nameless(struct efg_symbols *symbols, const char *module, uint64_t offset, char *text,
                       size_t size)
{
    const char *base = base_of(module);
    if (!base[0])
        snprintf(text, size, "[unknown]");
    else
        snprintf(text, size, "%s+0x%" PRIx64, base, efg_symbols_start(symbols, module, offset));
}

static uint32_t region_of(struct efg_otf2_unifier *u, const struct efg_symbol *symbol,
                          const struct efg_frame *frame)
{
    uint32_t name = name_of(u, symbol, frame);
    struct efg_otf2_region region = {
        .name = name,
        .linkage = symbol->linkage ? efg_otf2_intern_text(&u->strings, symbol->linkage) : name,
        .file = efg_otf2_intern_text(&u->strings, symbol->file),
        .role = OTF2_REGION_ROLE_FUNCTION,
        .paradigm = OTF2_PARADIGM_COMPILER,
        .line = symbol->first_line};
    return efg_otf2_intern(&u->regions, &region, sizeof region);
}

static uint32_t position_of(struct efg_otf2_unifier *u, const struct efg_symbol *symbol,
                            const struct efg_frame *frame, bool is_inlined_into)
{
    uint64_t key[2] = {frame->module, frame->offset};
    if (is_inlined_into) {
        key[0] = (uint64_t)1 << 32 | efg_otf2_intern_text(&u->strings, symbol->file);
        key[1] = symbol->line;
    }
    return efg_otf2_intern(&u->positions, key, sizeof key);
}

/* The call of MPI itself; 0 if it is not known. */
static uint32_t site_of(struct efg_otf2_unifier *u, const struct efg_frame *frame)
{
    const struct efg_symbol *symbols;
    efg_symbols_find(u->symbols, module_of(u, frame), frame->offset, &symbols);
    if (!symbols[0].file[0] || !symbols[0].line)
        return 0;
    struct efg_otf2_site site = {efg_otf2_intern_text(&u->strings, symbols[0].file), symbols[0].line};
    return efg_otf2_intern(&u->sites, &site, sizeof site) + 1;
}

/* The functions of FRAME to OUT (NULL: count only). Returns how many. Ours, which stand before those of
 * OpenMP's runtime, are not the program's. */
static size_t put_functions(struct efg_otf2_unifier *u, const struct efg_frame *frame, struct efg_buffer *out)
{
    const struct efg_symbol *symbols;
    if (strcmp(base_of(module_of(u, frame)), "libefgtrace-openmp.so") == 0)
        return 0;
    int count = efg_symbols_find(u->symbols, module_of(u, frame), frame->offset, &symbols);
    for (int i = count; out && i > 0; i--) {
        efg_buffer_number(out, region_of(u, symbols + i - 1, frame));
        efg_buffer_number(out, position_of(u, symbols + i - 1, frame, i > 1));
    }
    return (size_t)count;
}

/* LEVEL functions in from the outermost one that is inlined at FRAME. */
static uint32_t function_at(struct efg_otf2_unifier *u, const struct efg_frame *frame, int level)
{
    const struct efg_symbol *symbols;
    int count = efg_symbols_find(u->symbols, module_of(u, frame), frame->offset, &symbols);
    return level < count ? name_of(u, &symbols[count - 1 - level], frame) : EFG_NONE;
}

uint32_t efg_otf2_common_function(struct efg_otf2_unifier *u, const struct efg_frame *frames, size_t count)
{
    uint32_t name = EFG_NONE;
    for (int level = 0; count; level++) {
        uint32_t common = function_at(u, frames, level);
        for (size_t i = 1; i < count; i++)
            if (function_at(u, &frames[i], level) != common)
                return name;
        if (common == EFG_NONE)
            return name;
        name = common;
    }
    return name;
}

static uint32_t path_name(struct efg_otf2_unifier *u, uint64_t hash)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016" PRIx64, hash);
    return efg_otf2_intern_text(&u->strings, text);
}

static void put_entry(struct efg_otf2_unifier *u, const struct efg_frame *frames, size_t count, uint64_t hash,
                      struct efg_buffer *out)
{
    size_t functions = 0, kept = program_frames(u, frames, count);
    efg_buffer_number(out, path_name(u, hash));
    for (size_t i = 0; i < kept; i++)
        functions += put_functions(u, frames + i, NULL);
    efg_buffer_number(out, kept ? site_of(u, frames) : 0);
    efg_buffer_number(out, functions);
    for (size_t i = kept; i > 0; i--)
        put_functions(u, frames + i - 1, out);
}

uint32_t efg_otf2_path(struct efg_otf2_unifier *u, const struct efg_frame *frames, size_t count,
                       uint64_t hash)
{
    uint32_t known = u->paths.count;
    uint32_t row = efg_otf2_intern(&u->paths, frames, count * sizeof *frames);
    if (row == EFG_NONE || row < known)
        return row;
    u->paths.rows[row].value = u->path_entries.size;
    put_entry(u, frames, count, hash, &u->path_entries);
    return row;
}
