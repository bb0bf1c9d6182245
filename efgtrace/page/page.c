/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the web page. The page is one text: what assemble.sh made of the scripts, with the document in
 * between.
 */
#include "page.h"

#include "cli/json.h"

/* What is before the document and what is behind it: data.S. */
extern const char efg_page_head[], efg_page_head_end[], efg_page_tail[], efg_page_tail_end[];

void efg_report_page(struct efg_buffer *out, cJSON *document)
{
    efg_buffer_put(out, efg_page_head, (size_t)(efg_page_head_end - efg_page_head));
    efg_json_print(out, document);
    out->failed |= !cJSON_HasObjectItem(document, "complete");
    efg_buffer_put(out, efg_page_tail, (size_t)(efg_page_tail_end - efg_page_tail));
    cJSON_Delete(document);
}
