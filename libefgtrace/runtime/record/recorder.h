/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recorder: turns the calls of one thread into records of its window log, while a window is
 * open. Requests are followed all the time:
 *
 *     off        requests only
 *     on         everything
 *     draining   after the last iteration: only calls that complete a request which was
 *                started in the window, until none is left
 *
 * A poll that found nothing is recorded as one call together with the polls that follow it at once
 * (within EFG_SPIN ns), so that a spin is one bar in the timeline, not a million. Where it asks at
 * several places by turns, it is one call for each of them, one after the other: as many polls, and
 * as much time, as there were at this place.
 */
#ifndef EFG_RECORDER_H
#define EFG_RECORDER_H

#include <stdbool.h>

#include "base/counters.h"
#include "base/hot.h"
#include "base/map.h"
#include "core/graph/traffic.h"
#include "files/log/log.h"
#include "files/match/flight.h"
#include "runtime/calls/call.h"
#include "runtime/mpi/decode.h"
#include "runtime/mpi/objects.h"
#include "runtime/mpi/requests.h"

#define EFG_SPIN_PARTS 4 /* places of a spin; if there are more, the next one begins */

struct efg_bits { /* a set of small numbers */
    uint64_t *words;
    uint32_t count;
};

struct efg_pending { /* an RMA operation whose completion has not been seen yet */
    uint32_t window; /* id */
    int target;
    uint64_t match;
};

struct efg_spin { /* polls that found nothing, one after the other */
    uint64_t enter, leave;
    uint32_t count; /* of places */
    struct efg_spin_part {
        uint16_t call;
        uint32_t path;
        uint64_t polls, time; /* since the poll before */
    } parts[EFG_SPIN_PARTS];
};

struct efg_recorded_counts { /* of the thread, where the key counters asks for them; its owner has it */
    const char *names;       /* with commas in between */
    uint32_t count;
    bool is_present; /* what follows is of the call that is being left: */
    uint64_t began[EFG_COUNTERS], passed[EFG_COUNTERS]; /* counted until it began, and in it */
    uint64_t boundary[EFG_COUNTERS]; /* until the iteration ended that ends with it, or before it */
    uint64_t spin_began[EFG_COUNTERS], spin_passed[EFG_COUNTERS]; /* of the spin that is under way */
    bool has_spin;
};

/* What a call touches while nothing is recorded comes first, and then what each one does that is. */
struct efg_recorder {
    bool is_on, is_draining;
    bool is_skipping; /* in a ring, and off for this iteration */
    struct efg_flight flight;    /* under way, as far as this thread knows */
    struct efg_traffic *traffic; /* sent so far */
    struct efg_log_place visit; /* where the present call began */
    uint64_t first_enter;       /* ticks: the first call of the window */
    uint64_t calls;             /* recorded in the window */
    uint32_t definitions;       /* how often there were none in the log, from 1 */
    uint32_t request;           /* number of the request that the present call starts */
    bool is_asking;             /* for statuses, recording or not */
    bool has_begun;             /* the present call: the beginning of a collective was written */
    bool is_spinning;
    int handle_room;
    MPI_Status *statuses; /* in place of MPI_STATUS(ES)_IGNORE */
    int claim_count;
    struct efg_log log;
    struct efg_spin spin;
    struct efg_requests table;   /* that this thread has made */
    MPI_Request *handles;        /* of the present call, as they were at enter */
    struct efg_request **claims; /* what these are of, if claimed; NULL: none, or gone */
    int failed;     /* errno of what went wrong with the log, 0 for nothing */
    bool is_full;   /* ... which is full, of the present or last window */
    uint16_t thread;
    uint32_t window;       /* number of the present window, from 1 */
    uint32_t next_request; /* number of the next recorded request */
    uint64_t next_match;
    uint64_t open_requests; /* started in the window, not complete */
    uint32_t kept;          /* enum efg_kept: why its iterations are */
    uint32_t region;        /* that is the innermost where something begins (regions.h) */
    uint32_t phase;         /* number of that of its iterations; 0: not known */
    struct efg_log_place window_start, boundary; /* where it and its last iteration began */
    struct efg_bits calls_known, paths_known, modules_known, comms_known, wins_known,
        files_known, regions_known, phases_known;
    bool knows_when; /* the log has the conditions */
    bool knows_counters;
    struct efg_recorded_counts *counts; /* NULL: nothing is counted */
    struct efg_pending *pending; /* of this thread */
    uint32_t pending_count, pending_room;
    struct efg_map messages; /* matched probes: message -> communicator */
    struct efg_map groups;   /* of epochs: number -> hash, as the log has them */
};

