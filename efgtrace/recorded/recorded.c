/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hands out what another process reads from the trace, and checks it first. Invariant: what leaves here
 * refers to sites, ranks and locations that there are, and ends after it begins.
 */
#include "recorded.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "files/disk/below.h"
#include "parts.h"

#define PIECE 65536 /* bytes at a time */

static int fail(struct efg_recorded *r, const char *what)
{
    snprintf(r->message, sizeof r->message, "the trace cannot be read: %s", what);
    return -EBADMSG;
}

/* --- the process that reads --- */

/* It ended before it had said all. */
static int explain_end(struct efg_recorded *r)
{
    int status = 0;
    while (r->reader > 0 && waitpid(r->reader, &status, 0) < 0 && errno == EINTR)
        ;
    r->reader = 0;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        return fail(r, "it is damaged, the OTF2 library comes to no end");
    if (WIFSIGNALED(status)) {
        char text[128];
        snprintf(text, sizeof text, "it is damaged, the OTF2 library crashed: %s",
                 strsignal(WTERMSIG(status)));
        return fail(r, text);
    }
    return fail(r, "no memory");
}

/* SIZE bytes from the pipe. Returns 0 or -EBADMSG with the message filled. */
static int take(struct efg_recorded *r, void *to, size_t size)
{
    unsigned char *at = to;
    while (size) {
        if (r->at == r->size) {
            ssize_t got = read(r->pipe, r->bytes, PIECE);
            if (got < 0 && errno == EINTR)
                continue;
            if (got <= 0)
                return explain_end(r);
            r->at = 0;
            r->size = (size_t)got;
        }
        size_t part = r->size - r->at < size ? r->size - r->at : size;
        memcpy(at, r->bytes + r->at, part);
        r->at += part;
        at += part;
        size -= part;
    }
    return 0;
}

static int start_reader(struct efg_recorded *r, const char *dir)
{
    int ends[2];
    if (pipe(ends))
        return fail(r, strerror(errno));
    r->reader = fork();
    if (!r->reader) {
        close(ends[0]);
        efg_recorded_read(dir, ends[1]);
    }
    close(ends[1]);
    r->pipe = ends[0];
    return r->reader < 0 ? fail(r, strerror(errno)) : 0;
}

/* --- what it says --- */

static int take_fault(struct efg_recorded *r, uint32_t size)
{
    char text[400] = "";
    if (size >= sizeof text)
        return fail(r, "it is damaged");
    return take(r, text, size) ? -EBADMSG : fail(r, text);
}

static int take_site(struct efg_recorded *r, const struct efg_recorded_record *record)
{
    if (record->text > 4096)
        return fail(r, "it is damaged");
    char *function = calloc(1, (size_t)record->text + 1);
    if (!function || efg_array_grow(&r->sites, r->site_count, 1, sizeof *r->sites)) {
        free(function);
        return fail(r, "no memory");
    }
    r->sites[r->site_count++] = (struct efg_recorded_site){function, record->path};
    return take(r, function, record->text);
}

static int take_object(struct efg_recorded *r, const struct efg_recorded_record *record)
{
    if (record->text > 4096 || record->object.kind > EFG_OBJECT_IO)
        return fail(r, "it is damaged");
    char *name = calloc(1, (size_t)record->text + 1);
    if (!name || efg_array_grow(&r->objects, r->object_count, 1, sizeof *r->objects)) {
        free(name);
        return fail(r, "no memory");
    }
    r->objects[r->object_count++] =
        (struct efg_recorded_object){name, record->object.kind, record->object.ranks};
    return take(r, name, record->text);
}

static int take_head(struct efg_recorded *r, const struct efg_run *run)
{
    struct efg_recorded_record record;
    if (take(r, &record, sizeof record))
        return -EBADMSG;
    if (record.sign != EFG_SIGN_HEAD)
        return record.sign == EFG_SIGN_FAULT ? take_fault(r, record.text) : fail(r, "it is damaged");
    r->start = record.head.start;
    r->length = record.head.length;
    r->ranks = record.head.ranks;
    r->location_count = record.head.location_count;
    if (run->rank_count && run->ranks[run->rank_count - 1].rank >= r->ranks)
        return fail(r, "it is of another run, with fewer ranks");
    return 0;
}

