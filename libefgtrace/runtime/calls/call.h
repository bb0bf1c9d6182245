/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI call as its wrapper hands it to the tracer: which function, and the arguments by
 * their meaning. calls.def says for each function which argument means what.
 *
 * Two libraries share this header. libefgtrace.so is preloaded: it holds the wrappers, needs libc only,
 * and so disturbs no process that is not an MPI program; its mpi.h is that of any MPI
 * (preload/mpi.h). libefgtrace-runtime-MPI.so is all the rest, built for one MPI; MPI_Init loads it, in a
 * scope of its own, so that none of its libraries' symbols meet those of the application.
 */
#ifndef EFG_CALL_H
#define EFG_CALL_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "files/log/record.h"
#include "openmp.h"

/* What the library has of MPI 4, before it says that it has all of it. */
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define EFG_MPI_4 1 /* sessions, persistent collectives, messages in parts */
#else
#define EFG_MPI_4 0
#endif
#define EFG_LARGE_COUNTS (MPI_VERSION >= 4) /* MPI_Send_c and its like */

/* The rows of calls.def that are read: all. */
#define EFG_ROWS_4 1
#define EFG_ROWS_LARGE 1

#if (defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40003000) || \
    (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION == 5)
#define EFG_PARTITIONS int /* where MPICH 4.0.2 and Open MPI 5 lack a const of the standard */
#else
#define EFG_PARTITIONS const int
#endif

/* Every function in the table has a number, from 1: EFG_CALL_Send for MPI_Send. */
enum efg_call_id {
    EFG_CALL_NONE,
#define CALL(name, ...) EFG_CALL_##name,
#define OWN(name, ...) EFG_CALL_##name,
#define USER OWN
#define OPENMP(name, ...) EFG_CALL_omp_##name,
#define LEFT_OUT(name, reason)
#include "calls.def"
#undef CALL
#undef OWN
#undef LEFT_OUT
    EFG_CALLS /* one more than the largest */
};

/* Which of its two names a function was called by. */
enum efg_named { EFG_MPI, EFG_PMPI };

/* What kind of thing a call does, and with it which fields it fills. */
enum efg_shape {
    EFG_SHAPE_PLAIN, /* an event with no further facts; .comm where there is one */
    EFG_SHAPE_MARK,  /* efgtrace_iteration: the program says that an iteration begins */
    /* Point to point. Sends: comm peer tag count type; receives the same with r-fields. */
    EFG_SHAPE_SEND,
    EFG_SHAPE_ISEND, /* + requests */
    EFG_SHAPE_SEND_INIT,
    EFG_SHAPE_RECV, /* rpeer rtag + statuses */
    EFG_SHAPE_IRECV,
    EFG_SHAPE_RECV_INIT,
    EFG_SHAPE_SENDRECV,  /* both */
    EFG_SHAPE_ISENDRECV, /* + requests: one for both */
    EFG_SHAPE_START,     /* requests nrequests */
    EFG_SHAPE_PROBE,     /* comm rpeer rtag statuses */
    EFG_SHAPE_IPROBE,    /* + flag */
    EFG_SHAPE_MPROBE,    /* + message */
    EFG_SHAPE_IMPROBE,   /* + message flag */
    EFG_SHAPE_MRECV,     /* message rcount rtype statuses */
    EFG_SHAPE_IMRECV,    /* message rcount rtype requests */
    /* Requests: requests nrequests statuses, and what the function tells. */
    EFG_SHAPE_WAITALL,    /* MPI_Wait is a Waitall of one */
    EFG_SHAPE_WAITANY,    /* indices (one) */
    EFG_SHAPE_WAITSOME,   /* indices outcount */
    EFG_SHAPE_TESTALL,    /* flag; MPI_Test is a Testall of one */
    EFG_SHAPE_TESTANY,    /* flag indices (one) */
    EFG_SHAPE_TESTSOME,   /* indices outcount */
    EFG_SHAPE_GET_STATUS, /* flag; completes nothing */
    EFG_SHAPE_CANCEL,
    EFG_SHAPE_REQUEST_FREE,
    /* Collectives: op comm root, count type counts types sent, r-fields received, in_place. */
    EFG_SHAPE_COLLECTIVE,
    EFG_SHAPE_ICOLLECTIVE,     /* + requests */
    EFG_SHAPE_COLLECTIVE_INIT, /* persistent: + requests */
    /* Communicators: comm (the parent), newcomm. */
    EFG_SHAPE_COMM_NEW,
    EFG_SHAPE_COMM_IDUP, /* + requests */
    EFG_SHAPE_COMM_FREE, /* newcomm: the argument */
    EFG_SHAPE_COMM_JOIN, /* newcomm made with processes of another job (spawn, connect ...);
                            those that spawn: count commands infos, which the root has */
    /* One-sided. Data calls: win peer count type op, requests for the R-versions. */
    EFG_SHAPE_WIN_NEW,  /* comm newwin op */
    EFG_SHAPE_WIN_FREE, /* newwin: the argument; op */
    EFG_SHAPE_PUT,
    EFG_SHAPE_GET,
    EFG_SHAPE_ATOMIC, /* atomic */
    EFG_SHAPE_FENCE,
    EFG_SHAPE_POST,        /* group */
    EFG_SHAPE_EPOCH_START, /* group */
    EFG_SHAPE_COMPLETE,
    EFG_SHAPE_EPOCH_WAIT,
    EFG_SHAPE_EPOCH_TEST, /* flag */
    EFG_SHAPE_LOCK,       /* peer exclusive */
    EFG_SHAPE_LOCK_ALL,
    EFG_SHAPE_UNLOCK, /* peer */
    EFG_SHAPE_UNLOCK_ALL,
    EFG_SHAPE_FLUSH, /* peer */
    EFG_SHAPE_FLUSH_ALL,
    EFG_SHAPE_FLUSH_LOCAL, /* peer */
    EFG_SHAPE_FLUSH_LOCAL_ALL,
    EFG_SHAPE_WIN_SYNC,
    /* MPI-IO: file. Data calls: io count type statuses collective. */
    EFG_SHAPE_FILE_OPEN,  /* comm filename amode newfile */
    EFG_SHAPE_FILE_CLOSE, /* newfile: the argument */
    EFG_SHAPE_FILE_SEEK,  /* offset whence */
    EFG_SHAPE_FILE_DATA,
    EFG_SHAPE_FILE_IDATA, /* + requests */
    EFG_SHAPE_FILE_BEGIN, /* split collectives: begin has count type, */
    EFG_SHAPE_FILE_END,   /* end has statuses */
    EFG_SHAPE_FILE_FLUSH,
    EFG_SHAPES /* how many there are: at most 64, for sets of them */
};

