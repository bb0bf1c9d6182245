/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decode: what an MPI call that has returned means to the event flow graph: how many
 * bytes, with whom, on which communicator, and whether it was a poll that found nothing.
 */
#ifndef EFG_DECODE_H
#define EFG_DECODE_H

#include <stdbool.h>

#include "base/hot.h"
#include "base/map.h"
#include "comms.h"
#include "runtime/calls/call.h"
#include "types.h"

struct efg_facts {
    const struct efg_comm *comm; /* NULL where the call has none */
    uint64_t sent, received;     /* bytes, as the arguments say */
    uint32_t flags;              /* enum efg_node_flag */
    bool is_poll;                /* asked, and found nothing */
};

/* What a signature may have besides: the partner relative to the own rank (core/graph/partner.h), 0
 * for none; kind << 28 | size of COMM; bytes of an element of what CALL, of which FACTS are known, sends, or
 * else receives, 0 if it does neither. */
int32_t efg_decode_partner(const struct efg_call *call, const struct efg_comm *comm);
uint32_t efg_decode_comm(const struct efg_comm *comm);
uint32_t efg_decode_element(const struct efg_call *call, struct efg_facts facts);

/* The number of the buffer of CALL among those of BUFFERS: from 1 on, in the order in which they are first
 * used; 0 if it has none; EFG_BUFFERS for all those that come later. */
#define EFG_BUFFERS 1000
uint16_t efg_decode_buffer(const struct efg_call *call, struct efg_map *buffers);

/* Sets of shapes, for questions that are asked at every call. */
_Static_assert(EFG_SHAPES <= 64, "a set of shapes is a word");
#define EFG_SHAPE_SET(shape) (UINT64_C(1) << EFG_SHAPE_##shape)

static inline bool efg_shape_is_in(const struct efg_call *call, uint64_t set)
{
    return (int)(set >> call->shape & 1);
}

/* Calls that ask and may find nothing. */
#define EFG_SHAPES_POLL                                                                 \
    (EFG_SHAPES_ASKING | EFG_SHAPE_SET(TESTSOME) | EFG_SHAPE_SET(GET_STATUS) |          \
     EFG_SHAPE_SET(EPOCH_TEST))

static inline bool efg_decode_is_poll(const struct efg_call *call)
{
    return efg_shape_is_in(call, EFG_SHAPES_POLL);
}

/* Bytes that STATUS says were received, or read or written; the same where they are more than an int
 * holds. A count that fits an int is quicker to ask for. */
uint64_t efg_decode_many(const MPI_Status *status);
static inline uint64_t efg_decode_done(const MPI_Status *status)
{
    int bytes = 0;
    PMPI_Get_count(status, MPI_BYTE, &bytes);
    return bytes >= 0 ? (uint64_t)bytes : efg_decode_many(status); /* MPI_UNDEFINED */
}

/* Root of a collective as records name it. */
uint32_t efg_decode_root(const struct efg_call *call, const struct efg_comm *comm);

/* Their partner is the one that they send to. */
#define EFG_SHAPES_SENDING                                                                             \
    (EFG_SHAPE_SET(SENDRECV) | EFG_SHAPE_SET(ISENDRECV) | EFG_SHAPE_SET(SEND) | EFG_SHAPE_SET(ISEND) | \
     EFG_SHAPE_SET(SEND_INIT))

/* Their count is what they give away. */
#define EFG_SHAPES_GIVING                                                                   \
    (EFG_SHAPES_SENDING | EFG_SHAPE_SET(PUT) | EFG_SHAPE_SET(GET) | EFG_SHAPE_SET(ATOMIC) | \
     EFG_SHAPE_SET(FILE_DATA) | EFG_SHAPE_SET(FILE_IDATA) | EFG_SHAPE_SET(FILE_BEGIN))

#define EFG_SHAPES_COLLECTIVE \
    (EFG_SHAPE_SET(COLLECTIVE) | EFG_SHAPE_SET(ICOLLECTIVE) | EFG_SHAPE_SET(COLLECTIVE_INIT))

/* Their order depends on timing as much as on the program. */
#define EFG_SHAPES_UNORDERED                                                                   \
    (EFG_SHAPES_POLL | EFG_SHAPE_SET(PROBE) | EFG_SHAPE_SET(MPROBE) | EFG_SHAPE_SET(WAITANY) | \
     EFG_SHAPE_SET(WAITSOME))

/* Bytes of COUNT elements of TYPE. */
static inline uint64_t efg_decode_bytes(int64_t count, MPI_Datatype type)
{
    return count > 0 ? (uint64_t)count * efg_types_size(type) : 0;
}

/* Of calls that are in one of the last two sets, or a MARK. */
struct efg_facts efg_decode_other(const struct efg_call *call, int result, const struct efg_comm *comm);

/* The facts of CALL. RESULT is what MPI returned; only when it is MPI_SUCCESS are pointers to
 * results read, and is MPI asked about handles: those of a call that failed may be none, and
 * asking would be one more error of the program. Inline: it is on the path of every call. */
EFG_INLINE struct efg_facts efg_decode(const struct efg_call *call, int result)
{
    bool is_done = result == MPI_SUCCESS;
    struct efg_facts f = {0};

    if (call->comm)
        f.comm = is_done ? efg_comms_find(call->comm) : efg_comms_known(call->comm);
    if (efg_shape_is_in(call, EFG_SHAPES_UNORDERED | EFG_SHAPES_COLLECTIVE | EFG_SHAPE_SET(MARK)))
        return efg_decode_other(call, result, f.comm);
    if (!is_done)
        return f;
    if (call->peer != MPI_PROC_NULL && efg_shape_is_in(call, EFG_SHAPES_GIVING))
        f.sent = efg_decode_bytes(call->count, call->type);
    if (call->rpeer != MPI_PROC_NULL)
        f.received = efg_decode_bytes(call->rcount, call->rtype);
    return f;
}

#endif