static bool is_call(const struct efg_recorded *r, uint64_t number)
{
    return number < r->calls || number == EFG_RECORDED_NONE;
}

static bool is_sound(struct efg_recorded *r, const struct efg_recorded_item *item)
{
    r->location += item->kind == EFG_RECORDED_LOCATION;
    if (!r->location || r->location > r->location_count)
        return false;
    switch (item->kind) {
    case EFG_RECORDED_LOCATION:
        r->calls = 0;
        return item->location.rank < r->ranks;
    case EFG_RECORDED_CALL:
        r->calls++;
        return item->call.site < r->site_count && item->call.begin <= item->call.end &&
               (item->call.object < r->object_count || item->call.object == EFG_NONE);
    case EFG_RECORDED_ITERATION:
    case EFG_RECORDED_WINDOW:
        return item->span.begin <= item->span.end;
    case EFG_RECORDED_MESSAGE:
        return item->message.from < r->ranks && item->message.to < r->ranks &&
               is_call(r, item->message.begun) && is_call(r, item->message.done);
    case EFG_RECORDED_COLLECTIVE:
        return item->collective.meeting <= EFG_MEETING_SCAN && is_call(r, item->collective.begun) &&
               is_call(r, item->collective.done);
    case EFG_RECORDED_ACCESS:
        return item->access.act <= EFG_ACT_ATOMIC && item->access.rank < r->ranks &&
               item->access.call < r->calls;
    }
    return false;
}

/* The next item. Returns 1; 0 at the end; -EBADMSG with the message filled. */
static int next(struct efg_recorded *r, struct efg_recorded_item *item)
{
    struct efg_recorded_record record;
    while (!take(r, &record, sizeof record)) {
        switch (record.sign) {
        case EFG_SIGN_ITEM:
            *item = record.item;
            return is_sound(r, item) ? 1 : fail(r, "it is damaged");
        case EFG_SIGN_SITE:
            if (take_site(r, &record))
                return -EBADMSG;
            continue;
        case EFG_SIGN_OBJECT:
            if (take_object(r, &record))
                return -EBADMSG;
            continue;
        case EFG_SIGN_FAULT:
            return take_fault(r, record.text);
        case EFG_SIGN_END:
            return 0;
        default:
            return fail(r, "it is damaged");
        }
    }
    return -EBADMSG;
}

/* --- the whole of it --- */

static int explain_missing(struct efg_recorded *r, const struct efg_run *run)
{
    if (run->trace_note && *run->trace_note)
        snprintf(r->message, sizeof r->message, "there is no trace: %s", run->trace_note);
    else
        snprintf(r->message, sizeof r->message, "there is no trace in %s", run->output);
    return -ENOENT;
}

static int open_trace(struct efg_recorded *r, const struct efg_run *run)
{
    char path[PATH_MAX];
    *r = (struct efg_recorded){.pipe = -1, .bytes = malloc(PIECE)};
    if (!r->bytes)
        return fail(r, "no memory");
    if (snprintf(path, sizeof path, "%s/traces.otf2", run->output) >= (int)sizeof path)
        return fail(r, strerror(ENAMETOOLONG));
    if (!efg_below_is_there(path, 1))
        return explain_missing(r, run);
    return start_reader(r, run->output) || take_head(r, run) ? -EBADMSG : 0;
}

int efg_recorded_all(struct efg_recorded *r, const struct efg_run *run,
                     int (*give)(void *data, const struct efg_recorded_item *item), void *data)
{
    struct efg_recorded_item item;
    int error = 0, got = open_trace(r, run) ? -EBADMSG : 1;
    while (got > 0 && !error && (got = next(r, &item)) > 0)
        error = give(data, &item);
    return got < 0 ? -EBADMSG : error;
}

void efg_recorded_close(struct efg_recorded *r)
{
    if (r->pipe >= 0)
        close(r->pipe);
    if (r->reader > 0) {
        kill(r->reader, SIGKILL);
        while (waitpid(r->reader, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    for (uint32_t i = 0; i < r->site_count; i++)
        free(r->sites[i].function);
    free(r->sites);
    for (uint32_t i = 0; i < r->object_count; i++)
        free(r->objects[i].name);
    free(r->objects);
    free(r->bytes);
    *r = (struct efg_recorded){.pipe = -1};
}
