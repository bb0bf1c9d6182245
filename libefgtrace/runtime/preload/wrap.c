/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The preloaded library, for any MPI: every function of calls.def, as MPI_X and as PMPI_X (Open MPI's
 * Fortran libraries call the latter), before the next definition in the chain. A function that the
 * program's MPI does not have is never called.
 *
 * It lives in every process that the job starts, the shells too, and so refers to nothing but
 * libc: the next functions are looked up at the first call (next.c), and no object of
 * libmpi (MPI_COMM_WORLD is the address of one) is named here. All of the tracer is in
 * libefgtrace-runtime-MPI.so, which MPI_Init or the first session loads (life.c). Until then,
 * and after MPI_Finalize, the hooks are NULL and a wrapper is one load and one branch before
 * the next function.
 *
 * MPI libraries call MPI from inside (Open MPI's I/O does), other libraries that define MPI_X
 * call PMPI_X from inside it, and the tracer calls MPI too: an MPI call within an MPI call
 * passes untouched. The thread remembers the frame of the outermost wrapper rather than a
 * counter: the stack grows down, so a call is inside that one only if its own frame lies below.
 * A longjmp or a C++ exception out of a call leaves a frame that the next call finds stale: it is above, or
 * the stack, unwound, leads past that frame. On a stack of another coroutine the comparison may be wrong
 * either way: a call is missed, or counted although it is inside. The tracer's own calls are
 * always recognised, since they run on the stack of the call that they belong to, or on one of ours below it
 * (runtime/base/roomy.h).
 */
#include "wrap.h"

/* gcc clears a structure of this size with `rep stos`, which takes longer to start than all the
 * rest of a wrapper (12 ns, measured); tuned like this it uses plain vector stores, or memset
 * for one of more than 256 bytes. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("tune=skylake")
#endif

struct efg_wrap_hooks efg_wrap_hooks;
struct efg_constants efg_wrap_constants;
__thread struct efg_wrap_outermost efg_wrap_outermost __attribute__((tls_model("initial-exec")));

__attribute__((cold, noinline)) bool efg_wrap_is_left(void)
{
    bool (*is_left)(const void *, const void *) = efg_wrap_hooks.is_left; /* NULL before there are hooks */

    return is_left && is_left(efg_wrap_outermost.frame, &efg_wrap_hooks);
}

/* Structures C exist for the arguments only, which name c.statuses; nothing of them is left after
 * compilation. The others are filled where they are needed only. */

/* A poll passes unseen, if it may, unless it finds something. */
#define PASS_IDLE(id_, shape_, arguments, ...)                                                            \
    if (efg_wrap_passes_idle(shape_, ((struct efg_call){__VA_ARGS__}).nrequests)) {                       \
        struct efg_call c = {__VA_ARGS__};                                                                \
        c.statuses = efg_wrap_statuses(c.statuses);                                                       \
        if (c.requests)                                                                                   \
            efg_wrap_copy_requests(c.requests, c.nrequests);                                              \
        int result = next arguments;                                                                      \
        if (result == MPI_SUCCESS && !*c.flag) {                                                          \
            efg_wrap_outermost.passing.polls--;                                                           \
        } else {                                                                                          \
            struct efg_call found = {                                                                     \
                .id = EFG_CALL_##id_, .shape = shape_, .frame = __builtin_frame_address(0), __VA_ARGS__}; \
            found.statuses = c.statuses;                                                                  \
            run->found(&found, result);                                                                   \
        }                                                                                                 \
        efg_wrap_leave();                                                                                 \
        return result;                                                                                    \
    }

#define WRAPPER(prefix, id_, shape_, parameters, arguments, ...)                                             \
    DEFINE(prefix, id_, parameters)                                                                          \
    {                                                                                                        \
        __typeof__(&prefix##id_) next = NEXT(prefix, id_);                                                   \
        const struct efg_hooks *run = efg_wrap_run();                                                        \
        if (!run || efg_wrap_passes(EFG_SHAPE_##shape_) || efg_wrap_is_inside(__builtin_frame_address(0))) { \
            struct efg_call c __attribute__((unused)) = {__VA_ARGS__};                                       \
            return next arguments;                                                                           \
        }                                                                                                    \
        efg_wrap_enter(__builtin_frame_address(0), NAMED_##prefix);                                          \
        PASS_IDLE(id_, EFG_SHAPE_##shape_, arguments, __VA_ARGS__)                                           \
        void *thread = efg_wrap_outermost.at_hand.thread;                                                    \
        struct efg_call c = {.id = EFG_CALL_##id_,                                                           \
                             .shape = EFG_SHAPE_##shape_,                                                    \
                             .thread = thread,                                                               \
                             .frame = __builtin_frame_address(0),                                            \
                             __VA_ARGS__};                                                                   \
        bool wants_leave = run->enter(&c);                                                                   \
        int result = next arguments;                                                                         \
        if (wants_leave)                                                                                     \
            run->leave(&c, result);                                                                          \
        efg_wrap_leave();                                                                                    \
        return result;                                                                                       \
    }

/* By its second name nobody else's function can be meant. */
#define OWN_NAME(prefix, id) \
    static __typeof__(prefix##id) own_##prefix##id __attribute__((alias(#prefix #id)));

#define CALL(id, class_, shape, ...)       \
    WRAPPER(MPI_, id, shape, __VA_ARGS__)  \
    WRAPPER(PMPI_, id, shape, __VA_ARGS__) \
    OWN_NAME(MPI_, id)                     \
    OWN_NAME(PMPI_, id)
#define CALLX(id, class_, shape, ...)      \
    CALL(id, class_, shape, __VA_ARGS__)   \
    WRAPPER(MPIX_, id, shape, __VA_ARGS__) \
    WRAPPER(PMPIX_, id, shape, __VA_ARGS__)
#define OWN(id, class_, shape)
#define LEFT_OUT(id, reason)
#include "runtime/calls/calls.def"

/* --- Where the wrappers are --- */

#define PASSING(named_, prefix, name, shape)         \
    if (!(EFG_SHAPES_KEPT >> EFG_SHAPE_##shape & 1)) \
        own[count++] = (struct efg_wrap_own){(uintptr_t)own_##prefix##name, named_, EFG_CALL_##name};
#define CALL(name, class, shape, ...)   \
    PASSING(EFG_MPI, MPI_, name, shape) \
    PASSING(EFG_PMPI, PMPI_, name, shape)
#define OWN(id, class_, shape)
#define LEFT_OUT(id, reason)

size_t efg_wrap_list(struct efg_wrap_own own[2 * EFG_CALLS])
{
    size_t count = 0;

#include "runtime/calls/calls.def"
    return count;
}
