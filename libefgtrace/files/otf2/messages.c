/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages and collectives, record by record: ranks, tags, bytes and requests are as OTF2 wants
 * them already, only communicators are looked up.
 */
#include "pass.h"

static OTF2_ErrorCode write_transfer(OTF2_EvtWriter *writer, const struct efg_record *r, uint64_t time,
                                     uint32_t comm)
{
    switch (r->kind) {
    case EFG_REC_SEND:
        return OTF2_EvtWriter_MpiSend(writer, NULL, time, r->b, comm, r->c, r->d);
    case EFG_REC_RECV:
        return OTF2_EvtWriter_MpiRecv(writer, NULL, time, r->b, comm, r->c, r->d);
    case EFG_REC_ISEND:
        return OTF2_EvtWriter_MpiIsend(writer, NULL, time, r->b, comm, r->c, r->d, r->e);
    default:
        return OTF2_EvtWriter_MpiIrecv(writer, NULL, time, r->b, comm, r->c, r->d, r->e);
    }
}

OTF2_ErrorCode efg_otf2_write_message(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time)
{
    OTF2_EvtWriter *writer = p->stack.writer;
    uint32_t comm;
    if (efg_strays_have(&p->strays, r, p->reader.at))
        return OTF2_SUCCESS;
    switch (r->kind) {
    case EFG_REC_ISEND_COMPLETE:
        return OTF2_EvtWriter_MpiIsendComplete(writer, NULL, time, r->e);
    case EFG_REC_IRECV_REQUEST:
        return OTF2_EvtWriter_MpiIrecvRequest(writer, NULL, time, r->e);
    case EFG_REC_REQUEST_TEST:
        return OTF2_EvtWriter_MpiRequestTest(writer, NULL, time, r->e);
    case EFG_REC_REQUEST_CANCELLED:
        return OTF2_EvtWriter_MpiRequestCancelled(writer, NULL, time, r->e);
    }
    if (!efg_otf2_find(p, EFG_ITEM_COMM, r->a, &comm))
        return OTF2_SUCCESS;
    return write_transfer(writer, r, time, comm);
}

/* --- collectives --- */

OTF2_CollectiveOp efg_otf2_operation(uint16_t collective)
{
    static const OTF2_CollectiveOp operations[] = {
        [EFG_COLL_BARRIER] = OTF2_COLLECTIVE_OP_BARRIER,
        [EFG_COLL_BCAST] = OTF2_COLLECTIVE_OP_BCAST,
        [EFG_COLL_GATHER] = OTF2_COLLECTIVE_OP_GATHER,
        [EFG_COLL_GATHERV] = OTF2_COLLECTIVE_OP_GATHERV,
        [EFG_COLL_SCATTER] = OTF2_COLLECTIVE_OP_SCATTER,
        [EFG_COLL_SCATTERV] = OTF2_COLLECTIVE_OP_SCATTERV,
        [EFG_COLL_ALLGATHER] = OTF2_COLLECTIVE_OP_ALLGATHER,
        [EFG_COLL_ALLGATHERV] = OTF2_COLLECTIVE_OP_ALLGATHERV,
        [EFG_COLL_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
        [EFG_COLL_ALLTOALLV] = OTF2_COLLECTIVE_OP_ALLTOALLV,
        [EFG_COLL_ALLTOALLW] = OTF2_COLLECTIVE_OP_ALLTOALLW,
        [EFG_COLL_ALLREDUCE] = OTF2_COLLECTIVE_OP_ALLREDUCE,
        [EFG_COLL_REDUCE] = OTF2_COLLECTIVE_OP_REDUCE,
        [EFG_COLL_REDUCE_SCATTER] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
        [EFG_COLL_REDUCE_SCATTER_BLOCK] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
        [EFG_COLL_SCAN] = OTF2_COLLECTIVE_OP_SCAN,
        [EFG_COLL_EXSCAN] = OTF2_COLLECTIVE_OP_EXSCAN,
        [EFG_COLL_CREATE_HANDLE] = OTF2_COLLECTIVE_OP_CREATE_HANDLE,
        [EFG_COLL_DESTROY_HANDLE] = OTF2_COLLECTIVE_OP_DESTROY_HANDLE,
        [EFG_COLL_ALLOCATE] = OTF2_COLLECTIVE_OP_ALLOCATE,
        [EFG_COLL_DEALLOCATE] = OTF2_COLLECTIVE_OP_DEALLOCATE,
        [EFG_COLL_CREATE_HANDLE_AND_ALLOCATE] = OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE,
        [EFG_COLL_DESTROY_HANDLE_AND_DEALLOCATE] = OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE,
    };
    if (collective >= sizeof operations / sizeof *operations)
        return OTF2_COLLECTIVE_OP_BARRIER; /* damaged */
    return operations[collective];
}

/* Whether what begins also ends, within its call: a job may be killed in it, and a begin
 * alone would not be balanced. */
static bool has_end(const struct efg_otf2_pass *p, uint16_t end)
{
    struct efg_log_reader ahead = p->reader;
    const struct efg_record *r;
    while (ahead.at < p->count && (r = efg_log_read(&ahead, NULL)))
        if (r->kind == end)
            return true;
        else if (r->kind <= EFG_REC_LEAVE)
            return false;
    return false;
}

bool efg_otf2_begin_collective(struct efg_otf2_pass *p, uint16_t begin, uint16_t end)
{
    if (p->in_collective || !p->stack.in_call || !has_end(p, end))
        return false;
    p->in_collective = begin;
    return true;
}

bool efg_otf2_end_collective(struct efg_otf2_pass *p, uint16_t begin)
{
    bool was_written = p->in_collective == begin;
    p->in_collective = 0;
    return was_written;
}

OTF2_ErrorCode efg_otf2_write_collective(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time)
{
    OTF2_EvtWriter *writer = p->stack.writer;
    OTF2_CollectiveOp operation = efg_otf2_operation(r->call);
    uint32_t comm;
    if (r->kind == EFG_REC_COLLECTIVE_REQUEST)
        return OTF2_EvtWriter_NonBlockingCollectiveRequest(writer, NULL, time, r->e);
    if (r->kind == EFG_REC_COLLECTIVE_BEGIN)
        return efg_otf2_begin_collective(p, r->kind, EFG_REC_COLLECTIVE_END)
                   ? OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, time)
                   : OTF2_SUCCESS;
    bool is_orphan =
        r->kind == EFG_REC_COLLECTIVE_END && !efg_otf2_end_collective(p, EFG_REC_COLLECTIVE_BEGIN);
    if (is_orphan || !efg_otf2_find(p, EFG_ITEM_COMM, r->a, &comm))
        return OTF2_SUCCESS;
    if (r->kind == EFG_REC_COLLECTIVE_END)
        return OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, time, operation, comm, r->b, r->d, r->e);
    return OTF2_EvtWriter_NonBlockingCollectiveComplete(writer, NULL, time, operation, comm, r->b, r->d, r->e,
                                                        r->c);
}
