/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the call path of an MPI call. Four tables, each of which spares the next one:
 *
 *     stack words --compare--> the walk that is expected (memo.h) -> path
 *                                  | another one
 *     stack words --steps that are known (walk.h)--> addresses
 *                                  |
 *     addresses --hash--> path
 *                                  | new
 *     modules and offsets --hash--> path
 *
 * No lookup takes longer if there are more paths. Addresses are found by a walk of ours,
 * which says what it depends on; where it fails, by libunwind (code without unwind information,
 * signal frames, other processors). Two lists of addresses that differ in cut-off frames only
 * become the same path.
 *
 * Readers take no lock: a thread searches its own tables, and comes to the common one, under
 * the lock, with what it has never seen. A path or a module is counted when all of it is there,
 * and does not change any more: up to the count, all may be read. What a thread knows of
 * addresses holds for one generation of modules.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include "expected.h"

#include <errno.h>
#include <libunwind.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/hot.h"
#include "base/map.h"
#include "code.h"
#include "core/graph/detail.h"
#include "files/symbols/script.h"
#include "firsts.h"
#include "memo.h"
#include "modules.h"
#include "pycode.h"
#include "pyflow.h"
#include "python.h"
#include "runtime/base/clock.h"
#include "runtime/base/memory.h"
#include "walk.h"

#define SKIP 8                         /* room for frames that are cut off */
#define OWN (5 + EFG_CALLPATH_BETWEEN) /* frames inside of it, the most that libunwind sees */
#define PAGE_PATHS 1024                /* paths are kept in pages, which never move */
#define MOST_CALLS 4096                /* of a function of Python, that are remembered */
#define MOST_PAGES 1024

_Static_assert(EFG_CALLPATH_DEPTH + SKIP <= EFG_WALK_DEPTH, "a walk holds all of a path");
_Static_assert(EFG_PYTHON_WORDS <= EFG_WALK_MORE, "so it does with Python");

