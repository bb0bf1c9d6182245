/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Live file: what the ranks of a node are doing at the moment, memory-mapped and shared, so that another
 * process can look at it while the job runs, or hangs.
 *
 *     head (EFG_LIVE_HEAD bytes)         struct efg_live_head; from EFG_LIVE_PAGE on, names of calls, as text
 *     part (EFG_LIVE_PART bytes) ...     one for each rank of the node
 *
 *     part:  struct efg_live_rank        EFG_LIVE_MAPPED bytes, which the rank has mapped
 *            text                        what its numbers mean: only ever longer
 *
 * Lines of text, numbers in decimal but where it says hex:
 *
 *     N id name                          in the head: a call
 *     M id name                          a module: the file that call paths are in
 *     P id module:offset ...             a call path, innermost frame first; offsets in hex
 *     C id identity kind rank size peers list
 *                                        a communicator: what agrees between its members, in hex; enum
 *                                        efg_comm_kind; the own rank; sizes of the own group and of that of
 *                                        partners; world ranks of the partners in their order, separated by
 *                                        commas, runs as FIRST-LAST; "*": those of the world; "?": too many
 *
 * A thread writes what it does with plain stores, and what tells that it is there last. Readers copy a part
 * twice: what is the same in both was not being written. Everything is in the byte order of the machine.
 *
 * Name: DIR/live/RANK.live, with the first rank of the node, decimal. It is removed in MPI_Finalize.
 */
#ifndef EFG_LIVE_H
#define EFG_LIVE_H

#include <stdint.h>

#define EFG_LIVE_MAGIC "efglive\n"
#define EFG_LIVE_VERSION 1
#define EFG_LIVE_PAGE 4096
#define EFG_LIVE_HEAD 65536
#define EFG_LIVE_PART 65536
#define EFG_LIVE_MAPPED 12288
#define EFG_LIVE_THREADS 9  /* of a rank, those that are shown */
#define EFG_LIVE_CALLS 16   /* of a thread: the last ones */
#define EFG_LIVE_REQUESTS 4 /* of a call that waits: the first ones that are not complete */

struct efg_live_head {
    char magic[8];
    uint32_t version, parts; /* parts: ranks that have one */
    uint32_t ranks;          /* of the job */
    int32_t any_source, any_tag, proc_null; /* values of MPI */
    uint32_t names;          /* bytes of the text */
    uint32_t zero;
    uint64_t ticks, realtime; /* a moment: of the clock of this node, in ns, and in ns since 1970 */
    char host[256], application[256];
};

/* What a call waits for. */
enum efg_live_kind {
    EFG_LIVE_OTHER,      /* nobody else, or it is not known */
    EFG_LIVE_SEND,       /* peer, tag */
    EFG_LIVE_RECV,       /* rpeer, rtag */
    EFG_LIVE_SENDRECV,   /* both */
    EFG_LIVE_PROBE,      /* rpeer, rtag */
    EFG_LIVE_ISEND,      /* peer, tag: nobody */
    EFG_LIVE_WAIT_ALL,   /* requests: all of them */
    EFG_LIVE_WAIT_ANY,   /* one of them */
    EFG_LIVE_COLLECTIVE, /* all members of comm; root */
    EFG_LIVE_LOCK,       /* object; peer, -1 for all; root: 1 for an exclusive one */
    EFG_LIVE_UNLOCK,     /* object; peer, -1 for all */
    EFG_LIVE_EPOCH,      /* object: MPI_Win_start, MPI_Win_complete, MPI_Win_wait */
    EFG_LIVE_FILE,       /* object: a file */
    EFG_LIVE_KINDS
};

struct efg_live_call { /* a cache line */
    uint64_t enter; /* ticks */
    uint32_t path;  /* 0: not known */
    uint16_t call;
    uint8_t kind; /* enum efg_live_kind */
    uint8_t zero;
    int32_t peer, tag, root, rpeer, rtag; /* as given: ranks of COMM */
    int32_t requests; /* that it was called with */
    uint32_t comm;    /* UINT32_MAX: none */
    uint32_t object;  /* window or file: what agrees between the ranks that have made it; 0: none */
    uint64_t fill[2];
};

struct efg_live_request {
    uint32_t kind; /* EFG_LIVE_SEND, EFG_LIVE_RECV, EFG_LIVE_COLLECTIVE or EFG_LIVE_OTHER */
    uint32_t comm;
    int32_t peer, tag;
    uint64_t fill[2];
};

/* Calls are numbered from 1; that with number N is call[N % EFG_LIVE_CALLS]. Calls that neither wait nor send
 * have no number. A thread is in a call if that with the last number was entered after it left one. */
struct efg_live_thread {
    uint64_t begun;           /* number of the last call that began */
    uint64_t left;            /* ticks: when a call, numbered or not, was left last */
    uint64_t longest;         /* ns: longest time between two calls, up to a while ago */
    uint64_t handle;          /* for the thread itself: the communicator that ... */
    uint32_t id;              /* of the kernel; 0: the thread has ended */
    uint32_t is_blind;        /* 1: its calls are not watched now (the key `overhead`) */
    uint32_t request_count;   /* of the last call that began, as far as they are known */
    uint32_t comm;            /* ... has this id */
    uint64_t fill[10];
    struct efg_live_request requests[EFG_LIVE_REQUESTS];
    struct efg_live_call call[EFG_LIVE_CALLS];
};

enum efg_live_state {
    EFG_LIVE_NOTHING, /* has not begun */
    EFG_LIVE_RUNNING,
    EFG_LIVE_FINISHING, /* in MPI_Finalize, where it waits for the others */
    EFG_LIVE_ENDED,     /* the process ends, without MPI_Finalize */
};

/* Sums up to a moment, by the thread that steers. */
struct efg_live_sums {
    uint64_t time;       /* ticks; 0: not yet */
    uint64_t calls, mpi; /* how many; ns in MPI */
    uint64_t iterations, iteration_time, iteration_mpi; /* of the main loop: count, ns, ns in MPI */
    uint64_t number;       /* of the present iteration; 0: there is no main loop yet */
    uint64_t is_recording; /* 1: this iteration is being recorded */
};

struct efg_live_rank {
    uint32_t state; /* enum efg_live_state */
    uint32_t rank, pid;
    uint32_t threads; /* so far, with those that are not shown */
    uint64_t started; /* of the process: field 22 of /proc/PID/stat */
    uint64_t start;   /* ticks: the end of MPI_Init */
    uint64_t since;   /* ticks: of the state */
    uint32_t text;    /* bytes of it */
    uint32_t sums_version; /* odd while they are written */
    struct efg_live_sums sums;
    uint64_t fill[82];
    struct efg_live_thread thread[EFG_LIVE_THREADS];
};

_Static_assert(sizeof(struct efg_live_call) == 64 && sizeof(struct efg_live_request) == 32 &&
                   sizeof(struct efg_live_thread) == 1280 && sizeof(struct efg_live_rank) == EFG_LIVE_MAPPED,
               "the layout is what it says");

#endif
