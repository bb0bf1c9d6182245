/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads: what the tracer knows of each thread that calls MPI, from its first call on. A thread
 * that begins takes over the state of one that has ended.
 */
#ifndef EFG_THREADS_H
#define EFG_THREADS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/hot.h"
#include "core/graph/backlog.h"
#include "core/graph/counts.h"
#include "core/graph/graph.h"
#include "core/graph/stability.h"
#include "core/loop/finder.h"
#include "core/window/tally.h"
#include "cost.h"
#include "files/run/runfile.h"
#include "order.h"
#include "runtime/record/again.h"
#include "runtime/record/recorder.h"
#include "runtime/stack/expected.h"

/* When nothing is watched (thrift.h). */
struct efg_pause {
    uint64_t from, until;        /* ticks: the present or last one */
    uint64_t time;               /* ns: of all so far */
    uint64_t calls, calls_known; /* that have passed; before the present pause */
    uint64_t waited, used;       /* ns for a processor, and of one: at its beginning */
    uint64_t used_before;        /* ns of one: at the beginning of the bypass */
    uint64_t bypass;             /* ticks: since when calls go past us; 0: they do not in this pause */
    uint64_t calls_seen;         /* that have passed all the same */
    double calls_each;           /* ns of a processor, before that */
};

/* The order of the fields is that of the cache lines: what each call touches is together, in two of them,
 * up to the first fields of the recorder. */
struct efg_thread {
    struct efg_graph graph; /* without what is in the backlog */
    _Alignas(64) struct efg_callpath_mine *mine; /* of the thread that this is the state of */
    struct efg_cost cost;
    uint32_t epoch;           /* of the process, as far as this thread has followed it */
    struct efg_detail detail; /* of the signatures in the graph */
    bool is_awaiting;     /* waits for the next visit of the pivot, to begin or end something */
    bool is_sparing;      /* leaves something out: thrift.h is to be asked of each call */
    bool is_pausing;
    bool is_inside;       /* its thread is at work on this, not in MPI or elsewhere; atomic */
    uint64_t next_sample; /* ticks: when to look at anything but events */
    struct efg_backlog backlog;
    struct efg_recorder recorder;
    struct efg_again again;
    uint32_t number;
    struct efg_live_thread *live; /* where it shows its calls; NULL: nowhere */
    uint64_t settled; /* events of the graph when the backlog was empty; atomic */
    struct efg_order order;
    struct efg_stability stability;
    struct efg_finder *finder; /* NULL without memory */
    struct efg_tally tally;    /* of the leader: visits of the pivot */
    struct efg_pause pause;
    uint32_t polls_left;       /* that come before the next one that is measured */
    uint32_t polls_step;       /* how often one is, see thrift.c */
    uint64_t polls_measured;   /* ticks: when the last one was */
    uint64_t polls_counted;    /* that found nothing since the last one that was measured */
    uint64_t polls_passing;    /* that were to pass unseen when it was last asked */
    uint64_t polls_passed;     /* that have, so far */
    uint64_t next_full_sample; /* ticks: when to look at the graph too */
    uint64_t sampled;          /* ns that it has taken to look at it so far */
    /* Iterations of the pivot, from one visit to the next. */
    struct efg_run_iterations iterations;
    struct efg_series *series;     /* the same iterations one by one; NULL: no pivot yet, or no memory */
    uint64_t last_visit, last_mpi; /* ticks; ns in MPI until then */
    uint32_t pivots;               /* that were marked so far: the number of this one */
    struct efg_counts *counts;     /* NULL: none are asked for */
    struct efg_map buffers;        /* that its calls have had, where they are told apart */
    uint64_t next_save;            /* ticks: when to save what there is, see save.h */
    struct efg_thread *next;
    struct efg_thread *next_idle; /* its thread has ended, and no other has taken it over */
};

#define EFG_THREAD_HOT offsetof(struct efg_thread, mine) /* the first that each call touches ... */
#define EFG_THREAD_END offsetof(struct efg_thread, recorder.traffic) /* ... and the end of it */
_Static_assert(EFG_THREAD_HOT / 64 + 1 == (EFG_THREAD_END - 1) / 64, "in two cache lines");

struct efg_threads {
    pthread_mutex_t lock; /* the lists */
    struct efg_thread *list, *idle;
    uint32_t count;            /* of the list; atomic */
    struct efg_thread *leader; /* steers (leader.h); atomic */
};

extern struct efg_threads efg_threads;
EFG_HOT_EXTERN uint32_t efg_epoch; /* of the process: odd while a window is open; atomic */
#define EFG_EPOCH_OVER UINT32_MAX /* no thread may begin to work on its state any more */

/* The state of this thread, if it has been made; efg_threads_self makes it. */
extern __thread struct efg_thread *efg_self __attribute__((tls_model("initial-exec")));

/*
 * A thread says when it is at work, and who ends the tracer (efg_threads_stop) says that it is
 * over: each before it looks at what the other says. The way of a call is to have no fence for
 * that, so who ends the tracer makes all threads have theirs.
 */
static inline bool efg_threads_are_over(void)
{
    return __atomic_load_n(&efg_epoch, __ATOMIC_RELAXED) == EFG_EPOCH_OVER;
}

static inline void efg_thread_begin_work(struct efg_thread *t)
{
    __atomic_store_n(&t->is_inside, true, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* the compiler at least keeps the order */
}

static inline void efg_thread_end_work(struct efg_thread *t)
{
    __asm__("" : "+r"(t)); /* else gcc saves a register for the address of the field */
    __atomic_store_n(&t->is_inside, false, __ATOMIC_RELEASE);
}

/* Once, before the first of them: be told of threads that end. */
void efg_threads_begin(void);

/* The state of this thread, made at its first call or taken over from one that has ended; NULL
 * without memory. */
struct efg_thread *efg_threads_self(void);

/* Let this thread act as OTHER; returns what it was. */
struct efg_thread *efg_threads_become(struct efg_thread *other);

/* Measure what a call costs that HOOKS do not see (cost.h), with calls of a thread that is thrown away.
 * Takes about a millisecond; after MPI_Init. */
void efg_threads_calibrate(const struct efg_hooks *hooks);

/* The program ends: wait until no other thread is at work on its state. None will be
 * from then on; calls that they are in complete without us. */
void efg_threads_stop(void);

#endif
