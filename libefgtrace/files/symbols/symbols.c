/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the function and line of an address. The resolver remembers its answers, per module and offset:
 * the same call sites are asked for by many ranks and call paths. Debug information is asked first; where
 * it is silent, the symbol table gives the function's name. Tables are made when they are first needed.
 *
 * Strings are those of the mapped files, which stay open; only demangled names and the paths of
 * source files are our own. C++ names are demangled by __cxa_demangle of libstdc++, when there is one to
 * load: it is not worth a dependency.
 *
 * Invariant: an answer never moves or changes until the resolver is freed.
 */
#include "symbols.h"

#include <dlfcn.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "files/log/record.h"
#include "parts.h"
#include "script.h"

struct answer {
    struct answer *next; /* of the module */
    int count;
    struct efg_symbol frames[];
};

struct module {
    struct module *next;
    char *name;
    struct efg_elf file;
    struct efg_dwarf_index *index;   /* NULL without debug information */
    struct efg_function_table names; /* once has_names is set */
    bool has_names;
    struct answer *answers;
    struct efg_map by_offset; /* the addresses of answers */
};

struct text {
    struct text *next;
    char *string; /* of malloc */
};

typedef char *demangler(const char *name, char *buffer, size_t *size, int *status);

struct efg_symbols {
    const char *folder; /* of debug files; or NULL */
    bool asks_servers;
    struct module *modules; /* the one asked last comes first */
    struct text *texts;
    demangler *demangle;
    bool looked_for_demangler;
};

static const struct efg_symbol UNKNOWN = {.function = "?", .file = ""};

struct efg_symbols *efg_symbols_new(void)
{
    return calloc(1, sizeof(struct efg_symbols));
}

/* --- names --- */

static demangler *find_demangler(struct efg_symbols *symbols)
{
    if (!symbols->looked_for_demangler) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        symbols->demangle = library ? (demangler *)dlsym(library, "__cxa_demangle") : NULL;
        symbols->looked_for_demangler = true;
    }
    return symbols->demangle;
}

/* A copy of STRING that lives as long as the resolver; NULL without memory. */
static const char *copy_text(struct efg_symbols *symbols, const char *string)
{
    struct text *text = malloc(sizeof *text);
    char *copy = text ? strdup(string) : NULL;
    if (!copy) {
        free(text);
        return NULL;
    }
    *text = (struct text){symbols->texts, copy};
    symbols->texts = text;
    return copy;
}

/* NAME demangled, or NULL. */
static const char *demangled(struct efg_symbols *symbols, const char *name)
{
    int status = -1;
    if (strncmp(name, "_Z", 2) || !find_demangler(symbols))
        return NULL;
    struct text *text = malloc(sizeof *text);
    char *string = text ? symbols->demangle(name, NULL, NULL, &status) : NULL;
    if (!string || status) {
        free(text);
        return NULL;
    }
    *text = (struct text){symbols->texts, string};
    symbols->texts = text;
    return string;
}

/* The best name of a function: what its author would call it, with its C++ scopes. */
static const char *best_name(struct efg_symbols *symbols, const char *linkage, const char *plain)
{
    const char *name = linkage ? demangled(symbols, linkage) : NULL;
    if (!name && plain)
        name = demangled(symbols, plain); /* outlined by the compiler: it has no other */
    if (!name)
        name = plain ? plain : linkage;
    return name ? name : "?";
}

/* As the linker knows the function, or NULL. */
static const char *symbol_name(struct module *module, uint64_t offset)
{
    if (!module->has_names)
        efg_elf_functions(&module->names, &module->file);
    module->has_names = true;
    return efg_elf_name(&module->names, offset);
}

/* --- files --- */

/* PATH, which begins with "/", without what "." and ".." in it lead round. */
static void straighten(char *path)
{
    char *end = path;
    for (const char *at = path, *next; *at; at = next) {
        next = at + 1 + strcspn(at + 1, "/");
        size_t length = (size_t)(next - at); /* with the "/" before it */
        if (length == 3 && !memcmp(at, "/..", 3)) {
            while (end > path && *--end != '/') {
            }
        } else if (length > 1 && !(length == 2 && at[1] == '.')) {
            memmove(end, at, length);
            end += length;
        }
    }
    *end = '\0';
}

