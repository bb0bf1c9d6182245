/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph as JSON; efg_graph_json_help is the schema.
 */
#include "cli/json.h"
#include "files/summary/summary.h"
#include "formats.h"

const char efg_graph_json_help[] =
    "JSON: one object. Times are ns, numbers of nodes, edges and loops are indices from 0,\n"
    "RANKS is a list such as \"0-3,8\" or \"0-62:2\" (as --rank takes it). Counts, bytes, times are\n"
    "sums over the ranks and their threads; \"visits\" is the count on each rank.\n"
    "  format \"efgtrace-graph\", version 3, application, command, mpi, ranks (of the run),\n"
    "  merged RANKS, rank (the one, if it is one, or null), duration (sum)\n"
    "  pivot   null or {kind \"node\"|\"site\", id, frames, visits, rank}: where an iteration begins, of\n"
    "          the rank that represents these: at the node id; or where the call site given by\n"
    "          the outermost FRAMES of its path is entered\n"
    "  main    the main loop, or null; its number of iterations is that of this rank\n"
    "  nodes   [{id, call, hash, label, region, size, element, partner, communicator,\n"
    "            loop (innermost one or null), count, bytes, polls, poll_time, world, unordered,\n"
    "            ranks RANKS, visits [{least, most, ranks RANKS}],\n"
    "            time {sum min max histogram},\n"
    "            path [{module, offset, function, file, line}] innermost first; first_round_of is\n"
    "            in it, too, where the call was made in the first round of so many loops}]\n"
    "          region, size, element, partner (\"rank +1\": the next one), communicator: text, \"\" where\n"
    "          they are not part of the signature or there is none\n"
    "  edges   [{id, from, to, count, ranks, visits, time}]: time between the calls\n"
    "  loops   [{id, parent or null, header, function, name (with what it does), ranks RANKS,\n"
    "            repetitions, entries, events, time, mpi_time, irreducible}]\n"
    "  In visits, least equals most, unless there are more than 16 different numbers, which\n"
    "  are then one range. Repetitions of loops are those of the rank that represents these, if it\n"
    "  has the loop; else, and entries and events always: as if each node were visited and each\n"
    "  edge taken as often as on the rank with the most. A histogram is [[b, n], ...]: n durations\n"
    "  from 2^b to 2^(b+1). The same hash in two graphs of a run is the same node.\n"
    "  Version 2 had no main, and pivots that were edges; version 1 was for one rank, without\n"
    "  merged, ranks of nodes, edges, loops, and visits.\n";

static void add_visits(cJSON *to, const struct efg_merged_item *item)
{
    cJSON *array = cJSON_AddArrayToObject(to, "visits");
    for (uint32_t i = 0; i < item->visits_count; i++) {
        cJSON *visits = cJSON_CreateObject();
        efg_json_number(visits, "least", item->visits[i].least);
        efg_json_number(visits, "most", item->visits[i].most);
        efg_json_ranks(visits, "ranks", &item->visits[i].ranks);
        cJSON_AddItemToArray(array, visits);
    }
}

static void add_stat(cJSON *to, const struct efg_stat *stat, const uint64_t *bins)
{
    cJSON *time = cJSON_AddObjectToObject(to, "time");
    efg_json_number(time, "sum", stat->sum);
    efg_json_number(time, "min", stat->count ? stat->min : 0);
    efg_json_number(time, "max", stat->max);
    cJSON *histogram = cJSON_AddArrayToObject(time, "histogram");
    for (int i = 0; i < EFG_BINS; i++) {
        if (!bins[i])
            continue;
        cJSON *bin = cJSON_CreateArray();
        cJSON_AddItemToArray(bin, cJSON_CreateNumber(i));
        cJSON_AddItemToArray(bin, cJSON_CreateNumber((double)bins[i]));
        cJSON_AddItemToArray(histogram, bin);
    }
}

/* --- nodes --- */

static void add_frame(cJSON *path, const char *module, uint64_t offset, const struct efg_run_symbol *symbol)
{
    cJSON *frame = cJSON_CreateObject();
    efg_json_text(frame, "module", module);
    efg_json_hex(frame, "offset", efg_frame_place(offset));
    if (efg_frame_firsts(offset))
        efg_json_number(frame, "first_round_of", efg_frame_firsts(offset));
    efg_json_text(frame, "function", symbol ? symbol->function : "");
    efg_json_text(frame, "file", symbol ? symbol->file : "");
    efg_json_number(frame, "line", symbol ? symbol->line : 0);
    cJSON_AddItemToArray(path, frame);
}

static void add_path(cJSON *to, const struct efg_model *model, uint32_t id)
{
    const struct efg_run_path *path = efg_run_path(&model->run, id);
    cJSON *frames = cJSON_AddArrayToObject(to, "path");
    for (uint32_t i = 0; path && i < path->depth; i++) {
        const struct efg_frame *frame = &path->frames[i];
        const char *module = efg_run_module(&model->run, frame->module);
        const struct efg_run_site *site = efg_run_site(&model->run, module, frame->offset);
        if (!site || !site->symbol_count)
            add_frame(frames, module, frame->offset, NULL);
        for (uint32_t k = 0; site && k < site->symbol_count; k++)
            add_frame(frames, module, frame->offset, &site->symbols[k]);
    }
}

static void add_dimensions(cJSON *to, const struct efg_model *model, const struct efg_node *node)
{
    static const struct {
        const char *name;
        enum efg_dimension dimension;
    } dimensions[] = {{"region", EFG_DIM_REGION},   {"size", EFG_DIM_SIZE},
                      {"element", EFG_DIM_ELEMENT}, {"address", EFG_DIM_ADDRESS},
                      {"partner", EFG_DIM_PARTNER}, {"communicator", EFG_DIM_COMM}};
    char text[80];
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
        efg_summary_dimension(&model->run, node, dimensions[i].dimension, text, sizeof text);
        efg_json_text(to, dimensions[i].name, text);
    }
}