/* Calls without which what comes later is not understood: a set. */
#define EFG_SHAPES_KEPT                                                                       \
    (1ull << EFG_SHAPE_COMM_NEW | 1ull << EFG_SHAPE_COMM_FREE | 1ull << EFG_SHAPE_COMM_JOIN | \
     1ull << EFG_SHAPE_WIN_NEW | 1ull << EFG_SHAPE_WIN_FREE | 1ull << EFG_SHAPE_FILE_OPEN |   \
     1ull << EFG_SHAPE_FILE_CLOSE)

/* A handle, which has room for a pointer in either library if what follows is aligned as one. */
#define EFG_HANDLE(type) _Alignas(uintptr_t) type
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a handle's number is in its first bytes");

struct efg_call {
    /* What says what a call means that has no arrays, in one cache line: see record/again.h. */
    _Alignas(16) uint16_t id;
    uint8_t shape; /* enum efg_shape */
    uint8_t in_place;
    int peer, tag, root;
    int rpeer, rtag;
    int64_t count, rcount;
    EFG_HANDLE(MPI_Datatype) type, rtype;
    EFG_HANDLE(MPI_Comm) comm;
    /* The rest. */
    _Alignas(uintptr_t) uint8_t op; /* enum efg_collective */
    uint8_t atomic, io;             /* enum efg_atomic, enum efg_io */
    uint8_t collective, exclusive;
    uint8_t neighbour; /* collective of a neighbourhood: counts are per neighbour */
    uint8_t is_large;  /* counts are of MPI_Count, not of int */
    bool recording;    /* for the tracer: this call is being recorded */
    bool is_spared;    /* ... and this one was not measured on entering */
    bool is_known;     /* ... its arguments are those of the last one from its path: record/again.h */
    bool is_defined;   /* ... the log has all that its records name */
    int16_t amode, whence;
    int nrequests;
    EFG_HANDLE(MPI_Win) win;
    const void *counts, *rcounts;       /* per rank, v-collectives: of int or MPI_Count */
    const MPI_Datatype *types, *rtypes; /* per rank, Alltoallw */
    union {
        MPI_Comm *newcomm;
        MPI_Win *newwin;
    };
    union {
        EFG_HANDLE(MPI_File) file;
        EFG_HANDLE(MPI_Group) group;
    };
    union {
        MPI_File *newfile;
        const MPI_Info *infos; /* the wrapper passes this on, too */
    };
    union {
        MPI_Message *message;
        MPI_Offset offset;
    };
    MPI_Request *requests;
    MPI_Status *statuses; /* the wrapper passes this on: the tracer may replace an IGNORE */
    int *flag, *indices, *outcount;
    union {
        const void *buffer; /* the first one of the call; of MPI_Sendrecv that which receives */
        const char *filename;
        const char *const *commands;
    };
    /* These two in one vector, so that to fill in the second takes nothing more. */
    void *thread; /* for the tracer: as it has it at hand when the call begins; or NULL */
    const uintptr_t *frame; /* of the wrapper: __builtin_frame_address(0) */
    /* For the tracer, likewise: */
    uint64_t hash, enter;
    uint32_t path;
    uint32_t object; /* id of the communicator, window or file that the call frees */
    uint64_t match;  /* match id of an operation that the call begins */
};
#define EFG_CALL_ARGUMENTS 64 /* bytes up to the rest */
_Static_assert(offsetof(struct efg_call, op) == EFG_CALL_ARGUMENTS, "they are compared as one cache line");
_Static_assert(sizeof(struct efg_call) == 256 && offsetof(struct efg_call, win) == 88 &&
                   offsetof(struct efg_call, frame) == 216,
               "it is the same for each MPI");