/* Where the source file of FRAME is: a relative name leads there only from the folder of the compiler. */
static const char *file_of(struct efg_symbols *symbols, const struct efg_dwarf_frame *frame)
{
    const char *file = frame->file ? frame->file : "";
    const char *folder = frame->folder && *frame->folder == '/' ? frame->folder : NULL;
    bool is_whole = *file == '/';
    if (is_whole ? !strstr(file, "/.") : !*file || *file == '<' || !folder)
        return file;
    struct text *text = malloc(sizeof *text);
    char *path = text ? malloc((is_whole ? 0 : strlen(folder) + 1) + strlen(file) + 1) : NULL;
    if (!path) {
        free(text);
        return file;
    }
    stpcpy(is_whole ? path : stpcpy(stpcpy(path, folder), "/"), file);
    straighten(path);
    *text = (struct text){symbols->texts, path};
    symbols->texts = text;
    return path;
}

/* --- answers --- */

static struct answer *answer_of(const struct module *module, uint64_t offset)
{
    const uint64_t *answer = efg_map_find(&module->by_offset, offset);
    return answer ? (struct answer *)(uintptr_t)*answer : NULL;
}

/* An answer for OFFSET with COUNT frames, which are still to be filled; NULL without memory. */
static struct answer *answer_new(struct module *module, uint64_t offset, int count)
{
    struct answer *answer = malloc(sizeof *answer + (size_t)count * sizeof answer->frames[0]);
    uint64_t *place = answer ? efg_map_put(&module->by_offset, offset) : NULL;
    if (!place) {
        free(answer);
        return NULL;
    }
    *place = (uintptr_t)answer;
    *answer = (struct answer){.next = module->answers, .count = count};
    module->answers = answer;
    return answer;
}

/* How many of the innermost FRAMES are functions of efgtrace.h: where they are called is what counts. */
static int count_own(const struct efg_dwarf_frame *frames, int count)
{
    int own = 0;
    while (own + 1 < count && frames[own].function && strncmp(frames[own].function, "efgtrace_", 9) == 0)
        own++;
    return own;
}

/* A function of a script: its module says what it is, OFFSET is the line. */
static struct answer *resolve_script(struct efg_symbols *symbols, struct module *module, uint64_t offset)
{
    char function[512];
    struct efg_symbol symbol = {.line = (uint32_t)offset};
    bool is_known =
        efg_script_read(module->name, function, sizeof function, &symbol.first_line, &symbol.file) &&
        (symbol.function = copy_text(symbols, function));
    struct answer *answer = answer_new(module, offset, 1);
    if (answer)
        answer->frames[0] = is_known ? symbol : UNKNOWN;
    return answer;
}

static struct answer *resolve(struct efg_symbols *symbols, struct module *module, uint64_t offset)
{
    if (efg_script_is(module->name))
        return resolve_script(symbols, module, offset);
    struct efg_dwarf_frame all[EFG_INLINE_MAX + 1], *frames = all;
    int found = module->index ? efg_dwarf_find(module->index, offset, all) : 0;
    int own = count_own(frames, found);
    frames += own;
    found -= own;
    struct answer *answer = answer_new(module, offset, found ? found : 1);
    if (!answer)
        return NULL;
    answer->frames[0] = UNKNOWN;
    for (int i = 0; i < found; i++)
        answer->frames[i] =
            (struct efg_symbol){.function = best_name(symbols, frames[i].linkage, frames[i].function),
                                .linkage = frames[i].linkage ? frames[i].linkage : frames[i].function,
                                .file = file_of(symbols, &frames[i]),
                                .line = frames[i].line > 0 ? (uint32_t)frames[i].line : 0,
                                .first_line = frames[i].first_line > 0 ? (uint32_t)frames[i].first_line : 0};
    struct efg_symbol *outermost = &answer->frames[answer->count - 1];
    if (!strcmp(outermost->function, "?")) {
        outermost->linkage = symbol_name(module, offset);
        outermost->function = best_name(symbols, outermost->linkage, NULL);
    }
    return answer;
}

/* --- modules --- */

/* Its functions above main are nobody's business, and its debug file, where there is one, is
 * compressed: to unpack it takes as long as all of the rest of MPI_Finalize. */
static bool is_c_library(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strncmp(slash ? slash + 1 : path, "libc.so.", 8) == 0;
}

