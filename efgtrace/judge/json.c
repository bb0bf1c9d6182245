/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Written as text, figure by figure: there is no document in memory.
 */
#include "json.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/json.h"

static void put_figure(struct efg_buffer *out, const char *name, const struct efg_figure *f)
{
    efg_buffer_print(out, ",\"%s\":", name);
    if (f->is_known)
        efg_buffer_print(out, "{\"run\":%.9g,\"recorded\":%.9g,\"error\":%.9g,\"differs\":%s}",
                         f->run, f->recorded, f->error, f->differs ? "true" : "false");
    else
        efg_buffer_print(out, "null");
}

static void put_row(struct efg_buffer *out, const struct efg_representative *r,
                    const struct efg_run *run, const struct efg_representative_row *row)
{
    static const char *const kinds[] = {"site", "loop", "compute"};
    char label[384];
    efg_representative_label(r, run, row, label, sizeof label);
    efg_buffer_print(out, "{\"kind\":\"%s\",\"label\":", kinds[row->kind]);
    efg_json_quote(out, label);
    efg_buffer_print(out, ",\"hash\":\"");
    if (row->kind == EFG_ROW_CALL)
        efg_buffer_print(out, "0x%" PRIx64, r->merged->graph.nodes[row->id].hash);
    efg_buffer_print(out, "\",\"impact\":%.9g", row->impact);
    put_figure(out, "time", &row->time);
    put_figure(out, "share", &row->share);
    put_figure(out, "mean", &row->mean);
    put_figure(out, "calls", &row->calls);
    put_figure(out, "bytes", &row->bytes);
    efg_buffer_print(out, "}");
}

void efg_representative_json(struct efg_buffer *out, const struct efg_representative *r,
                             const struct efg_run *run)
{
    static const char *const verdicts[] = {"unknown", "yes", "no"};
    efg_buffer_print(out, "{\"verdict\":\"%s\",\"sentence\":", verdicts[r->verdict]);
    efg_json_quote(out, r->sentence);
    efg_buffer_print(out,
                     ",\"iterations\":{\"recorded\":%" PRIu64 ",\"run\":%" PRIu64
                     ",\"ranks\":%" PRIu64 ",\"coverage\":%.9g",
                     r->recorded, r->iterations, r->ranks, r->coverage);
    put_figure(out, "time", &r->time);
    efg_buffer_print(out, "},\"rows\":[");
    for (uint32_t i = 0; i < r->row_count; i++) {
        efg_buffer_print(out, i ? "," : "");
        put_row(out, r, run, &r->rows[i]);
    }
    efg_buffer_print(out, "]}");
}
