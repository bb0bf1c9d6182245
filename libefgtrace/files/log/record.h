/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of the window log: what a thread writes while it records. In the file they take
 * fewer bytes (log.h). A definition is followed by its payload. What a record refers
 * to (call, call path, communicator, group, RMA window, file) is defined in the same log before its
 * first use, so that a log can be read by itself, however it ended.
 *
 * Ranks are relative to the communicator of the record. Requests are numbered per
 * thread from 1 and never reused. In "collectives", root is a rank or one of enum
 * efg_root. Times are ticks of the log's clock.
 */
#ifndef EFG_RECORD_H
#define EFG_RECORD_H

#include <stdint.h>

struct efg_record {
    uint64_t time;
    uint16_t kind; /* enum efg_record_kind: less than 256 */
    uint16_t call; /* id of the MPI function (DEF_CALL) */
    uint32_t a, b, c;
    uint64_t d, e;
};

enum efg_record_kind {
    EFG_REC_NONE,
    /* Windows and iterations; outside of MPI calls. */
    EFG_REC_WINDOW_BEGIN,    /* d = number of the window, from 0; b = user's region, as below; what is under
                                way, as far as this thread knows (files/match/flight.h): a = count, signed,
                                e = sum */
    EFG_REC_WINDOW_END,      /* d = number of the window */
    EFG_REC_ITERATION_BEGIN, /* d = number of the iteration (the pivot's visit), from 0; c = number of the
                                phase, 0: not known, EFG_PHASE_LATER: not agreed on yet; a = enum efg_kept;
                                of a slow one, b = how many times the median it took, in 1/1000;
                                e = user's region, as below */
    EFG_REC_ITERATION_END,   /* d = number of the iteration */
    /* Every call: */
    EFG_REC_ENTER, /* call, a = call path, 0 for none; d = how many polls that found nothing it
                      stands for, 0 if it is none */
    EFG_REC_LEAVE, /* call */
    /* Point to point: a = communicator, b = partner, c = tag, d = bytes, e = request */
    EFG_REC_SEND,
    EFG_REC_RECV,
    EFG_REC_ISEND,
    EFG_REC_ISEND_COMPLETE, /* e */
    EFG_REC_IRECV_REQUEST,  /* e */
    EFG_REC_IRECV,          /* the completion: all of a b c d e */
    EFG_REC_REQUEST_TEST,   /* e: tested, not complete */
    EFG_REC_REQUEST_CANCELLED, /* e */
    /* Collectives: call = enum efg_collective, a = communicator, b = root,
     * d = bytes sent, e = bytes received */
    EFG_REC_COLLECTIVE_BEGIN, /* no fields but call */
    EFG_REC_COLLECTIVE_END,
    EFG_REC_COLLECTIVE_REQUEST,  /* nonblocking: e = request */
    EFG_REC_COLLECTIVE_COMPLETE, /* c = request; the other fields as in COLLECTIVE_END */
    /* One-sided: a = window */
    EFG_REC_RMA_PUT,         /* b = target, d = bytes, e = match id */
    EFG_REC_RMA_GET,         /* the same */
    EFG_REC_RMA_ATOMIC,      /* c = enum efg_atomic, and the same; d = bytes sent */
    EFG_REC_RMA_COMPLETE_BLOCKING,    /* e = match id */
    EFG_REC_RMA_COMPLETE_NONBLOCKING, /* e = match id: completes locally */
    EFG_REC_RMA_COMPLETE_REMOTE,      /* e = match id: completes at the target */
    EFG_REC_RMA_REQUEST,     /* e = match id: an Rput or the like has a request */
    EFG_REC_RMA_TEST,        /* e = match id: tested, not complete */
    EFG_REC_RMA_COLLECTIVE_BEGIN,
    EFG_REC_RMA_COLLECTIVE_END, /* call = enum efg_collective, b = enum efg_rma_sync, c = root */
    EFG_REC_RMA_GROUP_SYNC,  /* b = enum efg_rma_sync, c = group that the epoch is of */
    EFG_REC_RMA_ACQUIRE,     /* lock: b = target, c = 1 for exclusive */
    EFG_REC_RMA_RELEASE,     /* unlock: b = target */
    EFG_REC_RMA_SYNC,        /* b = target, c = enum efg_rma_sync: flush and its like */
    EFG_REC_RMA_CREATE,      /* the window is created: inside the collective that makes it */
    EFG_REC_RMA_DESTROY,
    /* MPI-IO: a = file handle */
    EFG_REC_IO_OPEN,     /* b = access: 1 read, 2 write, 3 both; c = 1 create, 2 excl, 4 append */
    EFG_REC_IO_CLOSE,
    EFG_REC_IO_SEEK,     /* d = offset requested, e = offset reached, c = 0 set, 1 cur, 2 end */
    EFG_REC_IO_BEGIN,    /* b = enum efg_io, c = flags: 1 collective, 2 nonblocking; d = bytes
                            requested, or UINT64_MAX if not known; e = match id */
    EFG_REC_IO_COMPLETE, /* d = bytes done, e = match id */
    EFG_REC_IO_ISSUED,   /* e = match id: nonblocking, underway */
    EFG_REC_IO_TEST,     /* e = match id: tested, not complete */
    EFG_REC_IO_CANCELLED, /* e = match id */
    /* Outside of calls: a = call path, 0 for none, where the user's region b (DEF_REGION) is from now on the
     * innermost one; 0: there is none */
    EFG_REC_REGION,
    /* Of a thread that is counted, one for each counter: in a call, or where an iteration has begun or ended.
     * a = which, from 0; d = what it had counted when the call began, or then; e = what it counted in the
     * call. What recording takes counts for nothing. */
    EFG_REC_COUNT,
    /* Outside of calls, before a parallel region of OpenMP ends: a = thread of its team, 1 to EFG_LOG_PARTS,
     * which worked in it from d to e, in ticks */
    EFG_REC_PART,
    /* Definitions: d = bytes of payload that follow. Their time means nothing. */
    EFG_REC_DEF_CALL = 128, /* call, a = enum efg_class; payload: its name, "MPI_Send" */
    EFG_REC_DEF_MODULE,     /* a = module; payload: its path name */
    EFG_REC_DEF_PATH,       /* a = call path, e = hash that agrees between ranks;
                               payload: struct efg_frame[], innermost first */
    EFG_REC_DEF_COMM,       /* a = communicator, b = enum efg_comm_kind, c = parent or UINT32_MAX,
                               e = identity that agrees between its members; payload: struct efg_members;
                               then, in uint32_t, how many dimensions its grid has (0: it is no Cartesian
                               one), and size and 1 for periodic of each; the name that the program gave it */
    EFG_REC_DEF_WIN,        /* a = window, b = communicator, e = identity as above; payload: name */
    EFG_REC_DEF_FILE,       /* a = file handle, b = communicator, e = identity; payload: name */
    EFG_REC_DEF_GROUP,      /* a = group; payload: struct efg_members, all of them LOCAL */
    EFG_REC_DEF_REGION,     /* a = user's region, from 1; b = the one around it, defined before, 0 for none;
                               payload: name. The same name in another region is another one */
    EFG_REC_DEF_WHEN,       /* payload: the conditions that iterations of this log were chosen by */
    EFG_REC_DEF_PHASE,      /* a = phase; payload: struct efg_frame[], calls that the function of its loop
                               makes */
    EFG_REC_DEF_COUNTERS,   /* a = how many; payload: their names, with commas in between */
};

