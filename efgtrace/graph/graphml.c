/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph as GraphML, which Gephi, yEd, NetworkX and igraph read. Loops are no part of the
 * format: each node says in which one it is, innermost.
 *
 * Source: graphml.graphdrawing.org, GraphML primer.
 */
#include <stdio.h>
#include <string.h>

#include "cli/clean.h"
#include "files/summary/summary.h"
#include "formats.h"

static const struct key { /* its id is the first letter of OF, and NAME */
    const char *of, *name, *type;
} keys[] = {
    {"graph", "version", "int"},
    {"graph", "ranks", "string"},
    {"node", "call", "string"},
    {"node", "label", "string"},
    {"node", "count", "long"},
    {"node", "time", "long"},
    {"node", "bytes", "long"},
    {"node", "polls", "long"},
    {"node", "loop", "int"},
    {"node", "hash", "string"},
    {"node", "ranks", "string"},
    {"node", "least", "long"},
    {"node", "most", "long"},
    {"edge", "taken", "long"},
    {"edge", "compute", "long"},
    {"edge", "ranks", "string"},
    {"edge", "least", "long"},
    {"edge", "most", "long"},
    {0},
};

static void put_escaped(struct efg_buffer *out, char *text)
{
    for (efg_clean(text); *text; text++) {
        if (*text == '&')
            efg_buffer_print(out, "&amp;");
        else if (*text == '<')
            efg_buffer_print(out, "&lt;");
        else if (*text == '>')
            efg_buffer_print(out, "&gt;");
        else if (*text == '"')
            efg_buffer_print(out, "&quot;");
        else
            efg_buffer_put(out, text, 1);
    }
}

static void put_text(struct efg_buffer *out, const char *key, const char *text)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", text);
    efg_buffer_print(out, "      <data key=\"%s\">", key);
    put_escaped(out, copy);
    efg_buffer_print(out, "</data>\n");
}

static void put_number(struct efg_buffer *out, const char *key, uint64_t value)
{
    efg_buffer_print(out, "      <data key=\"%s\">%llu</data>\n", key, (unsigned long long)value);
}

static void put_ranks(struct efg_buffer *out, const char *key, const struct efg_ranklist *ranks)
{
    efg_buffer_print(out, "      <data key=\"%s\">", key);
    efg_ranklist_write(out, ranks);
    efg_buffer_print(out, "</data>\n");
}

static void put_node(struct efg_buffer *out, const struct efg_model *model, uint32_t id)
{
    const struct efg_merged *merged = &model->merged;
    const struct efg_node *node = &merged->graph.nodes[id];
    uint64_t least, most;
    char label[512], hash[32];
    efg_summary_node(&model->run, node, label, sizeof label);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)node->hash);
    efg_merged_visits(&merged->nodes[id], &least, &most);
    efg_buffer_print(out, "    <node id=\"n%u\">\n", id);
    put_text(out, "n_call",
             node->flags & EFG_NODE_OVERFLOW ? "" : efg_run_call_name(&model->run, node->signature.call));
    put_text(out, "n_label", label);
    put_number(out, "n_count", node->time.count);
    put_number(out, "n_time", efg_node_time(node));
    put_number(out, "n_bytes", node->bytes);
    put_number(out, "n_polls", node->polls);
    if (merged->tree.loop_of[id] != EFG_NONE)
        put_number(out, "n_loop", merged->tree.loop_of[id]);
    put_text(out, "n_hash", hash);
    put_ranks(out, "n_ranks", &merged->nodes[id].ranks);
    put_number(out, "n_least", least);
    put_number(out, "n_most", most);
    efg_buffer_print(out, "    </node>\n");
}

static void put_edge(struct efg_buffer *out, const struct efg_merged *merged, uint32_t id)
{
    const struct efg_edge *edge = &merged->graph.edges[id];
    uint64_t least, most;
    efg_merged_visits(&merged->edges[id], &least, &most);
    efg_buffer_print(out, "    <edge id=\"e%u\" source=\"n%u\" target=\"n%u\">\n", id, edge->from, edge->to);
    put_number(out, "e_taken", edge->time.count);
    put_number(out, "e_compute", edge->time.sum);
    put_ranks(out, "e_ranks", &merged->edges[id].ranks);
    put_number(out, "e_least", least);
    put_number(out, "e_most", most);
    efg_buffer_print(out, "    </edge>\n");
}

void efg_graph_put_graphml(struct efg_buffer *out, const struct efg_model *model, bool all)
{
    (void)all;
    const struct efg_merged *merged = &model->merged;
    efg_buffer_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    for (const struct key *key = keys; key->name; key++)
        efg_buffer_print(out, "  <key id=\"%c_%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n",
                         *key->of, key->name, key->of, key->name, key->type);
    efg_buffer_print(out, "  <graph id=\"efg\" edgedefault=\"directed\">\n");
    put_number(out, "g_version", EFG_GRAPH_VERSION);
    put_ranks(out, "g_ranks", &merged->ranks);
    for (uint32_t i = 0; i < merged->graph.node_count; i++)
        put_node(out, model, i);
    for (uint32_t i = 0; i < merged->graph.edge_count; i++)
        put_edge(out, merged, i);
    efg_buffer_print(out, "  </graph>\n</graphml>\n");
}
