/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication and MPI-IO, record by record.
 *
 * OTF2 has no record for "this operation has a request": it follows from how the operation
 * completes. Locks are of the whole window part of a target, so their id is always 0.
 */
#include "pass.h"

enum { LOCK_ID };

static OTF2_RmaSyncLevel level_of(uint32_t sync)
{
    OTF2_RmaSyncLevel level = OTF2_RMA_SYNC_LEVEL_NONE;
    if (sync & EFG_SYNC_MEMORY)
        level |= OTF2_RMA_SYNC_LEVEL_MEMORY;
    if (sync & (EFG_SYNC_LOCAL | EFG_SYNC_REMOTE))
        level |= OTF2_RMA_SYNC_LEVEL_PROCESS;
    return level;
}

static OTF2_RmaAtomicType atomic_of(uint32_t atomic)
{
    switch (atomic) {
    case EFG_ATOMIC_COMPARE_AND_SWAP:
        return OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP;
    case EFG_ATOMIC_FETCH_AND_ACCUMULATE:
    case EFG_ATOMIC_FETCH_AND_OP:
        return OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE;
    default:
        return OTF2_RMA_ATOMIC_TYPE_ACCUMULATE;
    }
}

static OTF2_ErrorCode write_operation(OTF2_EvtWriter *w, const struct efg_record *r, uint64_t time,
                                      uint32_t win)
{
    uint64_t back = r->c == EFG_ATOMIC_ACCUMULATE ? 0 : r->d; /* what it fetches */
    switch (r->kind) {
    case EFG_REC_RMA_PUT:
        return OTF2_EvtWriter_RmaPut(w, NULL, time, win, r->b, r->d, r->e);
    case EFG_REC_RMA_GET:
        return OTF2_EvtWriter_RmaGet(w, NULL, time, win, r->b, r->d, r->e);
    case EFG_REC_RMA_ATOMIC:
        return OTF2_EvtWriter_RmaAtomic(w, NULL, time, win, r->b, atomic_of(r->c), r->d, back, r->e);
    case EFG_REC_RMA_COMPLETE_BLOCKING:
        return OTF2_EvtWriter_RmaOpCompleteBlocking(w, NULL, time, win, r->e);
    case EFG_REC_RMA_COMPLETE_NONBLOCKING:
        return OTF2_EvtWriter_RmaOpCompleteNonBlocking(w, NULL, time, win, r->e);
    case EFG_REC_RMA_COMPLETE_REMOTE:
        return OTF2_EvtWriter_RmaOpCompleteRemote(w, NULL, time, win, r->e);
    case EFG_REC_RMA_TEST:
        return OTF2_EvtWriter_RmaOpTest(w, NULL, time, win, r->e);
    }
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode write_rma_collective(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time,
                                           uint32_t win)
{
    if (r->kind == EFG_REC_RMA_COLLECTIVE_BEGIN)
        return efg_otf2_begin_collective(p, r->kind, EFG_REC_RMA_COLLECTIVE_END)
                   ? OTF2_EvtWriter_RmaCollectiveBegin(p->stack.writer, NULL, time)
                   : OTF2_SUCCESS;
    if (!efg_otf2_end_collective(p, EFG_REC_RMA_COLLECTIVE_BEGIN))
        return OTF2_SUCCESS;
    return OTF2_EvtWriter_RmaCollectiveEnd(p->stack.writer, NULL, time, efg_otf2_operation(r->call),
                                           level_of(r->b), win, r->c, r->d, r->e);
}

static OTF2_ErrorCode write_synchronisation(struct efg_otf2_pass *p, const struct efg_record *r,
                                            uint64_t time, uint32_t win)
{
    OTF2_EvtWriter *w = p->stack.writer;
    uint32_t group;
    switch (r->kind) {
    case EFG_REC_RMA_GROUP_SYNC:
        if (!efg_otf2_find(p, EFG_ITEM_GROUP, r->c, &group))
            return OTF2_SUCCESS;
        return OTF2_EvtWriter_RmaGroupSync(w, NULL, time, level_of(r->b), win, group);
    case EFG_REC_RMA_ACQUIRE:
        return OTF2_EvtWriter_RmaAcquireLock(w, NULL, time, win, r->b, LOCK_ID,
                                             r->c ? OTF2_LOCK_EXCLUSIVE : OTF2_LOCK_SHARED);
    case EFG_REC_RMA_RELEASE:
        return OTF2_EvtWriter_RmaReleaseLock(w, NULL, time, win, r->b, LOCK_ID);
    case EFG_REC_RMA_SYNC:
        return OTF2_EvtWriter_RmaSync(w, NULL, time, win, r->b, OTF2_RMA_SYNC_TYPE_MEMORY);
    case EFG_REC_RMA_CREATE:
        return OTF2_EvtWriter_RmaWinCreate(w, NULL, time, win);
    case EFG_REC_RMA_DESTROY:
        return OTF2_EvtWriter_RmaWinDestroy(w, NULL, time, win);
    }
    return OTF2_SUCCESS;
}

OTF2_ErrorCode efg_otf2_write_rma(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time)
{
    uint32_t win = 0;
    bool is_known = efg_otf2_find(p, EFG_ITEM_WIN, r->a, &win);
    if (r->kind == EFG_REC_RMA_COLLECTIVE_BEGIN) /* it names no window */
        return write_rma_collective(p, r, time, win);
    if (!is_known)
        return OTF2_SUCCESS;
    if (r->kind == EFG_REC_RMA_COLLECTIVE_END)
        return write_rma_collective(p, r, time, win);
    if (r->kind < EFG_REC_RMA_COLLECTIVE_BEGIN)
        return write_operation(p->stack.writer, r, time, win);
    return write_synchronisation(p, r, time, win);
}

/* --- MPI-IO --- */

static OTF2_ErrorCode write_open(OTF2_EvtWriter *w, const struct efg_record *r, uint64_t time,
                                 uint32_t handle)
{
    OTF2_IoAccessMode access = r->b == 1   ? OTF2_IO_ACCESS_MODE_READ_ONLY
                               : r->b == 2 ? OTF2_IO_ACCESS_MODE_WRITE_ONLY
                                           : OTF2_IO_ACCESS_MODE_READ_WRITE;
    OTF2_IoCreationFlag creation = OTF2_IO_CREATION_FLAG_NONE;
    if (r->c & 1)
        creation |= OTF2_IO_CREATION_FLAG_CREATE;
    if (r->c & 2)
        creation |= OTF2_IO_CREATION_FLAG_EXCLUSIVE;
    return OTF2_EvtWriter_IoCreateHandle(w, NULL, time, handle, access, creation,
                                         r->c & 4 ? OTF2_IO_STATUS_FLAG_APPEND : OTF2_IO_STATUS_FLAG_NONE);
}

static OTF2_ErrorCode write_begin(OTF2_EvtWriter *w, const struct efg_record *r, uint64_t time,
                                  uint32_t handle)
{
    OTF2_IoOperationMode mode = r->b == EFG_IO_READ    ? OTF2_IO_OPERATION_MODE_READ
                                : r->b == EFG_IO_WRITE ? OTF2_IO_OPERATION_MODE_WRITE
                                                       : OTF2_IO_OPERATION_MODE_FLUSH;
    OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;
    if (r->c & 1)
        flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
    if (r->c & 2)
        flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
    return OTF2_EvtWriter_IoOperationBegin(w, NULL, time, handle, mode, flags, r->d, r->e);
}

static OTF2_IoSeekOption whence_of(uint32_t whence)
{
    return whence == 0   ? OTF2_IO_SEEK_FROM_START
           : whence == 1 ? OTF2_IO_SEEK_FROM_CURRENT
                         : OTF2_IO_SEEK_FROM_END;
}

OTF2_ErrorCode efg_otf2_write_io(struct efg_otf2_pass *p, const struct efg_record *r, uint64_t time)
{
    OTF2_EvtWriter *w = p->stack.writer;
    uint32_t handle;
    if (!efg_otf2_find(p, EFG_ITEM_FILE, r->a, &handle))
        return OTF2_SUCCESS;
    switch (r->kind) {
    case EFG_REC_IO_OPEN:
        return write_open(w, r, time, handle);
    case EFG_REC_IO_CLOSE:
        return OTF2_EvtWriter_IoDestroyHandle(w, NULL, time, handle);
    case EFG_REC_IO_SEEK:
        return OTF2_EvtWriter_IoSeek(w, NULL, time, handle, (int64_t)r->d, whence_of(r->c), r->e);
    case EFG_REC_IO_BEGIN:
        return write_begin(w, r, time, handle);
    case EFG_REC_IO_COMPLETE:
        return OTF2_EvtWriter_IoOperationComplete(w, NULL, time, handle, r->d, r->e);
    case EFG_REC_IO_ISSUED:
        return OTF2_EvtWriter_IoOperationIssued(w, NULL, time, handle, r->e);
    case EFG_REC_IO_TEST:
        return OTF2_EvtWriter_IoOperationTest(w, NULL, time, handle, r->e);
    case EFG_REC_IO_CANCELLED:
        return OTF2_EvtWriter_IoOperationCancelled(w, NULL, time, handle, r->e);
    }
    return OTF2_SUCCESS;
}
