/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the preloaded library share: the form of a wrapper, who is next in line for
 * a function, and whether a call is the application's or made within another one.
 *
 * Each function is defined twice, for those that call MPI_X and for those that call PMPI_X
 * (Open MPI's Fortran library does): what the caller has named is what is called next.
 */
#ifndef EFG_WRAP_H
#define EFG_WRAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hot.h"
#include "runtime/calls/call.h"

#define EXPORT __attribute__((visibility("default")))
#define OURS __attribute__((visibility("hidden"))) /* of all files of this library */
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* A function under its name in libmpi, its parameters those of the table. */
#define DEFINE(prefix, name, parameters)  \
    EXPORT int prefix##name parameters;   \
    int prefix##name parameters

extern OURS struct efg_constants efg_wrap_constants; /* those of the runtime, once it is loaded */

/* --- Who is next --- */

/* Whoever is behind us for the function ID under the name that is called: NAMED is EFG_MPI or
 * EFG_PMPI (call.h), SYMBOL the name. Looked up once, at the first call: CALLER is an address
 * in the module that calls. If there is nobody, the process is told so and aborts. */
extern OURS _Atomic(void *) efg_wrap_functions[2][EFG_CALLS];
__attribute__((cold)) void *efg_wrap_find(int id, int named, const char *symbol,
                                          const void *caller);

/* The same for any SYMBOL, or NULL. */
void *efg_wrap_look_up(const char *symbol, const void *caller);

EFG_INLINE void *efg_wrap_next(int id, int named, const char *symbol)
{
    void *function = atomic_load_explicit(&efg_wrap_functions[named][id], memory_order_relaxed);
    return UNLIKELY(!function) ? efg_wrap_find(id, named, symbol, __builtin_return_address(0))
                               : function;
}

#define NEXT(prefix, name)                                                               \
    ((__typeof__(&prefix##name))efg_wrap_next(EFG_CALL_##name, NAMED_##prefix, \
                                                        #prefix #name))
#define NAMED_MPI_ EFG_MPI
#define NAMED_MPIX_ EFG_MPI
#define NAMED_PMPI_ EFG_PMPI
#define NAMED_PMPIX_ EFG_PMPI

/* A wrapper whose calls may pass: where it is, under which name of the function ID. */
struct efg_wrap_own {
    uintptr_t address;
    uint16_t named, id;
};

/* All of them, in no order; returns how many. */
size_t efg_wrap_list(struct efg_wrap_own own[2 * EFG_CALLS]);

/* --- The call that a thread is in --- */

/* In one cache line, and at a place that is known. */
struct efg_wrap_hooks {
    _Alignas(32) struct efg_hooks run;
    atomic_bool are_there;
    bool (*is_left)(const void *frame, const void *code); /* call.h */
};
extern OURS struct efg_wrap_hooks efg_wrap_hooks;

/* NULL: nothing is traced. */
EFG_INLINE const struct efg_hooks *efg_wrap_run(void)
{
    return atomic_load_explicit(&efg_wrap_hooks.are_there, memory_order_acquire) ? &efg_wrap_hooks.run : NULL;
}

/* FRAME of the outermost wrapper that this thread is in, or NULL, and how it was NAMED; what the tracer has
 * at hand; what passes. What most calls need is in one cache line. */
struct efg_wrap_outermost {
    _Alignas(64) void *frame;
    int named;
    struct efg_at_hand at_hand;
    struct efg_passing passing;
};
_Static_assert(offsetof(struct efg_wrap_outermost, passing.polls) == 64, "the rest is for polls");
extern OURS __thread struct efg_wrap_outermost efg_wrap_outermost
    __attribute__((tls_model("initial-exec")));

/* Whether that one was left without a return, as far as that is known. */
OURS bool efg_wrap_is_left(void);

EFG_INLINE bool efg_wrap_is_inside(const void *frame)
{
    return UNLIKELY((uintptr_t)frame < (uintptr_t)efg_wrap_outermost.frame) && !efg_wrap_is_left();
}

/* Whether a call of this SHAPE, a constant, passes; those made within others are counted, too. */
EFG_INLINE bool efg_wrap_passes(int shape)
{
    if (EFG_SHAPES_KEPT >> shape & 1 || !UNLIKELY(efg_wrap_outermost.passing.calls))
        return false;
    efg_wrap_outermost.passing.calls--;
    return true;
}

/* Whether a poll of this SHAPE, a constant, with so many REQUESTS passes as long as it finds nothing. */
EFG_INLINE bool efg_wrap_passes_idle(int shape, int requests)
{
    return EFG_SHAPES_ASKING >> shape & 1 && UNLIKELY(efg_wrap_outermost.passing.polls) &&
           requests <= EFG_POLL_REQUESTS;
}

/* What the requests of a poll are is not known any more when they are complete. */
EFG_INLINE void efg_wrap_copy_requests(const MPI_Request *requests, int count)
{
    MPI_Request *copy = efg_wrap_outermost.passing.requests;

    if (efg_wrap_constants.request_size == sizeof *copy)
        for (int i = 0; i < count; i++)
            copy[i] = requests[i];
    else
        memcpy(copy, requests, (size_t)count * (size_t)efg_wrap_constants.request_size);
}

/* Those that MPI is to be given. */
EFG_INLINE MPI_Status *efg_wrap_statuses(MPI_Status *statuses)
{
    MPI_Status *other = efg_wrap_outermost.passing.statuses;

    return UNLIKELY(other) && (statuses == efg_wrap_constants.status_ignore ||
                               statuses == efg_wrap_constants.statuses_ignore)
               ? other
               : statuses;
}

EFG_INLINE void efg_wrap_enter(void *frame, int named)
{
    efg_wrap_outermost.frame = frame;
    efg_wrap_outermost.named = named;
}

EFG_INLINE void efg_wrap_leave(void)
{
    efg_wrap_outermost.frame = NULL;
}

#define EFG_WRAP_NAME 64 /* bytes of the name of a region, with its final zero */

/* MPI_Pcontrol(LEVEL, NAME) for the tracer, which MPI_Init has loaded; FRAME is that of its wrapper. */
void efg_wrap_control(int level, const char *name, const uintptr_t *frame);

/* A region begins, LEVEL 1, or ends, -1. */
void efg_wrap_region(int level, const char *name, const uintptr_t *frame);

/* It asks for the next ITERATIONS. */
void efg_wrap_record(uint64_t iterations);

/* A parallel region of OpenMP, as efg_openmp_tell has it. */
void efg_wrap_openmp(int what, const struct efg_openmp_sums *sums, const uintptr_t *frame);

/* In pauses, with ON: calls that may pass go past us, as far as may be. Returns whether any do. Without: they
 * come here again; returns whether all do. By one thread at a time. */
bool efg_wrap_bypass(bool on);

/* MPI hands over to PMIx, whose functions PMIx_Put and PMIx_Get are these (or NULL). */
void efg_wrap_pin(void *put, void *get);

#endif
