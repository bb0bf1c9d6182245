/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decode: what an MPI call that has returned means to the event flow graph: how many
 * bytes, with whom, on which communicator, and whether it was a poll that found nothing.
 */
#ifndef EFG_DECODE_H
#define EFG_DECODE_H

#include "runtime/call.h"
#include "runtime/comms.h"
#include "runtime/types.h"

struct efg_facts {
    const struct efg_comm *comm; /* NULL where the call has none */
    uint64_t sent, received;     /* bytes, as the arguments say */
    uint32_t flags;              /* enum efg_node_flag */
    int is_poll;                 /* asked, and found nothing */
};

/* The facts of CALL. RESULT is what MPI returned; pointers to results are read only when
 * it is MPI_SUCCESS. */
struct efg_facts efg_decode(const struct efg_call *call, int result);

/* What a signature may have besides: the partner relative to
 * the own rank (core/partner.h), 0 for none; kind << 28 | size of COMM. */
int32_t efg_decode_partner(const struct efg_call *call, const struct efg_comm *comm);
uint32_t efg_decode_comm(const struct efg_comm *comm);

/* Sets of shapes, for questions that are asked at every call. */
_Static_assert(EFG_SHAPES <= 64, "a set of shapes is a word");
#define EFG_SHAPE_SET(shape) (UINT64_C(1) << EFG_SHAPE_##shape)

static inline int efg_shape_is_in(const struct efg_call *call, uint64_t set)
{
    return (int)(set >> call->shape & 1);
}

/* Calls that ask and may find nothing. */
#define EFG_SHAPES_POLL                                                             \
    (EFG_SHAPE_SET(IPROBE) | EFG_SHAPE_SET(IMPROBE) | EFG_SHAPE_SET(TESTALL) |      \
     EFG_SHAPE_SET(TESTANY) | EFG_SHAPE_SET(TESTSOME) | EFG_SHAPE_SET(GET_STATUS) | \
     EFG_SHAPE_SET(EPOCH_TEST))

static inline int efg_decode_is_poll(const struct efg_call *call)
{
    return efg_shape_is_in(call, EFG_SHAPES_POLL);
}

/* Bytes of COUNT elements of TYPE. */
static inline uint64_t efg_decode_bytes(int count, MPI_Datatype type)
{
    return count > 0 ? (uint64_t)count * efg_types_size(type) : 0;
}

/* Bytes that STATUS says were received, or read or written. */
uint64_t efg_decode_done(const MPI_Status *status);

/* Root of a collective as records name it. */
uint32_t efg_decode_root(const struct efg_call *call, const struct efg_comm *comm);

#endif
