/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decodes the arguments of a call: partners, bytes, the signature of its node. Bytes of a collective count
 * what the rank gives to the operation and takes from it, over all partners, as Score-P counts them: the
 * root of a Bcast to n ranks sends n times.
 */
#include "decode.h"

#include "base/hot.h"
#include "core/graph/graph.h"
#include "core/graph/signature.h"
#include "runtime/base/memory.h"

uint64_t efg_decode_many(const MPI_Status *status)
{
    MPI_Count more = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &more);
    return more > 0 ? (uint64_t)more : 0;
}

uint32_t efg_decode_root(const struct efg_call *call, const struct efg_comm *comm)
{
    switch (call->op) {
    case EFG_COLL_BCAST:
    case EFG_COLL_GATHER:
    case EFG_COLL_GATHERV:
    case EFG_COLL_SCATTER:
    case EFG_COLL_SCATTERV:
    case EFG_COLL_REDUCE:
        break;
    default:
        return EFG_ROOT_NONE;
    }
    if (comm && comm->kind == EFG_COMM_INTER && call->root == MPI_ROOT)
        return EFG_ROOT_SELF;
    if (comm && comm->kind == EFG_COMM_INTER && call->root == MPI_PROC_NULL)
        return EFG_ROOT_THIS_GROUP;
    return (uint32_t)call->root;
}

static int64_t count_at(const struct efg_call *c, const void *counts, int i)
{
    return c->is_large ? ((const MPI_Count *)counts)[i] : ((const int *)counts)[i];
}

static uint64_t sum(const struct efg_call *c, const void *counts, int n, MPI_Datatype type,
                    const MPI_Datatype *types)
{
    uint64_t bytes = 0;
    if (types) {
        for (int i = 0; i < n; i++)
            bytes += efg_decode_bytes(count_at(c, counts, i), types[i]);
        return bytes;
    }
    uint64_t elements = 0;
    for (int i = 0; i < n; i++)
        elements += count_at(c, counts, i) > 0 ? (uint64_t)count_at(c, counts, i) : 0;
    return elements * efg_decode_bytes(1, type);
}

/* The counts of one side: one number, or one per partner. */
static uint64_t sent(const struct efg_call *c, int partners)
{
    if (c->counts)
        return sum(c, c->counts, partners, c->type, c->types);
    return efg_decode_bytes(c->count, c->type);
}

static uint64_t received(const struct efg_call *c, int partners)
{
    if (c->rcounts)
        return sum(c, c->rcounts, partners, c->rtype, c->rtypes);
    return efg_decode_bytes(c->rcount, c->rtype);
}

static void collective_bytes(const struct efg_call *c, struct efg_facts *f)
{
    const struct efg_comm *comm = f->comm;
    int to = c->neighbour ? comm->out : comm->peers, from = c->neighbour ? comm->in : comm->peers;
    bool is_root = comm->kind == EFG_COMM_INTER ? c->root == MPI_ROOT : c->root == comm->rank;

    switch (c->op) {
    case EFG_COLL_BARRIER:
        break;
    case EFG_COLL_BCAST:
        f->sent = is_root ? efg_decode_bytes(c->count, c->type) * (uint64_t)to : 0;
        f->received = efg_decode_bytes(c->count, c->type);
        break;
    case EFG_COLL_GATHER:
    case EFG_COLL_GATHERV:
        f->sent = is_root && c->in_place ? 0 : efg_decode_bytes(c->count, c->type);
        f->received = is_root ? received(c, from) * (c->rcounts ? 1 : (uint64_t)from) : 0;
        break;
    case EFG_COLL_SCATTER:
    case EFG_COLL_SCATTERV:
        f->sent = is_root ? sent(c, to) * (c->counts ? 1 : (uint64_t)to) : 0;
        f->received = is_root && c->in_place ? 0 : efg_decode_bytes(c->rcount, c->rtype);
        break;
    case EFG_COLL_ALLGATHER:
    case EFG_COLL_ALLTOALL:
        f->received = efg_decode_bytes(c->rcount, c->rtype) * (uint64_t)from;
        f->sent = c->in_place ? f->received : efg_decode_bytes(c->count, c->type) * (uint64_t)to;
        break;
    case EFG_COLL_ALLGATHERV:
        f->received = received(c, from);
        f->sent = c->in_place ? 0 : efg_decode_bytes(c->count, c->type) * (uint64_t)to;
        break;
    case EFG_COLL_ALLTOALLV:
    case EFG_COLL_ALLTOALLW:
        f->received = received(c, from);
        f->sent = c->in_place ? f->received : sent(c, to);
        break;
    case EFG_COLL_REDUCE:
        f->sent = efg_decode_bytes(c->count, c->type);
        f->received = is_root ? f->sent * (uint64_t)from : 0;
        break;
    case EFG_COLL_REDUCE_SCATTER:
        f->sent = c->rcounts ? received(c, from) : sent(c, to);
        f->received = f->sent;
        break;
    default: /* Allreduce, Reduce_scatter_block, scans, handles */
        f->sent = sent(c, to);
        f->received = c->rcount ? received(c, from) : f->sent;
    }
}

