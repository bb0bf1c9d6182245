/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes and reads the log of a thread.
 *
 * Writing: the whole limit is mapped once, so that the mapping never moves, while the
 * file below it grows in chunks, 1 MiB first, doubling up to 16 MiB. Invariant:
 *
 *     header <= records <= next <= ready <= reserved <= end
 *
 * All below reserved is on disk or reserved there; all below ready has been written to.
 *
 * A store to a mapped page beyond the end of the file, or to one that the disk has no room
 * for, is a SIGBUS in the application; posix_fallocate meets both before any store
 * does. Growing beyond RLIMIT_FSIZE would be a SIGXFSZ, so that limit is asked for first.
 * A file that somebody cuts short is met by guard.h, and noticed when the next pages are to be
 * made: what is stored until then is lost.
 *
 * Reading: a view has a header of its own, so that what a running job does to the file
 * afterwards (clock synchronisation at the end, number of records) cannot make two passes
 * over one view differ. Records below `used` never change.
 */
#include "log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "files/disk/below.h"
#include "files/disk/fan.h"
#include "files/disk/guard.h"

#define SMALLEST_CHUNK ((uint64_t)1 << 20) /* bytes */
#define LARGEST_CHUNK ((uint64_t)16 << 20)
#define SMALLEST_PART ((uint64_t)64 << 10) /* of a chunk, when the disk is almost full */
#define PIECE ((uint64_t)256 << 10)        /* of a chunk, whose pages are made together */
#define MOST_RANKS ((uint32_t)1 << 24)     /* more is damage, and would fill the memory */

_Static_assert(sizeof(struct efg_log_header) <= EFG_LOG_HEADER, "the header fits its page");

/* How many names of its path are the job's own. */
static unsigned own(const char *path)
{
    return EFG_BELOW_OWN + efg_fan_below(path);
}

static uint64_t offset_of(const struct efg_log *log, const uint32_t *word)
{
    return (uint64_t)((const char *)word - (const char *)log->header);
}

bool efg_log_may_have(uint64_t size)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

/* Reserve [FROM, TO) of the file on disk. */
static int reserve(int file, uint64_t from, uint64_t to)
{
    int rc;

    if (!efg_log_may_have(to))
        return -ENOSPC;
    do
        rc = posix_fallocate(file, (off_t)from, (off_t)(to - from));
    while (rc == EINTR);
    return rc == EFBIG ? -ENOSPC : -rc;
}

static uint64_t smaller(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

static uint64_t chunk_at(uint64_t offset)
{
    if (offset < SMALLEST_CHUNK)
        return SMALLEST_CHUNK;
    return smaller(offset, LARGEST_CHUNK); /* as much again: doubles the file */
}

/* A disk that is almost full may still have a part of a chunk; scraping together the last
 * pages one by one is not worth the time. */
static int extend(struct efg_log *log, uint64_t needed)
{
    uint64_t from = offset_of(log, log->reserved), end = offset_of(log, log->end);
    uint64_t size = smaller(chunk_at(from), end - from), least = needed - from;
    int rc;

    if (size < least)
        size = least;
    if (least < SMALLEST_PART)
        least = SMALLEST_PART;
    while ((rc = reserve(log->file, from, from + size)) == -ENOSPC && size / 2 >= least)
        size /= 2;
    if (rc == 0) /* only whole words: what is left over is reserved again, harmlessly */
        log->reserved += size / sizeof *log->reserved;
    return rc;
}

/* The next pages up to NEEDED or further. Written to at once, they are cheaper than by a fault
 * each, as a file system may then take large ones; if it cannot be done, they come with
 * their first use. */
static void prepare(struct efg_log *log, uint64_t needed)
{
    static char zeros[PIECE]; /* in no file, and in no memory: nobody writes to it */
    uint64_t at = offset_of(log, log->ready), end = offset_of(log, log->reserved);
    int saved = errno;

    while (at < needed) {
        uint64_t size = smaller(PIECE - at % PIECE, end - at);
        if (efg_log_may_have(at + size) && /* the limit may have changed */
            pwrite(log->file, zeros, size, (off_t)at) != (ssize_t)size)
            errno = saved;
        at += size;
    }
    log->ready = (uint32_t *)((char *)log->header + at);
}

/* The file is not what was written any more: somebody has removed it, or cut it short, and then
 * it may have grown again. */
static bool is_lost(const struct efg_log *log)
{
    struct stat facts;

    if (fstat(log->file, &facts) != 0)
        return true;
    return facts.st_nlink == 0 || (uint64_t)facts.st_size < offset_of(log, log->reserved) ||
           efg_guard_is_cut(log->header) ||
           memcmp(log->header->magic, EFG_LOG_MAGIC, sizeof log->header->magic) != 0;
}

static int make_room(struct efg_log *log, size_t words)
{
    if ((size_t)(log->ready - log->next.word) >= words)
        return 0;
    if (log->is_begun && is_lost(log))
        return -ESTALE;
    if ((size_t)(log->end - log->next.word) < words)
        return -EFBIG;
    uint64_t needed = offset_of(log, log->next.word + words);
    int rc = needed > offset_of(log, log->reserved) ? extend(log, needed) : 0;
    if (rc == 0)
        prepare(log, needed);
    return rc;
}

int efg_log_grow(struct efg_log *log, size_t count)
{
    return make_room(log, count * EFG_LOG_RECORD);
}

/* Map FILE for SIZE bytes and set LOG's pointers; nothing is reserved yet. */
static int map_for_writing(struct efg_log *log, uint64_t size)
{
    void *mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, log->file, 0);

    if (mapping == MAP_FAILED)
        return -errno;
    efg_guard_add(mapping, size);
    log->header = mapping;
    log->next.word = (uint32_t *)((char *)mapping + EFG_LOG_HEADER);
    log->ready = log->reserved = log->next.word;
    log->end = log->ready + (size - EFG_LOG_HEADER) / sizeof *log->ready;
    return 0;
}

