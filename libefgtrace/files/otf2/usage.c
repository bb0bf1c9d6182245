/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What communicators, RMA windows and files take: the calls that have to do with each of them, summed
 * up log by log while it is scanned, then over all logs.
 *
 * A call is of the first one that it has to do with: an MPI_Waitall of many, of that of the request which
 * is complete first. Where a log has iterations, only what is in them counts.
 */
#include "usage.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* --- one log --- */

static uint64_t key_of(enum efg_otf2_item item, uint32_t id)
{
    return (uint64_t)item << 32 | id;
}

static void define(struct efg_otf2_usage *u, enum efg_otf2_item item, uint32_t id)
{
    uint64_t *index = efg_map_put(&u->index, key_of(item, id));
    u->failed |= !index || efg_array_grow(&u->uses, u->count, 1, sizeof *u->uses);
    if (u->failed)
        return;
    *index = u->count;
    u->uses[u->count++] = (struct efg_otf2_use){.reference = u->references++};
}

static void touch(struct efg_otf2_usage *u, enum efg_otf2_item item, uint32_t id, uint64_t bytes)
{
    const uint64_t *index = efg_map_find(&u->index, key_of(item, id));
    if (!index || !u->in_call)
        return;
    u->bytes += bytes;
    if (u->of == EFG_NONE)
        u->of = (uint32_t)*index;
}

static void remember(struct efg_otf2_usage *u, const struct efg_record *r)
{
    uint64_t *comm = efg_map_put(&u->sends, r->e);
    u->failed |= !comm;
    if (comm)
        *comm = r->a;
}

static void complete(struct efg_otf2_usage *u, uint64_t request)
{
    const uint64_t *comm = efg_map_find(&u->sends, request);
    if (comm)
        touch(u, EFG_ITEM_COMM, (uint32_t)*comm, 0);
    efg_map_remove(&u->sends, request);
}

static void take_call(struct efg_otf2_usage *u, const struct efg_record *r)
{
    switch (r->kind) {
    case EFG_REC_ISEND:
        remember(u, r);
        return touch(u, EFG_ITEM_COMM, r->a, r->d);
    case EFG_REC_SEND:
    case EFG_REC_COLLECTIVE_END:
    case EFG_REC_COLLECTIVE_COMPLETE:
        return touch(u, EFG_ITEM_COMM, r->a, r->d);
    case EFG_REC_RECV:
    case EFG_REC_IRECV:
        return touch(u, EFG_ITEM_COMM, r->a, 0);
    case EFG_REC_ISEND_COMPLETE:
    case EFG_REC_REQUEST_CANCELLED:
        return complete(u, r->e);
    case EFG_REC_RMA_PUT:
    case EFG_REC_RMA_GET:
        return touch(u, EFG_ITEM_WIN, r->a, r->d);
    case EFG_REC_RMA_ATOMIC:
        return touch(u, EFG_ITEM_WIN, r->a, r->c == EFG_ATOMIC_ACCUMULATE ? r->d : 2 * r->d);
    case EFG_REC_RMA_COLLECTIVE_END:
    case EFG_REC_RMA_GROUP_SYNC:
    case EFG_REC_RMA_ACQUIRE:
    case EFG_REC_RMA_RELEASE:
    case EFG_REC_RMA_SYNC:
        return touch(u, EFG_ITEM_WIN, r->a, 0);
    case EFG_REC_IO_OPEN:
    case EFG_REC_IO_CLOSE:
    case EFG_REC_IO_SEEK:
    case EFG_REC_IO_BEGIN:
        return touch(u, EFG_ITEM_FILE, r->a, 0);
    case EFG_REC_IO_COMPLETE:
        return touch(u, EFG_ITEM_FILE, r->a, r->d);
    }
}

static void end_call(struct efg_otf2_usage *u, uint64_t time)
{
    if (u->in_call && u->of != EFG_NONE && (u->in_iteration || !u->has_iterations)) {
        struct efg_otf2_use *use = &u->uses[u->of];
        use->calls++;
        use->bytes += u->bytes;
        use->time += time;
    }
    u->in_call = false;
}