#define EFG_PHASE_LATER UINT32_MAX
#define EFG_LOG_PARTS 255

/* Why an iteration was kept. */
enum efg_kept {
    EFG_KEPT_UNKNOWN,
    EFG_KEPT_FIRST,
    EFG_KEPT_SPREAD,
    EFG_KEPT_AROUND, /* slow, or beside a slow one: the job ended before that was decided */
    EFG_KEPT_SLOW,
    EFG_KEPT_BESIDE, /* just before or behind a slow one */
    EFG_KEPT_ASKED,  /* the program asked for it */
    EFG_KEPT_WHEN,   /* a condition holds for it */
};

enum efg_class {
    EFG_CLASS_OTHER, /* management, environment */
    EFG_CLASS_POINT2POINT,
    EFG_CLASS_BARRIER,
    EFG_CLASS_ONE2ALL,
    EFG_CLASS_ALL2ONE,
    EFG_CLASS_ALL2ALL,
    EFG_CLASS_OTHER_COLLECTIVE, /* scans, neighbourhood, making communicators */
    EFG_CLASS_RMA,
    EFG_CLASS_FILE_IO,
};

/* As OTF2_CollectiveOp names them. */
enum efg_collective {
    EFG_COLL_BARRIER,
    EFG_COLL_BCAST,
    EFG_COLL_GATHER,
    EFG_COLL_GATHERV,
    EFG_COLL_SCATTER,
    EFG_COLL_SCATTERV,
    EFG_COLL_ALLGATHER,
    EFG_COLL_ALLGATHERV,
    EFG_COLL_ALLTOALL,
    EFG_COLL_ALLTOALLV,
    EFG_COLL_ALLTOALLW,
    EFG_COLL_ALLREDUCE,
    EFG_COLL_REDUCE,
    EFG_COLL_REDUCE_SCATTER,
    EFG_COLL_REDUCE_SCATTER_BLOCK,
    EFG_COLL_SCAN,
    EFG_COLL_EXSCAN,
    EFG_COLL_CREATE_HANDLE,
    EFG_COLL_DESTROY_HANDLE,
    EFG_COLL_ALLOCATE,
    EFG_COLL_DEALLOCATE,
    EFG_COLL_CREATE_HANDLE_AND_ALLOCATE,
    EFG_COLL_DESTROY_HANDLE_AND_DEALLOCATE,
};

