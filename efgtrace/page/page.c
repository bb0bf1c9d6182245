/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The page is one text: what assemble.sh made of the scripts, with the document in between.
 */
#include "page.h"

#include <string.h>

/* What is before the document and what is behind it: data.S. */
extern const char efg_page_head[], efg_page_head_end[], efg_page_tail[], efg_page_tail_end[];

/* TEXT with '<' as \u003c: so that nothing in it ends the element that it stands in. */
static void put_escaped(struct efg_buffer *out, const char *text)
{
    for (size_t length; *text; text += length) {
        length = strcspn(text, "<");
        efg_buffer_put(out, text, length);
        if (text[length] == '<') {
            efg_buffer_print(out, "\\u003c");
            length++;
        }
    }
}

void efg_report_page(struct efg_buffer *out, cJSON *document)
{
    char *text = cJSON_PrintUnformatted(document);
    efg_buffer_put(out, efg_page_head, (size_t)(efg_page_head_end - efg_page_head));
    if (text && cJSON_HasObjectItem(document, "complete"))
        put_escaped(out, text);
    else
        out->failed = 1;
    efg_buffer_put(out, efg_page_tail, (size_t)(efg_page_tail_end - efg_page_tail));
    cJSON_free(text);
    cJSON_Delete(document);
}
