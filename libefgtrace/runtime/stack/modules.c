/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps track of the executable and its libraries. How the unloading of a module is noticed at no cost for
 * anybody: as the destructors of its static objects are. Every module of C, C++ or Fortran has a word
 * __dso_handle, which holds its own address, and when it is unloaded, its start files (crtbeginS.o) call
 * __cxa_finalize with that address. This runs what was registered for it by __cxa_atexit; so we register,
 * too (C++ ABI for Itanium, 3.3.6.3).
 *
 * __dso_handle is a hidden symbol. It is found by what it holds: any word in the data
 * of the module that holds its own address may be it. To register for others as well does no
 * harm: nobody finalizes them. That the start files are there at all is seen from the address
 * of __cxa_finalize in the same data, in the global offset table.
 *
 * A destructor of the module that calls MPI comes here again after the announcement, and is
 * registered again: __cxa_finalize runs what is added while it runs. Not seen: calls
 * from destructors with a priority, as they come after it.
 */
#define _GNU_SOURCE
#include "modules.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/hot.h"

#define MOST_MODULES 4096

int __cxa_atexit(void (*function)(void *), void *argument, void *dso_handle);
void __cxa_finalize(void *dso_handle);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* all but the generation */
static struct efg_module modules[MOST_MODULES];
static uint32_t count;                      /* that are there; atomic */
static uint32_t scan;                       /* how often all modules were looked at */
static unsigned long long loaded, unloaded; /* the loader's counters then */
static bool has_stray;                      /* an address was looked up that is in no module */
EFG_HOT_DATA uint64_t efg_modules_generations;

static void new_generation(void)
{
    __atomic_fetch_add(&efg_modules_generations, 1, __ATOMIC_RELEASE);
}

/* --- What is loaded --- */

