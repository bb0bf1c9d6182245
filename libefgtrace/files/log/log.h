/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Window log: the file that a thread records into, memory-mapped and shared, so that
 * what it holds survives the process, however that ends.
 *
 *     header (4096 bytes) | record | record | ...
 *
 * The writer stores records, then the number of words that they take: so a reader sees only whole
 * records. The file grows in chunks that are allocated on disk before they are written to:
 * a full disk is an error of efg_log_grow and never a SIGBUS.
 *
 * A record (record.h) is one word of 32 bits, followed by the fields that are not as expected:
 * the time if it differs from the previous record's (0 before the first one), its upper half only
 * if that differs, and other fields that are not 0. New pages are a large part of the cost of
 * recording, and this saves two thirds of them.
 *
 *     fields | kind | call || time | time >> 32 | a | b | c | d | e | d >> 32, e >> 32
 *        8       8     16      1         2        4   8  16  32  64         128
 *
 * The first three make up that word, with their numbers of bits, from the lowest bit on; below the
 * others is what they add to `fields`, and the last two come together. The payload of a definition
 * begins at the next multiple of 8 bytes and is padded with zeros to whole words. Everything is in
 * the byte order of the machine.
 *
 * Name: DIR/logs/RANK.THREAD.log, both decimal, or as fan.h has it; thread 0 called MPI_Init. Below DIR no
 * link is followed (below.h).
 */
#ifndef EFG_LOG_H
#define EFG_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "record.h"

#define EFG_LOG_MAGIC "efglog\r\n"
#define EFG_LOG_VERSION 3
#define EFG_LOG_HEADER 4096 /* bytes */

/* A moment in ticks of the process's clock and in ns since 1970 on the common time line. */
struct efg_sync {
    uint64_t ticks, realtime;
};

struct efg_log_header {
    char magic[8];
    uint32_t version, closed; /* closed 1: the writer ended it normally */
    uint32_t rank, ranks, thread, pid;
    uint64_t ticks_per_second;
    struct efg_sync sync[2]; /* at the start; at the end or all zero */
    uint64_t used;           /* words of whole records */
    char host[256], application[256];
    uint32_t full;                /* 1: the mode was full: the whole run */
    uint32_t package, numa, core; /* that the rank is bound to, + 1; 0: not known or several */
    uint64_t clock_error;         /* ns that the synchronisations may be wrong by */
    uint32_t trimmed;             /* 1: of margins only what is needed is left (trim.h) */
    uint32_t is_short;            /* 1: it ends before what was to be recorded: no room */
};

/* --- writing --- */

/* Whether this process may make a file of SIZE bytes; to write more would be a SIGXFSZ. */
bool efg_log_may_have(uint64_t size);

/* Where a record goes, and the time of the previous one. The writer may return to a place. */
struct efg_log_place {
    uint32_t *word;
    uint64_t time;
};

struct efg_log {
    struct efg_log_header *header; /* the mapping, NULL if not open */
    struct efg_log_place next;     /* where the next record goes */
    uint32_t *ready;               /* end of the part whose pages exist */
    uint32_t *reserved;            /* end of the part that is allocated on disk */
    uint32_t *end;                 /* end of the mapping: the limit */
    int file;
    bool is_begun; /* it has its header */
    bool is_held;  /* readers are not to see what is being written */
};

/* Make the log PATH (must not exist) for at most LIMIT bytes, with the HEADER's facts;
 * magic, version, closed and used are filled in. Returns 0 or -errno. */
int efg_log_create(struct efg_log *log, const char *path, const struct efg_log_header *header,
                   uint64_t limit);

/* Words of the largest record. */
#define EFG_LOG_RECORD 10

/* Whether there is room for COUNT records at log->next. */
static inline bool efg_log_has_room(const struct efg_log *log, size_t count)
{
    return (size_t)(log->ready - log->next.word) >= count * EFG_LOG_RECORD;
}

/* Make room for at least COUNT records at log->next. Returns 0, -EFBIG at the limit,
 * -ENOSPC on a full disk, -ESTALE if somebody has truncated or removed the file, or another -errno.
 */
int efg_log_grow(struct efg_log *log, size_t count);

/* Words that a definition with SIZE bytes of payload may take. */
uint64_t efg_log_room_for(uint64_t size);

/* Write R, followed by PAYLOAD of r->d bytes, at PLACE, where there is room. Returns the
 * place after it. PAYLOAD may already be where it goes, or further on. */
struct efg_log_place efg_log_encode_definition(struct efg_log_place place,
                                               const struct efg_record *r, const void *payload);

/* Append a definition with PAYLOAD of r->d bytes. Returns 0 or as efg_log_grow. */
int efg_log_define(struct efg_log *log, const struct efg_record *r, const void *payload);

