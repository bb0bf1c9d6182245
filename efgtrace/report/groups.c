/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups of ranks with the same graph: the largest one, and of the others which calls
 * they have more and less than it, by the ranks of each node of the merged graph.
 */
#include <stdlib.h>

#include "cli/text.h"
#include "files/summary/summary.h"
#include "model/groups.h"
#include "tables.h"

#define CALLS_SHOWN 3
#define INDENT 33

/* The nodes that the rank A has and B has not, a line each. Returns how many there are. */
static uint32_t put_missing(struct efg_buffer *out, const struct efg_model *model, const char *what,
                            uint32_t a, uint32_t b)
{
    uint32_t missing = 0;
    for (uint32_t i = 0; i < model->merged.graph.node_count; i++) {
        const struct efg_ranklist *ranks = &model->merged.nodes[i].ranks;
        char name[256];
        if (!efg_ranklist_has(ranks, a) || efg_ranklist_has(ranks, b) || ++missing > CALLS_SHOWN)
            continue;
        efg_summary_node(&model->run, &model->merged.graph.nodes[i], name, sizeof name);
        efg_summary_line(out, "%*s %s %s", INDENT, "", what, name);
    }
    if (missing > CALLS_SHOWN)
        efg_summary_line(out, "%*s %s and %u more", INDENT, "", what, missing - CALLS_SHOWN);
    return missing;
}

static void put_group(struct efg_buffer *out, const struct efg_model *model, uint32_t number,
                      const struct efg_group_size *group)
{
    char which[EFG_COLUMNS - INDENT];
    const struct efg_group_graph *graph = &model->ranks.groups[group->index];
    efg_ranklist_print(&model->run.common.groups[group->index].ranks, which, sizeof which);
    efg_summary_line(out, "%6u %8llu %7u %7u   %s", number, (unsigned long long)group->ranks, graph->nodes,
                     graph->edges, which);
}

static uint32_t first_rank(const struct efg_model *model, const struct efg_group_size *group)
{
    return model->run.common.groups[group->index].ranks.ranges[0].first;
}

void efg_report_groups(struct efg_buffer *out, const struct efg_model *model, uint32_t most)
{
    struct efg_group_size *groups = efg_groups_sorted(&model->run);
    uint32_t count = model->run.common.group_count;
    efg_summary_line(out, " group    ranks   nodes   edges   which ranks (calls: + not in, - "
                          "only in the largest group)");
    for (uint32_t i = 0; groups && i < count && i < most; i++) {
        uint32_t first = first_rank(model, &groups[0]), other = first_rank(model, &groups[i]);
        put_group(out, model, i + 1, &groups[i]);
        if (i && put_missing(out, model, "+", other, first) + put_missing(out, model, "-", first, other) == 0)
            efg_summary_line(out, "%*s   the same calls in another order", INDENT, "");
    }
    efg_text_rest(out, count, most);
    out->failed |= !groups;
    free(groups);
}
