/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of ranks with the same graph: the largest one, and of the others which calls
 * they have more and less than it. Call paths have the same ids on all ranks of a run file, so
 * that nodes are the same where their signatures are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text.h"
#include "files/summary/summary.h"
#include "model/groups.h"
#include "model/ranks.h"

#define CALLS_SHOWN 3
#define INDENT 33

static int has_node(const struct efg_run_rank *rank, const struct efg_node *node)
{
    for (uint32_t k = 0; k < rank->thread_count; k++) {
        const struct efg_graph *graph = &rank->threads[k].graph;
        for (uint32_t i = 0; i < graph->node_count; i++)
            if (efg_signature_is_equal(&graph->nodes[i].signature, &node->signature))
                return 1;
    }
    return 0;
}

/* The nodes of A that B has not, a line each. Returns how many there are. */
static uint32_t put_missing(struct efg_buffer *out, const struct efg_run *run, const char *what,
                            const struct efg_run_rank *a, const struct efg_run_rank *b)
{
    uint32_t missing = 0;
    for (uint32_t k = 0; k < a->thread_count; k++) {
        const struct efg_graph *graph = &a->threads[k].graph;
        for (uint32_t i = 0; i < graph->node_count; i++) {
            char name[256];
            if (has_node(b, &graph->nodes[i]) || ++missing > CALLS_SHOWN)
                continue;
            efg_summary_node(run, &graph->nodes[i], name, sizeof name);
            efg_summary_line(out, "%*s %s %s", INDENT, "", what, name);
        }
    }
    if (missing > CALLS_SHOWN)
        efg_summary_line(out, "%*s %s and %u more", INDENT, "", what, missing - CALLS_SHOWN);
    return missing;
}

static void put_group(struct efg_buffer *out, const struct efg_run *run, uint32_t number,
                      const struct efg_group_size *group, const struct efg_run_rank *rank)
{
    char which[EFG_COLUMNS - INDENT];
    uint32_t nodes = 0, edges = 0;
    for (uint32_t k = 0; k < rank->thread_count; k++) {
        nodes += rank->threads[k].graph.node_count;
        edges += rank->threads[k].graph.edge_count;
    }
    efg_ranklist_print(&run->common.groups[group->index].ranks, which, sizeof which);
    efg_summary_line(out, "%6u %8llu %7u %7u   %s", number, (unsigned long long)group->ranks,
                     nodes, edges, which);
}

static int put_groups(struct efg_buffer *out, const struct efg_run *run,
                      const struct efg_group_size *groups, uint32_t most)
{
    struct efg_run_rank first, other;
    uint32_t count = run->common.group_count;
    if (efg_groups_read(run, "report", groups[0].index, &first))
        return -1;
    efg_summary_line(out, " group    ranks   nodes   edges   which ranks (calls: + not in, - "
                          "only in the largest group)");
    put_group(out, run, 1, &groups[0], &first);
    for (uint32_t i = 1; i < count && i < most; i++) {
        if (efg_groups_read(run, "report", groups[i].index, &other)) {
            efg_run_rank_fini(&first);
            return -1;
        }
        put_group(out, run, i + 1, &groups[i], &other);
        if (put_missing(out, run, "+", &other, &first) +
                put_missing(out, run, "-", &first, &other) ==
            0)
            efg_summary_line(out, "%*s   the same calls in another order", INDENT, "");
        efg_run_rank_fini(&other);
    }
    efg_text_rest(out, count, most);
    efg_run_rank_fini(&first);
    return 0;
}

int efg_report_groups(struct efg_buffer *out, const struct efg_run *run, uint32_t most)
{
    struct efg_group_size *groups = efg_groups_sorted(run);
    int error = groups && run->common.group_count ? put_groups(out, run, groups, most) : -1;
    free(groups);
    return error;
}
