/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The comparison as JSON; efg_compare_json_help is the schema.
 */
#include "cli/json.h"
#include "files/summary/summary.h"
#include "formats.h"

const char efg_compare_json_help[] =
    "JSON: one object. Times are ns of a rank, the mean over the ranks of a run.\n"
    "  format \"efgtrace-compare\", version 1, efgtrace (its version), findings [text]\n"
    "  runs [2]     {folder, application, command, mpi, ranks, time, in_mpi, rest (before the\n"
    "               first and after the last call), iterations, iteration (one of the main loop),\n"
    "               iteration_mpi, main_loop (number or null), parallel_efficiency, load_balance,\n"
    "               communication_efficiency (0 to 1)}\n"
    "  loops        [{function, name (with what it does), depth, a, b}], a and b null or {loop (as in "
    "efgtrace graph -f\n"
    "               json), repetitions, time, mpi_time}\n"
    "  differences  [{what \"call\"|\"compute\" (before the call), call, label, difference, a, b}],\n"
    "               the largest first; a and b null or {node, time, calls}\n";

void efg_compare_put_efficiency(cJSON *to, const struct efg_efficiency *e)
{
    cJSON_AddNumberToObject(to, "parallel_efficiency", e->parallel);
    cJSON_AddNumberToObject(to, "load_balance", e->balance);
    cJSON_AddNumberToObject(to, "communication_efficiency", e->communication);
}

static cJSON *make_run(const struct efg_comparison *c, int which)
{
    const struct efg_run *run = &c->side[which].run;
    cJSON *to = cJSON_CreateObject();
    efg_json_text(to, "folder", run->output);
    efg_json_text(to, "application", run->application);
    efg_json_text(to, "command", run->command);
    efg_json_text(to, "mpi", run->mpi);
    efg_json_number(to, "ranks", run->size);
    cJSON_AddNumberToObject(to, "time", c->time[which]);
    cJSON_AddNumberToObject(to, "in_mpi", c->mpi[which]);
    cJSON_AddNumberToObject(to, "rest", c->rest[which]);
    cJSON_AddNumberToObject(to, "iterations", c->iterations[which]);
    cJSON_AddNumberToObject(to, "iteration", c->iteration[which]);
    cJSON_AddNumberToObject(to, "iteration_mpi", c->iteration_mpi[which]);
    efg_json_id(to, "main_loop", c->main_loop[which]);
    efg_compare_put_efficiency(to, &c->efficiency[which]);
    return to;
}

static void add_loop(cJSON *to, const char *name, const struct efg_model *side, uint32_t id)
{
    if (id == EFG_NONE) {
        cJSON_AddNullToObject(to, name);
        return;
    }
    const struct efg_loop *loop = &side->merged.tree.loops[id];
    double ranks = (double)side->merged.rank_count;
    cJSON *object = cJSON_AddObjectToObject(to, name);
    efg_json_number(object, "loop", id);
    efg_json_number(object, "repetitions", efg_merged_repetitions(&side->merged, id));
    cJSON_AddNumberToObject(object, "time", (double)loop->time / ranks);
    cJSON_AddNumberToObject(object, "mpi_time", (double)loop->mpi_time / ranks);
}

static cJSON *make_loop(const struct efg_comparison *c, struct efg_pair pair)
{
    int which = efg_comparison_side(c, pair);
    const struct efg_model *side = &c->side[which];
    uint32_t id = which ? pair.b : pair.a;
    char function[256], name[600];
    cJSON *to = cJSON_CreateObject();
    efg_summary_function(&side->run, &side->merged.graph, &side->merged.tree, id, function, sizeof function);
    efg_summary_loop_label(&side->run, &side->merged.graph, &side->merged.tree, id, name, sizeof name);
    efg_json_text(to, "function", function);
    efg_json_text(to, "name", name);
    efg_json_number(to, "depth", side->merged.tree.loops[id].depth);
    add_loop(to, "a", &c->side[0], pair.a);
    add_loop(to, "b", &c->side[1], pair.b);
    return to;
}

static void add_node(cJSON *to, const char *name, const struct efg_difference *d, int which, uint32_t node)
{
    if (node == EFG_NONE) {
        cJSON_AddNullToObject(to, name);
        return;
    }
    cJSON *object = cJSON_AddObjectToObject(to, name);
    efg_json_number(object, "node", node);
    cJSON_AddNumberToObject(object, "time", d->time[which]);
    cJSON_AddNumberToObject(object, "calls", d->calls[which]);
}

static cJSON *make_difference(const struct efg_comparison *c, const struct efg_difference *d)
{
    int which = efg_comparison_side(c, d->node);
    const struct efg_model *side = &c->side[which];
    const struct efg_node *node = &side->merged.graph.nodes[which ? d->node.b : d->node.a];
    char label[512];
    cJSON *to = cJSON_CreateObject();
    cJSON_AddStringToObject(to, "what", d->is_compute ? "compute" : "call");
    efg_json_text(to, "call",
                  node->flags & EFG_NODE_OVERFLOW ? "" : efg_run_call_name(&side->run, node->signature.call));
    efg_summary_node(&side->run, node, label, sizeof label);
    efg_json_text(to, "label", label);
    cJSON_AddNumberToObject(to, "difference", d->time[1] - d->time[0]);
    add_node(to, "a", d, 0, d->node.a);
    add_node(to, "b", d, 1, d->node.b);
    return to;
}

cJSON *efg_compare_document(const struct efg_comparison *c)
{
    struct efg_buffer findings = {0};
    cJSON *document = cJSON_CreateObject();
    efg_compare_put_findings(&findings, c);
    cJSON_AddStringToObject(document, "format", "efgtrace-compare");
    efg_json_number(document, "version", 1);
    cJSON_AddStringToObject(document, "efgtrace", EFG_VERSION);
    efg_json_lines(document, "findings", &findings, 0);
    efg_buffer_fini(&findings);
    cJSON *runs = cJSON_AddArrayToObject(document, "runs");
    for (int i = 0; i < 2; i++)
        cJSON_AddItemToArray(runs, make_run(c, i));
    cJSON *loops = cJSON_AddArrayToObject(document, "loops");
    for (uint32_t i = 0; i < c->matched.loop_count; i++)
        cJSON_AddItemToArray(loops, make_loop(c, c->matched.loops[i]));
    cJSON *differences = cJSON_AddArrayToObject(document, "differences");
    for (uint32_t i = 0; i < c->difference_count; i++)
        cJSON_AddItemToArray(differences, make_difference(c, &c->differences[i]));
    cJSON_AddBoolToObject(document, "complete", 1);
    return document;
}
