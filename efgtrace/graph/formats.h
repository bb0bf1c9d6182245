/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Formats of the event flow graph of one or more ranks of a run: each appends the whole graph
 * to OUT. Text from the run file is escaped. ALL: each call is drawn, none is in a box with others (boxes.h).
 */
#ifndef EFG_GRAPH_FORMATS_H
#define EFG_GRAPH_FORMATS_H

#include <cjson/cJSON.h>

#include "base/buffer.h"
#include "model/model.h"

#define EFG_GRAPH_VERSION 3 /* of JSON */

void efg_graph_put_dot(struct efg_buffer *out, const struct efg_model *model, bool all);
void efg_graph_put_json(struct efg_buffer *out, const struct efg_model *model, bool all);

/* A node without its path, an edge, a loop, as the schema has them. */
cJSON *efg_graph_json_node(const struct efg_model *model, uint32_t id);
cJSON *efg_graph_json_edge(const struct efg_model *model, uint32_t id);
cJSON *efg_graph_json_loop(const struct efg_model *model, uint32_t id);

/* Add the member "pivot" of the schema. */
void efg_graph_json_pivot(cJSON *to, const struct efg_merged *merged);

extern const char efg_graph_json_help[]; /* the schema */

#endif
