/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What calls have to do with: communicators, RMA windows, files. One is told before the first call that
 * has to do with it. A file is one, however often it was opened.
 */
#include "parts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint32_t row_of(const struct efg_map *texts, uint32_t reference)
{
    const uint64_t *row = efg_map_find(texts, reference);
    return row ? (uint32_t)*row : 0;
}

static void say_object(struct efg_recorded_reading *r, enum efg_recorded_object_kind kind, uint32_t reference,
                       uint32_t text)
{
    const struct efg_recorded_definitions *d = &r->definitions;
    const char *name = efg_otf2_key(&d->texts, text), *what = kind == EFG_OBJECT_WIN ? "Win" : "Comm";
    char numbered[4096];
    bool is_unique =
        kind == EFG_OBJECT_IO || !strcmp(name, "MPI_COMM_WORLD") || !strcmp(name, "MPI_COMM_SELF");
    uint32_t comm = kind == EFG_OBJECT_WIN ? efg_recorded_win(d, reference) : reference;
    struct efg_recorded_record *record = efg_recorded_begin(r, EFG_SIGN_OBJECT);
    record->object.kind = kind;
    record->object.ranks = kind == EFG_OBJECT_IO ? 0 : efg_recorded_size(d, comm);
    snprintf(numbered, sizeof numbered, *name ? "%s (%s %u)" : "%s%s %u", name, what, reference);
    efg_recorded_say(r, is_unique ? name : numbered);
}

void efg_recorded_touch(struct efg_recorded_reading *r, enum efg_recorded_object_kind kind,
                        uint32_t reference, uint64_t bytes)
{
    const struct efg_recorded_definitions *d = &r->definitions;
    const struct efg_map *texts = kind == EFG_OBJECT_COMM ? &d->comm_names
                                  : kind == EFG_OBJECT_IO ? &d->files
                                                          : &d->win_names;
    uint32_t text = row_of(texts, reference);
    uint32_t key[2] = {kind, kind == EFG_OBJECT_IO ? text : reference}, known = r->objects.count;
    if (efg_recorded_present(r) == EFG_RECORDED_NONE)
        return;
    r->call.moved += bytes;
    if (r->call.object != EFG_NONE)
        return;
    r->call.object = efg_otf2_intern(&r->objects, key, sizeof key);
    if (r->call.object == EFG_NONE)
        _exit(1);
    if (r->call.object == known)
        say_object(r, kind, reference, text);
}