static struct module *module_new(struct efg_symbols *symbols, const char *name)
{
    struct module *module = calloc(1, sizeof *module);
    char *copy = strdup(name);
    if (!module || !copy) {
        free(module);
        free(copy);
        return NULL;
    }
    module->name = copy;
    if (!efg_script_is(name))
        efg_elf_open(&module->file, name, !is_c_library(name), symbols->folder, symbols->asks_servers);
    if (module->file.dwarf)
        module->index = efg_dwarf_index_new(module->file.dwarf);
    module->next = symbols->modules;
    symbols->modules = module;
    return module;
}

static void module_free(struct module *module)
{
    while (module->answers) {
        struct answer *answer = module->answers;
        module->answers = answer->next;
        free(answer);
    }
    efg_map_fini(&module->by_offset);
    free(module->names.functions);
    efg_dwarf_index_free(module->index);
    efg_elf_close(&module->file);
    free(module->name);
    free(module);
}

static struct module *module_of(struct efg_symbols *symbols, const char *name)
{
    for (struct module **at = &symbols->modules; *at; at = &(*at)->next) {
        struct module *module = *at;
        if (strcmp(module->name, name))
            continue;
        *at = module->next;
        module->next = symbols->modules;
        symbols->modules = module;
        return module;
    }
    return module_new(symbols, name);
}

/* --- the resolver --- */

void efg_symbols_free(struct efg_symbols *symbols)
{
    while (symbols && symbols->modules) {
        struct module *module = symbols->modules;
        symbols->modules = module->next;
        module_free(module);
    }
    while (symbols && symbols->texts) {
        struct text *text = symbols->texts;
        symbols->texts = text->next;
        free(text->string);
        free(text);
    }
    free(symbols);
}

int efg_symbols_find(struct efg_symbols *symbols, const char *name, uint64_t offset,
                     const struct efg_symbol **frames)
{
    struct module *module = symbols ? module_of(symbols, name) : NULL;
    offset = efg_frame_place(offset);
    *frames = &UNKNOWN;
    struct answer *answer = module ? answer_of(module, offset) : NULL;
    if (module && !answer)
        answer = resolve(symbols, module, offset);
    if (answer)
        *frames = answer->frames;
    return answer ? answer->count : 1;
}

void efg_symbols_look_further(struct efg_symbols *symbols, const char *folder)
{
    symbols->folder = folder;
    symbols->asks_servers = true;
}

uint64_t efg_symbols_start(struct efg_symbols *symbols, const char *name, uint64_t offset)
{
    struct module *module = symbols ? module_of(symbols, name) : NULL;
    return module ? efg_elf_start(&module->file, efg_frame_place(offset)) : offset;
}

bool efg_symbols_lack(struct efg_symbols *symbols, const char *name, struct efg_symbols_lack *lack)
{
    GElf_Word checksum;
    struct module *module = *name == '/' ? module_of(symbols, name) : NULL;
    *lack = (struct efg_symbols_lack){.is_gone = module && !module->file.elf};
    if (!module || lack->is_gone)
        return module != NULL;
    efg_elf_debug_name(&module->file, lack->file);
    lack->link = dwelf_elf_gnu_debuglink(module->file.elf, &checksum);
    lack->servers_said = module->file.servers_said;
    return efg_elf_is_bare(&module->file) && !is_c_library(name);
}

int efg_symbols_know(struct efg_symbols *symbols, const char *name, uint64_t offset,
                     const struct efg_symbol *frames, int count)
{
    struct module *module = module_of(symbols, name);
    offset = efg_frame_place(offset);
    if (module && (count < 1 || answer_of(module, offset)))
        return 0;
    struct answer *answer = module ? answer_new(module, offset, count) : NULL;
    int error = answer ? 0 : -ENOMEM;
    for (int i = 0; answer && i < count; i++) {
        answer->frames[i] = frames[i];
        answer->frames[i].function = copy_text(symbols, frames[i].function);
        answer->frames[i].linkage = NULL;
        answer->frames[i].file = copy_text(symbols, frames[i].file);
        if (!answer->frames[i].function || !answer->frames[i].file) {
            answer->frames[i] = UNKNOWN;
            error = -ENOMEM;
        }
    }
    return error;
}
