/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds values to JSON documents, and prints them. Each value goes through one function here, so that all
 * documents write a kind of value alike.
 */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/none.h"
#include "clean.h"

void efg_json_text(cJSON *to, const char *name, const char *text)
{
    char *copy = strdup(text ? text : "");
    if (copy)
        cJSON_AddStringToObject(to, name, efg_clean(copy));
    free(copy);
}

void efg_json_number(cJSON *to, const char *name, uint64_t value)
{
    cJSON_AddNumberToObject(to, name, (double)value);
}

void efg_json_id(cJSON *to, const char *name, uint32_t id)
{
    if (id == EFG_NONE)
        cJSON_AddNullToObject(to, name);
    else
        efg_json_number(to, name, id);
}

void efg_json_hex(cJSON *to, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    cJSON_AddStringToObject(to, name, text);
}

void efg_json_ranks(cJSON *to, const char *name, const struct efg_ranklist *ranks)
{
    struct efg_buffer text = {0};
    efg_ranklist_write(&text, ranks);
    efg_buffer_put(&text, "", 1);
    if (!text.failed)
        cJSON_AddStringToObject(to, name, (char *)text.data);
    efg_buffer_fini(&text);
}

void efg_json_quote(struct efg_buffer *out, const char *text)
{
    char *copy = strdup(text);
    out->failed |= !copy;
    efg_buffer_put(out, "\"", 1);
    for (const char *at = copy ? efg_clean(copy) : ""; *at; at++) {
        if (*at == '<')
            efg_buffer_print(out, "\\u003c");
        else
            efg_buffer_print(out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    }
    efg_buffer_put(out, "\"", 1);
    free(copy);
}

void efg_json_lines(cJSON *to, const char *name, const struct efg_buffer *lines, size_t skip)
{
    cJSON *array = cJSON_AddArrayToObject(to, name);
    const char *line = (const char *)lines->data, *end = line + lines->size, *next;
    for (; !lines->failed && line < end; line = next + 1) {
        next = memchr(line, '\n', (size_t)(end - line));
        if (!next)
            next = end;
        if ((size_t)(next - line) > skip)
            line += skip;
        char *copy = strndup(line, (size_t)(next - line));
        if (copy)
            cJSON_AddItemToArray(array, cJSON_CreateString(efg_clean(copy)));
        free(copy);
    }
}

/* '<' as \u003c: so that nothing in it ends the element that it stands in. */
void efg_json_print(struct efg_buffer *out, const cJSON *item)
{
    char *text = cJSON_PrintUnformatted(item), *at = text;
    out->failed |= !text;
    for (size_t length; at && *at; at += length) {
        length = strcspn(at, "<");
        efg_buffer_put(out, at, length);
        if (at[length] == '<') {
            efg_buffer_print(out, "\\u003c");
            length++;
        }
    }
    cJSON_free(text);
}

void efg_json_end(struct efg_buffer *out, cJSON *document, const char *last)
{
    char *text = cJSON_Print(document);
    if (text && cJSON_HasObjectItem(document, last))
        efg_buffer_print(out, "%s\n", text);
    else
        out->failed = true;
    cJSON_free(text);
    cJSON_Delete(document);
}
