/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was recorded: the trace of a run, DIR/traces.otf2, read again, item by item.
 *
 *     LOCATION  of one thread of a rank; then, of it and in the order of their ends:
 *         CALL         an MPI call
 *         ITERATION    after the calls in it
 *         WINDOW       after all that is in it; several are brackets of MeasurementOnOff
 *         MESSAGE      one end of a message, somewhere after its calls
 *         COLLECTIVE   that it took part in, after the call that completed it
 *         ACCESS       what a call did with a rank's part of an RMA window, after the call
 *     LOCATION  ...                                            by rank, its first thread first
 *
 * Threads come one after the other, so that the memory needed is that of definitions and of
 * messages under way, however long the trace is.
 *
 * The OTF2 library hangs or crashes on some damaged files. So another process reads, and its
 * output is checked: whatever the trace is like, the answer is items, an end, or a message.
 *
 * Times are ns since the start of the trace. Ranks are those of the world.
 */
#ifndef EFG_RECORDED_H
#define EFG_RECORDED_H

#include <stdint.h>
#include <sys/types.h>

#include "files/run/runfile.h"

#define EFG_RECORDED_NONE UINT64_MAX /* no iteration */

enum efg_recorded_kind {
    EFG_RECORDED_LOCATION,
    EFG_RECORDED_CALL,
    EFG_RECORDED_ITERATION,
    EFG_RECORDED_WINDOW,
    EFG_RECORDED_MESSAGE,
    EFG_RECORDED_COLLECTIVE,
    EFG_RECORDED_ACCESS,
};

/* Who waits for whom in a collective operation. */
enum efg_recorded_meeting {
    EFG_MEETING_BARRIER,    /* all for all, and no data */
    EFG_MEETING_ALL,        /* all for all */
    EFG_MEETING_ONE_TO_ALL, /* all for the root */
    EFG_MEETING_ALL_TO_ONE, /* the root for all */
    EFG_MEETING_SCAN,       /* each for those before it */
};

/* One-sided communication: what was done. */
enum efg_recorded_act {
    EFG_ACT_EPOCH, /* MPI_Win_start, complete, post or wait: as the call is named */
    EFG_ACT_LOCK,
    EFG_ACT_LOCK_EXCLUSIVE,
    EFG_ACT_UNLOCK,
    EFG_ACT_FLUSH,
    EFG_ACT_PUT,
    EFG_ACT_GET,
    EFG_ACT_ATOMIC,
};

/* What calls have to do with. */
enum efg_recorded_object_kind { EFG_OBJECT_COMM, EFG_OBJECT_WIN, EFG_OBJECT_IO };

/* What a call says about its bytes as the graph counts them: for sends and blocking collectives
 * they are known; for a receive, only what arrived, not how much there was room for; others
 * come later or not at all. */
enum efg_recorded_bytes { EFG_BYTES_NONE, EFG_BYTES_KNOWN, EFG_BYTES_HIDDEN };

/* Items go through a pipe: there are no bytes between members of one kind. */
struct efg_recorded_item {
    uint32_t kind; /* enum efg_recorded_kind */
    union {
        struct {
            uint32_t rank, thread;
        } location;
        struct efg_recorded_call {
            uint32_t site;       /* index into the sites */
            uint32_t window;     /* that it is in: those of the location, from 0 */
            uint32_t polls;      /* how many polls that found nothing it stands for; 0: it is not a poll */
            uint16_t bytes_kind; /* enum efg_recorded_bytes */
            uint8_t kept;        /* enum efg_kept: why its iteration was recorded */
            uint8_t phase;       /* of that; 0: not known */
            uint64_t bytes;
            uint32_t object;     /* index: the first one that it has to do with; EFG_NONE: none, not known */
            uint32_t zero;
            uint64_t moved; /* bytes that it has sent, put or got, or read or written */
            uint64_t begin, end;
            uint64_t iteration; /* its number, or EFG_RECORDED_NONE */
        } call;
        struct efg_recorded_span { /* number: of the iteration, or of the window, from 0 */
            uint64_t number, begin, end;
            uint64_t window; /* that it is in */
            uint16_t kept;   /* enum efg_kept: why it was recorded */
            uint16_t phase;  /* of the program, 1 to 255; 0: not known */
            uint32_t times;  /* of a slow one: how many times the median it took, in 1/1000; 0: not known */
        } span;
        struct efg_recorded_message {
            uint32_t from, to, comm, tag; /* the channel; comm: of the trace */
            uint64_t is_send;             /* else a receive */
            uint64_t number;              /* on its channel, from 0: the send and the receive of
                                             one number are a message */
            uint64_t time, bytes;
            uint64_t begun, done; /* the calls that began and completed it, as the location numbers its
                                     calls, from 0; EFG_RECORDED_NONE: not in the trace */
        } message;
        struct efg_recorded_collective {
            uint32_t context; /* communicator or window, of the trace */
            uint32_t meeting; /* enum efg_recorded_meeting */
            uint32_t root;    /* EFG_NONE: none, or not known; of a scan: the place of this rank */
            uint32_t size;    /* members */
            uint64_t is_window;
            uint64_t begun, done; /* as above */
        } collective;
        struct efg_recorded_access {
            uint32_t window; /* of the trace */
            uint32_t act;    /* enum efg_recorded_act */
            uint32_t rank;   /* whose part of the window; of post and wait: who uses the own one */
            uint32_t zero;
            uint64_t call; /* as above */
            uint64_t bytes;
        } access;
    };
};

/* What tells iterations apart, on all ranks alike: each phase counts its own. Windows are numbered by each
 * location: of a job that was killed, one rank may have kept some that others have not. */
static inline uint64_t efg_recorded_key(uint32_t phase, uint64_t number)
{
    return (uint64_t)phase << 48 | (number & 0xffffffffffff);
}
static inline uint32_t efg_recorded_key_phase(uint64_t key)
{
    return (uint32_t)(key >> 48);
}
static inline uint64_t efg_recorded_key_number(uint64_t key)
{
    return key & 0xffffffffffff;
}

struct efg_recorded_site { /* a call with its call path */
    char *function;        /* "MPI_Send" */
    uint64_t path;         /* hash, as efg_run_path has it; 0 for none */
};

struct efg_recorded_object {
    char *name;     /* "MPI_COMM_WORLD", "Comm 3" as Vampir has it, "Win 0"; of a file, as it was opened */
    uint32_t kind;  /* enum efg_recorded_object_kind */
    uint32_t ranks; /* of a communicator, also that of a window */
};

struct efg_recorded {
    uint64_t start, length; /* ns since 1970, of time 0; ns */
    uint32_t ranks;
    uint32_t location_count, location; /* LOCATION: how many there were so far */
    uint64_t calls;                  /* of this location, so far */
    struct efg_recorded_site *sites; /* of the items so far */
    struct efg_recorded_object *objects; /* the same */
    uint32_t site_count, object_count;
    char message[512]; /* what is wrong: a sentence without a full stop */
    int pipe;
    pid_t reader;
    unsigned char *bytes; /* from the reader, not yet used: [at, size) */
    size_t at, size;
};

/* Give each item of the trace of RUN to GIVE, with DATA, until that fails. Returns 0; what
 * GIVE has returned; or -EBADMSG if the trace cannot be read, with the message filled. What is known of the
 * trace stays until CLOSE, in any case. */
int efg_recorded_all(struct efg_recorded *recorded, const struct efg_run *run,
                     int (*give)(void *data, const struct efg_recorded_item *item), void *data);
void efg_recorded_close(struct efg_recorded *recorded);

#endif