/* Begin to follow the requests of THREAD, and to count its messages in TRAFFIC. */
void efg_recorder_init(struct efg_recorder *r, uint32_t thread, struct efg_traffic *traffic);
/* Make the log at PATH. Returns 0 or -errno. */
int efg_recorder_open(struct efg_recorder *r, const char *path,
                      const struct efg_log_header *header, uint64_t limit);
/* Bytes held, beside the log and what it has added to the budget. */
uint64_t efg_recorder_memory(const struct efg_recorder *r);
/* End the log at TIME. */
void efg_recorder_close(struct efg_recorder *r, uint64_t time);

/* Calls that complete requests, and all that name some which there are. */
#define EFG_SHAPES_COMPLETING                                                    \
    (EFG_SHAPE_SET(WAITALL) | EFG_SHAPE_SET(WAITANY) | EFG_SHAPE_SET(WAITSOME) | \
     EFG_SHAPE_SET(TESTALL) | EFG_SHAPE_SET(TESTANY) | EFG_SHAPE_SET(TESTSOME))
#define EFG_SHAPES_NAMING                                                   \
    (EFG_SHAPES_COMPLETING | EFG_SHAPE_SET(START) | EFG_SHAPE_SET(CANCEL) | \
     EFG_SHAPE_SET(REQUEST_FREE))

/* While it is off, the recorder needs to be told only of calls that end something it follows, or
 * whose status alone says what they receive (enter), and of those that matter for
 * requests, communicators, RMA windows or files (leave). */
#define EFG_SHAPES_ENDING                                                            \
    (EFG_SHAPES_NAMING | EFG_SHAPE_SET(MRECV) | EFG_SHAPE_SET(IMRECV) |              \
     EFG_SHAPE_SET(COMM_FREE) | EFG_SHAPE_SET(COMM_JOIN) | EFG_SHAPE_SET(WIN_FREE) | \
     EFG_SHAPE_SET(FILE_CLOSE))
#define EFG_SHAPES_RECEIVING (EFG_SHAPE_SET(RECV) | EFG_SHAPE_SET(SENDRECV))
#define EFG_SHAPES_WITHOUT_STATE                                              \
    (EFG_SHAPE_SET(PLAIN) | EFG_SHAPE_SET(SEND) | EFG_SHAPE_SET(RECV) |       \
     EFG_SHAPE_SET(SENDRECV) | EFG_SHAPE_SET(PROBE) | EFG_SHAPE_SET(IPROBE) | \
     EFG_SHAPE_SET(GET_STATUS) | EFG_SHAPE_SET(COLLECTIVE))

static inline bool efg_recorder_wants_enter(const struct efg_recorder *r,
                                            const struct efg_call *call)
{
    return r->is_on || r->is_draining ||
           (!call->is_known &&
            (efg_shape_is_in(call, EFG_SHAPES_ENDING) ||
             ((call->rpeer == MPI_ANY_SOURCE || call->rtag == MPI_ANY_TAG) &&
              efg_shape_is_in(call, EFG_SHAPES_RECEIVING))));
}

static inline bool efg_recorder_wants_leave(const struct efg_recorder *r,
                                            const struct efg_call *call)
{
    return r->is_on || r->is_draining || !efg_shape_is_in(call, EFG_SHAPES_WITHOUT_STATE);
}

/* Whether a poll that found nothing changes nothing for it. */
static inline bool efg_recorder_is_idle(const struct efg_recorder *r)
{
    return !r->is_on && !r->is_draining && !r->claim_count && !efg_requests_has_news(&r->table);
}

/* CALL, which was successful, sent and received these bytes on COMM, not counting requests
 * that it makes or completes. Called all the time, before efg_recorder_leave. */
#define EFG_SHAPES_FOLLOWED                                                \
    (EFG_SHAPE_SET(SEND) | EFG_SHAPE_SET(RECV) | EFG_SHAPE_SET(SENDRECV) | \
     EFG_SHAPE_SET(MRECV) | EFG_SHAPE_SET(START) | EFG_SHAPE_SET(COLLECTIVE))
void efg_recorder_follow(struct efg_recorder *r, const struct efg_call *call,
                         const struct efg_comm *comm, uint64_t sent, uint64_t received);

/* Before and after the real call. FACTS as decoded, KNOWN if they are known before; calls are nested
 * properly. */
void efg_recorder_enter(struct efg_recorder *r, struct efg_call *call, const struct efg_facts *known);
void efg_recorder_leave(struct efg_recorder *r, struct efg_call *call,
                        const struct efg_facts *facts, uint64_t leave, int result);

