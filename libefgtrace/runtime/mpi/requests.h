/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests: from a handle to what was started and is not complete. Kept all the time,
 * recording or not, so that a window can begin and end in the middle of messages.
 *
 * An MPI library may use the same handle for several requests (Open MPI does so for those that
 * are complete at once): they are kept in the order in which they were made, and taken out in
 * that order.
 *
 * Each thread has a table of those that it made, which it alone changes: it takes no lock.
 * Where more than one thread calls MPI, a call first claims the requests that it names, its own
 * ones or, if it has none with that handle, those of others; what it has claimed belongs to it
 * alone until it releases or removes it. The handle may be given to another request before the
 * call returns: so it is claimed before the real call.
 */
#ifndef EFG_REQUESTS_H
#define EFG_REQUESTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hot.h"

enum efg_request_kind {
    EFG_REQUEST_OTHER,
    EFG_REQUEST_SEND,
    EFG_REQUEST_RECV,
    EFG_REQUEST_COLLECTIVE,
    EFG_REQUEST_IDUP, /* completing it creates a communicator */
    EFG_REQUEST_RMA,
    EFG_REQUEST_IO,
};

struct efg_comm;
struct efg_requests;

struct efg_request {
    /* Read by other threads as well: atomic. */
    MPI_Request handle;
    struct efg_request *next;    /* in its chain */
    const struct efg_comm *comm; /* made on this one, perhaps freed by now; or NULL */
    uint64_t state;     /* number in the table << 16 | thread that claims it + 1, or 0 */
    uint64_t is_second; /* the receive of MPI_Isendrecv, not found by its handle */

    struct efg_request *back;   /* the next one that is handed back, or free */
    struct efg_requests *table; /* that it is in; what follows is zero in a new one */
    uint64_t serial;            /* ascending in the order of adding and of starting */
    uint8_t kind;
    uint8_t is_persistent;
    uint8_t is_active;    /* persistent: between start and completion */
    uint8_t is_cancelled; /* MPI_Cancel was called on it */
    uint8_t op;           /* enum efg_collective */
    uint8_t is_any;       /* a receive whose channel only its status will tell */
    uint8_t is_recorded;  /* its start is in the log of THREAD, as number */
    uint16_t thread;
    uint32_t number;             /* of the recorded request */
    uint32_t window;             /* that it was recorded in */
    uint32_t partner;            /* of a send: as core/graph/traffic.h has it */
    struct efg_request *second;  /* the send of MPI_Isendrecv: its receive; else NULL */
    int peer, tag;               /* as given */
    uint64_t bytes;              /* sent */
    uint64_t received;           /* collectives */
    uint64_t channel;            /* of a message (files/match/flight.h); 0: none, or not known yet */
    uint32_t root;               /* collectives, as recorded */
    uint32_t object;             /* RMA window or file */
    uint64_t match;              /* RMA and I/O: match id */
    MPI_Comm *newcomm;           /* IDUP */
};

/* News for the thread that recorded a request: another thread has completed it. */
struct efg_request_news {
    struct efg_request_news *next;
    struct efg_request request; /* as it was, but for its place in the table */
    MPI_Status status;
    bool has_status;
};

struct efg_requests { /* all zero is an empty one, which other threads do not see */
    struct efg_request_chains *chains;
    struct efg_request *unused;
    uint64_t serial, count;
    uint64_t version; /* changes when a request is used again; odd while chains grow, or all
                       * requests are visited */
    struct efg_request *back; /* that others have completed; atomic, as the next one */
    struct efg_request_news *news; /* the latest first */
    struct efg_requests *next;     /* table of another thread */
    uint16_t thread;
};

/* Begin the table of THREAD, for as long as the process lives. */
void efg_requests_init(struct efg_requests *table, uint16_t thread);

/* A request that the thread of TABLE has made, with this HANDLE and all else zero. NULL for
 * MPI_REQUEST_NULL, and without memory. */
struct efg_request *efg_requests_add(struct efg_requests *table, MPI_Request handle);

/* The oldest request of TABLE with this HANDLE that is not claimed, or NULL. */
struct efg_request *efg_requests_find(struct efg_requests *table, MPI_Request handle);

/* More than one thread has a table: then requests have to be claimed. */
EFG_HOT_EXTERN uint32_t efg_requests_tables; /* how many there are; atomic */
static inline bool efg_requests_are_shared(void)
{
    return __atomic_load_n(&efg_requests_tables, __ATOMIC_RELAXED) > 1;
}

/* What was made on COMM; and REQUEST is the receive of MPI_Isendrecv. */
static inline void efg_requests_set_comm(struct efg_request *request,
                                         const struct efg_comm *comm)
{
    __atomic_store_n(&request->comm, comm, __ATOMIC_RELAXED);
}
static inline void efg_requests_set_second(struct efg_request *request)
{
    __atomic_store_n(&request->is_second, 1, __ATOMIC_RELAXED);
}

/* The same, but claimed; and if there is none in TABLE, of another one. */
struct efg_request *efg_requests_claim(struct efg_requests *table, MPI_Request handle);
void efg_requests_release(struct efg_request *request);

/* Remove REQUEST, by the thread of TABLE; one of another table must be claimed. */
void efg_requests_remove(struct efg_requests *table, struct efg_request *request);

/* Call VISIT for each request of TABLE that no other thread has claimed, in the order of their
 * serials. Others that look for one wait until all are visited. Allocates. */
void efg_requests_each(struct efg_requests *table,
                       void (*visit)(struct efg_request *request, void *data), void *data);

/* Calls of this thread were not seen for a while, and requests are not shared: which requests there are
 * is not known, but for persistent ones, which are taken to be complete. */
void efg_requests_forget(struct efg_requests *table);

/* REQUEST, a persistent one, is started again: it comes last now, if it is of TABLE. */
void efg_requests_restart(struct efg_requests *table, struct efg_request *request);

/* Tell the thread that has recorded REQUEST that it is complete; STATUS may be NULL. And what
 * the thread of TABLE was told since it asked last, the oldest first; to be freed. */
void efg_requests_tell(const struct efg_request *request, const MPI_Status *status);
struct efg_request_news *efg_requests_news(struct efg_requests *table);
static inline bool efg_requests_has_news(const struct efg_requests *table)
{
    return efg_requests_are_shared() && __atomic_load_n(&table->news, __ATOMIC_RELAXED);
}

/* Whether a request of any thread may have been made on COMM. */
bool efg_requests_refer_to(const struct efg_comm *comm);

/* Requests that were not kept, as there was no memory left for them. */
uint64_t efg_requests_refused(void);

#endif