/* Their partner is the one that they receive from. */
#define RECEIVING                                                                                   \
    (EFG_SHAPE_SET(RECV) | EFG_SHAPE_SET(IRECV) | EFG_SHAPE_SET(RECV_INIT) | EFG_SHAPE_SET(PROBE) | \
     EFG_SHAPE_SET(IPROBE) | EFG_SHAPE_SET(MPROBE) | EFG_SHAPE_SET(IMPROBE))

static bool found_nothing(const struct efg_call *c)
{
    if (c->shape == EFG_SHAPE_TESTSOME)
        return c->outcount && *c->outcount == 0;
    return c->flag && !*c->flag;
}

/* A completed collective: of all ranks, it may delimit an iteration for all of them. */
static uint32_t flags_of_collective(const struct efg_call *c, const struct efg_comm *comm)
{
    if (c->shape != EFG_SHAPE_COLLECTIVE || c->neighbour)
        return 0;
    return comm->is_world ? EFG_NODE_WORLD : EFG_NODE_GROUP;
}

static int32_t relative(int peer, const struct efg_comm *comm)
{
    if (peer == MPI_ANY_SOURCE)
        return EFG_PARTNER_ANY;
    if (peer == MPI_PROC_NULL)
        return EFG_PARTNER_NOBODY;
    if (peer < 0 || !comm || peer >= comm->peers)
        return 0;
    int32_t steps = efg_partner_on_grid(&comm->grid, comm->rank, peer);
    return steps ? steps : efg_partner_in_line(comm->rank % comm->peers, peer, comm->peers);
}

EFG_HOT struct efg_facts efg_decode_other(const struct efg_call *c, int result, const struct efg_comm *comm)
{
    struct efg_facts f = {.comm = comm};

    if (efg_shape_is_in(c, EFG_SHAPES_UNORDERED)) {
        f.flags = EFG_NODE_UNORDERED;
        f.is_poll = result == MPI_SUCCESS && efg_decode_is_poll(c) && found_nothing(c);
    } else if (c->shape == EFG_SHAPE_MARK) {
        f.flags = EFG_NODE_MARK;
    } else if (comm) {
        f.flags = flags_of_collective(c, comm);
        if (result == MPI_SUCCESS)
            collective_bytes(c, &f);
    }
    return f;
}

/* --- more of it, for signatures that have it --- */

int32_t efg_decode_partner(const struct efg_call *c, const struct efg_comm *comm)
{
    if (efg_shape_is_in(c, EFG_SHAPES_SENDING))
        return relative(c->peer, comm);
    return efg_shape_is_in(c, RECEIVING) ? relative(c->rpeer, comm) : 0;
}

uint32_t efg_decode_comm(const struct efg_comm *comm)
{
    return comm ? (uint32_t)comm->kind << 28 | (uint32_t)comm->peers : 0;
}

/* Where nothing is sent, or what is received is sent in place, the datatype of the sender means nothing. */
uint32_t efg_decode_element(const struct efg_call *c, struct efg_facts facts)
{
    bool is_received = !facts.sent || (c->in_place && facts.received && c->rtype);
    MPI_Datatype type = is_received && c->rtype ? c->rtype : c->type;

    if (!type || !(facts.sent | facts.received))
        return 0;
    uint64_t bytes = efg_types_size(type);
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

uint16_t efg_decode_buffer(const struct efg_call *c, struct efg_map *buffers)
{
    bool has_other =
        efg_shape_is_in(c, EFG_SHAPE_SET(FILE_OPEN) | EFG_SHAPE_SET(COMM_JOIN)); /* in its place */
    uint64_t key = has_other ? 0 : (uintptr_t)c->buffer, held = efg_map_memory(buffers);

    if (!key)
        return 0;
    if (buffers->count >= EFG_BUFFERS - 1 && !efg_map_find(buffers, key))
        return EFG_BUFFERS;
    uint64_t number = efg_map_number(buffers, key);
    efg_budget_add(&efg_memory, efg_map_memory(buffers) - held);
    return number < EFG_BUFFERS - 1 ? (uint16_t)(1 + number) : EFG_BUFFERS;
}
