/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the reader of traces share.
 *
 *     recorded.c   asks the process that reads, and checks what it says
 *     read.c       that process: reads all locations
 *     archive.c    opens the archive
 *     copy.c       another process: copies a trace, with metrics of its calls
 *     copy_events.c, copy_define.c    its events and definitions
 *     say.c        what it says: writes to the pipe
 *     events.c     events -> items
 *     define.c     the definitions that the events refer to
 *     meet.c       collective operations
 *     access.c     one-sided communication
 *     objects.c    what calls have to do with: communicators, windows, files
 *     order.c      messages, numbered as readers of OTF2 pair them
 */
#ifndef EFG_RECORDED_PARTS_H
#define EFG_RECORDED_PARTS_H

#include <otf2/otf2.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/map.h"
#include "files/otf2/otf2.h"
#include "copy.h"
#include "files/otf2/table.h"
#include "recorded.h"

/* --- what goes through the pipe: records, some with text behind them --- */

enum efg_recorded_sign {
    EFG_SIGN_HEAD,
    EFG_SIGN_SITE,
    EFG_SIGN_OBJECT,
    EFG_SIGN_ITEM,
    EFG_SIGN_FAULT,
    EFG_SIGN_END
};

struct efg_recorded_record {
    uint32_t sign; /* enum efg_recorded_sign */
    uint32_t text; /* bytes of it: SITE its function, OBJECT its name, FAULT what is wrong */
    union {
        struct {
            uint64_t start, length;
            uint32_t ranks, location_count;
        } head;
        uint64_t path;
        struct {
            uint32_t kind, ranks;
        } object;
        struct efg_recorded_item item;
    };
};

/* Read the trace with the anchor file PATH and write records to the descriptor PIPE; ends the
 * process. */
void efg_recorded_read(const char *dir, int pipe) __attribute__((noreturn));

/* --- definitions --- */

enum efg_recorded_region { EFG_REGION_FUNCTION, EFG_REGION_MPI, EFG_REGION_LOOP };

struct efg_recorded_group {
    uint64_t *members; /* world ranks; NULL: the rank itself */
    uint32_t count;
};

struct efg_recorded_place {
    uint64_t id, events;
    uint32_t rank, thread;
};

struct efg_recorded_definitions {
    uint64_t resolution, offset, length, realtime; /* of the clock */
    bool has_clock, failed;
    /* Attributes; OTF2_UNDEFINED_ATTRIBUTE: there is none. */
    uint32_t path, polls, iteration, phase, kept, times;
    uint32_t metrics;                /* the first reference that is free */
    struct efg_otf2_table texts;     /* 0 is "" */
    struct efg_map strings;          /* reference -> row of texts */
    struct efg_map regions;          /* reference -> name (row of texts) << 2 | kind */
    struct efg_map comms;  /* reference -> reference of group << 32 | of the other one */
    struct efg_map groups; /* reference -> index */
    struct efg_map wins;   /* reference -> communicator */
    struct efg_map comm_names, win_names; /* reference -> row of texts */
    struct efg_map files;      /* reference of a handle -> the same, of the file's name */
    struct efg_recorded_group *group;
    uint32_t group_count, ranks;
    struct efg_recorded_place *place; /* by rank, then thread */
    uint32_t place_count;
};

/* Read the definitions of READER. Returns NULL or what is wrong with them. */
const char *efg_recorded_define(struct efg_recorded_definitions *d, OTF2_Reader *reader);

/* The world rank that RANK of a communicator means to the rank ME; EFG_NONE if it is none.
 */
uint32_t efg_recorded_peer(const struct efg_recorded_definitions *d, uint32_t comm, uint32_t me,
                           uint32_t rank);
/* The communicator of a window; EFG_NONE if it is none. */
uint32_t efg_recorded_win(const struct efg_recorded_definitions *d, uint32_t win);
/* NULL if it is none. */
const struct efg_recorded_group *efg_recorded_group(const struct efg_recorded_definitions *d,
                                                    uint32_t reference);