static struct {
    pthread_mutex_t lock;
    pthread_key_t key; /* to free what a thread has */
    struct efg_callpath_mine *(*place)(void);
    unsigned asked;   /* frames of a path, at most */
    unsigned depth;   /* of them the outermost ones are told apart; atomic */
    unsigned longest; /* path that was ever found: frames of it; atomic */
    unsigned cuts;    /* how often there were fewer of its frames from then on */
    struct efg_path *pages[MOST_PAGES];
    uint32_t path_count; /* that are there; atomic */
    struct efg_map by_hash;
    uint64_t path_bytes, held; /* of all paths; with what finds them */
    uint64_t call_bytes;       /* what is known of calls of Python */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Addresses of callers, innermost first; from FIRST on, PYTHON of them stand for functions of Python,
 * which are in FRAME. */
struct callers {
    void *address[EFG_WALK_DEPTH + EFG_PYTHON_DEPTH];
    uint32_t count, first, python;
    const struct efg_python_frame *frame;
};

struct finder {
    struct efg_callpath_mine *mine;
    struct efg_memo memo;
    struct efg_walk walk;
    struct efg_python python;
    bool has_python; /* the interpreter was on the way of a call of this thread */
    struct callers callers;
    struct efg_map known; /* path, and the other half of the hash, by hash of the addresses */
    uint64_t memory;      /* bytes charged for this thread */
    uint64_t spent;       /* ns of processor time on new paths, since that was asked for */
};

/* Of this thread. */
static __thread struct finder *my_finder __attribute__((tls_model("initial-exec")));

/* --- Paths --- */

static struct efg_path *path_at(uint32_t id)
{
    return &all.pages[(id - 1) / PAGE_PATHS][(id - 1) % PAGE_PATHS];
}

/* What paths of the present depth may take, with those that were there before. */
static bool is_in_budget(uint64_t bytes)
{
    uint64_t part = efg_memory.limit / 8 * 3, kept = part / 4 * 3;
    for (unsigned i = 0; i < all.cuts; i++)
        kept = kept / 4 * 3;
    return all.path_bytes + bytes <= part - kept;
}

static void settle_all(void)
{
    uint64_t pages = (all.path_count + PAGE_PATHS - 1) / PAGE_PATHS;
    efg_memory_settle(&all.held, sizeof all + all.path_bytes + all.call_bytes + efg_map_memory(&all.by_hash) +
                                     pages * PAGE_PATHS * sizeof **all.pages + efg_modules_memory());
}

/* A new path of these frames, which stay where they are; 0 without memory. */
static uint32_t add_path(uint64_t hash, const struct efg_frame *frames, uint32_t depth)
{
    uint32_t page = all.path_count / PAGE_PATHS;
    if (page >= MOST_PAGES)
        return 0;
    if (!all.pages[page])
        all.pages[page] = calloc(PAGE_PATHS, sizeof **all.pages);
    uint64_t *slot = all.pages[page] ? efg_map_put(&all.by_hash, hash) : NULL;
    if (!slot)
        return 0;
    uint32_t id = all.path_count + 1;
    *slot = id;
    *path_at(id) = (struct efg_path){.hash = hash, .depth = depth, .frames = frames};
    __atomic_store_n(&all.path_count, id, __ATOMIC_RELEASE); /* last: others read up to it */
    settle_all();
    return id;
}

/* The same, of a copy of them. The empty path is always to be had. */
static uint32_t add_copy(uint64_t hash, const struct efg_frame *frames, uint32_t depth)
{
    uint64_t bytes = depth * sizeof *frames;
    struct efg_frame *copy = !depth || is_in_budget(bytes) ? malloc(bytes ? bytes : 1) : NULL;
    if (!copy)
        return 0;
    memcpy(copy, frames, bytes);
    uint32_t id = add_path(hash, copy, depth);
    if (id)
        all.path_bytes += bytes;
    else
        free(copy);
    return id;
}

/* The frame of caller I, if there is to be one that has DEPTH frames further in. */
static bool to_frame(const struct callers *callers, uint32_t i, uint32_t depth, struct efg_frame *frame)
{
    uintptr_t call = (uintptr_t)callers->address[i] - 1; /* inside the call, not behind it */
    const struct efg_module *m = efg_modules_find(call);

    if (!m || (depth == 0 && (m->is_hidden || (m->is_binding && callers->python))))
        return false;
    *frame = (struct efg_frame){efg_modules_number(m), 0, call - m->base};
    return true;
}

static const struct efg_pycall *find_call(const struct efg_module *m, const struct efg_python_frame *python)
{
    uint32_t unit = efg_pycode_unit(python->code, python->at);

    for (uint32_t i = 0; i < m->call_count; i++)
        if (m->calls[i].unit == unit)
            return &m->calls[i];
    return NULL;
}

/* While it runs, its code is there. */
static void look_at_call(struct efg_module *m, const struct efg_python_frame *python, uint32_t line)
{
    struct efg_pycall call = {.unit = efg_pycode_unit(python->code, python->at), .line = line};

    if (find_call(m, python) || m->call_count == MOST_CALLS ||
        efg_array_grow(&m->calls, m->call_count, 1, sizeof *m->calls))
        return;
    efg_pyflow_look(python->code, &call);
    m->calls[m->call_count++] = call;
    all.call_bytes += sizeof call;
}

static bool to_python_frame(const struct efg_python_frame *python, struct efg_frame *frame)
{
    char name[EFG_SCRIPT_NAME];
    efg_pycode_name(python->code, name, sizeof name);
    struct efg_module *m = efg_modules_script(name, efg_script_hash(name));
    uint32_t line = efg_pycode_line(python->code, python->at);

    if (!m)
        return false;
    look_at_call(m, python, line);
    *frame = (struct efg_frame){efg_modules_number(m), 0, line};
    return true;
}

/* The function of Python that caller number I is, or NULL. */
static const struct efg_python_frame *python_at(const struct callers *callers, uint32_t i)
{
    return i >= callers->first && i - callers->first < callers->python ? &callers->frame[i - callers->first]
                                                                       : NULL;
}

/* Frames from addresses, and in CALLER the number of each: ours and MPI's are left out where the path
 * begins. */
static uint32_t to_frames(const struct callers *callers, struct efg_frame *frames, uint16_t *caller)
{
    uint32_t depth = 0;

    for (uint32_t i = 0; i < callers->count && depth < all.asked; i++) {
        const struct efg_python_frame *python = python_at(callers, i);
        caller[depth] = (uint16_t)i;
        depth +=
            python ? to_python_frame(python, &frames[depth]) : to_frame(callers, i, depth, &frames[depth]);
    }
    return depth;
}

static uint64_t hash_frames(const struct efg_frame *frames, uint32_t depth)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < depth; i++)
        hash = efg_hash_mix(efg_hash_mix(hash, efg_modules_get(frames[i].module)->hash), frames[i].offset);
    return hash;
}

