/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Record: the logs of a run in mode full become a recording. It is the logs that it reads, not
 * the trace that is made of them: call sites of functions between main and the MPI call are in
 * no trace, and they are what the rule for the main loop goes by.
 *
 * Only the thread that called MPI_Init is recorded. Polls in a row that found nothing are one
 * event, as in the log. Modules have numbers that are the same on all ranks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/map.h"
#include "files/log/log.h"
#include "recording.h"

#define NS_PER_SECOND 1000000000u
#define MOST_MODULES 65536

enum { IS_NEIGHBOUR = 1 << 8 }; /* beside enum loop_event_flag, of a function of MPI */

/* What is recorded of a rank, and what its log has defined so far. */
struct recorder {
    const struct efg_log_header *header;
    struct recording recording;
    struct efg_map modules; /* by number in the log: number in the recording */
    struct efg_map calls;   /* by id: flags of the function */
    struct efg_map comms;   /* by id: 1 for those as large as the world */
    struct recorded_event event;
    int is_inside; /* of a call */
};

static char *modules[MOST_MODULES]; /* of all ranks; 0 is for what is not known */
static uint32_t module_count = 1;

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "record: %s%s\n", what, name);
    exit(2);
}

/* ---- definitions ---- */

static void define(struct efg_map *map, uint64_t id, uint64_t value)
{
    uint64_t *place = efg_map_put(map, id);

    if (!place)
        abort();
    *place = value;
}

static uint64_t defined(const struct efg_map *map, uint64_t id)
{
    const uint64_t *place = efg_map_find(map, id);
    return place ? *place : 0;
}

static uint32_t find_module(const char *name)
{
    for (uint32_t i = 1; i < module_count; i++)
        if (!strcmp(modules[i], name))
            return i;
    if (module_count == MOST_MODULES)
        fail("too many modules: ", name);
    modules[module_count] = strdup(name);
    return module_count++;
}

static int is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++)
        if (!strcmp(name, *list))
            return 1;
    return 0;
}

/* Calls whose order is a matter of timing; and those of neighbours, which are no collectives of
 * the world. */
static uint64_t flags_of(const char *name)
{
    static const char *const unordered[] = {
        "MPI_Test",    "MPI_Testany", "MPI_Testsome", "MPI_Testall", "MPI_Request_get_status", "MPI_Iprobe",
        "MPI_Improbe", "MPI_Probe",   "MPI_Mprobe",   "MPI_Waitany", "MPI_Waitsome",           "MPI_Win_test",
        NULL};

    if (is_one_of(name, unordered))
        return LOOP_EVENT_UNORDERED;
    return strncmp(name, "MPI_Neighbor_", strlen("MPI_Neighbor_")) ? 0 : IS_NEIGHBOUR;
}

static uint64_t is_as_large_as_world(const struct recorder *r, const struct efg_record *record,
                                     const struct efg_members *members)
{
    return record->b == EFG_COMM_WORLD || (record->b == EFG_COMM_INTRA && record->d >= sizeof *members &&
                                           members->local == r->header->ranks);
}

/* Of a path that is defined again, what is known already stays. */
static void define_path(struct recorder *r, const struct efg_record *record, const struct efg_frame *frames)
{
    uint32_t depth = (uint32_t)(record->d / sizeof *frames);
    struct recorded_path *path = recording_define(&r->recording, record->a, record->e, depth ? depth : 1);

    for (uint32_t i = 0; path && i < depth; i++)
        path->keys[depth - 1 - i] = RECORDING_KEY(defined(&r->modules, frames[i].module), frames[i].offset);
}

static void take_definition(struct recorder *r, const struct efg_record *record, const void *payload)
{
    char name[4096] = "";

    if (payload && record->d < sizeof name)
        memcpy(name, payload, record->d);
    if (record->kind == EFG_REC_DEF_CALL)
        define(&r->calls, record->call, flags_of(name));
    else if (record->kind == EFG_REC_DEF_MODULE)
        define(&r->modules, record->a, find_module(name));
    else if (record->kind == EFG_REC_DEF_COMM)
        define(&r->comms, record->a, is_as_large_as_world(r, record, payload));
    else if (record->kind == EFG_REC_DEF_PATH)
        define_path(r, record, payload);
}