/* What a record has, as its first word says. */
enum efg_log_field {
    EFG_LOG_TIME = 1,
    EFG_LOG_HIGH = 2,
    EFG_LOG_A = 4,
    EFG_LOG_B = 8,
    EFG_LOG_C = 16,
    EFG_LOG_D = 32,
    EFG_LOG_E = 64,
    EFG_LOG_WIDE = 128,
};

static inline uint32_t *efg_log_field(uint32_t *head, uint32_t *at, enum efg_log_field field,
                                      bool is_there, uint32_t value)
{
    if (!is_there)
        return at;
    *head |= field;
    *at = value;
    return at + 1;
}

/* Write R at PLACE, where there is room. Returns the place after it. */
static inline struct efg_log_place efg_log_encode(struct efg_log_place place,
                                                  const struct efg_record *r)
{
    uint32_t time = (uint32_t)r->time, high = (uint32_t)(r->time >> 32);
    uint32_t d = (uint32_t)r->d, e = (uint32_t)r->e;
    uint32_t head = (uint32_t)r->kind << 8 | (uint32_t)r->call << 16, *at = place.word + 1;

    if (r->time != place.time) {
        at = efg_log_field(&head, at, EFG_LOG_TIME, true, time);
        at = efg_log_field(&head, at, EFG_LOG_HIGH, high != (uint32_t)(place.time >> 32), high);
    }
    at = efg_log_field(&head, at, EFG_LOG_A, r->a != 0, r->a);
    at = efg_log_field(&head, at, EFG_LOG_B, r->b != 0, r->b);
    at = efg_log_field(&head, at, EFG_LOG_C, r->c != 0, r->c);
    at = efg_log_field(&head, at, EFG_LOG_D, d != 0, d);
    at = efg_log_field(&head, at, EFG_LOG_E, e != 0, e);
    if ((r->d | r->e) >> 32) {
        at = efg_log_field(&head, at, EFG_LOG_WIDE, true, (uint32_t)(r->d >> 32));
        at = efg_log_field(&head, at, EFG_LOG_WIDE, true, (uint32_t)(r->e >> 32));
    }
    *place.word = head;
    return (struct efg_log_place){at, r->time};
}

/* Append a record; there is room. */
static inline void efg_log_put(struct efg_log *log, const struct efg_record *r)
{
    log->next = efg_log_encode(log->next, r);
}

/* All records so far are whole now. */
static inline void efg_log_commit(struct efg_log *log)
{
    if (log->is_held)
        return;
    __atomic_store_n(
        &log->header->used,
        (uint64_t)(log->next.word - (uint32_t *)((char *)log->header + EFG_LOG_HEADER)),
        __ATOMIC_RELEASE);
}

/* End the log: truncate the file to what is used, mark it closed, unmap. Returns 0, or -ESTALE as
 * above. */
int efg_log_close(struct efg_log *log);

/* Open the closed log PATH for writing again, behind its last record. Returns 0, -errno, or -EBADMSG as
 * efg_log_open. */
int efg_log_open_again(struct efg_log *log, const char *path);

/* Move the times of the closed log PATH by SHIFT ns: both of its synchronisations.
 * Returns 0, -errno, or -EBADMSG as efg_log_open. */
int efg_log_shift(const char *path, int64_t shift);

/* --- reading --- */

struct efg_log_view {
    const struct efg_log_header *header;
    const uint32_t *words; /* of records */
    uint64_t count;        /* as of opening */
    size_t mapped;         /* bytes */
};

/* Map the log PATH for reading; it may still be written to. Returns 0, -errno, or
 * -EBADMSG if it is not a log, or of another version, or its header is damaged (*why, if not
 * NULL, then says what, a static string). */
int efg_log_open(struct efg_log_view *view, const char *path, const char **why);
void efg_log_unmap(struct efg_log_view *view);

/* The same for what VIEW shows; the log stays as it is. */
void efg_log_shift_view(struct efg_log_view *view, int64_t shift);

/* Make VIEW one of a copy in memory, which LOG writes to, behind its last record; the file stays as it
 * is. LOG needs no close. Returns 0 or -errno. */
int efg_log_copy(struct efg_log *log, struct efg_log_view *view);

struct efg_log_reader { /* all zero but for the view: before the first record */
    const struct efg_log_view *view;
    uint64_t at; /* words: the place of the next record */
    struct efg_record record;
};

/* The next record, valid until the next call; *PAYLOAD (may be NULL) points to r->d bytes, as
 * long as the view is mapped, or is NULL. Returns NULL at the end and where the log is
 * damaged. */
const struct efg_record *efg_log_read(struct efg_log_reader *reader, const void **payload);

#endif