static uint32_t find_path(const struct efg_frame *frames, uint32_t depth)
{
    uint64_t hash = hash_frames(frames, depth);
    uint64_t *found = efg_map_find(&all.by_hash, hash);
    return found ? (uint32_t)*found : add_copy(hash, frames, depth);
}

static void shorten(void)
{
    __atomic_store_n(&all.depth, efg_detail_shorter(all.depth), __ATOMIC_RELAXED);
    all.cuts += all.depth < all.longest;
}

/* So that something is gained by it. */
static void shorten_longest(void)
{
    do
        shorten();
    while (all.depth && all.depth >= all.longest);
}

/* How many of the DEPTH frames of a path, the inner ones, are not told apart. */
static uint32_t inner_of(uint32_t depth)
{
    return depth > all.depth ? depth - all.depth : 0;
}

/* Whether frames may be missing in PATH: then there are stacks of other lengths with the same one. */
static bool is_cut(const struct efg_path *path)
{
    unsigned depth = __atomic_load_n(&all.depth, __ATOMIC_RELAXED);
    return depth < all.asked && path->depth >= depth;
}

/* Frame number I of PATH, whose caller is number CALLER. Of machine code around Python nothing is known. */
static void look_at_frame(struct efg_firsts_search *search, const struct efg_path *path, uint32_t i,
                          const struct callers *callers, uint32_t caller)
{
    const struct efg_python_frame *python = python_at(callers, caller);
    const struct efg_module *m = efg_modules_get(path->frames[i].module);
    uint64_t offset = path->frames[i].offset;
    const struct efg_pycall *call = python ? find_call(m, python) : NULL;

    if (call) {
        efg_firsts_add_python(search, i, caller - callers->first, call);
    } else if (!callers->python) {
        struct efg_position position;
        struct efg_few few = efg_code_few(m, offset, &position);
        efg_firsts_add(search, i, caller, position, &few);
    }
}

/* Which loops of PATH are looked at (firsts.h). */
static void find_firsts(struct efg_path *path, const struct callers *callers, const uint16_t *caller)
{
    struct efg_firsts_search search = {0};

    for (uint32_t i = path->depth; i-- > 0;)
        look_at_frame(&search, path, i, callers, caller[i]);
    struct efg_firsts *kept = search.firsts.count && is_in_budget(sizeof *kept) ? malloc(sizeof *kept) : NULL;
    if (!kept)
        return;
    *kept = search.firsts;
    __atomic_store_n(&path->firsts, kept, __ATOMIC_RELEASE);
    all.path_bytes += sizeof *kept;
}

/* *IS_BY_TAIL: inner ones of the callers do not matter, as few of them as possible do. */
static uint32_t intern(const struct callers *callers, bool *is_by_tail)
{
    struct efg_frame frames[EFG_CALLPATH_DEPTH];
    uint16_t caller[EFG_CALLPATH_DEPTH];

    pthread_mutex_lock(&all.lock);
    uint32_t depth = to_frames(callers, frames, caller), inner = inner_of(depth);
    if (depth > all.longest)
        __atomic_store_n(&all.longest, depth, __ATOMIC_RELAXED);
    uint32_t known = all.path_count, path = find_path(frames + inner, depth - inner);
    while (!path && all.depth) {
        shorten_longest();
        inner = inner_of(depth);
        path = find_path(frames + inner, depth - inner);
    }
    if (path > known && !is_cut(path_at(path)))
        find_firsts(path_at(path), callers, caller);
    *is_by_tail = inner && inner < depth && caller[inner] == callers->count - all.depth;
    pthread_mutex_unlock(&all.lock);
    return path;
}