/* ---- calls ---- */

static uint64_t moment(const struct recorder *r, uint64_t ticks)
{
    return (uint64_t)((unsigned __int128)ticks * NS_PER_SECOND / r->header->ticks_per_second);
}

static void enter(struct recorder *r, const struct efg_record *record)
{
    uint64_t flags = defined(&r->calls, record->call);

    r->is_inside = 1;
    r->event = (struct recorded_event){
        .path = record->a,
        .call = record->call,
        .flags = record->d ? LOOP_EVENT_POLL : (uint8_t)flags,
        .enter = moment(r, record->time),
    };
}

static void leave(struct recorder *r, const struct efg_record *record)
{
    if (!r->is_inside)
        return;
    r->is_inside = 0;
    r->event.leave = moment(r, record->time);
    if (r->event.leave < r->event.enter)
        r->event.leave = r->event.enter;
    recording_define(&r->recording, r->event.path, 0, 1); /* unless there is one */
    recording_add(&r->recording, &r->event);
}

/* Making and freeing communicators is not counted among the collectives. */
static void take_collective(struct recorder *r, const struct efg_record *record)
{
    int is_neighbour = (defined(&r->calls, r->event.call) & IS_NEIGHBOUR) != 0;

    if (r->is_inside && record->call <= EFG_COLL_EXSCAN && !is_neighbour)
        r->event.flags |= defined(&r->comms, record->a) ? LOOP_EVENT_WORLD : LOOP_EVENT_GROUP;
}

static void take(struct recorder *r, const struct efg_record *record, const void *payload)
{
    if (record->kind == EFG_REC_ENTER)
        enter(r, record);
    else if (record->kind == EFG_REC_LEAVE)
        leave(r, record);
    else if (record->kind == EFG_REC_COLLECTIVE_END)
        take_collective(r, record);
    else if (record->kind >= EFG_REC_DEF_CALL)
        take_definition(r, record, payload);
}

/* ---- logs ---- */

static void record_log(const char *log, const char *base)
{
    struct efg_log_view view;
    const char *why = "no log";

    if (efg_log_open(&view, log, &why))
        fail(why, log);
    if (!view.header->full || !view.header->ticks_per_second)
        fail("not of a run in mode full: ", log);
    struct recorder r = {.header = view.header};
    struct efg_log_reader reader = {.view = &view};
    const void *payload;
    for (const struct efg_record *record; (record = efg_log_read(&reader, &payload));)
        take(&r, record, payload);
    if (recording_write(&r.recording, base))
        exit(1);
    printf("%s: %" PRIu64 " calls, %" PRIu32 " paths\n", base, r.recording.count, r.recording.path_count);
    recording_fini(&r.recording);
    efg_map_fini(&r.modules);
    efg_map_fini(&r.calls);
    efg_map_fini(&r.comms);
    efg_log_unmap(&view);
}

/* Returns 1 if there is a log of RANK. */
static int has_log(const char *folder, uint32_t rank, char *log, size_t size)
{
    struct stat status;

    snprintf(log, size, "%s/%" PRIu32 ".0.log", folder, rank);
    return !stat(log, &status);
}

int main(int argc, char **argv)
{
    char log[4096], base[4096];

    if (argc != 3)
        fail("usage: record FOLDER-OF-LOGS NEW-FOLDER", "");
    if (!has_log(argv[1], 0, log, sizeof log))
        fail("there is no ", log);
    if (mkdir(argv[2], 0777)) {
        perror(argv[2]);
        return 1;
    }
    for (uint32_t rank = 0; has_log(argv[1], rank, log, sizeof log); rank++) {
        snprintf(base, sizeof base, "%s/r.%" PRIu32, argv[2], rank);
        record_log(log, base);
    }
}
