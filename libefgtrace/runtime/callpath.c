/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libunwind walks the stack; the addresses that it finds are looked up as a whole in a table.
 * Only an address list that was never seen before is turned into modules and
 * offsets: two lists that differ in cut-off frames only become the same path.
 *
 *     addresses --hash, compare--> known list -> path
 *                                      | new
 *                modules and offsets --hash--> path
 *
 * Readers take no lock: a thread searches its own table, and comes here under the lock
 * when it does not find the list there.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include "runtime/callpath.h"

#include <libunwind.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/map.h"
#include "core/signature.h"

#define SKIP 8          /* room for frames that are cut off */
#define MOST_MODULES 4096
#define PAGE_PATHS 1024 /* paths are kept in pages, which never move */
#define MOST_PAGES 1024

struct module {
    char *name;
    uintptr_t base, start, end;
    uint64_t hash; /* of the file's name without its folder */
    int is_hidden; /* MPI's own, or ours */
};

struct list { /* addresses as they were found, and the path that they are */
    struct list *next;
    uint32_t path, depth;
    void *address[];
};

static struct {
    pthread_mutex_t lock;
    unsigned depth;
    struct module modules[MOST_MODULES];
    uint32_t module_count;
    struct efg_path *pages[MOST_PAGES];
    uint32_t path_count;
    struct efg_map by_hash;
    uint64_t memory;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Per thread: address lists by their hash; the last answer first. */
static __thread struct efg_map known __attribute__((tls_model("initial-exec")));

int efg_callpath_init(unsigned depth)
{
    all.depth = depth < EFG_CALLPATH_DEPTH ? depth : EFG_CALLPATH_DEPTH;
    unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_PER_THREAD);
    return 0;
}

static int is_hidden(const char *base)
{
    static const char *const names[] = {"libmpi.so",  "libmpi_",       "libmpifort", "libefgtrace",
                                        "libopen-pal", "libopen-rte", "libmpich",    "libunwind"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(base, names[i], strlen(names[i])) == 0)
            return 1;
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_module(const char *name, uintptr_t base, uintptr_t start, uintptr_t end)
{
    for (uint32_t i = 0; i < all.module_count; i++) /* loaded again: the newest one counts */
        if (all.modules[i].base == base && all.modules[i].start == start &&
            strcmp(all.modules[i].name, name) == 0)
            return;
    char *copy = all.module_count < MOST_MODULES ? strdup(name) : NULL;
    if (!copy)
        return;
    const char *short_name = base_name(copy);
    all.modules[all.module_count++] =
        (struct module){copy, base, start, end, efg_hash_bytes(0, short_name, strlen(short_name)),
                        is_hidden(short_name)};
}

static int visit_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    char self[4096];
    const char *name = info->dlpi_name;
    uintptr_t start = UINTPTR_MAX, end = 0;

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
        start = from < start ? from : start;
        end = from + p->p_memsz > end ? from + p->p_memsz : end;
    }
    if (end)
        add_module(name, info->dlpi_addr, start, end);
    return 0;
}

/* The module that ADDRESS is in now: the one found last, as an address may be used again. */
static struct module *find_module(uintptr_t address, int rescan)
{
    for (uint32_t i = all.module_count; i-- > 0;)
        if (address >= all.modules[i].start && address < all.modules[i].end)
            return &all.modules[i];
    if (!rescan)
        return NULL;
    dl_iterate_phdr(visit_module, NULL);
    return find_module(address, 0);
}

static struct efg_path *path_at(uint32_t id)
{
    return &all.pages[(id - 1) / PAGE_PATHS][(id - 1) % PAGE_PATHS];
}

