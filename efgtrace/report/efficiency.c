/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of efficiencies: of the run, then of its loops, as they are nested; of these inside of the
 * recorded iterations, where transfer is told from serialisation; and one as JSON.
 */
#include "model/efficiency.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/json.h"
#include "cli/text.h"
#include "files/summary/summary.h"
#include "inside.h"
#include "json.h"
#include "tables.h"

static void put_line(struct efg_buffer *out, const struct efg_efficiency *e, const char *what)
{
    char time[32];
    efg_format_ns(time, sizeof time, e->time);
    efg_summary_line(out, "%8.1f%% %12.1f%% %14.1f%% %7u %10s  %s", 100 * e->parallel, 100 * e->balance,
                     100 * e->communication, e->ranks, time, what);
}

/* Indented, as it is nested. */
static void name_loop(const struct efg_model *model, uint32_t loop, char *what, size_t size)
{
    const struct efg_merged *merged = &model->merged;
    const struct efg_loop *l = &merged->tree.loops[loop];
    char label[600];
    efg_summary_loop_label(&model->run, &merged->graph, &merged->tree, loop, label, sizeof label);
    snprintf(what, size, "%*s%llu x %s", 2 * (int)(l->depth < 12 ? l->depth : 12), "",
             (unsigned long long)efg_merged_repetitions(merged, loop), label);
}

static void put_loop(struct efg_buffer *out, const struct efg_model *model, uint32_t loop)
{
    struct efg_efficiency e = efg_efficiency_loop(&model->by, loop);
    char what[700];
    name_loop(model, loop, what, sizeof what);
    put_line(out, &e, what);
}

/* How many loops take more time than THIS one. */
static uint32_t rank_of(const struct efg_looptree *tree, uint32_t this)
{
    uint32_t longer = 0;
    for (uint32_t l = 0; l < tree->count; l++)
        longer += tree->loops[l].time > tree->loops[this].time ||
                  (tree->loops[l].time == tree->loops[this].time && l < this);
    return longer;
}

/* --- inside of the recorded iterations --- */

static void put_inside(struct efg_buffer *out, const struct efg_waits_iteration *inside, const char *what)
{
    struct efg_waits_shares shares = efg_waits_shares(inside);
    char time[32];
    efg_format_ns(time, sizeof time, inside->longest);
    if (inside->locations)
        efg_summary_line(out, "%8.1f%% %12.1f%% %14.1f%% %9.1f%% %10s  %s", 100 * shares.parallel,
                         100 * shares.balance, 100 * shares.serialisation, 100 * shares.transfer, time, what);
    else
        efg_summary_line(out, "%9s %49s %10s  %s", "-", "not recorded", "-", what);
}

static void put_all_inside(struct efg_buffer *out, const struct efg_model *model,
                           const struct efg_report_waiting *w, uint32_t most)
{
    const struct efg_looptree *tree = &model->merged.tree;
    struct efg_waits_iteration *inside = efg_report_inside(model, w);
    char what[700];
    out->failed |= !inside;
    efg_buffer_print(out, "\nOf what was recorded of the loops:\n"
                          " parallel = load balance x serialisation x transfer       time  of\n");
    for (uint32_t l = efg_looptree_next(tree, EFG_NONE); l != EFG_NONE && inside;
         l = efg_looptree_next(tree, l)) {
        name_loop(model, l, what, sizeof what);
        if (most == UINT32_MAX || rank_of(tree, l) < most)
            put_inside(out, &inside[l], what);
    }
    efg_text_rest(out, tree->count, most);
    free(inside);
}

void efg_report_efficiency(struct efg_buffer *out, const struct efg_model *model,
                           const struct efg_report_waiting *w, uint32_t most)
{
    const struct efg_looptree *tree = &model->merged.tree;
    struct efg_efficiency whole = efg_efficiency_run(&model->ranks, model->run.rank_count);
    char note[320];
    efg_summary_line(out, " parallel = load balance x communication   ranks       time  of");
    put_line(out, &whole, "the run");
    for (uint32_t l = efg_looptree_next(tree, EFG_NONE); l != EFG_NONE; l = efg_looptree_next(tree, l)) {
        if (most == UINT32_MAX || rank_of(tree, l) < most)
            put_loop(out, model, l);
    }
    efg_text_rest(out, tree->count, most);
    snprintf(note, sizeof note,
             "(useful time is that outside MPI: its mean over the ranks / the time; its mean / its most; its "
             "most / the time. Loops are those of all ranks, repeated so often by rank %u, if it has them.)",
             model->merged.speaker);
    efg_summary_wrap(out, "", note);
    if (!*w->waits.missing && tree->count)
        put_all_inside(out, model, w, most);
}

void efg_report_json_efficiency(cJSON *to, const struct efg_efficiency *efficiency)
{
    cJSON *e = cJSON_AddObjectToObject(to, "efficiency");
    efg_json_number(e, "ranks", efficiency->ranks);
    efg_json_number(e, "time", efficiency->time);
    cJSON_AddNumberToObject(e, "parallel", efficiency->parallel);
    cJSON_AddNumberToObject(e, "balance", efficiency->balance);
    cJSON_AddNumberToObject(e, "communication", efficiency->communication);
}