enum efg_root {
    EFG_ROOT_NONE = 0xffffffffu,       /* the operation has no root */
    EFG_ROOT_SELF = 0xfffffffeu,       /* intercommunicator: MPI_ROOT */
    EFG_ROOT_THIS_GROUP = 0xfffffffdu, /* intercommunicator: MPI_PROC_NULL */
};

enum efg_atomic {
    EFG_ATOMIC_ACCUMULATE,
    EFG_ATOMIC_FETCH_AND_ACCUMULATE,
    EFG_ATOMIC_FETCH_AND_OP,
    EFG_ATOMIC_COMPARE_AND_SWAP,
};

enum efg_rma_sync { /* a set */
    EFG_SYNC_NONE = 0,
    EFG_SYNC_MEMORY = 1,
    EFG_SYNC_LOCAL = 2,  /* what this process started is complete here */
    EFG_SYNC_REMOTE = 4, /* ... is complete at the targets */
};

enum efg_io { EFG_IO_READ, EFG_IO_WRITE, EFG_IO_FLUSH };

enum efg_comm_kind { EFG_COMM_WORLD, EFG_COMM_SELF, EFG_COMM_INTRA, EFG_COMM_INTER };

/* One frame of a call path: OFFSET of the call (return address - 1) in MODULE. */
struct efg_frame {
    uint32_t module;
    uint32_t zero;
    uint64_t offset; /* bytes from the module's load address, or the line of a script; and its upper byte */
};

/* The call was made in the first round of so many of the innermost loops around it, of those with few
 * rounds. */
#define EFG_FRAME_FIRST_SHIFT 56

static inline unsigned efg_frame_firsts(uint64_t offset)
{
    return (unsigned)(offset >> EFG_FRAME_FIRST_SHIFT);
}

/* Where the call is, whatever the round. */
static inline uint64_t efg_frame_place(uint64_t offset)
{
    return offset & ((UINT64_C(1) << EFG_FRAME_FIRST_SHIFT) - 1);
}

/* Members of a communicator: world ranks in the order of its ranks, LOCAL of the
 * own group, then REMOTE of the other (intercommunicators). The own group of an
 * intercommunicator is the one whose first world rank is smaller on all members. None for
 * WORLD and SELF. */
struct efg_members {
    uint32_t local, remote;
    uint32_t rank[];
};

#endif
