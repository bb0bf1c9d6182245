/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process that reads a trace: one location after the other, events to items, items to a
 * pipe.
 *
 * What would make the library wait for ever is looked for first: event files without an end.
 * Else an alarm ends a process that has had nothing to say for a minute. More events than the
 * definitions promise are a fault, too.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/disk/below.h"
#include "parts.h"

/* --- one location --- */

static int read_events(struct efg_recorded_reading *r, OTF2_Reader *reader, uint64_t location,
                       const OTF2_EvtReaderCallbacks *callbacks)
{
    uint64_t count;
    OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
    if (definitions && (OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count) != OTF2_SUCCESS ||
                        OTF2_Reader_CloseDefReader(reader, definitions) != OTF2_SUCCESS))
        return -EBADMSG;
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location);
    if (!events || OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, r) != OTF2_SUCCESS ||
        OTF2_Reader_ReadAllLocalEvents(reader, events, &count) != OTF2_SUCCESS ||
        OTF2_Reader_CloseEvtReader(reader, events) != OTF2_SUCCESS)
        return -EBADMSG;
    return 0;
}

static void read_location(struct efg_recorded_reading *r, OTF2_Reader *reader,
                          const struct efg_recorded_place *place, const OTF2_EvtReaderCallbacks *callbacks)
{
    r->rank = place->rank;
    r->most = place->events;
    r->last = r->windows = r->calls = 0;
    r->depth = 0;
    efg_map_fini(&r->requests);
    r->requests = (struct efg_map){0};
    efg_map_fini(&r->sends);
    r->iteration.number = r->window.number = EFG_RECORDED_NONE;
    struct efg_recorded_item *item = efg_recorded_begin_item(r, EFG_RECORDED_LOCATION);
    item->location.rank = place->rank;
    item->location.thread = place->thread;
    efg_recorded_say(r, NULL);
    int error = place->events ? read_events(r, reader, place->id, callbacks) : 0;
    if (r->fault || error)
        efg_recorded_end_with(r, r->fault ? r->fault : "its events are damaged");
    if (r->depth)
        efg_recorded_end_with(r, "a call in it does not end");
    efg_recorded_end_span(r, EFG_RECORDED_ITERATION, &r->iteration);
    efg_recorded_end_span(r, EFG_RECORDED_WINDOW, &r->window);
    efg_recorded_settle(&r->order);
    efg_recorded_say_messages(r);
    if (r->order.failed)
        _exit(1);
}

static void read_locations(struct efg_recorded_reading *r, OTF2_Reader *reader)
{
    const struct efg_recorded_definitions *d = &r->definitions;
    OTF2_EvtReaderCallbacks *callbacks = efg_recorded_callbacks();
    int error = !callbacks;
    for (uint32_t i = 0; i < d->place_count && !error; i++)
        error = OTF2_Reader_SelectLocation(reader, d->place[i].id) != OTF2_SUCCESS;
    if (error || OTF2_Reader_OpenDefFiles(reader) != OTF2_SUCCESS ||
        OTF2_Reader_OpenEvtFiles(reader) != OTF2_SUCCESS)
        efg_recorded_end_with(r, "its events are damaged");
    for (uint32_t i = 0; i < d->place_count; i++)
        read_location(r, reader, &d->place[i], callbacks);
}

/* --- the archive --- */

/* What is wrong with the file NAME of the archive in DIR, into TEXT; 0: nothing. */
static bool find_fault(const char *dir, const char *name, unsigned below, char *text, size_t size)
{
    char path[PATH_MAX + 512];
    unsigned char end[2] = {0};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int file = efg_below_open(path, below, O_RDONLY);
    if (file < 0) {
        snprintf(text, size, "its file %s: %s", name, efg_below_explain(file));
        return true;
    }
    bool is_whole = lseek(file, -2, SEEK_END) >= 0 && read(file, end, 2) == 2 && end[0] == 2 && end[1] == 1;
    close(file);
    if (!is_whole)
        snprintf(text, size, "its file %s is cut short", name);
    return !is_whole;
}

/* The same for those that say what is in it, all but the first one, which has another end. */
static bool find_cut(const char *dir, char *text, size_t size)
{
    char path[PATH_MAX + 512];
    snprintf(path, sizeof path, "%s/traces", dir);
    DIR *events = efg_below_list(path, 1);
    bool found = !events;
    if (!events)
        snprintf(text, size, "its folder traces: %s", efg_below_explain(-errno));
    else
        found = find_fault(dir, "traces.def", 1, text, size);
    for (struct dirent *entry; !found && (entry = readdir(events));) {
        snprintf(path, sizeof path, "traces/%s", entry->d_name);
        found = *entry->d_name != '.' && find_fault(dir, path, 2, text, size);
    }
    if (events)
        closedir(events);
    return found;
}

/* The library follows links, and what it is given leads to the folder that was looked at. */
static OTF2_Reader *open_archive(struct efg_recorded_reading *r, const char *dir)
{
    char path[PATH_MAX + 512], text[PATH_MAX + 1024];
    int folder = efg_below_hold(dir, 0);
    snprintf(path, sizeof path, "%s/traces.otf2", dir);
    int anchor = efg_below_open(path, 1, O_RDONLY);
    if (folder < 0 || anchor < 0) {
        snprintf(text, sizeof text, "its file traces.otf2: %s",
                 efg_below_explain(folder < 0 ? folder : anchor));
        efg_recorded_end_with(r, text);
    }
    close(anchor);
    if (find_cut(dir, text, sizeof text))
        efg_recorded_end_with(r, text);
    snprintf(path, sizeof path, "/proc/self/fd/%d/traces.otf2", folder);
    return OTF2_Reader_Open(path);
}

static void say_head(struct efg_recorded_reading *r)
{
    const struct efg_recorded_definitions *d = &r->definitions;
    struct efg_recorded_record *record = efg_recorded_begin(r, EFG_SIGN_HEAD);
    record->head.start = d->realtime;
    record->head.length = (uint64_t)((double)d->length * EFG_OTF2_RESOLUTION / (double)d->resolution);
    record->head.ranks = d->ranks;
    record->head.location_count = d->place_count;
    efg_recorded_say(r, NULL);
}

void efg_recorded_read(const char *dir, int pipe)
{
    struct efg_recorded_reading r = {.pipe = pipe};
    bool is_rebuilt = false;
    alarm(EFG_RECORDED_PATIENCE);
    efg_otf2_be_quiet();
    OTF2_Reader *reader = open_archive(&r, dir);
    if (!reader || OTF2_Reader_SetSerialCollectiveCallbacks(reader) != OTF2_SUCCESS)
        efg_recorded_end_with(&r, "it is no OTF2 trace");
    OTF2_Reader_GetBoolProperty(reader, "EFGTRACE::TIMES_REBUILT", &is_rebuilt);
    if (is_rebuilt)
        efg_recorded_end_with(&r, "its times are rebuilt, not recorded");
    const char *fault = efg_recorded_define(&r.definitions, reader);
    if (fault)
        efg_recorded_end_with(&r, fault);
    say_head(&r);
    read_locations(&r, reader);
    efg_recorded_end_with(&r, NULL);
}
