/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares two runs: their sums, their main loops, and the time of each call site and of the
 * computation before it, the largest difference first.
 */
#include "comparison.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "files/summary/summary.h"

static double of_rank(const struct efg_model *side, double sum)
{
    return side->merged.rank_count ? sum / (double)side->merged.rank_count : 0;
}

double efg_comparison_ranks(const struct efg_comparison *c)
{
    return (double)c->side[1].run.size / (double)c->side[0].run.size;
}

double efg_comparison_time(const struct efg_comparison *c)
{
    return c->time[0] > 0 ? c->time[1] / c->time[0] : 0;
}

int efg_comparison_side(const struct efg_comparison *c, struct efg_pair pair)
{
    return pair.a == EFG_NONE ? 1 : pair.b == EFG_NONE ? 0 : c->named;
}

static void find_names(struct efg_comparison *c)
{
    for (int i = 0; i < 2; i++)
        c->nameless[i] = efg_summary_nameless(&c->side[i].run);
    c->named = c->nameless[0] && !c->nameless[1];
}

static void sum_up(struct efg_comparison *c, int which)
{
    const struct efg_model *side = &c->side[which];
    const struct efg_totals *totals = &side->run.common.totals;
    double count = (double)totals->all_count;
    for (uint32_t i = 0; i < side->run.rank_count; i++) {
        c->time[which] += (double)side->ranks.values[EFG_RUN_TIME][i] / side->run.rank_count;
        c->mpi[which] += (double)side->ranks.values[EFG_MPI_TIME][i] / side->run.rank_count;
    }
    c->efficiency[which] = efg_efficiency_run(&side->ranks, side->run.rank_count);
    c->iterations[which] = of_rank(side, count);
    if (count > 0) {
        c->iteration[which] = (double)totals->all_time / count;
        c->iteration_mpi[which] = (double)totals->all_mpi / count;
    }
}

static void find_main_loops(struct efg_comparison *c)
{
    for (int i = 0; i < 2; i++) {
        const struct efg_merged *merged = &c->side[i].merged;
        c->main_loop[i] = merged->tree.main;
        if (c->main_loop[i] != EFG_NONE)
            c->loop[i] = of_rank(&c->side[i], (double)merged->tree.loops[c->main_loop[i]].time);
    }
    for (uint32_t i = 0; i < c->matched.loop_count; i++)
        c->is_same_loop |= c->main_loop[0] != EFG_NONE && c->main_loop[1] != EFG_NONE &&
                           c->matched.loops[i].a == c->main_loop[0] &&
                           c->matched.loops[i].b == c->main_loop[1];
}

/* Time and number of the calls of NODE, of a rank; and the time BEFORE, of the computation that
 * leads to it. */
static void add_node(struct efg_difference *calls, struct efg_difference *compute, int which,
                     const struct efg_model *side, uint32_t node, const double *before)
{
    const struct efg_node *n = &side->merged.graph.nodes[node];
    calls->time[which] = of_rank(side, (double)efg_node_time(n));
    calls->calls[which] = of_rank(side, (double)n->time.count + (double)n->polls);
    compute->calls[which] = of_rank(side, (double)n->time.count);
    compute->time[which] = before[node];
}

/* By node: ns of a rank on the edges that lead to it. NULL without memory. */
static double *sum_edges(const struct efg_model *side)
{
    const struct efg_graph *graph = &side->merged.graph;
    double *before = calloc((size_t)graph->node_count + 1, sizeof *before);
    for (uint32_t i = 0; before && i < graph->edge_count; i++)
        before[graph->edges[i].to] += of_rank(side, (double)graph->edges[i].time.sum);
    return before;
}

static int by_falling_difference(const void *a, const void *b)
{
    const struct efg_difference *x = a, *y = b;
    double dx = fabs(x->time[1] - x->time[0]), dy = fabs(y->time[1] - y->time[0]);
    if (dx != dy)
        return dx < dy ? 1 : -1;
    if (x->node.a != y->node.a)
        return x->node.a < y->node.a ? -1 : 1;
    if (x->node.b != y->node.b)
        return x->node.b < y->node.b ? -1 : 1;
    return x->is_compute - y->is_compute;
}

/* BEFORE: of the nodes of each side. */
static void list_differences(struct efg_comparison *c, double *const before[2])
{
    memcpy(c->rest, c->time, sizeof c->rest);
    for (uint32_t i = 0; i < c->matched.node_count; i++) {
        struct efg_pair pair = c->matched.nodes[i];
        struct efg_difference *calls = &c->differences[2 * i], *compute = calls + 1;
        *calls = (struct efg_difference){.node = pair};
        *compute = (struct efg_difference){.node = pair, .is_compute = true};
        if (pair.a != EFG_NONE)
            add_node(calls, compute, 0, &c->side[0], pair.a, before[0]);
        if (pair.b != EFG_NONE)
            add_node(calls, compute, 1, &c->side[1], pair.b, before[1]);
        for (int k = 0; k < 2; k++)
            c->rest[k] -= calls->time[k] + compute->time[k];
    }
    c->difference_count = 2 * c->matched.node_count;
    qsort(c->differences, c->difference_count, sizeof *c->differences, by_falling_difference);
}

static int find_differences(struct efg_comparison *c)
{
    double *before[2] = {sum_edges(&c->side[0]), sum_edges(&c->side[1])};
    c->differences = calloc(2 * (size_t)c->matched.node_count + 1, sizeof *c->differences);
    bool failed = !before[0] || !before[1] || !c->differences;
    if (!failed)
        list_differences(c, before);
    free(before[0]);
    free(before[1]);
    return failed ? -ENOMEM : 0;
}

static int check(const struct efg_comparison *c, const char *const dir[2])
{
    for (int i = 0; i < 2; i++) {
        if (c->side[i].run.rank_count && c->side[i].run.size)
            continue;
        fprintf(stderr, "efgtrace compare: the run in %s has no ranks\n", dir[i]);
        return EFG_TOLD;
    }
    return 0;
}

static int read_side(struct efg_model *side, const char *dir)
{
    if (efg_model_open(side, "compare", dir))
        return EFG_TOLD;
    unsigned dimensions = efg_merged_dimensions(&side->run) & EFG_DIM_PATH;
    int error = efg_model_read(side, NULL, dimensions, EFG_MODEL_RANKS | EFG_MODEL_CONTEXTS);
    side->run.dimensions = dimensions; /* what names of nodes tell */
    return error;
}

int efg_comparison_make(struct efg_comparison *c, const char *const dir[2])
{
    for (int i = 0; i < 2; i++)
        if (read_side(&c->side[i], dir[i]))
            return EFG_TOLD;
    if (check(c, dir))
        return EFG_TOLD;
    for (int i = 0; i < 2; i++)
        sum_up(c, i);
    find_names(c);
    if (efg_matched_make(&c->matched, &c->side[0], &c->side[1]) || find_differences(c))
        return efg_complain("compare", "no memory for the call sites of both runs");
    find_main_loops(c);
    return 0;
}

void efg_comparison_fini(struct efg_comparison *c)
{
    efg_matched_fini(&c->matched);
    free(c->differences);
    for (int i = 0; i < 2; i++)
        efg_model_fini(&c->side[i]);
}