/* How many members a communicator has, of both groups; 0 if it is none. */
uint32_t efg_recorded_size(const struct efg_recorded_definitions *d, uint32_t comm);
/* The rank in a communicator, in its first group, of the world rank ME; EFG_NONE if it has none. */
uint32_t efg_recorded_own(const struct efg_recorded_definitions *d, uint32_t comm, uint32_t me);

/* --- the order of messages --- */

/*
 * MPI delivers the messages of a channel (communicator, both ranks, tag) in the order of
 * sending to the receives in the order of posting. So a message is numbered when all that was
 * posted before it has its place: it waits in a queue, at most as long as what is under way.
 */
struct efg_recorded_queue {
    struct efg_recorded_waiting {
        struct efg_recorded_message message;
        enum { EFG_WAITING_OPEN, EFG_WAITING_READY, EFG_WAITING_DROPPED } state;
    } * waiting;
    uint64_t first; /* number of waiting[0], in the order of posting */
    uint32_t head, count;
};

struct efg_recorded_order {
    struct efg_recorded_queue sends, receives;
    struct efg_map requests; /* of the location -> number in the queue << 1 | is a send */
    struct efg_otf2_table channels; /* with is_send; value: how many so far */
    bool failed;
};

/* A message that is complete, or, with a request, a send that may still be cancelled or a
 * receive that is posted. */
void efg_recorded_post(struct efg_recorded_order *order, struct efg_recorded_message message,
                       bool is_open, uint64_t request);
/* The request was completed by CALL, a receive by MESSAGE. One that is not known is a receive
 * posted now. */
void efg_recorded_complete(struct efg_recorded_order *order, uint64_t request, uint64_t call,
                           const struct efg_recorded_message *message);
void efg_recorded_cancel(struct efg_recorded_order *order, uint64_t request);
/* What is under way at the end of the location: sends are sent, receives have none. */
void efg_recorded_settle(struct efg_recorded_order *order);
/* The next message that has its number. Returns whether there is one. */
bool efg_recorded_take(struct efg_recorded_order *order, struct efg_recorded_message *message);

/* --- the archive --- */

/* Open the trace in DIR. NULL: TEXT says why not. The library follows links, and what it is given leads to
 * the folder that was looked at; this stays open until the process ends. */
OTF2_Reader *efg_recorded_open(const char *dir, char *text, size_t size);
/* Open the files of all locations; read the events of one. They return 0 or -EBADMSG. */
int efg_recorded_open_events(OTF2_Reader *reader, const struct efg_recorded_definitions *d);
int efg_recorded_read_events(OTF2_Reader *reader, uint64_t location, const OTF2_EvtReaderCallbacks *callbacks,
                             void *data);

/* --- the process that reads --- */

struct efg_recorded_reading {
    int pipe;
    struct efg_recorded_record record; /* that is said next */
    struct efg_buffer out;
    struct efg_recorded_definitions definitions;
    struct efg_otf2_table sites; /* key: rows of texts, of the function and of the path */
    struct efg_otf2_table objects; /* key: kind, reference; of a file, the row of its name */
    struct efg_map sends;          /* requests of the location -> communicator */
    struct efg_recorded_order order;
    const char *fault;
    /* the present location */
    uint32_t rank;
    uint64_t most;  /* events to come */
    uint64_t last;  /* ns: of the last event */
    uint32_t depth; /* of MPI calls: 0 or 1 */
    bool is_start;  /* the call is MPI_Start or its like */
    struct efg_recorded_call call;
    uint64_t calls;                /* so far: the number of the present one */
    struct efg_buffer behind;      /* struct efg_recorded_item: to be said when the call has ended */
    struct efg_map requests;       /* of nonblocking collectives -> the call that began it */
    struct efg_recorded_span iteration, window; /* number EFG_RECORDED_NONE: in none */
    uint64_t windows;
};

