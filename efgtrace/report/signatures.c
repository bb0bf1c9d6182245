/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many nodes and edges the graph has, for each signature: a row for each set of the
 * dimensions that were recorded. A graph with less detail is the same as if less had been
 * recorded, so one run tells all of them. Ranks of a group have the same graph: one of each is
 * read.
 *
 * Source: Fürlinger and Skinner, "Capturing and visualizing event flow graphs of MPI
 * applications" (2010), figure 4.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/complain.h"
#include "core/graph/unite.h"
#include "files/conf/conf.h"
#include "files/summary/summary.h"
#include "cli/open.h"
#include "model/merged.h"
#include "tables.h"

#define ALL_DIMENSIONS ((1u << EFG_DIMENSIONS) - 1)
#define PAPER (EFG_DIM_PATH | EFG_DIM_SIZE | EFG_DIM_PARTNER | EFG_DIM_COMM)

struct count {
    uint64_t run;              /* of the graph that is merged over the ranks */
    uint64_t least, most, sum; /* of a rank, over all of them */
};

struct row {
    unsigned dimensions;
    struct count nodes, edges;
};

struct table {
    unsigned recorded;
    uint32_t row_count;
    struct row rows[ALL_DIMENSIONS + 1];
    uint64_t ranks, lost_edges;
    struct efg_graph whole;
};

/* --- rows --- */

static bool is_recorded(unsigned dimensions, unsigned recorded)
{
    unsigned both = EFG_DIM_SIZE | EFG_DIM_SIZE_CLASS;
    if (recorded & EFG_DIM_SIZE)
        recorded |= EFG_DIM_SIZE_CLASS;
    return !(dimensions & ~recorded) && (dimensions & both) != both;
}

/* By the number of their words. */
static void make_rows(struct table *t)
{
    for (int words = 0; words <= EFG_DIMENSIONS; words++) {
        for (unsigned d = 0; d <= ALL_DIMENSIONS; d++) {
            if (__builtin_popcount(d) != words || !is_recorded(d, t->recorded))
                continue;
            struct count none = {.least = UINT64_MAX};
            t->rows[t->row_count++] = (struct row){d, none, none};
        }
    }
}

/* --- counting --- */

static void add(struct count *count, uint64_t value, uint64_t ranks)
{
    count->least = value < count->least ? value : count->least;
    count->most = value > count->most ? value : count->most;
    count->sum += value * ranks;
}

/* GRAPH as the signature of each row sees it: of so many RANKS each, or of the run if 0. */
static int count_rows(struct table *t, const struct efg_graph *graph, uint64_t ranks)
{
    int error = 0;
    for (uint32_t i = 0; i < t->row_count && !error; i++) {
        struct row *row = &t->rows[i];
        struct efg_graph coarse;
        if (efg_graph_init(&coarse, NULL, 0))
            return -ENOMEM;
        error = efg_graph_unite(&coarse, graph, t->recorded, row->dimensions, NULL, NULL);
        if (ranks) {
            add(&row->nodes, coarse.node_count, ranks);
            add(&row->edges, coarse.edge_count, ranks);
        } else {
            row->nodes.run = coarse.node_count;
            row->edges.run = coarse.edge_count;
        }
        efg_graph_fini(&coarse);
    }
    return error;
}

static int add_rank(struct table *t, const struct efg_run *run, const struct efg_run_rank *rank,
                    uint64_t ranks)
{
    struct efg_graph one;
    if (efg_graph_init(&one, NULL, 0))
        return -ENOMEM;
    int error = efg_merged_threads(&one, NULL, run, rank, t->recorded) || count_rows(t, &one, ranks) ||
                efg_graph_unite(&t->whole, &one, t->recorded, t->recorded, NULL, NULL);
    efg_graph_fini(&one);
    t->ranks += ranks;
    return error ? -ENOMEM : 0;
}

static int complain_memory(void)
{
    return efg_complain("report", "no memory for the graph of all ranks");
}

static int read_groups(struct table *t, const struct efg_run *run)
{
    if (efg_graph_init(&t->whole, NULL, 0))
        return complain_memory();
    for (uint32_t i = 0; i < run->common.group_count; i++) {
        struct efg_run_rank rank;
        uint32_t first = run->common.groups[i].ranks.ranges[0].first;
        if (efg_open_rank(run, "report", efg_run_index(run, first), &rank))
            return EFG_TOLD;
        int error =
            rank.thread_count ? add_rank(t, run, &rank, efg_ranklist_count(&run->common.groups[i].ranks)) : 0;
        efg_run_rank_fini(&rank);
        if (error)
            return complain_memory();
    }
    return count_rows(t, &t->whole, 0) ? complain_memory() : 0;
}

/* --- the table --- */

static void name_of(unsigned dimensions, char *text, size_t size)
{
    struct efg_conf conf;
    efg_conf_default(&conf);
    conf.signature = dimensions;
    efg_conf_show(&conf, "signature", text, size);
}

static void put_rows(struct efg_buffer *out, const struct table *t)
{
    efg_summary_line(out, " merged ranks     nodes of a rank     edges of a rank   what tells calls");
    efg_summary_line(out, " nodes  edges least    mean  most least    mean  most   apart, besides "
                          "the function");
    for (uint32_t i = 0; i < t->row_count; i++) {
        const struct count *n = &t->rows[i].nodes, *e = &t->rows[i].edges;
        char name[64];
        name_of(t->rows[i].dimensions, name, sizeof name);
        efg_summary_line(out, "%6llu %6llu %5llu %7.1f %5llu %5llu %7.1f %5llu   %s",
                         (unsigned long long)n->run, (unsigned long long)e->run, (unsigned long long)n->least,
                         (double)n->sum / (double)t->ranks, (unsigned long long)n->most,
                         (unsigned long long)e->least, (double)e->sum / (double)t->ranks,
                         (unsigned long long)e->most, name);
    }
}

/* What the table cannot say, and what to do about it. */
static void put_notes(struct efg_buffer *out, const struct efg_run *run, const struct table *t)
{
    const struct efg_totals *totals = &run->common.totals;
    unsigned asked = run->dimensions, missing = PAPER & ~asked;
    char names[64], all[64], dropped[128];
    name_of(missing, names, sizeof names);
    name_of((asked | PAPER) & ~(unsigned)EFG_DIM_SIZE_CLASS, all, sizeof all);
    efg_summary_dropped(totals->dropped, dropped, sizeof dropped);
    if (missing) {
        efg_summary_line(out, "Not recorded, and so not counted: %s. This records it, too:", names);
        efg_summary_line(out, "    EFGTRACE_SIGNATURE=%s", all);
    }
    if (*dropped)
        efg_summary_line(out, "Dropped for want of memory: %s. A larger EFGTRACE_MEMORY keeps it.", dropped);
    if (totals->overflow || t->whole.lost_edges)
        efg_summary_line(out, "Some calls or transitions found no room and are not counted: a "
                              "larger EFGTRACE_MEMORY has it.");
}

int efg_report_signatures(struct efg_buffer *out, const struct efg_run *run)
{
    struct table t = {.recorded = efg_merged_dimensions(run)};
    make_rows(&t);
    int error = read_groups(&t, run);
    if (!error && t.ranks)
        put_rows(out, &t);
    else if (!error)
        efg_summary_line(out, "No rank left a graph.");
    if (!error)
        put_notes(out, run, &t);
    efg_graph_fini(&t.whole);
    return error;
}