/* What came before the first one was of a start that is not counted. */
static void begin_iteration(struct efg_otf2_usage *u)
{
    for (uint32_t i = 0; i < u->count && !u->has_iterations; i++)
        u->uses[i] = (struct efg_otf2_use){.reference = u->uses[i].reference};
    u->has_iterations = u->in_iteration = true;
}

void efg_otf2_usage_take(struct efg_otf2_usage *u, const struct efg_record *r,
                         const struct efg_log_clock *clock)
{
    switch (r->kind) {
    case EFG_REC_ITERATION_BEGIN:
        return begin_iteration(u);
    case EFG_REC_ITERATION_END:
    case EFG_REC_WINDOW_END:
        u->in_iteration = u->in_call = false;
        return;
    case EFG_REC_ENTER:
        u->in_call = true;
        u->since = r->time;
        u->bytes = 0;
        u->of = EFG_NONE;
        return;
    case EFG_REC_LEAVE:
        return end_call(u, efg_log_ns(clock, r->time) - efg_log_ns(clock, u->since));
    case EFG_REC_DEF_COMM:
        return define(u, EFG_ITEM_COMM, r->a);
    case EFG_REC_DEF_WIN:
        return define(u, EFG_ITEM_WIN, r->a);
    case EFG_REC_DEF_FILE:
        return define(u, EFG_ITEM_FILE, r->a);
    default:
        if (r->kind < EFG_REC_DEF_CALL)
            take_call(u, r);
        else
            u->references += r->kind != EFG_REC_DEF_MODULE;
    }
}

void efg_otf2_usage_put(const struct efg_otf2_usage *u, struct efg_buffer *out)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < u->count; i++)
        used += u->uses[i].calls > 0;
    out->failed |= u->failed;
    efg_buffer_number(out, used);
    for (uint32_t i = 0; i < u->count; i++) {
        if (!u->uses[i].calls)
            continue;
        efg_buffer_number(out, u->uses[i].reference);
        efg_buffer_number(out, u->uses[i].calls);
        efg_buffer_number(out, u->uses[i].bytes);
        efg_buffer_number(out, u->uses[i].time);
    }
}

void efg_otf2_usage_fini(struct efg_otf2_usage *u)
{
    efg_map_fini(&u->index);
    efg_map_fini(&u->sends);
    free(u->uses);
}

/* --- all logs --- */

/* The time of the rank that was added last is complete. */
static void close_rank(struct efg_otf2_used *used)
{
    if (used->ranks && used->of_rank < used->least) {
        used->least = used->of_rank;
        used->least_rank = used->rank;
    }
}

static void add_use(struct efg_otf2_used *used, uint32_t rank, const struct efg_otf2_use *use)
{
    if (!used->ranks || used->rank != rank) {
        close_rank(used);
        used->ranks++;
        used->rank = rank;
        used->of_rank = 0;
    }
    used->of_rank += use->time;
    used->calls += use->calls;
    used->bytes += use->bytes;
    used->time += use->time;
}

static struct efg_otf2_used *used_of(struct efg_otf2_unifier *u, struct efg_otf2_reference what)
{
    uint64_t index = efg_map_number(&u->used_index, key_of(what.item, what.row));
    if (index == UINT64_MAX ||
        (index == u->used_count && efg_array_grow(&u->used, u->used_count, 1, sizeof *u->used)))
        return NULL;
    if (index == u->used_count)
        u->used[u->used_count++] = (struct efg_otf2_used){.what = what, .least = UINT64_MAX};
    return &u->used[index];
}

/* A file is one, however often it was opened. */
static struct efg_otf2_reference thing_of(const struct efg_otf2_unifier *u, struct efg_otf2_reference what)
{
    const struct efg_otf2_handle *handle;
    if (what.item != EFG_ITEM_FILE)
        return what;
    handle = efg_otf2_key(&u->handles, what.row);
    return (struct efg_otf2_reference){EFG_ITEM_FILE, handle->file};
}

