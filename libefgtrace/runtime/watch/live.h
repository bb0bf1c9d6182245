/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Live: what this process is doing, in memory that it shares with whoever looks on (files/live/live.h). A
 * thread writes the calls in which it may have to wait, before it makes them: if it never comes back, that is
 * what is known of it.
 */
#ifndef EFG_WATCH_LIVE_H
#define EFG_WATCH_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/hot.h"
#include "files/live/live.h"
#include "runtime/calls/call.h"
#include "runtime/mpi/decode.h"
#include "threads.h"

/* Make the folder for it, in MPI_Init on the first rank. Returns 0 or -errno. */
int efg_live_make_folder(void);

/* Begin: before the first thread; all ranks of a node together. Whatever goes wrong, the rank is not shown,
 * and that is noted. */
void efg_live_begin(void);

/* T is the thread that calls this, from now on; or it has ended. */
void efg_live_thread_begin(struct efg_thread *t);
void efg_live_thread_end(struct efg_thread *t);

/* Calls in which a thread does not wait, and that are many. */
#define EFG_SHAPES_UNSHOWN                                                                               \
    (EFG_SHAPES_POLL | EFG_SHAPE_SET(MARK) | EFG_SHAPE_SET(IRECV) | EFG_SHAPE_SET(IMRECV) |              \
     EFG_SHAPE_SET(SEND_INIT) | EFG_SHAPE_SET(RECV_INIT) | EFG_SHAPE_SET(START) |                        \
     EFG_SHAPE_SET(CANCEL) | EFG_SHAPE_SET(REQUEST_FREE) | EFG_SHAPE_SET(COLLECTIVE_INIT) |              \
     EFG_SHAPE_SET(FILE_SEEK))

/* Calls of which there is nothing to explain, if their communicator is that of the last one. */
#define EFG_SHAPES_PLAIN                                                                           \
    (EFG_SHAPE_SET(PLAIN) | EFG_SHAPE_SET(SEND) | EFG_SHAPE_SET(ISEND) | EFG_SHAPE_SET(RECV) |     \
     EFG_SHAPE_SET(SENDRECV) | EFG_SHAPE_SET(PROBE) | EFG_SHAPE_SET(MPROBE) |                      \
     EFG_SHAPE_SET(COLLECTIVE) | EFG_SHAPE_SET(ICOLLECTIVE))

extern const uint8_t efg_live_kinds[EFG_SHAPES];
extern uint32_t efg_live_told; /* call paths; atomic */

/* What is to be said of CALL besides its arguments. */
void efg_live_explain(struct efg_thread *t, const struct efg_call *call, struct efg_live_call *out);

_Static_assert(offsetof(struct efg_call, rtag) - offsetof(struct efg_call, peer) == 16 &&
                   offsetof(struct efg_live_call, rtag) - offsetof(struct efg_live_call, peer) == 16,
               "their arguments are in the same order");

/* CALL of T begins; its path and time are known, and its requests saved. */
EFG_INLINE void efg_live_enter(struct efg_thread *t, const struct efg_call *call)
{
    struct efg_live_thread *at = t->live;

    if (!at || efg_shape_is_in(call, EFG_SHAPES_UNSHOWN))
        return;
    uint64_t number = at->begun + 1;
    struct efg_live_call *out = &at->call[number % EFG_LIVE_CALLS];
    out->enter = call->enter;
    out->path = call->path;
    out->call = call->id;
    out->kind = efg_live_kinds[call->shape];
    out->comm = at->comm;
    memcpy(&out->peer, &call->peer, 20);
    out->requests = call->nrequests;
    if (!efg_shape_is_in(call, EFG_SHAPES_PLAIN) || (uintptr_t)call->comm != at->handle ||
        call->path > __atomic_load_n(&efg_live_told, __ATOMIC_RELAXED))
        efg_live_explain(t, call, out);
    __atomic_store_n(&at->begun, number, __ATOMIC_RELEASE);
}

/* A call of T was left then. */
EFG_INLINE void efg_live_leave(struct efg_thread *t, uint64_t leave)
{
    if (t->live)
        __atomic_store_n(&t->live->left, leave, __ATOMIC_RELEASE);
}

/* Of a thread whose cost is measured: it is not shown. */
struct efg_live_thread *efg_live_spare(void);

/* The calls of T are watched no longer, or again. */
void efg_live_blind(struct efg_thread *t, bool is_blind);

/* What T has added up by NOW, if it is the leader; IS_FULL: there is time to look at all of its graph. */
void efg_live_sample(const struct efg_thread *t, uint64_t now, bool is_full);

/* The rank is in MPI_Finalize, or ends without. */
void efg_live_say(enum efg_live_state state);

/* All ranks are in MPI_Finalize: nobody has to look on any more. The first rank removes the folder when all
 * have removed their files. */
void efg_live_end(void);
void efg_live_remove_folder(void);

#endif