/* The path of the same frames as PATH, of loops that are in their first rounds NOW. */
static uint32_t intern_firsts(uint32_t path, uint32_t now)
{
    struct efg_frame frames[EFG_CALLPATH_DEPTH];
    const struct efg_path *p = path_at(path);

    pthread_mutex_lock(&all.lock);
    memcpy(frames, p->frames, p->depth * sizeof *frames);
    efg_firsts_mark(p->firsts, now, frames);
    uint32_t found = find_path(frames, p->depth);
    __atomic_store_n(&p->firsts->path[now], found, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&all.lock);
    return found ? found : path;
}

/* --- Addresses --- */

/* 96 bits stand for a list of addresses, from number FIRST on; for a path, it is 64 (find_path). */
struct key {
    uint64_t hash;
    uint32_t more;
};

static struct key key_of(const struct callers *callers, uint32_t first)
{
    uint64_t hash = callers->count - first, more = 0;
    for (uint32_t i = first; i < callers->count; i++) {
        hash = (hash ^ (uintptr_t)callers->address[i]) * 0x9e3779b97f4a7c15u;
        more = (more + (uintptr_t)callers->address[i]) * 0xd6e8feb86659fd93u;
    }
    return (struct key){hash, (uint32_t)(more >> 32)};
}

/* A hash of the words of a walk; HASH is that of its callers, whose addresses mostly are the words. */
static uint64_t hash_words(const struct efg_walk *walk, const uintptr_t *frame, uint64_t hash)
{
    hash ^= (uintptr_t)frame * 0xd6e8feb86659fd93u;
    if (walk->word_count != walk->count)
        for (uint32_t i = 0; i < walk->word_count; i++)
            hash = (hash ^ walk->word[i].value) * 0x9e3779b97f4a7c15u;
    return hash;
}

static uint32_t path_of(struct finder *f, struct key key)
{
    const uint64_t *known = efg_map_find(&f->known, key.hash);
    return known && *known >> 32 == key.more ? (uint32_t)*known : 0;
}

/* The first of the callers that matter, where inner ones are cut off. */
static uint32_t tail_of(const struct callers *callers)
{
    unsigned depth = efg_callpath_depth();
    return depth < all.asked && callers->count > depth && callers->count < all.asked ? callers->count - depth
                                                                                     : 0;
}

/* KEY is that of all callers. */
static uint32_t new_path(struct finder *f, struct key key)
{
    bool is_by_tail;
    uint64_t begin = efg_clock_cpu();
    uint32_t path = intern(&f->callers, &is_by_tail);
    f->spent += efg_clock_cpu() - begin;
    if (is_by_tail)
        key = key_of(&f->callers, tail_of(&f->callers));
    if (efg_map_is_full(&f->known) && !efg_memory_may_remember(efg_map_memory(&f->known)))
        efg_map_fini(&f->known);
    uint64_t *known = path ? efg_map_put(&f->known, key.hash) : NULL;
    if (known)
        *known = (uint64_t)key.more << 32 | path;
    return path;
}

/* --- What a thread has --- */

static void update_memory(struct finder *f)
{
    uint64_t now =
        sizeof *f + efg_memo_memory(&f->memo) + efg_walk_memory(&f->walk) + efg_map_memory(&f->known);
    if (now != f->memory)
        efg_memory_settle(&f->memory, now);
}

static void forget(struct finder *f, uint64_t generation)
{
    efg_memo_clear(&f->memo);
    efg_walk_forget(&f->walk);
    efg_map_fini(&f->known);
    f->mine->generation = generation;
}

static void free_finder(void *finder)
{
    struct finder *f = finder;

    forget(f, 0);
    my_finder = NULL;
    efg_memo_fini(&f->memo);
    efg_memory_settle(&f->memory, 0);
    free(f);
}

struct efg_callpath_mine *efg_callpath_mine(void)
{
    static __thread struct efg_callpath_mine own __attribute__((tls_model("initial-exec")));

    return all.place ? all.place() : &own;
}