/* The magic comes last: whoever looks earlier sees that this is no log yet. */
static void write_header(struct efg_log_header *to, const struct efg_log_header *from)
{
    *to = *from;
    memset(to->magic, 0, sizeof to->magic);
    to->version = EFG_LOG_VERSION;
    to->closed = 0;
    to->used = 0;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(to->magic, EFG_LOG_MAGIC, sizeof to->magic);
}

/* The pages that are ready are mapped at once; where the kernel is too old for that, they are with
 * their first use. */
static void populate(struct efg_log *log)
{
#ifdef MADV_POPULATE_WRITE
    int saved = errno;

    madvise(log->header, offset_of(log, log->ready), MADV_POPULATE_WRITE);
    errno = saved;
#else
    (void)log;
#endif
}

static bool unmap(void *mapping, uint64_t size)
{
    bool was_cut = efg_guard_remove(mapping);

    munmap(mapping, size);
    return was_cut;
}

static int set_up(struct efg_log *log, const struct efg_log_header *header, uint64_t limit)
{
    int rc = reserve(log->file, 0, EFG_LOG_HEADER);

    if (rc == 0)
        rc = map_for_writing(log, limit);
    if (rc == 0)
        rc = efg_log_grow(log, 1);
    if (rc == 0) {
        prepare(log, smaller(SMALLEST_CHUNK, offset_of(log, log->reserved)));
        populate(log);
        write_header(log->header, header);
        log->is_begun = true;
    }
    return rc;
}

int efg_log_create(struct efg_log *log, const char *path, const struct efg_log_header *header, uint64_t limit)
{
    int rc;

    memset(log, 0, sizeof *log);
    log->file = -1;
    if (limit < EFG_LOG_HEADER + EFG_LOG_RECORD * sizeof(uint32_t) || limit > SIZE_MAX / 2)
        return -EINVAL;
    limit -= limit % sizeof(uint32_t);
    rc = efg_below_open(path, own(path), O_RDWR | O_CREAT | O_EXCL);
    if (rc < 0)
        return rc;
    log->file = rc;
    rc = set_up(log, header, limit);
    if (rc == 0)
        return 0;
    if (log->header)
        unmap(log->header, limit);
    close(log->file);
    efg_below_remove(path, own(path));
    memset(log, 0, sizeof *log);
    log->file = -1;
    return rc;
}

/* Words between a definition that ends at WORD and its payload. */
static size_t gap_at(const uint32_t *word)
{
    return (uintptr_t)word / sizeof *word & 1;
}

static uint64_t words_for(uint64_t bytes)
{
    return bytes / sizeof(uint32_t) + (bytes % sizeof(uint32_t) != 0);
}

uint64_t efg_log_room_for(uint64_t size)
{
    return EFG_LOG_RECORD + 1 + words_for(size);
}

struct efg_log_place efg_log_encode_definition(struct efg_log_place place, const struct efg_record *r,
                                               const void *payload)
{
    uint64_t size = r->d, words = words_for(size);

    place = efg_log_encode(place, r);
    if (words == 0)
        return place;
    if (gap_at(place.word))
        *place.word++ = 0;
    memmove(place.word, payload, size);
    memset((char *)place.word + size, 0, words * sizeof *place.word - size);
    place.word += words;
    return place;
}

