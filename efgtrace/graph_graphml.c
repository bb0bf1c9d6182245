/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph as GraphML, which Gephi, yEd, NetworkX and igraph read. Loops are no part of the
 * format: each node says in which one it is, innermost.
 *
 * Source: graphml.graphdrawing.org, GraphML primer.
 */
#include <stdio.h>
#include <string.h>

#include "files/summary.h"
#include "graph_formats.h"

static const struct key {
    const char *of, *name, *type;
} keys[] = {
    {"node", "call", "string"},
    {"node", "label", "string"},
    {"node", "count", "long"},
    {"node", "time", "long"},
    {"node", "bytes", "long"},
    {"node", "polls", "long"},
    {"node", "loop", "int"},
    {"node", "hash", "string"},
    {"edge", "taken", "long"},
    {"edge", "compute", "long"},
    {0},
};

static void put_escaped(struct efg_buffer *out, char *text)
{
    for (efg_graph_clean(text); *text; text++) {
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
    efg_buffer_print(out, "      <data key=\"%s\">%llu</data>\n", key,
                     (unsigned long long)value);
}

static void put_node(struct efg_buffer *out, const struct efg_graph_view *view, uint32_t id)
{
    const struct efg_node *node = &view->thread->graph.nodes[id];
    char label[512], hash[32];
    efg_summary_node(view->run, node, label, sizeof label);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)node->hash);
    efg_buffer_print(out, "    <node id=\"n%u\">\n", id);
    put_text(out, "call",
             node->flags & EFG_NODE_OVERFLOW
                 ? ""
                 : efg_run_call_name(view->run, node->signature.call));
    put_text(out, "label", label);
    put_number(out, "count", node->time.count);
    put_number(out, "time", node->time.sum + node->poll_time);
    put_number(out, "bytes", node->bytes);
    put_number(out, "polls", node->polls);
    if (view->tree.loop_of[id] != EFG_NONE)
        put_number(out, "loop", view->tree.loop_of[id]);
    put_text(out, "hash", hash);
    efg_buffer_print(out, "    </node>\n");
}

static void put_edge(struct efg_buffer *out, const struct efg_graph_view *view, uint32_t id)
{
    const struct efg_edge *edge = &view->thread->graph.edges[id];
    efg_buffer_print(out, "    <edge id=\"e%u\" source=\"n%u\" target=\"n%u\">\n", id,
                     edge->from, edge->to);
    put_number(out, "taken", edge->time.count);
    put_number(out, "compute", edge->time.sum);
    efg_buffer_print(out, "    </edge>\n");
}

void efg_graph_put_graphml(struct efg_buffer *out, const struct efg_graph_view *view)
{
    const struct efg_graph *graph = &view->thread->graph;
    efg_buffer_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    for (const struct key *key = keys; key->name; key++)
        efg_buffer_print(out,
                         "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n",
                         key->name, key->of, key->name, key->type);
    efg_buffer_print(out, "  <graph id=\"rank%u\" edgedefault=\"directed\">\n",
                     view->rank->rank);
    for (uint32_t i = 0; i < graph->node_count; i++)
        put_node(out, view, i);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        put_edge(out, view, i);
    efg_buffer_print(out, "  </graph>\n</graphml>\n");
}