static bool is_thing(struct efg_otf2_reference what)
{
    return what.item == EFG_ITEM_COMM || what.item == EFG_ITEM_WIN || what.item == EFG_ITEM_FILE;
}

int efg_otf2_usage_add(struct efg_otf2_unifier *u, const struct efg_otf2_log *log, struct efg_reader *in)
{
    const struct efg_otf2_set *set = &u->sets[log->set];
    for (uint64_t left = efg_reader_number(in); left && !in->failed; left--) {
        uint64_t reference = efg_reader_number(in);
        struct efg_otf2_use use = {.calls = efg_reader_number(in)};
        use.bytes = efg_reader_number(in);
        use.time = efg_reader_number(in);
        if (in->failed || reference >= set->reference_count)
            return -EBADMSG;
        if (!is_thing(set->references[reference])) /* a definition without sense */
            continue;
        struct efg_otf2_used *used = used_of(u, thing_of(u, set->references[reference]));
        if (!used)
            return -ENOMEM;
        add_use(used, log->rank, &use);
    }
    return in->failed ? -EBADMSG : 0;
}

/* --- what is said of them --- */

static int by_time(const void *a, const void *b)
{
    const struct efg_otf2_used *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? 1 : -1;
    if (x->what.item != y->what.item)
        return x->what.item < y->what.item ? -1 : 1;
    return (x->what.row > y->what.row) - (x->what.row < y->what.row);
}

/* As readers of the trace call it. */
static void name(const struct efg_otf2_unifier *u, struct efg_otf2_reference what, char *text, size_t size)
{
    const uint32_t *file;
    uint32_t number = what.item == EFG_ITEM_COMM ? u->comm_ids[what.row] : what.row;
    uint32_t named = efg_otf2_name(u, what.item, what.row);
    const char *kind = what.item == EFG_ITEM_COMM ? "Comm" : "Win";
    if (what.item == EFG_ITEM_FILE) {
        file = efg_otf2_key(&u->files, what.row);
        snprintf(text, size, "%s", (const char *)efg_otf2_key(&u->strings, *file));
    } else if (what.item == EFG_ITEM_COMM && what.row <= EFG_COMM_ROW_SELF) {
        snprintf(text, size, "%s", what.row == EFG_COMM_ROW_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
    } else if (named != EFG_NONE) {
        snprintf(text, size, "%s (%s %u)", (const char *)efg_otf2_key(&u->strings, named), kind, number);
    } else {
        snprintf(text, size, "%s %u", kind, number);
    }
}

/* Returns 0 or -ENOMEM. */
static int say(const struct efg_otf2_unifier *u, const struct efg_otf2_used *used,
               struct efg_run_object *object)
{
    char text[4096];
    name(u, used->what, text, sizeof text);
    *object = (struct efg_run_object){.name = strdup(text),
                                      .ranks = used->ranks,
                                      .calls = used->calls,
                                      .bytes = used->bytes,
                                      .time = used->time,
                                      .least = used->least,
                                      .least_rank = used->least_rank};
    return object->name ? 0 : -ENOMEM;
}

int efg_otf2_say_usage(struct efg_otf2_unifier *u, struct efg_run *run)
{
    int error = efg_otf2_order_comms(u);
    for (uint32_t i = 0; i < u->used_count; i++)
        close_rank(&u->used[i]);
    if (u->used_count)
        qsort(u->used, u->used_count, sizeof *u->used, by_time);
    run->objects_left = u->used_count > EFG_RUN_OBJECTS ? u->used_count - EFG_RUN_OBJECTS : 0;
    run->objects = calloc(EFG_RUN_OBJECTS, sizeof *run->objects);
    for (uint32_t i = 0; run->objects && !error && i < u->used_count - run->objects_left; i++) {
        error = say(u, &u->used[i], &run->objects[i]);
        run->object_count += !error;
    }
    return run->objects ? error : -ENOMEM;
}