#define EFG_RECORDED_PATIENCE 60 /* s without a word: an alarm then ends the process */

/* A record, or an item of KIND, to be filled and then said; all of its bytes are 0. */
struct efg_recorded_record *efg_recorded_begin(struct efg_recorded_reading *r,
                                               enum efg_recorded_sign sign);
struct efg_recorded_item *efg_recorded_begin_item(struct efg_recorded_reading *r,
                                                  enum efg_recorded_kind kind);
void efg_recorded_say(struct efg_recorded_reading *r, const char *text);
/* The last word: what is wrong with the trace, or NULL. Ends the process. */
void efg_recorded_end_with(struct efg_recorded_reading *r, const char *fault) __attribute__((noreturn));

/* NULL without memory. */
OTF2_EvtReaderCallbacks *efg_recorded_callbacks(void);
/* What is left at the end of a location: an iteration or a window that is open, messages. */
void efg_recorded_end_span(struct efg_recorded_reading *r, enum efg_recorded_kind kind,
                           struct efg_recorded_span *span);
void efg_recorded_say_messages(struct efg_recorded_reading *r);

/* The number of the present call; EFG_RECORDED_NONE between two. */
static inline uint64_t efg_recorded_present(const struct efg_recorded_reading *r)
{
    return r->depth ? r->calls : EFG_RECORDED_NONE;
}

/* The present call completes OPERATION, which the call BEGUN began, on a communicator or a window. */
void efg_recorded_meet(struct efg_recorded_reading *r, OTF2_CollectiveOp operation, uint32_t context,
                       bool is_window, uint32_t root, uint64_t begun);
/* The present call, if there is one, does ACT with BYTES to the part of window WIN that RANK of its
 * communicator has; or so does its epoch, with those of all in GROUP. */
void efg_recorded_access(struct efg_recorded_reading *r, enum efg_recorded_act act, uint32_t win,
                         uint32_t rank, uint64_t bytes);
void efg_recorded_epoch(struct efg_recorded_reading *r, uint32_t win, uint32_t group);

/* The present call, if there is one, has to do with a communicator, window or handle of a file, and moves
 * BYTES. */
void efg_recorded_touch(struct efg_recorded_reading *r, enum efg_recorded_object_kind kind,
                        uint32_t reference, uint64_t bytes);

/* ITEM is said when the present call has ended; say these. */
void efg_recorded_put_behind(struct efg_recorded_reading *r, const struct efg_recorded_item *item);
void efg_recorded_say_behind(struct efg_recorded_reading *r);

/* --- the process that copies --- */

struct efg_recorded_copying {
    const struct efg_recorded_metrics *metrics;
    struct efg_recorded_definitions definitions;
    int pipe;
    OTF2_Archive *archive; /* that is written */
    bool has_failed;       /* to write it */
    OTF2_GlobalDefWriter *definer;
    uint32_t strings, members; /* the first reference that is free; members: of metrics */
    struct efg_map added; /* location -> events that were added; those without events have none */
    uint64_t copied;      /* definitions; or events of the present location */
    /* the present location */
    uint32_t location; /* its index */
    OTF2_EvtWriter *writer;
    uint64_t extra, calls; /* events that were added; calls so far */
    uint32_t depth;        /* of MPI calls */
    struct efg_recorded_sample samples[EFG_RECORDED_SAMPLES];
    uint64_t until[EFG_RECORDED_SAMPLES]; /* when they are over */
    uint32_t sample, sample_count;        /* the next one that is over; of the call */
};

/* NULL without memory. */
OTF2_EvtReaderCallbacks *efg_recorded_copy_callbacks(void);
/* Returns NULL or what is wrong with what is read. */
const char *efg_recorded_copy_definitions(struct efg_recorded_copying *c, OTF2_Reader *reader);

#endif
