/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the tree of calling contexts. Call paths are walked from the outermost frame inwards. Children
 * are found by a hash of their parent and what they are: functions by name and module, so that calls from
 * several lines of the caller are one context; MPI functions by name and line.
 */
#include "contexts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "files/summary/summary.h"

struct step { /* one step down the tree */
    const char *name, *file, *module;
    uint32_t line; /* where the caller called it */
    uint64_t offset;
    bool is_call;
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return efg_hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_step(uint32_t parent, const struct step *step)
{
    uint64_t hash = efg_hash_mix(parent, (uint64_t)step->is_call);
    hash = hash_text(hash_text(hash, step->name), step->module);
    return step->is_call ? efg_hash_mix(hash, step->line) : hash;
}

/* The context that STEP leads to from PARENT, EFG_NONE without memory. */
static uint32_t descend(struct efg_contexts *cs, uint32_t parent, const struct step *step)
{
    uint64_t known = cs->index.count, *index = efg_map_put(&cs->index, hash_step(parent, step));
    if (index && cs->index.count == known)
        return (uint32_t)*index;
    if (!index || efg_array_grow(&cs->items, cs->count, 1, sizeof *cs->items))
        return EFG_NONE;
    *index = cs->count;
    struct efg_context *c = &cs->items[cs->count++];
    *c = (struct efg_context){.parent = parent,
                              .depth = parent == EFG_NONE ? 0 : cs->items[parent].depth + 1,
                              .is_call = step->is_call,
                              .name = strdup(step->name),
                              .file = strdup(step->file),
                              .line = step->line,
                              .module = step->module,
                              .offset = step->offset};
    return c->name && c->file ? cs->count - 1 : EFG_NONE;
}

/* --- paths --- */

struct walk { /* down a path: where it is, and from which line it goes on */
    struct efg_contexts *contexts;
    uint32_t at;
    const char *file;
    uint32_t line;
};

static void enter(struct walk *walk, const char *name, const char *module, uint64_t offset,
                  const struct efg_run_symbol *symbol)
{
    struct step step = {name, symbol ? symbol->file : "", module, walk->line, offset, false};
    if (walk->at == EFG_NONE || !efg_summary_is_worth_naming(name))
        return;
    walk->at = descend(walk->contexts, walk->at, &step);
    walk->line = symbol ? symbol->line : 0;
    walk->file = step.file;
}

static void enter_frame(struct walk *walk, const struct efg_run *run, const struct efg_frame *frame)
{
    const char *module = efg_run_module(run, frame->module);
    const struct efg_run_site *site = efg_run_site(run, module, frame->offset);
    char name[256];
    for (uint32_t k = site ? site->symbol_count : 0; k-- > 0;) {
        efg_summary_short(run, name, sizeof name, site->symbols[k].function);
        enter(walk, name, module, 0, &site->symbols[k]);
    }
    if (site && site->symbol_count)
        return;
    uint64_t place = efg_frame_place(frame->offset);
    efg_summary_address(name, sizeof name, module, place);
    enter(walk, name, module, place, NULL);
}

static uint32_t context_of(struct efg_contexts *cs, const struct efg_run *run, const struct efg_node *node)
{
    const struct efg_run_path *path = efg_run_path(run, node->signature.path);
    struct walk walk = {cs, 0, "", 0};
    for (uint32_t i = path ? path->depth : 0; i-- > 0;)
        enter_frame(&walk, run, &path->frames[i]);
    struct step call = {node->flags & EFG_NODE_OVERFLOW ? "(all further calls)"
                                                        : efg_run_call_name(run, node->signature.call),
                        walk.file,
                        "",
                        walk.line,
                        0,
                        true};
    return walk.at == EFG_NONE ? EFG_NONE : descend(cs, walk.at, &call);
}

static uint32_t common(const struct efg_contexts *cs, uint32_t a, uint32_t b)
{
    while (cs->items[a].depth > cs->items[b].depth)
        a = cs->items[a].parent;
    while (cs->items[b].depth > cs->items[a].depth)
        b = cs->items[b].parent;
    for (; a != b; b = cs->items[b].parent)
        a = cs->items[a].parent;
    return a;
}

static uint32_t function_of(const struct efg_contexts *cs, uint32_t c)
{
    return cs->items[c].is_call ? cs->items[c].parent : c;
}

/* From a call to itself leads the function that it is called from. */
static uint32_t between(const struct efg_contexts *cs, const struct efg_edge *edge)
{
    return function_of(cs, common(cs, cs->of_node[edge->from], cs->of_node[edge->to]));
}

static void find_loops(struct efg_contexts *cs, const struct efg_merged *merged)
{
    const struct efg_looptree *tree = &merged->tree;
    for (uint32_t l = 0; l < tree->count; l++)
        cs->of_loop[l] = function_of(cs, cs->of_node[tree->loops[l].header]);
    for (uint32_t v = 0; v < merged->graph.node_count; v++) {
        for (uint32_t l = tree->loop_of[v]; l != EFG_NONE; l = tree->loops[l].parent)
            cs->of_loop[l] = common(cs, cs->of_loop[l], function_of(cs, cs->of_node[v]));
    }
}

static int build(struct efg_contexts *cs, const struct efg_run *run, const struct efg_merged *merged)
{
    const struct efg_graph *graph = &merged->graph;
    struct step root = {run->application ? run->application : "", "", "", 0, 0, false};
    cs->of_node = calloc((size_t)graph->node_count + 1, sizeof *cs->of_node);
    cs->of_edge = calloc((size_t)graph->edge_count + 1, sizeof *cs->of_edge);
    cs->of_loop = calloc((size_t)merged->tree.count + 1, sizeof *cs->of_loop);
    if (!cs->of_node || !cs->of_edge || !cs->of_loop || descend(cs, EFG_NONE, &root) == EFG_NONE)
        return -ENOMEM;
    for (uint32_t v = 0; v < graph->node_count; v++) {
        cs->of_node[v] = context_of(cs, run, &graph->nodes[v]);
        if (cs->of_node[v] == EFG_NONE)
            return -ENOMEM;
    }
    for (uint32_t e = 0; e < graph->edge_count; e++)
        cs->of_edge[e] = between(cs, &graph->edges[e]);
    find_loops(cs, merged);
    return 0;
}

int efg_contexts_build(struct efg_contexts *contexts, const struct efg_run *run,
                       const struct efg_merged *merged)
{
    *contexts = (struct efg_contexts){0};
    if (!build(contexts, run, merged))
        return 0;
    efg_contexts_fini(contexts);
    return -ENOMEM;
}

void efg_contexts_fini(struct efg_contexts *contexts)
{
    for (uint32_t i = 0; i < contexts->count; i++) {
        free(contexts->items[i].name);
        free(contexts->items[i].file);
    }
    free(contexts->items);
    efg_map_fini(&contexts->index);
    free(contexts->of_node);
    free(contexts->of_edge);
    free(contexts->of_loop);
    *contexts = (struct efg_contexts){0};
}