/*
 * A call that has returned, but for which efg_recorder_leave was not yet called, can be taken back, so
 * that a window or an iteration begins before it, and entered again. If a call only STARTS
 * something, it is better to cut before it than after it: its completion and the partner's part
 * come later.
 */
#define EFG_SHAPES_STARTING                                              \
    (EFG_SHAPE_SET(SEND) | EFG_SHAPE_SET(ISEND) | EFG_SHAPE_SET(IRECV) | \
     EFG_SHAPE_SET(ISENDRECV) | EFG_SHAPE_SET(START))
void efg_recorder_take_back(struct efg_recorder *r, struct efg_call *call);
void efg_recorder_enter_again(struct efg_recorder *r, struct efg_call *call, const struct efg_facts *known);

/* r->counts are those of CALL, which has returned: put them into the log, if it is recorded already. */
void efg_recorder_count(struct efg_recorder *r, struct efg_call *call);

/* Others of the user's regions of this thread are open from TIME on, at the call path PATH; outside of
 * calls. */
void efg_recorder_regions(struct efg_recorder *r, uint64_t time, uint32_t path);
/* As efg_tracer_part; TIME: now. */
void efg_recorder_part(struct efg_recorder *r, uint64_t time, uint32_t thread, uint64_t begin, uint64_t end);

/* What is chosen from here on is chosen by the conditions TEXT. */
void efg_recorder_when(struct efg_recorder *r, const char *text);

/* What begins is of PHASE, 0: not known. Its loop need be said only if efg_recorder_knows_phase is false:
 * COUNT FRAMES, calls that its function makes. */
bool efg_recorder_knows_phase(const struct efg_recorder *r, uint32_t phase);
void efg_recorder_phase(struct efg_recorder *r, uint32_t phase, const struct efg_frame *frames,
                        uint32_t count);

/* Windows and iterations, outside of calls. A window has margins: what is recorded before its first
 * iteration and behind its last one. ITERATION numbers what begins (first, next) or has just ended
 * (last); KEPT says why it is recorded. */
void efg_recorder_begin(struct efg_recorder *r, uint64_t time);
void efg_recorder_first(struct efg_recorder *r, uint64_t time, uint64_t iteration, enum efg_kept kept);
void efg_recorder_next(struct efg_recorder *r, uint64_t time, uint64_t iteration);
void efg_recorder_last(struct efg_recorder *r, uint64_t time, uint64_t iteration);
void efg_recorder_end(struct efg_recorder *r, uint64_t time);
/* The same at once, even if requests are not complete: for a window that is going to be
 * trimmed. */
void efg_recorder_stop(struct efg_recorder *r, uint64_t time);
/* A ring, while no window is under way: each iteration is a window of its own, all of one number, behind
 * r->window_start, and readers do not see them yet. TIME is when ITERATION begins, or what is none. */
#define EFG_NO_ITERATION UINT64_MAX
void efg_recorder_begin_ring(struct efg_recorder *r, uint64_t time, uint64_t iteration);
void efg_recorder_turn_ring(struct efg_recorder *r, uint64_t time, uint64_t iteration);
/* The present iteration of a ring is not recorded: IS_SKIPPED; or it is, from here on. */
void efg_recorder_skip(struct efg_recorder *r, bool is_skipped);
/* Of the iterations before the one that begins at END, those go that begin at a time for which IS_DROPPED
 * says 1; the ring is what is behind END. Returns by how many words that has moved. */
ptrdiff_t efg_recorder_cut_ring(struct efg_recorder *r, const uint32_t *end,
                                bool is_dropped(const void *context, uint64_t begin),
                                const void *context);
/* The same of all, while IS_DROPPED says 1 of the present one; the ring ends. */
void efg_recorder_end_ring(struct efg_recorder *r,
                           bool is_dropped(const void *context, uint64_t begin), const void *context);

/* Throw the present or last window away. */
void efg_recorder_discard(struct efg_recorder *r);

/* --- for the files of the recorder --- */

/* Room for COUNT records; false when there is none, and then recording is over. */
bool efg_recorder_make_room(struct efg_recorder *r, size_t count);
static inline bool efg_recorder_room(struct efg_recorder *r, size_t count)
{
    return efg_log_has_room(&r->log, count) || efg_recorder_make_room(r, count);
}
static inline void efg_recorder_put(struct efg_recorder *r, struct efg_record record)
{
    efg_log_put(&r->log, &record);
}
static inline bool efg_bits_has(const struct efg_bits *bits, uint32_t number)
{
    return number / 64 < bits->count && bits->words[number / 64] >> number % 64 & 1;
}
/* Define what a record is about to refer to. There is room for the call's records as before, or
 * false is returned, and recording is over. */
