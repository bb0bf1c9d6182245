/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where: what each thread of a job is doing, told by two looks at it.
 */
#ifndef EFG_WHERE_H
#define EFG_WHERE_H

#include "look.h"

enum efg_doing {
    EFG_MOVES,     /* it has made or left a call; or it had no chance to, or is not watched */
    EFG_IN_CALL,   /* in one and the same call */
    EFG_POLLS,     /* asks again and again, and finds nothing */
    EFG_COMPUTES,  /* outside of MPI, and has used the processor; or it is not known */
    EFG_SLEEPS,    /* outside of MPI, and has not */
    EFG_FINALIZES, /* in MPI_Finalize */
    EFG_STOPPED,   /* by a signal, or a debugger */
    EFG_GONE,      /* its process has ended */
};

struct efg_where {
    const struct efg_look_rank *rank;
    uint32_t thread;                   /* of the rank */
    enum efg_doing doing;
    uint64_t age;                      /* ns that it has been doing this */
    bool is_idle;                      /* its process has used no processor, and read or written nothing */
    const struct efg_live_thread *live; /* as of the last look */
    const struct efg_live_call *call;  /* that it is in; else the last one that it made, or NULL */
};

struct efg_wheres {
    struct efg_where *list; /* by rank and thread: those that have not ended */
    uint32_t count;
};

/* Of what LOOK has seen. Returns 0 or -ENOMEM. */
int efg_where_find(struct efg_wheres *out, const struct efg_look *look);

/* The call with this NUMBER, one of the last ones; NULL if it is forgotten. */
const struct efg_live_call *efg_where_call(const struct efg_live_thread *live, uint64_t number);

/* Whether the thread was in a call. */
static inline bool efg_where_is_in_call(const struct efg_live_thread *live)
{
    return live->begun && live->call[live->begun % EFG_LIVE_CALLS].enter > live->left;
}

/* Whether it is much longer than ever before that thread W is outside of MPI. */
bool efg_where_is_long(const struct efg_where *w);

#endif