cJSON *efg_graph_json_node(const struct efg_model *model, uint32_t id)
{
    const struct efg_node *node = &model->merged.graph.nodes[id];
    char label[512];
    cJSON *to = cJSON_CreateObject();
    efg_summary_node(&model->run, node, label, sizeof label);
    efg_json_number(to, "id", id);
    efg_json_text(to, "call",
                  node->flags & EFG_NODE_OVERFLOW ? ""
                                                  : efg_run_call_name(&model->run, node->signature.call));
    efg_json_hex(to, "hash", node->hash);
    efg_json_text(to, "label", label);
    add_dimensions(to, model, node);
    efg_json_id(to, "loop", model->merged.tree.loop_of[id]);
    efg_json_number(to, "count", node->time.count);
    efg_json_number(to, "bytes", node->bytes);
    efg_json_number(to, "polls", node->polls);
    efg_json_number(to, "poll_time", node->poll_time);
    cJSON_AddBoolToObject(to, "world", node->flags & EFG_NODE_WORLD);
    cJSON_AddBoolToObject(to, "unordered", node->flags & EFG_NODE_UNORDERED);
    efg_json_ranks(to, "ranks", &model->merged.nodes[id].ranks);
    add_visits(to, &model->merged.nodes[id]);
    add_stat(to, &node->time, model->merged.nodes[id].bin);
    return to;
}

static cJSON *make_node(const struct efg_model *model, uint32_t id)
{
    cJSON *to = efg_graph_json_node(model, id);
    add_path(to, model, model->merged.graph.nodes[id].signature.path);
    return to;
}

cJSON *efg_graph_json_edge(const struct efg_model *model, uint32_t id)
{
    const struct efg_edge *edge = &model->merged.graph.edges[id];
    cJSON *to = cJSON_CreateObject();
    efg_json_number(to, "id", id);
    efg_json_number(to, "from", edge->from);
    efg_json_number(to, "to", edge->to);
    efg_json_number(to, "count", edge->time.count);
    efg_json_ranks(to, "ranks", &model->merged.edges[id].ranks);
    add_visits(to, &model->merged.edges[id]);
    add_stat(to, &edge->time, model->merged.edges[id].bin);
    return to;
}

cJSON *efg_graph_json_loop(const struct efg_model *model, uint32_t id)
{
    const struct efg_loop *loop = &model->merged.tree.loops[id];
    char function[256], name[600];
    cJSON *to = cJSON_CreateObject();
    efg_summary_function(&model->run, &model->merged.graph, &model->merged.tree, id, function,
                         sizeof function);
    efg_json_number(to, "id", id);
    efg_json_id(to, "parent", loop->parent);
    efg_json_number(to, "header", loop->header);
    efg_json_text(to, "function", function);
    efg_summary_loop_label(&model->run, &model->merged.graph, &model->merged.tree, id, name, sizeof name);
    efg_json_text(to, "name", name);
    efg_json_ranks(to, "ranks", &model->merged.loops[id]);
    efg_json_number(to, "repetitions", efg_merged_repetitions(&model->merged, id));
    efg_json_number(to, "entries", loop->entries);
    efg_json_number(to, "events", loop->events);
    efg_json_number(to, "time", loop->time);
    efg_json_number(to, "mpi_time", loop->mpi_time);
    cJSON_AddBoolToObject(to, "irreducible", loop->irreducible);
    return to;
}

/* --- the document --- */

void efg_graph_json_pivot(cJSON *to, const struct efg_merged *merged)
{
    const struct efg_run_pivot *pivot = &merged->at.pivot;
    if (pivot->kind == EFG_PIVOT_NONE) {
        cJSON_AddNullToObject(to, "pivot");
        return;
    }
    cJSON *object = cJSON_AddObjectToObject(to, "pivot");
    cJSON_AddStringToObject(object, "kind", pivot->kind == EFG_PIVOT_NODE ? "node" : "site");
    efg_json_number(object, "id", pivot->node);
    if (pivot->kind == EFG_PIVOT_SITE)
        efg_json_number(object, "frames", pivot->depth);
    efg_json_number(object, "visits", pivot->visits);
    efg_json_number(object, "rank", merged->speaker);
}

static void add_all(cJSON *to, const char *name, const struct efg_model *model, uint32_t count,
                    cJSON *(*make)(const struct efg_model *, uint32_t))
{
    cJSON *array = cJSON_AddArrayToObject(to, name);
    for (uint32_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, make(model, i));
}

void efg_graph_put_json(struct efg_buffer *out, const struct efg_model *model, bool all)
{
    (void)all;
    const struct efg_run *run = &model->run;
    const struct efg_merged *merged = &model->merged;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "format", "efgtrace-graph");
    efg_json_number(document, "version", EFG_GRAPH_VERSION);
    efg_json_text(document, "application", run->application);
    efg_json_text(document, "command", run->command);
    efg_json_text(document, "mpi", run->mpi);
    efg_json_number(document, "ranks", run->rank_count);
    efg_json_ranks(document, "merged", &merged->ranks);
    efg_json_id(document, "rank", merged->rank_count == 1 ? merged->speaker : EFG_NONE);
    efg_json_number(document, "duration", merged->duration);
    efg_graph_json_pivot(document, merged);
    efg_json_id(document, "main", merged->tree.main);
    add_all(document, "nodes", model, merged->graph.node_count, make_node);
    add_all(document, "edges", model, merged->graph.edge_count, efg_graph_json_edge);
    add_all(document, "loops", model, merged->tree.count, efg_graph_json_loop);
    efg_json_end(out, document, "loops");
}
