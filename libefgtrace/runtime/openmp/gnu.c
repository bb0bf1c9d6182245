/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libgomp, the runtime of gcc: its entry points, which are wrapped. A parallel region is a function that each
 * thread calls; ours calls it, and so knows when each begins and ends. Threads wait in barriers, and at the
 * ends of loops, sections and other work that they share.
 *
 * Source: the ABI of libgomp, GOMP_4.0 and later (gcc 4.9).
 */
#include <limits.h>
#include <stdlib.h>

#include "region.h"

#define EXPORT __attribute__((visibility("default")))

typedef void body(void *data);
typedef int index_of_thread(void);

struct work {
    body *body;
    void *data;
    struct efg_region *region;
};

/* Of this thread in its team; not found: as many as nobody has. */
static unsigned own_index(void)
{
    static _Atomic(void *) known;
    void *found = atomic_load(&known);
    if (!found)
        atomic_store(&known, found = efg_region_next("omp_get_thread_num"));
    return found ? (unsigned)((index_of_thread *)found)() : UINT_MAX;
}

static void do_work(void *data)
{
    const struct work work =
        *(const struct work *)data; /* it is on the stack of the thread that has forked */
    efg_region_enter(work.region, own_index());
    work.body(work.data);
    efg_region_leave();
}

/* A function of the runtime that is not there cannot be called: the program would not have started. */
#define NEXT(name)                                            \
    static _Atomic(void *) known;                             \
    void *found = atomic_load(&known);                        \
    if (!found)                                               \
        atomic_store(&known, found = efg_region_next(#name)); \
    if (!found)                                               \
        abort();                                              \
    __typeof__(&name) next = (__typeof__(&name))found

/* A region with these PARAMETERS behind its function and data, RESULT what it returns. */
#define REGION(type, name, parameters, arguments, ...)                           \
    EXPORT type name parameters;                                                 \
    type name parameters                                                         \
    {                                                                            \
        NEXT(name);                                                              \
        struct efg_region *region = efg_region_fork(__builtin_frame_address(0)); \
        struct work work = {function, data, region};                             \
        if (region) {                                                            \
            function = do_work;                                                  \
            data = &work;                                                        \
        }                                                                        \
        __VA_ARGS__ next arguments;                                              \
        if (region)                                                              \
            efg_region_join(region, __builtin_frame_address(0));                 \
        RETURN_##type                                                            \
    }
#define RETURN_void
#define RETURN_unsigned return result;

#define LOOP(name)                                                                                      \
    REGION(void, name,                                                                                  \
           (body * function, void *data, unsigned threads, long start, long end, long step, long chunk, \
            unsigned flags),                                                                            \
           (function, data, threads, start, end, step, chunk, flags))
#define LOOP_WITHOUT_CHUNK(name)                                                                             \
    REGION(void, name,                                                                                       \
           (body * function, void *data, unsigned threads, long start, long end, long step, unsigned flags), \
           (function, data, threads, start, end, step, flags))

/* clang-format off */
REGION(void, GOMP_parallel, (body * function, void *data, unsigned threads, unsigned flags),
       (function, data, threads, flags))
REGION(unsigned, GOMP_parallel_reductions, (body * function, void *data, unsigned threads, unsigned flags),
       (function, data, threads, flags), unsigned result =)
REGION(void, GOMP_parallel_sections,
       (body * function, void *data, unsigned threads, unsigned count, unsigned flags),
       (function, data, threads, count, flags))
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
LOOP_WITHOUT_CHUNK(GOMP_parallel_loop_runtime)
LOOP_WITHOUT_CHUNK(GOMP_parallel_loop_nonmonotonic_runtime)
LOOP_WITHOUT_CHUNK(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
/* clang-format on */

/* Threads wait here for each other; SHOWN: the program says so. */
#define WAIT(name, shown)                                   \
    EXPORT void name(void);                                 \
    void name(void)                                         \
    {                                                       \
        NEXT(name);                                         \
        efg_region_stop(shown, __builtin_frame_address(0)); \
        next();                                             \
        efg_region_go(shown, __builtin_frame_address(0));   \
    }

WAIT(GOMP_barrier, true)
WAIT(GOMP_loop_end, false)
WAIT(GOMP_sections_end, false)
