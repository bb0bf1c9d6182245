/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The process that reads a trace: one location after the other, events to items, items to a
 * pipe.
 *
 * An alarm ends a process that has had nothing to say for a minute. More events than the
 * definitions promise are a fault, too.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parts.h"

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
    int error = place->events ? efg_recorded_read_events(reader, place->id, callbacks, r) : 0;
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

/* Other threads of OpenMP call nothing. */
static bool is_told(const struct efg_recorded_place *place)
{
    return place->thread <= EFG_OTF2_WORKER;
}

static void read_locations(struct efg_recorded_reading *r, OTF2_Reader *reader)
{
    const struct efg_recorded_definitions *d = &r->definitions;
    OTF2_EvtReaderCallbacks *callbacks = efg_recorded_callbacks();
    if (!callbacks || efg_recorded_open_events(reader, d))
        efg_recorded_end_with(r, "its events are damaged");
    for (uint32_t i = 0; i < d->place_count; i++)
        if (is_told(&d->place[i]))
            read_location(r, reader, &d->place[i], callbacks);
}

static void say_head(struct efg_recorded_reading *r)
{
    const struct efg_recorded_definitions *d = &r->definitions;
    struct efg_recorded_record *record = efg_recorded_begin(r, EFG_SIGN_HEAD);
    record->head.start = d->realtime;
    record->head.length = (uint64_t)((double)d->length * EFG_OTF2_RESOLUTION / (double)d->resolution);
    record->head.ranks = d->ranks;
    record->head.location_count = 0;
    for (uint32_t i = 0; i < d->place_count; i++)
        record->head.location_count += is_told(&d->place[i]);
    efg_recorded_say(r, NULL);
}

void efg_recorded_read(const char *dir, int pipe)
{
    struct efg_recorded_reading r = {.pipe = pipe};
    char text[PATH_MAX + 1024];
    bool is_rebuilt = false;
    alarm(EFG_RECORDED_PATIENCE);
    efg_otf2_be_quiet();
    OTF2_Reader *reader = efg_recorded_open(dir, text, sizeof text);
    if (!reader)
        efg_recorded_end_with(&r, text);
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
