/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plug-in of efgtrace: a shared object that is told of each MPI call of a program, before and after it, of
 * the main loop, its iterations and what is recorded of it. efgtrace-plugin(7) says more.
 *
 *     #include <efgtrace-plugin.h>
 *     static unsigned long calls;
 *     static void pos(const struct efgtrace_event *event)
 *     {
 *         __atomic_add_fetch(&calls, event->sent.bytes > 0, __ATOMIC_RELAXED);
 *     }
 *     static void finalize(const struct efgtrace_host *host)
 *     {
 *         host->number("calls that send", "", calls);
 *     }
 *     EFGTRACE_PLUGIN = {.version = EFGTRACE_PLUGIN_VERSION, .pos = pos, .finalize = finalize};
 *
 *     cc -shared -fPIC $(pkg-config --cflags efgtrace) mine.c -o mine.so
 *     mpirun -np 4 efgtrace run --plugins ./mine.so:options ./app
 *
 * Nothing has to be linked. Functions that are NULL are not wanted. They are called by the thread that makes
 * the call, so by several at once where several threads call MPI. They must not call MPI, but for functions
 * that efgtrace does not trace (MPI_Comm_rank, MPI_Wtime ...). All times are ns since MPI_Init returned.
 */
#ifndef EFGTRACE_PLUGIN_H
#define EFGTRACE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this file. It changes when a plug-in has to be compiled again. */
#define EFGTRACE_PLUGIN_VERSION 1

#define EFGTRACE_NONE UINT32_MAX         /* no such number */
#define EFGTRACE_NO_ITERATION UINT64_MAX /* the main loop is not known yet, or is over */

/* What kind of function it is; a set of them is made of 1u << kind. */
enum efgtrace_kind {
    EFGTRACE_OTHER, /* management, environment */
    EFGTRACE_POINT2POINT, /* and their requests */
    EFGTRACE_BARRIER,
    EFGTRACE_ONE2ALL,
    EFGTRACE_ALL2ONE,
    EFGTRACE_ALL2ALL,
    EFGTRACE_OTHER_COLLECTIVE, /* scans, neighbourhoods, making communicators */
    EFGTRACE_RMA,
    EFGTRACE_FILE_IO
};

/* Partners that are no rank. */
enum efgtrace_partner {
    EFGTRACE_NOBODY = -1,  /* MPI_PROC_NULL */
    EFGTRACE_ANYBODY = -2, /* MPI_ANY_SOURCE */
    EFGTRACE_NO_PARTNER = -3 /* the function has none, or none in this direction */
};
#define EFGTRACE_ANY_TAG (-1)

/* One direction of a call, as its arguments say. */
struct efgtrace_data {
    int64_t count;     /* of elements; 0 where there is one for each rank */
    uint64_t type_size; /* bytes of an element; before the call 0, unless it is a type of MPI's own that is
                           known already */
    uint64_t bytes;    /* in all; of a collective what the rank gives or takes; 0 before the call */
    int32_t partner;   /* rank in the communicator, or enum efgtrace_partner */
    int32_t world;     /* that rank of the job, or the same as PARTNER */
    int32_t tag;
};

struct efgtrace_comm {
    uint64_t identity; /* agrees between its members; 0: the call has none, or it is not known yet */
    uint32_t id;       /* in this process: MPI_COMM_WORLD is 0, MPI_COMM_SELF 1, or EFGTRACE_NONE */
    uint32_t size;     /* ranks; of an intercommunicator those of the other group */
    uint32_t rank;     /* of this process in it */
};

/* An MPI call. It belongs to efgtrace, and is valid until the function returns. */
struct efgtrace_event {
    const char *function; /* "MPI_Send"; stays valid */
    uint32_t call;        /* its number, below 1000; the same for all calls of it in this job */
    uint32_t kind;        /* enum efgtrace_kind */
    uint32_t thread;      /* from 0 on: the thread that called MPI_Init */
    uint32_t path;        /* the call path, a number of this process, or 0; see frames below */
    uint64_t path_hash;   /* of it: agrees between ranks */
    struct efgtrace_comm comm;
    struct efgtrace_data sent, received;
    int32_t root;       /* of a collective, or EFGTRACE_NO_PARTNER */
    int32_t is_blank;   /* after the call: it asked, and found nothing (MPI_Test and its like) */
    int32_t result;     /* after the call: what MPI returned */
    int32_t is_watched; /* after the call: it is in the graph (key overhead may leave it out) */
    uint64_t enter;     /* ns: when MPI was called; before the call: now */
    uint64_t leave;     /* ns: when it returned; before the call 0 */
    uint64_t iteration; /* number of the present one, or EFGTRACE_NO_ITERATION. With the call that begins
                           an iteration, it is the new one, or the old one, depending on the call */
    uint32_t node;      /* after the call: of the event flow graph of the thread, or EFGTRACE_NONE */
    uint64_t node_hash; /* of it: agrees between ranks */
};