bool efg_recorder_define_comm(struct efg_recorder *r, const struct efg_comm *comm);
/* The same of all that CALL, on COMM, names. */
bool efg_recorder_define_all(struct efg_recorder *r, const struct efg_call *call,
                             const struct efg_comm *comm);
/* KIND is EFG_REC_DEF_WIN or EFG_REC_DEF_FILE; NAME may be NULL. */
void efg_recorder_define_object(struct efg_recorder *r, int kind, const struct efg_object *object,
                                const char *name);
/* Define group NUMBER, unless the log has it so; or false, as above, or if its members are not known. */
bool efg_recorder_define_group(struct efg_recorder *r, uint32_t number, MPI_Group group);
/* Records: of a call, not counting its requests; of a spin; or of marks. */
#define EFG_RECORDER_PLENTY (24 + EFG_COUNTERS)
/* How many records CALL may have. */
static inline size_t efg_recorder_room_of(const struct efg_call *call)
{
    return EFG_RECORDER_PLENTY + (call->nrequests > 0 ? 2 * (size_t)call->nrequests : 0);
}
/* The ENTER of a call, for which there is room. */
static inline void efg_recorder_put_enter(struct efg_recorder *r, const struct efg_call *call)
{
    r->visit = r->log.next;
    efg_recorder_put(r, (struct efg_record){.time = call->enter,
                                            .kind = EFG_REC_ENTER,
                                            .call = call->id,
                                            .a = call->path});
    r->calls++;
}
/* The same, after what may have to come before it; false if there is no room for the call's records. */
bool efg_recorder_visit_other(struct efg_recorder *r, const struct efg_call *call);
/* The same, inline where nothing has to. */
EFG_INLINE bool efg_recorder_visit(struct efg_recorder *r, const struct efg_call *call)
{
    if (!call->is_defined || r->is_spinning || !r->first_enter ||
        !efg_log_has_room(&r->log, efg_recorder_room_of(call)))
        return efg_recorder_visit_other(r, call);
    efg_recorder_put_enter(r, call);
    return true;
}
/* The same of a call that has returned. */
bool efg_recorder_visit_late(struct efg_recorder *r, const struct efg_call *call);
/* A poll that found nothing, as part of a spin. */
void efg_recorder_spin(struct efg_recorder *r, const struct efg_call *call, uint64_t leave);
/* The last request of a closed window is complete. */
void efg_recorder_drained(struct efg_recorder *r, uint64_t time);
/* Whether records may refer to COMM, one of this world. */
static inline bool efg_recorder_has_comm(const struct efg_comm *comm)
{
    return comm && !comm->is_foreign;
}
/* Whether a record can refer to COMM now. */
static inline bool efg_recorder_names_comm(struct efg_recorder *r, const struct efg_comm *comm)
{
    return efg_recorder_has_comm(comm) &&
           (efg_bits_has(&r->comms_known, comm->id) || efg_recorder_define_comm(r, comm));
}
/* Records of one-sided and I/O calls, if WRITES, and what they mean for requests. */
void efg_rma_enter(struct efg_recorder *r, struct efg_call *call, bool writes);
void efg_rma_leave(struct efg_recorder *r, struct efg_call *call, uint64_t leave, bool writes);
void efg_io_enter(struct efg_recorder *r, struct efg_call *call, bool writes);
void efg_io_leave(struct efg_recorder *r, struct efg_call *call, uint64_t leave, bool writes);

/* Whether the application wants none of these. */
static inline bool efg_recorder_is_ignored(const MPI_Status *statuses)
{
    return statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE;
}

/* --- flight.c --- */

/* The message of REQUEST, which CALL has made; and its end. STATUS may be one to ignore. */
void efg_recorder_follow_request(struct efg_recorder *r, const struct efg_call *call,
                                 struct efg_request *request);
void efg_recorder_landed(struct efg_recorder *r, const struct efg_request *request,
                         const MPI_Status *status);
/* A collective that gives away and takes so many BYTES has been started. */
void efg_recorder_count_collective(struct efg_recorder *r, uint64_t bytes);

/* --- requests.c --- */

/* Room for COUNT handles and statuses; 0 without memory. */
bool efg_recorder_make_scratch(struct efg_recorder *r, int count);
static inline bool efg_recorder_scratch(struct efg_recorder *r, int count)
{
    return count <= r->handle_room || efg_recorder_make_scratch(r, count);
}