int efg_log_define(struct efg_log *log, const struct efg_record *r, const void *payload)
{
    struct efg_record definition = *r;
    int rc = make_room(log, efg_log_room_for(r->d));

    definition.time = log->next.time; /* which takes no room */
    if (rc == 0)
        log->next = efg_log_encode_definition(log->next, &definition, payload);
    return rc;
}

int efg_log_close(struct efg_log *log)
{
    int saved = errno;

    if (!log->header)
        return 0;
    efg_log_commit(log);
    log->header->closed = 1;
    int error = is_lost(log) ? -ESTALE : 0;
    /* When it cannot be cut, the file keeps its reserved end: readers go by `used`. */
    if (!error && ftruncate(log->file, (off_t)offset_of(log, log->next.word)) != 0)
        errno = saved;
    unmap(log->header, offset_of(log, log->end));
    close(log->file);
    memset(log, 0, sizeof *log);
    log->file = -1;
    return error;
}

/* --- reading --- */

static const char *what_is_wrong(const struct efg_log_header *h)
{
    if (memcmp(h->magic, EFG_LOG_MAGIC, sizeof h->magic) != 0)
        return "it is no log of efgtrace";
    if (h->version != EFG_LOG_VERSION)
        return "it was written by another version of efgtrace";
    if (h->ticks_per_second == 0 || h->ranks > MOST_RANKS || h->rank >= h->ranks)
        return "its header is damaged";
    return NULL;
}

static int refuse(const char **why, const char *what)
{
    if (why)
        *why = what;
    return -EBADMSG;
}