/* The main loop as it has been found, or a change of it. */
struct efgtrace_loop {
    uint64_t hash;    /* of its function's call path: agrees between ranks; 0: there is none any more */
    char name[12];    /* the same as EFGTRACE_LOOP takes it, and as the summary prints it */
    uint64_t visited; /* iterations of it so far */
    uint64_t time;    /* ns: now */
};

struct efgtrace_iteration {
    uint64_t number; /* of the one that begins, the same on all ranks once they have agreed */
    uint64_t time;   /* ns: now */
};

struct efgtrace_window {
    int32_t is_open;    /* recording begins, or ends */
    uint64_t iteration; /* or EFGTRACE_NO_ITERATION */
    uint64_t time;      /* ns: now */
};

struct efgtrace_frame {
    const char *module; /* path name of the program or library, "python:FUNCTION:LINE:FILE"; stays valid */
    uint64_t offset;    /* of the call in it, bytes; of Python, the line */
};

/* What efgtrace does for plug-ins. */
struct efgtrace_host {
    size_t size; /* of this structure: later ones may have more */
    /* At any time: fills in at most MOST frames of the call path of EVENT, innermost first. Returns how many
     * there are. And the time, ns. */
    uint32_t (*frames)(const struct efgtrace_event *event, struct efgtrace_frame *frames, uint32_t most);
    uint64_t (*now)(void);
    /* While finalize is running. What is too much or too long is left out, and that is said.
     *
     * A number of this rank, for the summary, the report and run.efg, where least, mean and most of all ranks
     * are shown. UNIT is "B", "ns", or what is to stand behind the number. At most 32. */
    void (*number)(const char *name, const char *unit, uint64_t value);
    /* A line for summary and report; the same ones of several ranks become one. At most 16 of 200 bytes. */
    void (*line)(const char *text);
    /* A section of run.efg: text of any form, 1 MB at most. A second one is added to the first. */
    void (*section)(const char *text);
};

/* To begin with. */
struct efgtrace_start {
    size_t size;         /* of this structure */
    unsigned version;    /* EFGTRACE_PLUGIN_VERSION of the efgtrace that calls */
    const char *options; /* what stands behind the colon, or ""; stays valid */
    int rank, ranks;     /* of the job */
    const struct efgtrace_host *host; /* stays valid */
    /* For the plug-in to fill in: */
    unsigned kinds;    /* of which functions pre and pos are told: a set of enum efgtrace_kind; 0: all */
    unsigned patience; /* s that a call of the plug-in may take, 0: 10; or it is taken for one that blocks */
};

struct efgtrace_plugin {
    unsigned version; /* EFGTRACE_PLUGIN_VERSION */
    /* In MPI_Init. Returns NULL, or what is wrong with the options: then it is not called any more. */
    const char *(*init)(struct efgtrace_start *start);
    /* Before a call, and after it. Their time is not in that of the call, but in what lies before and behind
     * it. */
    void (*pre)(const struct efgtrace_event *event);
    void (*pos)(const struct efgtrace_event *event);
    /* After the pos of the call by which efgtrace notices; one thread at a time. */
    void (*loop)(const struct efgtrace_loop *loop);
    void (*iteration)(const struct efgtrace_iteration *iteration);
    void (*window)(const struct efgtrace_window *window);
    /* In MPI_Finalize, or when the process ends without it. */
    void (*finalize)(const struct efgtrace_host *host);
};

/* The one thing that a plug-in exports. */
#define EFGTRACE_PLUGIN                                                     \
    extern __attribute__((visibility("default"))) struct efgtrace_plugin efgtrace_plugin; \
    struct efgtrace_plugin efgtrace_plugin

#ifdef __cplusplus
}
#endif

#endif
