/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the process that reads a trace says: records, written to its pipe in larger pieces.
 */
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "parts.h"

#define PIECE 65536 /* bytes at a time */

_Static_assert(sizeof(struct efg_recorded_call) == 6 * sizeof(uint32_t) + 5 * sizeof(uint64_t) &&
                   sizeof(struct efg_recorded_message) == 4 * sizeof(uint32_t) + 6 * sizeof(uint64_t) &&
                   sizeof(struct efg_recorded_collective) == 4 * sizeof(uint32_t) + 3 * sizeof(uint64_t) &&
                   sizeof(struct efg_recorded_access) == 4 * sizeof(uint32_t) + 2 * sizeof(uint64_t),
               "bytes between members would go to the pipe, whatever they are");

static void flush(struct efg_recorded_reading *r)
{
    alarm(0); /* whoever reads takes their time */
    if (efg_write_all(r->pipe, r->out.data, r->out.size, EFG_IO_NEXT))
        _exit(1);
    r->out.size = 0;
    alarm(EFG_RECORDED_PATIENCE);
}

struct efg_recorded_record *efg_recorded_begin(struct efg_recorded_reading *r, enum efg_recorded_sign sign)
{
    memset(&r->record, 0, sizeof r->record);
    r->record.sign = sign;
    return &r->record;
}

struct efg_recorded_item *efg_recorded_begin_item(struct efg_recorded_reading *r, enum efg_recorded_kind kind)
{
    struct efg_recorded_item *item = &efg_recorded_begin(r, EFG_SIGN_ITEM)->item;
    item->kind = kind;
    return item;
}

void efg_recorded_say(struct efg_recorded_reading *r, const char *text)
{
    r->record.text = text ? (uint32_t)strlen(text) : 0;
    efg_buffer_put(&r->out, &r->record, sizeof r->record);
    if (text)
        efg_buffer_put(&r->out, text, r->record.text);
    if (r->out.failed)
        _exit(1);
    if (r->out.size >= PIECE)
        flush(r);
}

void efg_recorded_end_with(struct efg_recorded_reading *r, const char *fault)
{
    efg_recorded_begin(r, fault ? EFG_SIGN_FAULT : EFG_SIGN_END);
    efg_recorded_say(r, fault);
    flush(r);
    _exit(0);
}

void efg_recorded_put_behind(struct efg_recorded_reading *r, const struct efg_recorded_item *item)
{
    efg_buffer_put(&r->behind, item, sizeof *item);
    if (r->behind.failed)
        _exit(1);
}

void efg_recorded_say_behind(struct efg_recorded_reading *r)
{
    const struct efg_recorded_item *items = (struct efg_recorded_item *)r->behind.data;
    for (size_t i = 0; i < r->behind.size / sizeof *items; i++) {
        *efg_recorded_begin_item(r, (enum efg_recorded_kind)items[i].kind) = items[i];
        efg_recorded_say(r, NULL);
    }
    r->behind.size = 0;
}