/* Keep the handles of the requests that CALL names, which it may set to null, and claim these
 * requests if other threads might do so, until they are released. */
void efg_recorder_save_requests(struct efg_recorder *r, struct efg_call *call);
void efg_recorder_release_claims(struct efg_recorder *r);
static inline void efg_recorder_release_requests(struct efg_recorder *r)
{
    if (r->claim_count)
        efg_recorder_release_claims(r);
}

/* What a poll that passes unseen needs to be known of when it finds something: it is put into PASSING, unless
 * that cannot be. Then efg_recorder_enter_found comes instead of efg_recorder_enter. */
bool efg_recorder_lend(struct efg_recorder *r, struct efg_passing *passing);
static inline void efg_recorder_enter_found(struct efg_recorder *r)
{
    r->request = 0;
}

/* The request of the I-th handle, or NULL. */
static inline struct efg_request *efg_recorder_named(struct efg_recorder *r, int i)
{
    return r->claim_count ? r->claims[i] : efg_requests_find(&r->table, r->handles[i]);
}

/* Calls whose statuses tell something, and those that have only statuses. */
#define EFG_SHAPES_TELLING                                                         \
    (EFG_SHAPES_COMPLETING | EFG_SHAPES_TELLING_ALONE | EFG_SHAPE_SET(FILE_DATA) | \
     EFG_SHAPE_SET(FILE_END))
#define EFG_SHAPES_TELLING_ALONE (EFG_SHAPES_RECEIVING | EFG_SHAPE_SET(MRECV))

/* Statuses of our own where the application wants none. */
static inline void efg_recorder_substitute_statuses(struct efg_recorder *r,
                                                    struct efg_call *call)
{
    if (efg_recorder_is_ignored(call->statuses) &&
        efg_recorder_scratch(r, call->nrequests > 1 ? call->nrequests : 1))
        call->statuses = r->statuses;
}

/* The record of a message, if it has a partner: then 1. There is room for it. IS_DEFINED: the log has
 * COMM. */
static inline bool efg_recorder_put_message(struct efg_recorder *r, int kind, uint64_t time,
                                            const struct efg_comm *comm, bool is_defined, int peer,
                                            int tag, uint64_t bytes, uint32_t request)
{
    if (peer < 0 || !(is_defined || efg_recorder_names_comm(r, comm)))
        return false;
    efg_recorder_put(r, (struct efg_record){.time = time,
                                            .kind = (uint16_t)kind,
                                            .a = comm->id,
                                            .b = (uint32_t)peer,
                                            .c = (uint32_t)tag,
                                            .d = bytes,
                                            .e = request});
    return true;
}
/* The same of one that STATUS tells of, if it does. */
static inline void efg_recorder_put_receive(struct efg_recorder *r, int kind, uint64_t time,
                                            const struct efg_comm *comm, bool is_defined,
                                            const MPI_Status *status, uint32_t request)
{
    if (!efg_recorder_is_ignored(status))
        efg_recorder_put_message(r, kind, time, comm, is_defined, status->MPI_SOURCE, status->MPI_TAG,
                                 efg_decode_done(status), request);
}
void efg_recorder_put_plain(struct efg_recorder *r, int kind, uint64_t time, uint64_t e);

/* Note a request of KIND (enum efg_request_kind) that CALL has started, whose handle is
 * *call->requests by now, and which is RECORDED as r->request or not. Returns it, with what
 * all kinds have filled in; NULL if there is none to follow. */
struct efg_request *efg_recorder_started(struct efg_recorder *r, const struct efg_call *call,
                                         int kind, int recorded);
/* MPI_Start, before and after it; and taken back in between. */
void efg_recorder_start_persistent(struct efg_recorder *r, struct efg_call *call, bool writes);
void efg_recorder_take_back_start(struct efg_recorder *r, const struct efg_call *call);
void efg_recorder_started_persistent(struct efg_recorder *r, const struct efg_call *call,
                                     uint64_t leave);
/* What CALL has completed; and whether any of it was started in the window. */
void efg_recorder_complete(struct efg_recorder *r, const struct efg_call *call, uint64_t leave,
                           bool writes);
bool efg_recorder_completes_window(struct efg_recorder *r, const struct efg_call *call);
/* Requests of this thread that others have completed; if WRITES, as records. */
void efg_recorder_take_news(struct efg_recorder *r, uint64_t time, bool writes);
void efg_recorder_free_request(struct efg_recorder *r, const struct efg_call *call,
                               uint64_t leave, bool writes);
void efg_recorder_cancel(struct efg_recorder *r, const struct efg_call *call);

#endif
