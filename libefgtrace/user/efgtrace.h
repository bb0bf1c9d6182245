/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program that can be built again may tell efgtrace, from C and C++:
 *
 *     for (int step = 0; step < steps; step++) {
 *         efgtrace_iteration();
 *         efgtrace_begin("solve");
 *         ..
 *         efgtrace_end("solve");
 *     }
 *
 * Nothing has to be linked: efgtrace is looked for in the process, and where it was not preloaded the
 * functions do nothing, which takes about a nanosecond. All of them may be called at any time and by
 * any thread; before MPI_Init and after MPI_Finalize nothing comes of it. From Fortran: efgtrace.f90, from
 * Python: efgtrace.py. Compile with `pkg-config --cflags efgtrace`; with glibc before 2.34, or
 * another libc, add -ldl.
 */
#ifndef EFGTRACE_H
#define EFGTRACE_H

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the function efgtrace_user of the preloaded library is told; the others are made of it. */
enum efgtrace_what { EFGTRACE_END = -1, EFGTRACE_ITERATION = 0, EFGTRACE_BEGIN = 1, EFGTRACE_RECORD = 2 };

static inline __attribute__((always_inline)) void efgtrace_tell(int what, const char *name,
                                                                unsigned long iterations)
{
    static void (*tell)(int what, const char *name, unsigned long iterations);
    static int is_known;

    if (!__atomic_load_n(&is_known, __ATOMIC_ACQUIRE)) {
        void *found = dlsym((void *)0 /* RTLD_DEFAULT */, "efgtrace_user");
        __builtin_memcpy(&tell, &found, sizeof tell);
        __atomic_store_n(&is_known, 1, __ATOMIC_RELEASE);
    }
    if (tell)
        tell(what, name, iterations);
}

/* An iteration of the main loop begins. The loop that has this call is then the main loop, instead of
 * the one that efgtrace would find; its iterations are what lies between two calls. */
static inline __attribute__((always_inline)) void efgtrace_iteration(void)
{
    efgtrace_tell(EFGTRACE_ITERATION, 0, 0);
}

/* A region begins, or ends: NAME has 1 to 63 characters. Regions may be nested; they are
 * those of MPI_Pcontrol(1, name) and MPI_Pcontrol(-1, name). They are regions of the trace, and tell calls
 * apart, unless the key signature says what does (efgtrace.conf(5)). */
static inline __attribute__((always_inline)) void efgtrace_begin(const char *name)
{
    efgtrace_tell(EFGTRACE_BEGIN, name, 0);
}

static inline __attribute__((always_inline)) void efgtrace_end(const char *name)
{
    efgtrace_tell(EFGTRACE_END, name, 0);
}

/* Record the next ITERATIONS of the main loop, 1 to 1000000, on all ranks the same ones: they begin some
 * iterations later, when all ranks know of it, or as soon as the main loop is known. Call it on all ranks in
 * the same iteration; libefgtrace(7) says what happens otherwise. */
static inline __attribute__((always_inline)) void efgtrace_record(unsigned long iterations)
{
    efgtrace_tell(EFGTRACE_RECORD, 0, iterations);
}

#ifdef __cplusplus
}
#endif

#endif
