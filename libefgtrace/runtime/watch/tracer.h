/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracer: joins the parts of the runtime. It gets every MPI call from the wrappers, feeds the
 * graph of the thread, and carries out what the trigger says.
 *
 *     wrap.c -> tracer.c   enter, leave: call path, clock, graph, recorder
 *               coarse.c   what to do when the graph finds no room
 *               leader.c   which thread steers
 *               steer.c    samples and pivot visits: pivot, agreement, trigger, windows
 *               mainloop.c    what becomes of the pivot; does what the trigger says
 *               iterations.c  how long iterations take
 *               save.c     what is left if the job is killed
 *               cost.c     what all this costs
 *               notes.c    messages on standard error
 *               start.c    before and after MPI_Init
 *               finish.c   before MPI_Finalize: run file, trace, summary
 *
 * State is per thread, except for what the ranks agree on: that is steered by one thread,
 * the leader.
 */
#ifndef EFG_TRACER_H
#define EFG_TRACER_H

#include <mpi.h>
#include <pthread.h>

#include "core/graph/backlog.h"
#include "core/graph/graph.h"
#include "core/graph/stability.h"
#include "core/loop/finder.h"
#include "core/window/tally.h"
#include "cost.h"
#include "files/conf/conf.h"
#include "files/run/runfile.h"
#include "order.h"
#include "regions.h"
#include "runtime/census/census.h"
#include "runtime/node/clocks.h"
#include "runtime/node/nodes.h"
#include "runtime/node/topology.h"
#include "runtime/record/recorder.h"

#define EFG_PATH 4200 /* bytes, for a name in the folder */

/* The order of the fields is that of the cache lines: what each call touches is together,
 * from the last field of the graph to the first ones of the recorder. */
struct efg_thread {
    struct efg_graph graph; /* without what is in the backlog */
    uint32_t epoch;         /* of the process, as far as this thread has followed it */
    uint32_t number;
    struct efg_detail detail; /* of the signatures in the graph */
    int is_awaiting;      /* waits for the next visit of the pivot, to begin or end something */
    int is_inside;        /* its thread is at work on this, not in MPI or elsewhere; atomic */
    uint64_t next_sample; /* ticks: when to look at anything but events */
    struct efg_backlog backlog;
    uint64_t settled; /* events of the graph when the backlog was empty; atomic */
    struct efg_cost cost;
    struct efg_recorder recorder;
    struct efg_order order;
    struct efg_regions regions;
    struct efg_stability stability;
    struct efg_finder *finder;       /* NULL without memory */
    struct efg_tally tally;          /* of the leader: visits of the pivot */
    uint64_t next_full_sample;       /* ticks: when to look at the graph too */
    /* Iterations of the pivot, from one visit to the next. */
    struct efg_run_iterations iterations;
    struct efg_series
        *series; /* the same iterations one by one; NULL: no pivot yet, or no memory */
    uint64_t last_visit, last_mpi; /* ticks; ns in MPI until then */
    uint64_t next_save;            /* ticks: when to save what there is, see save.h */
    struct efg_thread *next;
    struct efg_thread *next_idle; /* its thread has ended, and no other has taken it over */
};

struct efg_process {
    struct efg_conf conf;
    int rank, size;         /* of the world */
    struct efg_census here; /* the ranks of the world that are traced */
    uint64_t start;         /* ticks */
    uint64_t init;          /* ns that MPI_Init took longer */
    struct efg_nodes nodes; /* from the start to the finish */
    struct efg_moment sync; /* the start, on the common time line */
    struct efg_run_place place;
    char cores[EFG_TOPOLOGY_TEXT]; /* of the place */
    char folder[4096],             /* of the output, "" if there is none */
        application[256], host[256];
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING]; /* its name and version */
    pthread_mutex_t lock;                     /* the lists of threads */
    struct efg_thread *threads, *idle;
    pthread_key_t thread_key; /* tells when a thread ends */
    int has_thread_key;
    uint32_t thread_count;
    struct efg_thread *leader; /* atomic */
    /* What the ranks agree on. */
    MPI_Comm comm;      /* private: of all ranks that are here, as in HERE */
    MPI_Comm self;      /* MPI_COMM_SELF, or a private one of this rank alone */
    int is_of_sessions; /* there is no MPI_COMM_WORLD */
    uint32_t dropped;   /* set of enum efg_drop: by any thread, or any rank that was heard; atomic */
    char note[512]; /* for the run file: what went wrong, or should be known */
};

extern struct efg_process efg_process;
extern uint32_t efg_epoch; /* of the process: odd while a window is open; atomic */
#define EFG_EPOCH_OVER UINT32_MAX /* no thread may begin to work on its state any more */

/* Whether this rank is the first one that is here: it does what is done once for the job. */
static inline int efg_tracer_is_first(void)
{
    return efg_process.here.place == 0;
}

/* The state of a thread that has a graph within BUDGET, and nothing else yet; NULL without
 * memory.
 */
struct efg_thread *efg_tracer_new(struct efg_budget *budget, uint64_t now);
void efg_tracer_free(struct efg_thread *thread);
/* The state of this thread, made at its first call or taken over from one that has ended; NULL
 * without memory. */
struct efg_thread *efg_tracer_thread(void);
/* Once, before the first of them: be told of threads that end. */
void efg_tracer_init_threads(void);
/* The program ends: wait until no other thread is at work on its state. None will be
 * from then on; calls that they are in complete without us. */
void efg_tracer_stop(void);
/* Let this thread act as OTHER; returns what it was. */
struct efg_thread *efg_tracer_become(struct efg_thread *other);
int efg_tracer_enter(struct efg_call *call);
void efg_tracer_leave(struct efg_call *call, int result);
void efg_tracer_control(int level, const char *name);

/* At NOW ticks: bring the graph of THREAD, the order of its events and the number of its
 * iterations up to date. */
void efg_tracer_settle(struct efg_thread *thread, uint64_t now);

/* --- notes.c --- */

/* Print a message once on standard error, with the rank; and keep it for the run file. */
void efg_tracer_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* All that was kept so far, to be freed; NULL without memory. */
char *efg_tracer_notes(void);

/* Keep a message for the run file and its summary, without printing it now. */
void efg_tracer_keep(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* If the configuration asks for it, rank 0 prints what happens, with the time since the start.
 */
void efg_tracer_tell(uint64_t now, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- coarse.c --- */

/* Outside of calls, at NOW ticks. The graph of this THREAD is full: drop detail until it is
 * not. */
void efg_coarse_make_room(struct efg_thread *thread, uint64_t now);
/* Drop what other threads, other ranks or the call paths have dropped. */
void efg_coarse_follow(struct efg_thread *thread, uint64_t now);
/* Another rank has DROPPED this: this process does so, too. */
void efg_coarse_hear(uint32_t dropped);

/* --- start.c, finish.c, archive.c --- */

/* Write the OTF2 trace from the logs of all ranks, without this rank's STRAYS; collective over
 * the private communicator, after all recorders are closed. Fills trace_events, trace_bytes and
 * trace_note of RUN on rank 0. */
struct efg_strays;
void efg_archive_write(struct efg_run *run, struct efg_symbols *symbols,
                       const struct efg_strays *strays);
/* Name of the log of THREAD. */
void efg_tracer_log_path(uint32_t thread, char *path, size_t size);

void efg_finish_run(void);
void efg_finish_leave(void);

#endif
