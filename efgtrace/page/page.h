/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report as a web page: one file, made from the folder page/ when the tool is built,
 * and the document of report/json.h, which its scripts draw.
 */
#ifndef EFG_REPORT_PAGE_H
#define EFG_REPORT_PAGE_H

#include <cjson/cJSON.h>

#include "base/buffer.h"

/* Append the page of DOCUMENT, which is freed. If memory runs out: out->failed. */
void efg_report_page(struct efg_buffer *out, cJSON *document);

#endif
