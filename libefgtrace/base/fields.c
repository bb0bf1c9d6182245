/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes and reads the fields of a structure, as a table lists them. A tag that is not known is
 * passed over: its lowest bit tells how.
 */
#include "fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t get_32(const void *from, size_t at)
{
    uint32_t value;
    memcpy(&value, (const char *)from + at, sizeof value);
    return value;
}

static uint64_t number_of(const void *from, const struct efg_field *field)
{
    uint64_t value;
    if (field->type == EFG_FIELD_32)
        return get_32(from, field->at);
    if (field->type == EFG_FIELD_ID)
        return (uint32_t)(get_32(from, field->at) + 1);
    memcpy(&value, (const char *)from + field->at, sizeof value);
    return value;
}

static char **text_of(const void *from, const struct efg_field *field)
{
    return (char **)(void *)((char *)from + field->at);
}

static void put_field(struct efg_buffer *out, const void *from, const struct efg_field *field)
{
    if (field->type == EFG_FIELD_TEXT) {
        const char *text = *text_of(from, field);
        if (!text || !*text)
            return;
        efg_buffer_number(out, (uint64_t)field->tag << 1 | 1);
        efg_buffer_string(out, text);
    } else if (number_of(from, field)) {
        efg_buffer_number(out, (uint64_t)field->tag << 1);
        efg_buffer_number(out, number_of(from, field));
    }
}

void efg_fields_put(struct efg_buffer *out, const void *from, const struct efg_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_field(out, from, &fields[i]);
    efg_buffer_number(out, 0);
}

static void set_number(struct efg_reader *in, void *to, const struct efg_field *field, uint64_t value)
{
    uint32_t narrow = field->type == EFG_FIELD_ID ? (uint32_t)value - 1 : (uint32_t)value;
    if (field->type == EFG_FIELD_64)
        memcpy((char *)to + field->at, &value, sizeof value);
    else if (value <= UINT32_MAX)
        memcpy((char *)to + field->at, &narrow, sizeof narrow);
    else
        in->failed = true;
}

/* Empty texts and ids of nothing: what is not in the file. */
static int set_defaults(void *to, const struct efg_field *fields, size_t count)
{
    struct efg_reader none = {0};
    int error = 0;
    for (size_t i = 0; i < count; i++) {
        if (fields[i].type == EFG_FIELD_ID)
            set_number(&none, to, &fields[i], 0);
        if (fields[i].type == EFG_FIELD_TEXT && !(*text_of(to, &fields[i]) = strdup("")))
            error = -ENOMEM;
    }
    return error;
}

static const struct efg_field *find_field(const struct efg_field *fields, size_t count, uint64_t tag)
{
    for (size_t i = 0; i < count; i++)
        if (fields[i].tag == tag >> 1 && (fields[i].type == EFG_FIELD_TEXT) == (tag & 1))
            return &fields[i];
    return NULL;
}

int efg_fields_get(struct efg_reader *in, void *to, const struct efg_field *fields, size_t count)
{
    int error = set_defaults(to, fields, count);
    for (uint64_t tag; !error && (tag = efg_reader_number(in));) {
        const struct efg_field *field = find_field(fields, count, tag);
        if (tag & 1) {
            char *text = efg_reader_string(in), **place = field ? text_of(to, field) : NULL;
            error = text ? 0 : -ENOMEM;
            if (place && text) {
                free(*place);
                *place = text;
            } else {
                free(text);
            }
        } else {
            uint64_t value = efg_reader_number(in);
            if (field)
                set_number(in, to, field, value);
        }
    }
    return error;
}