static bool is_hidden(const char *base)
{
    static const char *const names[] = {"libmpi.so",   "libmpi_",     "libmpifort", "libefgtrace",
                                        "libopen-pal", "libopen-rte", "libmpich",   "libunwind"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(base, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static bool is_binding(const char *name)
{
    static const char *const parts[] = {"/mpi4py/", "/libffi.so", "/_ctypes.", "/_cffi_backend."};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The module that is described by NEW again, now that it is loaded again. */
static bool renew(const char *name, const struct efg_module *new)
{
    for (uint32_t i = 0; i < count; i++) {
        struct efg_module *m = &modules[i];
        if (m->base != new->base || m->start != new->start || strcmp(m->name, name) != 0)
            continue;
        m->end = new->end;
        m->segments = new->segments;
        m->segment_count = new->segment_count;
        m->seen = scan;
        return true;
    }
    return false;
}

static struct efg_module *append(const struct efg_module *new)
{
    modules[count] = *new;
    __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE); /* others read up to it */
    return &modules[count - 1];
}

static void add(const char *name, struct efg_module *new)
{
    if (renew(name, new) || count == MOST_MODULES || !(new->name = strdup(name)))
        return;
    const char *short_name = base_name(new->name);
    new->hash = efg_hash_bytes(0, short_name, strlen(short_name));
    new->is_hidden = is_hidden(short_name);
    new->is_binding = is_binding(name);
    append(new);
}

static int visit(struct dl_phdr_info *info, size_t size, void *unused)
{
    struct efg_module new = {
        .base = info->dlpi_addr,
        .start = UINTPTR_MAX,
        .segments = info->dlpi_phdr,
        .segment_count = info->dlpi_phnum,
        .seen = scan,
    };
    char self[4096];
    const char *name = info->dlpi_name;

    (void)size, (void)unused;
    if (!name[0]) {
        ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
        if (length <= 0)
            return 0;
        self[length] = '\0';
        name = self;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        new.start = from < new.start ? from : new.start;
        new.end = from + p->p_memsz > new.end ? from + p->p_memsz : new.end;
    }
    if (new.end)
        add(name, &new);
    return 0;
}

static int read_counters(struct dl_phdr_info *info, size_t size, void *counters)
{
    unsigned long long *c = counters;
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) {
        c[0] = info->dlpi_adds;
        c[1] = info->dlpi_subs;
    }
    return 1; /* they are the same for all modules */
}

static void refresh(void)
{
    unsigned long long counters[2] = {0, 0};

    dl_iterate_phdr(read_counters, counters);
    if (counters[0] == loaded && counters[1] == unloaded && count > 0)
        return;
    loaded = counters[0];
    unloaded = counters[1];
    scan++;
    dl_iterate_phdr(visit, NULL);
    bool is_new = has_stray; /* it may be in a module now */
    for (uint32_t i = 0; i < count; i++)
        is_new |= modules[i].seen == scan - 1; /* gone since then */
    has_stray = false;
    if (is_new)
        new_generation();
}

void efg_modules_refresh(void)
{
    pthread_mutex_lock(&lock);
    refresh();
    pthread_mutex_unlock(&lock);
}

static struct efg_module *search(uintptr_t address)
{
    for (uint32_t i = 0; i < count; i++)
        if (modules[i].seen == scan && address >= modules[i].start && address < modules[i].end)
            return &modules[i];
    has_stray = true;
    return NULL;
}

struct efg_module *efg_modules_find(uintptr_t address)
{
    pthread_mutex_lock(&lock);
    refresh();
    struct efg_module *found = search(address);
    pthread_mutex_unlock(&lock);
    return found;
}

const uint8_t *efg_modules_frame_info(const struct efg_module *module)
{
    const uint8_t *info = NULL;

    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < module->segment_count; i++)
        if (module->segments[i].p_type == PT_GNU_EH_FRAME)
            info = (const uint8_t *)(module->base + module->segments[i].p_vaddr);
    pthread_mutex_unlock(&lock);
    return info;
}

static struct efg_module *script_of(const char *name, uint64_t hash)
{
    for (uint32_t i = 0; i < count; i++)
        if (modules[i].is_script && modules[i].hash == hash && strcmp(modules[i].name, name) == 0)
            return &modules[i];
    char *copy = count < MOST_MODULES ? strdup(name) : NULL;
    return copy ? append(&(struct efg_module){.name = copy, .hash = hash, .is_script = true}) : NULL;
}

struct efg_module *efg_modules_script(const char *name, uint64_t hash)
{
    pthread_mutex_lock(&lock);
    struct efg_module *module = script_of(name, hash);
    pthread_mutex_unlock(&lock);
    return module;
}

uint32_t efg_modules_number(const struct efg_module *module)
{
    return (uint32_t)(module - modules);
}

uint32_t efg_modules_count(void)
{
    return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

const struct efg_module *efg_modules_get(uint32_t number)
{
    return &modules[number];
}

uint64_t efg_modules_memory(void)
{
    return efg_modules_count() * sizeof *modules; /* and the names, which are short */
}

/* --- What is unloaded --- */

static void announce(void *argument)
{
    struct efg_module *module = argument;
    __atomic_store_n(&module->is_watched, false, __ATOMIC_RELAXED);
    new_generation();
}

/* The program itself, the loader and libc stay. The last two have no start files. */
static bool is_permanent(const struct efg_module *module)
{
    uintptr_t libc = (uintptr_t)__cxa_finalize;
    return module == &modules[0] || module->base == getauxval(AT_BASE) ||
           (libc >= module->start && libc < module->end);
}

/* What the module's initialised data says. It is read as it lies in memory: there are no
 * variables in it that a sanitizer knows, and the words that are looked for do not change. */
struct marks {
    bool has_start_files;   /* __cxa_finalize is called */
    int registered, failed; /* of the words that may be __dso_handle */
};

__attribute__((no_sanitize("address", "thread"))) static void
read_data(struct efg_module *module, const uintptr_t *at, const uintptr_t *end, struct marks *marks)
{
    for (; at < end; at++) {
        marks->has_start_files |= *at == (uintptr_t)__cxa_finalize;
        if (*at != (uintptr_t)at)
            continue;
        if (__cxa_atexit(announce, module, (void *)at) == 0)
            marks->registered++;
        else
            marks->failed++;
    }
}

static bool watch(struct efg_module *module)
{
    struct marks marks = {false, 0, 0};

    for (uint32_t i = 0; i < module->segment_count; i++) {
        const ElfW(Phdr) *p = &module->segments[i];
        uintptr_t from = (module->base + p->p_vaddr + 7) & ~(uintptr_t)7;
        uintptr_t to = (module->base + p->p_vaddr + p->p_filesz) & ~(uintptr_t)7;
        if (p->p_type == PT_LOAD && p->p_flags & PF_W)
            read_data(module, (const uintptr_t *)from, (const uintptr_t *)to, &marks);
    }
    return marks.has_start_files && marks.registered && !marks.failed;
}

int efg_modules_watch(struct efg_module *module)
{
    if (is_permanent(module))
        return 0;
    pthread_mutex_lock(&lock);
    bool is_watched = __atomic_load_n(&module->is_watched, __ATOMIC_RELAXED) || watch(module);
    __atomic_store_n(&module->is_watched, is_watched, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return is_watched ? 0 : -ENOENT;
}