/* The header first, then the size: a log that is still being written only grows. */
static int look(int file, struct efg_log_header *header, uint64_t *size, const char **why)
{
    struct stat status;
    const char *wrong;
    ssize_t got;

    if (fstat(file, &status) != 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return refuse(why, "it is no regular file");
    got = pread(file, header, sizeof *header, 0);
    if (got < 0 || fstat(file, &status) != 0)
        return -errno;
    if ((size_t)got < sizeof *header || status.st_size < EFG_LOG_HEADER)
        return refuse(why, "it is shorter than its header");
    wrong = what_is_wrong(header);
    if (wrong)
        return refuse(why, wrong);
    *size = (uint64_t)status.st_size;
    header->host[sizeof header->host - 1] = '\0';
    header->application[sizeof header->application - 1] = '\0';
    return 0;
}

static void shift_header(struct efg_log_header *header, int64_t shift)
{
    header->sync[0].realtime += (uint64_t)shift;
    if (header->sync[1].realtime) /* there is one */
        header->sync[1].realtime += (uint64_t)shift;
}

int efg_log_shift(const char *path, int64_t shift)
{
    struct efg_log_header header;
    uint64_t size;
    int file = efg_below_open(path, own(path), O_RDWR), rc;

    if (file < 0)
        return file;
    rc = look(file, &header, &size, NULL);
    if (rc == 0) {
        shift_header(&header, shift);
        rc = efg_write_all(file, header.sync, sizeof header.sync, offsetof(struct efg_log_header, sync));
    }
    if (close(file) != 0 && rc == 0)
        rc = -errno;
    return rc;
}

/* Nothing can be added to it: it has the room that it has. */
int efg_log_open_again(struct efg_log *log, const char *path)
{
    struct efg_log_header header;
    uint64_t size = 0;
    int rc;

    memset(log, 0, sizeof *log);
    log->file = efg_below_open(path, own(path), O_RDWR);
    if (log->file < 0)
        return log->file;
    rc = look(log->file, &header, &size, NULL);
    if (rc == 0)
        rc = map_for_writing(log, size);
    if (rc == 0) {
        log->next.word += smaller(header.used, (uint64_t)(log->end - log->next.word));
        log->ready = log->reserved = log->end;
        log->is_begun = true;
        populate(log);
        return 0;
    }
    close(log->file);
    log->file = -1;
    return rc;
}

/* A file that was cut short (a copy that broke off) is good for as long as it is. */
static int map_for_reading(struct efg_log_view *view, int file, const struct efg_log_header *header,
                           uint64_t size)
{
    uint64_t there = (size - EFG_LOG_HEADER) / sizeof(uint32_t);
    struct efg_log_header *own = malloc(sizeof *own);
    void *mapping;

    if (!own)
        return -ENOMEM;
    view->count = smaller(header->used, there);
    view->mapped = EFG_LOG_HEADER + view->count * sizeof(uint32_t);
    mapping = mmap(NULL, view->mapped, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapping == MAP_FAILED) {
        free(own);
        return -errno;
    }
    efg_guard_add(mapping, view->mapped);
    *own = *header;
    view->header = own;
    view->words = (const uint32_t *)((const char *)mapping + EFG_LOG_HEADER);
    return 0;
}

int efg_log_open(struct efg_log_view *view, const char *path, const char **why)
{
    struct efg_log_header header;
    uint64_t size = 0;
    int file, rc;

    memset(view, 0, sizeof *view);
    if (why)
        *why = NULL;
    file = efg_below_open(path, efg_fan_below(path), O_RDONLY);
    if (file == -ELOOP)
        return refuse(why, efg_below_explain(file));
    if (file < 0)
        return file;
    rc = look(file, &header, &size, why);
    if (rc == 0)
        rc = map_for_reading(view, file, &header, size);
    close(file);
    return rc;
}

int efg_log_copy(struct efg_log *log, struct efg_log_view *view)
{
    void *mapping = mmap(NULL, view->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint32_t *words = mapping == MAP_FAILED ? NULL : (uint32_t *)((char *)mapping + EFG_LOG_HEADER);

    if (!words)
        return -errno;
    memcpy(mapping, view->header, sizeof *view->header);
    memcpy(words, view->words, view->count * sizeof *words);
    unmap((char *)(uintptr_t)view->words - EFG_LOG_HEADER, view->mapped);
    efg_guard_add(mapping, view->mapped);
    view->words = words;
    *log = (struct efg_log){.header = mapping,
                            .next.word = words + view->count,
                            .ready = words + view->count,
                            .reserved = words + view->count,
                            .end = words + view->count,
                            .file = -1};
    return 0;
}

void efg_log_unmap(struct efg_log_view *view)
{
    if (view->header) {
        unmap((char *)(uintptr_t)view->words - EFG_LOG_HEADER, view->mapped);
        free((void *)(uintptr_t)view->header);
    }
    memset(view, 0, sizeof *view);
}

void efg_log_shift_view(struct efg_log_view *view, int64_t shift)
{
    shift_header((struct efg_log_header *)(uintptr_t)view->header, shift); /* its own */
}

/* Words of a record with this HEAD. */
static uint64_t length_of(uint32_t head)
{
    return 1 + (uint64_t)__builtin_popcount(head & 0xff) + ((head & EFG_LOG_WIDE) != 0);
}

/* The word at *AT if FIELD is there, else what is EXPECTED. */
static uint64_t take(uint32_t head, const uint32_t **at, enum efg_log_field field, uint64_t expected)
{
    return head & field ? *(*at)++ : expected;
}

/* The record at AT, behind one of TIME. Returns where it ends. */
static const uint32_t *decode(const uint32_t *at, uint64_t time, struct efg_record *out)
{
    uint32_t head = *at++;
    struct efg_record r = {.kind = head >> 8 & 0xff, .call = (uint16_t)(head >> 16)};

    r.time = take(head, &at, EFG_LOG_TIME, (uint32_t)time);
    r.time |= take(head, &at, EFG_LOG_HIGH, time >> 32) << 32;
    r.a = (uint32_t)take(head, &at, EFG_LOG_A, 0);
    r.b = (uint32_t)take(head, &at, EFG_LOG_B, 0);
    r.c = (uint32_t)take(head, &at, EFG_LOG_C, 0);
    r.d = take(head, &at, EFG_LOG_D, 0);
    r.e = take(head, &at, EFG_LOG_E, 0);
    r.d |= take(head, &at, EFG_LOG_WIDE, 0) << 32;
    r.e |= take(head, &at, EFG_LOG_WIDE, 0) << 32;
    *out = r;
    return at;
}

/* Whether the record at AT ends at END or before. */
static bool is_whole(const uint32_t *at, const uint32_t *end)
{
    return end - at >= EFG_LOG_RECORD || (end > at && length_of(*at) <= (uint64_t)(end - at));
}

const struct efg_record *efg_log_read(struct efg_log_reader *reader, const void **payload)
{
    const struct efg_log_view *view = reader->view;
    const uint32_t *at = view->words + reader->at, *end = view->words + view->count;
    struct efg_record r;

    if (payload)
        *payload = NULL;
    if (!is_whole(at, end))
        return NULL;
    at = decode(at, reader->record.time, &r);
    if (r.kind >= EFG_REC_DEF_CALL && r.d) {
        const uint32_t *start = at + gap_at(at);
        if (start > end || r.d > (uint64_t)(end - start) * sizeof *start)
            return NULL;
        if (payload)
            *payload = start;
        at = start + words_for(r.d);
    }
    reader->at = (uint64_t)(at - view->words);
    reader->record = r;
    return &reader->record;
}