/* A new path of these frames; 0 without memory. */
static uint32_t add_path(uint64_t hash, const struct efg_frame *frames, uint32_t depth)
{
    uint32_t page = all.path_count / PAGE_PATHS;
    if (page >= MOST_PAGES)
        return 0;
    if (!all.pages[page]) {
        all.pages[page] = calloc(PAGE_PATHS, sizeof **all.pages);
        all.memory += PAGE_PATHS * sizeof **all.pages;
    }
    struct efg_frame *copy = malloc((depth ? depth : 1) * sizeof *copy);
    uint64_t *slot = efg_map_put(&all.by_hash, hash);
    if (!all.pages[page] || !copy || !slot) {
        free(copy);
        return 0;
    }
    memcpy(copy, frames, depth * sizeof *copy);
    all.memory += depth * sizeof *copy;
    *slot = ++all.path_count;
    *path_at(all.path_count) = (struct efg_path){hash, depth, copy};
    return all.path_count;
}

/* Frames from addresses: ours and MPI's are left out where the path begins. */
static uint32_t to_frames(void *const *address, uint32_t count, struct efg_frame *frames,
                          uint64_t *hash)
{
    uint32_t depth = 0;
    *hash = 0;
    for (uint32_t i = 0; i < count && depth < all.depth; i++) {
        uintptr_t call = (uintptr_t)address[i] - 1; /* inside the call, not behind it */
        struct module *m = find_module(call, 1);
        if (!m || (m->is_hidden && depth == 0))
            continue;
        frames[depth++] = (struct efg_frame){(uint32_t)(m - all.modules), 0, call - m->base};
        *hash = efg_hash_mix(efg_hash_mix(*hash, m->hash), call - m->base);
    }
    return depth;
}

static uint32_t intern(void *const *address, uint32_t count)
{
    struct efg_frame frames[EFG_CALLPATH_DEPTH];
    uint64_t hash;

    pthread_mutex_lock(&all.lock);
    uint32_t depth = to_frames(address, count, frames, &hash);
    uint64_t *found = efg_map_find(&all.by_hash, hash);
    uint32_t path = found ? (uint32_t)*found : add_path(hash, frames, depth);
    pthread_mutex_unlock(&all.lock);
    return path;
}

static struct list *search(uint64_t key, void *const *address, uint32_t count)
{
    uint64_t *slot = efg_map_find(&known, key);
    struct list *l = slot ? (struct list *)(uintptr_t)*slot : NULL;
    while (l && (l->depth != count || memcmp(l->address, address, count * sizeof *address) != 0))
        l = l->next;
    return l;
}

static uint32_t remember(uint64_t key, void *const *address, uint32_t count)
{
    uint32_t path = intern(address, count);
    struct list *l = malloc(sizeof *l + count * sizeof *address);
    uint64_t *slot = path && l ? efg_map_put(&known, key) : NULL;
    if (!slot) {
        free(l);
        return path;
    }
    *l = (struct list){(struct list *)(uintptr_t)*slot, path, count};
    memcpy(l->address, address, count * sizeof *address);
    *slot = (uintptr_t)l;
    __atomic_fetch_add(&all.memory, sizeof *l + count * sizeof *address, __ATOMIC_RELAXED);
    return path;
}

uint32_t efg_callpath_find(uint64_t *hash)
{
    void *address[EFG_CALLPATH_DEPTH + SKIP];
    int found = unw_backtrace(address, (int)all.depth + SKIP);
    uint32_t count = found > 0 ? (uint32_t)found : 0;
    uint64_t key = count;

    for (uint32_t i = 0; i < count; i++)
        key = (key ^ (uintptr_t)address[i]) * 0x9e3779b97f4a7c15ull;
    struct list *l = search(key, address, count);
    uint32_t path = l ? l->path : remember(key, address, count);
    *hash = path ? path_at(path)->hash : 0;
    return path;
}

uint32_t efg_callpath_count(void)
{
    return all.path_count;
}

struct efg_path efg_callpath_get(uint32_t id)
{
    return *path_at(id);
}

uint32_t efg_callpath_modules(void)
{
    return all.module_count;
}

const char *efg_callpath_module(uint32_t id)
{
    return all.modules[id].name;
}

uint64_t efg_callpath_memory(void)
{
    return all.memory + sizeof all;
}