static struct finder *new_finder(void)
{
    struct finder *f = calloc(1, sizeof *f);
    if (!f || pthread_setspecific(all.key, f) != 0) {
        free(f);
        return NULL;
    }
    f->mine = efg_callpath_mine();
    efg_memo_init(&f->memo, &f->mine->hand);
    f->mine->generation = efg_modules_generation();
    return my_finder = f;
}

int efg_callpath_init(unsigned depth, bool python, struct efg_callpath_mine *place(void))
{
    all.place = place;
    all.asked = all.depth = depth < EFG_CALLPATH_DEPTH ? depth : EFG_CALLPATH_DEPTH;
    if (python)
        efg_python_init();
    unw_set_caching_policy(unw_local_addr_space, UNW_CACHE_PER_THREAD);
    return pthread_key_create(&all.key, free_finder) == 0 ? 0 : -EAGAIN;
}

/* --- The way of a call --- */

/* Addresses by libunwind, from the one that the function at FRAME returns to. The modules are
 * looked at each time, since nobody says whether these are watched. */
static uint32_t unwind(struct finder *f, const uintptr_t *frame, uint32_t limit)
{
    void *address[EFG_CALLPATH_DEPTH + SKIP + OWN];
    int found = unw_backtrace(address, (int)limit + OWN), own = 0;

    while (own < found && own < OWN && (uintptr_t)address[own] != frame[1])
        own++;
    uint32_t count = found > own ? (uint32_t)(found - own) : 0;
    count = count < limit ? count : limit;
    memcpy(f->walk.address, address + own, count * sizeof *address);
    efg_modules_refresh();
    return count;
}

/* What this thread has, as far as it still holds; NULL without memory. */
static struct finder *finder_now(void)
{
    struct finder *f = my_finder ? my_finder : new_finder();
    if (f && f->mine->generation != efg_modules_generation())
        forget(f, efg_modules_generation());
    return f;
}

/* Entries of the memo that depend on frames of Python are kept for another address than FRAME: so they are
 * not found before it is known whose frames these are. */
static const uintptr_t *with_python(const uintptr_t *frame)
{
    return (const uintptr_t *)((const char *)frame + 1);
}

/* The path that is expected after the last one, in a thread that Python runs in. */
static const struct efg_memo_entry *expect_python(struct finder *f, const uintptr_t *frame)
{
    if (!f->has_python)
        return NULL;
    efg_python_update(&f->python);
    return efg_memo_predict(&f->mine->hand, with_python(frame));
}

static bool find_interpreter(struct finder *f, uint32_t count, uint32_t *first, uint32_t *end)
{
    *first = *end = 0;
    for (uint32_t i = 0; i < count; i++)
        if (efg_python_is_at((uintptr_t)f->walk.address[i] - 1)) {
            *first = *end ? *first : i;
            *end = i + 1;
        }
    return *end > 0;
}

/* COUNT addresses were found by a walk. All from the innermost to the outermost one of the interpreter
 * give way to the functions that it runs. */
static void find_callers(struct finder *f, uint32_t count)
{
    struct callers *c = &f->callers;
    uint32_t first = count, end = count;

    c->python = 0;
    if (find_interpreter(f, count, &first, &end)) {
        f->has_python = true;
        efg_python_update(&f->python);
        f->walk.word_count += efg_python_read(&f->python, f->walk.word + f->walk.word_count);
        c->python = f->python.count;
        c->frame = f->python.frame;
    }
    if (!c->python)
        first = end = count;
    c->first = first;
    memcpy(c->address, f->walk.address, first * sizeof *c->address);
    for (uint32_t i = 0; i < c->python; i++)
        c->address[first + i] = (void *)efg_hash_mix(c->frame[i].code, c->frame[i].at);
    c->count = first + c->python + count - end;
    memcpy(c->address + first + c->python, f->walk.address + end, (count - end) * sizeof *c->address);
}

/* NULL: its first rounds are not told from others. */
static const struct efg_firsts *firsts_of(const struct efg_path *path)
{
    return is_cut(path) ? NULL : __atomic_load_n(&path->firsts, __ATOMIC_ACQUIRE);
}

