/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests: what was started and is not complete, from its handle. Kept all the time,
 * recording or not, so that a window can begin and end in the middle of messages.
 *
 * An MPI may hand out the same handle for several requests (Open MPI does so for those that
 * are complete at once): they are kept in the order of their making and taken out in
 * that order. A lock guards the table when threads may call MPI at the same time.
 */
#ifndef EFG_REQUESTS_H
#define EFG_REQUESTS_H

#include <mpi.h>
#include <stdint.h>

enum efg_request_kind {
    EFG_REQUEST_OTHER,
    EFG_REQUEST_SEND,
    EFG_REQUEST_RECV,
    EFG_REQUEST_COLLECTIVE,
    EFG_REQUEST_IDUP, /* a communicator comes to be at its completion */
    EFG_REQUEST_RMA,
    EFG_REQUEST_IO,
};

struct efg_comm;

struct efg_request {
    MPI_Request handle;
    struct efg_request *next; /* in its chain; or a free one */
    uint64_t serial;          /* ascending in the order of adding and of starting */
    uint8_t kind;
    uint8_t is_persistent;
    uint8_t is_active;    /* persistent: between start and completion */
    uint8_t is_cancelled; /* MPI_Cancel was called on it */
    uint8_t op;           /* enum efg_collective */
    uint8_t is_any;       /* a receive whose channel only its status will tell */
    uint8_t has_second;   /* MPI_Isendrecv: the next one with this handle is its receive */
    uint8_t is_second;    /* ... and this is that */
    uint8_t is_recorded;  /* its start is in the log of THREAD, as number */
    uint16_t thread;
    uint32_t number;             /* of the recorded request */
    uint32_t window;             /* that it was recorded in */
    uint32_t partner;            /* of a send: as core/traffic.h has it */
    const struct efg_comm *comm; /* made on this one, perhaps freed by now; or NULL */
    int peer, tag;               /* as given */
    uint64_t bytes;              /* sent */
    uint64_t received;           /* collectives */
    uint64_t channel;            /* of a message (core/flight.h); 0: none, or not known yet */
    uint32_t root;               /* collectives, as recorded */
    uint32_t object;             /* RMA window or file */
    uint64_t match;              /* RMA and I/O: match id */
    MPI_Comm *newcomm;           /* IDUP */
};

/* Begin. THREADS: 1 if MPI may be called by several threads at once. */
void efg_requests_init(int threads);

/* A request that THREAD has made, with this HANDLE and all else zero. NULL for
 * MPI_REQUEST_NULL, and without memory. */
struct efg_request *efg_requests_add(MPI_Request handle, uint16_t thread);

/* The oldest request with this HANDLE that THREAD started, else the oldest of any thread, or
 * NULL. Stays valid until it is removed. */
struct efg_request *efg_requests_find(MPI_Request handle, uint16_t thread);

/* Remove REQUEST. */
void efg_requests_remove(struct efg_request *request);

/* Call VISIT for each request that is kept, in the order of their serials. Allocates. */
void efg_requests_each(void (*visit)(struct efg_request *request, void *data), void *data);

/* REQUEST, a persistent one, is started again: it comes last now. */
void efg_requests_restart(struct efg_request *request);

/* Whether a request was made on COMM. */
int efg_requests_refer_to(const struct efg_comm *comm);

/* Requests that were not kept, as there was no memory left for them. */
uint64_t efg_requests_refused(void);

#endif