/* Facts of a function, by its number. */
struct efg_call_info {
    const char *name; /* "MPI_Send" */
    uint8_t class;    /* enum efg_class */
    uint8_t shape;    /* enum efg_shape */
};
extern const struct efg_call_info efg_call_info[EFG_CALLS];

/* Polls whose flag alone says whether they have found something. */
#define EFG_SHAPES_ASKING                                                                      \
    (1ull << EFG_SHAPE_TESTALL | 1ull << EFG_SHAPE_TESTANY | 1ull << EFG_SHAPE_IPROBE |        \
     1ull << EFG_SHAPE_IMPROBE)

/* How many further calls of a thread pass unseen, counted down with each of them. */
struct efg_passing {
    uint64_t calls; /* of any shape but EFG_SHAPES_KEPT */
    uint64_t polls; /* EFG_SHAPES_ASKING of at most EFG_POLL_REQUESTS that find nothing */
    /* Of such a poll, for the case that it finds something: a copy of its requests, and its statuses, if the
     * program wants none (NULL: neither does the tracer). */
    MPI_Request *requests;
    MPI_Status *statuses;
};
#define EFG_POLL_REQUESTS 16

/* What the tracer has of a thread in the cache line that its wrappers need at each call. Zero at first. */
struct efg_at_hand {
    void *thread; /* goes into each call */
    uintptr_t room[4];
};

/* What the wrappers call. enter returns true if leave is wanted too. */
struct efg_hooks {
    bool (*enter)(struct efg_call *call);
    void (*leave)(struct efg_call *call, int result);
    /* Instead of both, when a poll that passed unseen has found something, or failed. NULL: polls are not to
     * pass. */
    void (*found)(struct efg_call *call, int result);
};

/* What the preloaded library tells the tracer. */
struct efg_front {
    /* The next definition of SYMBOL after ours, or NULL. */
    void *(*look_up)(const char *symbol);
    /* EFG_MPI or EFG_PMPI: the name by which this thread's present call was made. */
    int (*named)(void);
    /* What passes of this thread, and what the tracer has at hand of it. */
    struct efg_passing *(*passing)(void);
    struct efg_at_hand *(*at_hand)(void);
    /* ON: until further notice these calls, as many of them as may be, of all threads, go past the preloaded
     * library. Returns whether any do; when they are to come here again, whether they do. */
    bool (*bypass)(bool on);
    /* Whether the machine wants records (key site), even if its configuration is wrong otherwise: then nobody
     * has asked for efgtrace, and nothing may be said. */
    bool (*is_site)(void);
};

/* Values of mpi.h that wrappers compare arguments with. */
struct efg_constants {
    const void *in_place; /* MPI_IN_PLACE */
    int lock_exclusive;   /* MPI_LOCK_EXCLUSIVE */
    int request_size;     /* bytes of an MPI_Request */
    const void *status_ignore, *statuses_ignore; /* MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE */
};

/* What a runtime exports to the preloaded library. */
struct efg_runtime {
    struct efg_constants constants;
    /* Before MPI_Init; reads the configuration. Wrong ones are reported on standard error, and
     * the process exits with 2: it has cost nothing yet; it goes on untraced with is_site. Returns true to go
     * on, false for "off". */
    bool (*prepare)(const struct efg_front *front);
    /* Once or more in MPI_Init, before the next library is called to begin MPI. IS_SURE: that is
     * MPI itself, which returns to us, and start follows. */
    void (*say)(bool is_sure);
    /* MPI is about to hand the data of this process to PMIx, whose functions these are. */
    void (*pin)(void *put, void *get);
    /* When MPI has begun, inside the wrapper of MPI_Init, and COMM is NULL; or in a program of
     * sessions, when COMM was made of a group of processes: it goes on if these are all of the
     * job. Returns the hooks, or NULL when nothing is to be done. */
    const struct efg_hooks *(*start)(const MPI_Comm *comm);
    /* After start: MPI is to call END itself when it begins to end. */
    void (*watch)(void (*end)(void));
    /* Before MPI ends, or the last session; collective over the world. */
    void (*finish)(void);
    /* The process ends without MPI_Finalize: save what there is, without calling MPI. */
    void (*leave)(void);
    /* MPI_Pcontrol(level, name): user regions, unless it says when to record. Level 1 enters, -1 leaves.
     * FRAME as in struct efg_call. */
    void (*control)(int level, const char *name, const uintptr_t *frame);
    /* efgtrace_begin(name) is level 1, efgtrace_end(name) -1. */
    void (*region)(int level, const char *name, const uintptr_t *frame);
    /* The program asks for the next ITERATIONS. */
    void (*record)(uint64_t iterations);
    /* Parallel regions of OpenMP. */
    efg_openmp_tell *openmp;
    /* Whether it is known that a call of this thread, with this FRAME, was left without a return; CODE is any
     * address in the preloaded library. */
    bool (*is_left)(const void *frame, const void *code);
};
#define EFG_RUNTIME_SYMBOL "efg_runtime"

#endif