/* PATH, or the one that stands for it in the first rounds of loops; E: its entry, or NULL. */
static uint32_t in_round(const struct finder *f, uint32_t path, const struct efg_memo_entry *e)
{
    const struct efg_firsts *firsts = path ? firsts_of(path_at(path)) : NULL;
    uint32_t now =
        firsts ? efg_firsts_now(firsts, &f->python, e ? efg_memo_rounds(e) : NULL, e ? e->round_count : 0)
               : 0;

    if (!now)
        return path;
    uint32_t known = __atomic_load_n(&firsts->path[now], __ATOMIC_ACQUIRE);
    return known ? known : intern_firsts(path, now);
}

/* The path of the walk that was just made, and kept with it where its rounds are counted. */
static const struct efg_memo_entry *keep(struct finder *f, const uintptr_t *frame, uint64_t words,
                                         uint32_t path)
{
    struct efg_memo_round rounds[EFG_FIRSTS_ROUNDS];
    const struct efg_firsts *firsts = firsts_of(path_at(path));
    uint32_t count = firsts && !f->callers.python ? efg_firsts_locate(firsts, frame, &f->walk, rounds) : 0;

    return efg_memo_add(&f->memo, frame, &f->walk, words, path, path_at(path)->hash, rounds, count);
}

/* The path of a call that is not the expected one, whatever the rounds; and its entry, or NULL. */
static uint32_t search(struct finder *f, const uintptr_t *frame, const struct efg_memo_entry **e)
{
    *e = expect_python(f, frame);
    if (*e)
        return (*e)->path;
    uint32_t limit = all.asked + SKIP - 1;
    bool is_walked = efg_walk(&f->walk, frame, limit) == 0;
    find_callers(f, is_walked ? f->walk.count : unwind(f, frame, limit));
    frame = f->callers.python ? with_python(frame) : frame;

    finder_now(); /* the search for modules, too, may have found that some are gone */
    bool is_lasting = is_walked && f->walk.is_lasting;
    struct key key = key_of(&f->callers, 0);
    uint64_t words = is_lasting ? hash_words(&f->walk, frame, key.hash) : 0;
    *e = is_lasting ? efg_memo_recall(&f->memo, frame, &f->walk, words) : NULL;
    if (*e)
        return (*e)->path;
    uint32_t path = path_of(f, key), tail = tail_of(&f->callers);
    if (!path && tail)
        path = path_of(f, key_of(&f->callers, tail));
    if (!path)
        path = new_path(f, key);
    if (path && is_lasting)
        *e = keep(f, frame, words, path);
    update_memory(f);
    return path;
}

static __attribute__((noinline)) uint32_t find_other(const uintptr_t *frame)
{
    struct finder *f = finder_now();
    const struct efg_memo_entry *e = NULL;
    uint32_t path = f ? search(f, frame, &e) : 0;

    return path ? in_round(f, path, e) : 0;
}

/* That its address is asked for makes the compiler keep the frame in the form that walk.h needs.
 */
EFG_HOT uint32_t efg_callpath_find(const uintptr_t *frame, uint64_t *hash)
{
    const struct finder *f = my_finder;
    const struct efg_memo_entry *e = NULL;
    if (f && f->mine->generation == efg_modules_generation())
        e = efg_memo_predict(&f->mine->hand, frame);
    if (e && !e->round_count) {
        *hash = e->hash;
        return e->path;
    }
    uint32_t path = e ? in_round(f, e->path, e) : find_other(frame);
    *hash = path ? path_at(path)->hash : 0;
    return path;
}

uint64_t efg_callpath_spent(void)
{
    struct finder *f = my_finder;
    uint64_t spent = f ? f->spent : 0;

    if (spent)
        f->spent = 0;
    return spent;
}

/* Path 0 is that of calls that are told apart without one. */
uint32_t efg_callpath_keys(uint32_t id, uint64_t *keys)
{
    struct efg_path path = id ? efg_callpath_get(id) : (struct efg_path){0};

    for (uint32_t i = 0; i < path.depth; i++) {
        const struct efg_frame *frame = &path.frames[path.depth - 1 - i];
        keys[i] = efg_hash_mix(efg_modules_get(frame->module)->hash, frame->offset);
    }
    return path.depth;
}

