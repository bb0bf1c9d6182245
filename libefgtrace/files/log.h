/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Window log: the file that a thread records into, memory-mapped and shared, so that
 * what it holds survives the process whatever ends it.
 *
 *     header (4096 bytes) | record | record | ...          (core/record.h)
 *
 * The writer stores records, then the number of them: a reader sees whole records only.
 * The file grows in chunks that are allocated on disk before they are written to: a full
 * disk is an error of efg_log_grow and never a SIGBUS.
 *
 * Name: DIR/logs/RANK.THREAD.log, both decimal; thread 0 called MPI_Init.
 */
#ifndef EFG_LOG_H
#define EFG_LOG_H

#include <stddef.h>

#include "core/record.h"

#define EFG_LOG_MAGIC "efglog\r\n"
#define EFG_LOG_VERSION 2
#define EFG_LOG_HEADER 4096 /* bytes */

/* A moment in ticks of the process's clock and in ns since 1970 on the common time line. */
struct efg_sync {
    uint64_t ticks, realtime;
};

struct efg_log_header {
    char magic[8];
    uint32_t version, record_size;
    uint32_t rank, ranks, thread, pid;
    uint64_t ticks_per_second;
    struct efg_sync sync[2]; /* at the start; at the end or all zero */
    uint64_t used;           /* records that are whole */
    uint32_t closed;         /* 1: the writer ended it in order */
    uint32_t full;           /* 1: the mode was full: all of the run */
    char host[256], application[256];
    uint32_t package, numa, core; /* that the rank is bound to, + 1; 0: not known or several */
    uint64_t clock_error;         /* ns that the synchronisations may be wrong by */
};

/* --- writing --- */

/* Whether this process may make a file of SIZE bytes; to write more would be a SIGXFSZ. */
int efg_log_may_have(uint64_t size);

struct efg_log {
    struct efg_log_header *header; /* the mapping, NULL if not open */
    struct efg_record *next;       /* where the next record goes */
    struct efg_record *ready;      /* end of what is allocated on disk */
    struct efg_record *end;        /* end of the mapping: the limit */
    int file;
};

/* Make the log PATH (must not exist) for at most LIMIT bytes, with the HEADER's facts;
 * magic, version, record_size and used are filled in. Returns 0 or -errno. */
int efg_log_create(struct efg_log *log, const char *path, const struct efg_log_header *header,
                   uint64_t limit);

/* Whether there is room for COUNT records at log->next. */
static inline int efg_log_has_room(const struct efg_log *log, size_t count)
{
    return (size_t)(log->ready - log->next) >= count;
}

/* Make room for at least COUNT records at log->next. Returns 0, -ENOSPC at the limit or
 * on a full disk, or another -errno. */
int efg_log_grow(struct efg_log *log, size_t count);

/* Append a definition with PAYLOAD of r->d bytes. Returns 0 or as efg_log_grow. */
int efg_log_define(struct efg_log *log, const struct efg_record *r, const void *payload);

/* Append a record; there is room. */
static inline void efg_log_put(struct efg_log *log, const struct efg_record *r)
{
    *log->next++ = *r;
}

/* All that was put so far is whole now. */
static inline void efg_log_commit(struct efg_log *log)
{
    __atomic_store_n(
        &log->header->used,
        (uint64_t)(log->next - (struct efg_record *)((char *)log->header + EFG_LOG_HEADER)),
        __ATOMIC_RELEASE);
}

/* End the log: cut the file to what is used, mark it closed, unmap. */
void efg_log_close(struct efg_log *log);

/* Move the times of the log PATH, which is closed, by SHIFT ns: both of its synchronisations.
 * Returns 0, -errno, or -EBADMSG as efg_log_open. */
int efg_log_shift(const char *path, int64_t shift);

/* --- reading --- */

struct efg_log_view {
    const struct efg_log_header *header;
    const struct efg_record *records;
    uint64_t count; /* records, as of opening */
    size_t mapped;  /* bytes */
};

/* Map the log PATH for reading; it may still be written to. Returns 0, -errno, or
 * -EBADMSG when it is no log, or of another version, or its header is damaged (*why, if not
 * NULL, then says what, a static string). */
int efg_log_open(struct efg_log_view *view, const char *path, const char **why);
void efg_log_unmap(struct efg_log_view *view);

/* The same for what VIEW shows; the log stays as it is. */
void efg_log_shift_view(struct efg_log_view *view, int64_t shift);

/* The record at *AT, which is moved behind it and its payload; *PAYLOAD (may be NULL)
 * points to r->d bytes or is NULL. Returns NULL at the end and where the log is
 * damaged. */
const struct efg_record *efg_log_read(const struct efg_log_view *view, uint64_t *at,
                                      const void **payload);

#endif
