/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI-IO calls as records: a file is opened, an operation on it begins and completes (for
 * split collectives and nonblocking ones in a later call), and it is closed.
 */
#include "recorder.h"

#include <string.h>

#include "runtime/mpi/ask.h"

enum { FLAG_COLLECTIVE = 1, FLAG_NONBLOCKING = 2 };

static uint64_t key_of(MPI_File file)
{
    uint64_t key = 0;
    memcpy(&key, &file, sizeof file);
    return key;
}

static struct efg_object *object_of(struct efg_recorder *r, MPI_File file)
{
    struct efg_object *o = file ? efg_objects_find(EFG_OBJECT_FILE, key_of(file)) : NULL;
    if (!o || o->comm->is_foreign)
        return NULL;
    if (!efg_bits_has(&r->files_known, o->id))
        efg_recorder_define_object(r, EFG_REC_DEF_FILE, o, o->name);
    return efg_recorder_room(r, 4) ? o : NULL;
}

static void put(struct efg_recorder *r, uint64_t time, int kind, const struct efg_object *o,
                struct efg_record rest)
{
    rest.time = time;
    rest.kind = (uint16_t)kind;
    rest.a = o->id;
    efg_recorder_put(r, rest);
}

static void begin(struct efg_recorder *r, struct efg_call *c, bool is_nonblocking)
{
    struct efg_object *o = object_of(r, c->file);
    if (!o)
        return;
    c->match = r->next_match++;
    uint32_t flags = (c->collective ? FLAG_COLLECTIVE : 0) | (is_nonblocking ? FLAG_NONBLOCKING : 0);
    uint64_t bytes = c->shape == EFG_SHAPE_FILE_FLUSH ? 0 : efg_decode_bytes(c->count, c->type);
    put(r, c->enter, EFG_REC_IO_BEGIN, o,
        (struct efg_record){.b = c->io, .c = flags, .d = bytes, .e = c->match});
    o->match = c->match;
}

void efg_io_enter(struct efg_recorder *r, struct efg_call *c, bool writes)
{
    if (c->shape == EFG_SHAPE_FILE_CLOSE)
        c->file = c->newfile ? *c->newfile : 0; /* the call sets it to null */
    if (!writes)
        return;
    switch (c->shape) {
    case EFG_SHAPE_FILE_DATA:
    case EFG_SHAPE_FILE_FLUSH:
        begin(r, c, false);
        break;
    case EFG_SHAPE_FILE_IDATA:
    case EFG_SHAPE_FILE_BEGIN:
        begin(r, c, true);
        break;
    case EFG_SHAPE_FILE_CLOSE: {
        struct efg_object *o = object_of(r, c->file);
        if (o)
            put(r, c->enter, EFG_REC_IO_CLOSE, o, (struct efg_record){0});
        break;
    }
    default:
        break;
    }
}

static uint64_t bytes_done(const struct efg_call *c)
{
    if (c->statuses == MPI_STATUS_IGNORE)
        return efg_decode_bytes(c->count, c->type);
    return efg_decode_done(c->statuses);
}

static void leave_open(struct efg_recorder *r, const struct efg_call *c, uint64_t time, bool writes)
{
    struct efg_object *o = efg_objects_add(EFG_OBJECT_FILE, key_of(*c->newfile), c->comm, c->filename);
    if (!o || !writes)
        return;
    efg_recorder_define_object(r, EFG_REC_DEF_FILE, o, o->name);
    uint32_t access = c->amode & MPI_MODE_RDWR ? 3 : c->amode & MPI_MODE_WRONLY ? 2 : 1;
    uint32_t how = (c->amode & MPI_MODE_CREATE ? 1 : 0) | (c->amode & MPI_MODE_EXCL ? 2 : 0) |
                   (c->amode & MPI_MODE_APPEND ? 4 : 0);
    if (efg_recorder_room(r, 1))
        put(r, time, EFG_REC_IO_OPEN, o, (struct efg_record){.b = access, .c = how});
}

static void leave_seek(struct efg_recorder *r, const struct efg_call *c, struct efg_object *o, uint64_t time)
{
    MPI_Offset reached = c->offset;
    if (!c->collective)
        efg_ask()->File_get_position(c->file, &reached);
    uint32_t whence = c->whence == MPI_SEEK_SET ? 0 : c->whence == MPI_SEEK_CUR ? 1 : 2;
    put(r, time, EFG_REC_IO_SEEK, o,
        (struct efg_record){.c = whence, .d = (uint64_t)c->offset, .e = (uint64_t)reached});
}

static void leave_idata(struct efg_recorder *r, const struct efg_call *c, struct efg_object *o, uint64_t time,
                        bool writes)
{
    bool recorded = writes && o && c->match;
    if (recorded) {
        r->request = r->next_request++;
        put(r, time, EFG_REC_IO_ISSUED, o, (struct efg_record){.e = c->match});
    }
    struct efg_request *q = efg_recorder_started(r, c, EFG_REQUEST_IO, recorded);
    if (!q)
        return;
    q->match = c->match;
    q->bytes = efg_decode_bytes(c->count, c->type);
    q->object = o ? o->id : 0;
}

static void leave_data(struct efg_recorder *r, const struct efg_call *c, struct efg_object *o, uint64_t time)
{
    uint64_t match = c->shape == EFG_SHAPE_FILE_END ? o->match : c->match;
    if (match)
        put(r, time, c->shape == EFG_SHAPE_FILE_BEGIN ? EFG_REC_IO_ISSUED : EFG_REC_IO_COMPLETE, o,
            (struct efg_record){.d = c->shape == EFG_SHAPE_FILE_FLUSH ? 0 : bytes_done(c), .e = match});
    if (c->shape == EFG_SHAPE_FILE_END)
        o->match = 0;
}

void efg_io_leave(struct efg_recorder *r, struct efg_call *c, uint64_t time, bool writes)
{
    bool is_io = c->shape >= EFG_SHAPE_FILE_SEEK && c->shape != EFG_SHAPE_FILE_CLOSE;
    struct efg_object *o = writes && is_io ? object_of(r, c->file) : NULL;

    switch (c->shape) {
    case EFG_SHAPE_FILE_OPEN:
        leave_open(r, c, time, writes);
        break;
    case EFG_SHAPE_FILE_CLOSE:
        if (c->file)
            efg_objects_remove(EFG_OBJECT_FILE, key_of(c->file));
        break;
    case EFG_SHAPE_FILE_SEEK:
        if (o)
            leave_seek(r, c, o, time);
        break;
    case EFG_SHAPE_FILE_IDATA:
        leave_idata(r, c, o, time, writes);
        break;
    case EFG_SHAPE_FILE_DATA:
    case EFG_SHAPE_FILE_FLUSH:
    case EFG_SHAPE_FILE_BEGIN:
    case EFG_SHAPE_FILE_END:
        if (o)
            leave_data(r, c, o, time);
        break;
    default:
        break;
    }
}