/* --- Shorter paths --- */

unsigned efg_callpath_depth(void)
{
    return __atomic_load_n(&all.depth, __ATOMIC_RELAXED);
}

unsigned efg_callpath_longest(void)
{
    return __atomic_load_n(&all.longest, __ATOMIC_RELAXED);
}

/* All rounds of loops are then one. */
static uint32_t cut_to(const struct efg_path *path, uint32_t depth, uint64_t *hash)
{
    const struct efg_frame *outer = path->frames + path->depth - depth;
    struct efg_frame frames[EFG_CALLPATH_DEPTH] = {{0}};
    bool is_same = true;

    for (uint32_t i = 0; i < depth; i++) {
        frames[i] = (struct efg_frame){outer[i].module, 0, efg_frame_place(outer[i].offset)};
        is_same = is_same && frames[i].offset == outer[i].offset;
    }
    *hash = hash_frames(frames, depth);
    uint64_t *found = efg_map_find(&all.by_hash, *hash);
    return found     ? (uint32_t)*found
           : is_same ? add_path(*hash, outer, depth)
                     : add_copy(*hash, frames, depth);
}

static int cut_all(void)
{
    uint64_t hash;
    for (uint32_t i = 1, count = all.path_count; i <= count; i++)
        if (path_at(i)->depth > all.depth && !cut_to(path_at(i), all.depth, &hash))
            return -ENOMEM;
    return 0;
}

unsigned efg_callpath_limit(unsigned depth)
{
    pthread_mutex_lock(&all.lock);
    while (all.depth > depth)
        shorten();
    while (cut_all() && all.depth)
        shorten_longest();
    depth = all.depth;
    pthread_mutex_unlock(&all.lock);
    if (my_finder) {
        forget(my_finder, efg_modules_generation());
        update_memory(my_finder);
    }
    return depth;
}

uint32_t efg_callpath_cut(uint32_t id, unsigned depth, uint64_t *hash)
{
    pthread_mutex_lock(&all.lock);
    const struct efg_path *path = id ? path_at(id) : NULL;
    *hash = path ? path->hash : 0;
    if (path && path->depth > depth)
        id = cut_to(path, depth, hash);
    pthread_mutex_unlock(&all.lock);
    return id;
}

uint32_t efg_callpath_count(void)
{
    return __atomic_load_n(&all.path_count, __ATOMIC_ACQUIRE);
}

static struct efg_position position_in_script(const struct efg_module *module, uint64_t place,
                                              unsigned firsts)
{
    pthread_mutex_lock(&all.lock);
    struct efg_position position =
        efg_pyflow_position(module->calls, module->call_count, (uint32_t)place, firsts);
    pthread_mutex_unlock(&all.lock);
    return efg_position_in(position, EFG_ORDER_SCRIPTS | efg_order_number(module->hash));
}

static struct efg_position position_of(const struct efg_frame *frame, enum efg_code_new is_new)
{
    const struct efg_module *module = efg_modules_get(frame->module);
    uint64_t place = efg_frame_place(frame->offset);
    unsigned firsts = efg_frame_firsts(frame->offset);
    struct efg_position position = module->is_script ? position_in_script(module, place, firsts)
                                                     : efg_code_position(module, place, firsts, is_new);
    position.firsts = firsts;
    return position;
}

struct efg_position efg_callpath_position(uint32_t id, uint32_t frame)
{
    struct efg_path path = id ? efg_callpath_get(id) : (struct efg_path){0};

    return frame < path.depth ? position_of(&path.frames[path.depth - 1 - frame], EFG_CODE_LOOK)
                              : (struct efg_position){0};
}

struct efg_position efg_callpath_known_position(const struct efg_frame *frame)
{
    return position_of(frame, EFG_CODE_LEAVE);
}

struct efg_path efg_callpath_get(uint32_t id)
{
    return *path_at(id);
}

uint32_t efg_callpath_modules(void)
{
    return efg_modules_count();
}

const char *efg_callpath_module(uint32_t id)
{
    return efg_modules_get(id)->name;
}
