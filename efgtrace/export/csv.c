/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole run as a table for spreadsheets and data frames: a line for each call site of each thread of each
 * rank. Texts are quoted as RFC 4180 has it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cli/complain.h"
#include "cli/open.h"
#include "files/summary/summary.h"
#include "formats.h"

static void put_text(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}

static void put_node(FILE *file, const struct efg_run *run, const struct efg_node *node, uint64_t before)
{
    char place[600];
    const struct efg_stat *time = &node->time;
    efg_summary_place(run, node, place, sizeof place);
    put_text(file, efg_run_call_name(run, node->signature.call));
    putc(',', file);
    put_text(file, place);
    fprintf(file,
            ",0x%016" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ",%" PRIu64 "\n",
            node->hash, time->count, node->polls, node->bytes, efg_node_time(node),
            time->count ? time->min : 0, time->count ? time->max : 0, before);
}

static int put_thread(FILE *file, const struct efg_run *run, uint32_t rank,
                      const struct efg_run_thread *thread)
{
    const struct efg_graph *graph = &thread->graph;
    uint64_t *before = calloc((size_t)graph->node_count + 1, sizeof *before);
    if (!before)
        return -ENOMEM;
    for (uint32_t i = 0; i < graph->edge_count; i++)
        before[graph->edges[i].to] += graph->edges[i].time.sum;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        fprintf(file, "%u,%u,", rank, thread->number);
        put_node(file, run, &graph->nodes[i], before[i]);
    }
    free(before);
    return ferror(file) ? -EIO : 0;
}

int efg_export_csv(FILE *file, const struct efg_run *run)
{
    int error = 0;
    fputs("rank,thread,call,place,hash,calls,polls,bytes,time_ns,least_ns,most_ns,before_ns\n", file);
    for (uint32_t i = 0; i < run->rank_count && !error; i++) {
        struct efg_run_rank rank;
        if (efg_open_rank(run, "export", i, &rank))
            return EFG_TOLD;
        for (uint32_t t = 0; t < rank.thread_count && !error; t++)
            error = put_thread(file, run, rank.rank, &rank.threads[t]);
        efg_run_rank_fini(&rank);
    }
    return error;
}
