/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of the loops that a rank has told of: its main loop, phases and their levels. They are those of their
 * functions, also where the tree of loops has no such loop.
 */
#include <stdio.h>
#include <string.h>

#include "summary.h"

/* A loop that is not in the tree: the function of its frame. */
static void name_frame(const struct efg_run *run, const struct efg_node *node, uint32_t depth, char *text,
                       size_t size)
{
    const struct efg_run_path *path = efg_run_path(run, node->signature.path);
    if (!path || depth >= path->depth) {
        efg_summary_node(run, node, text, size);
        return;
    }
    const struct efg_frame *frame = &path->frames[path->depth - 1 - depth];
    const char *module = efg_run_module(run, frame->module);
    const struct efg_run_site *site = efg_run_site(run, module, frame->offset);
    if (site && site->symbol_count)
        efg_summary_short(run, text, size, site->symbols[site->symbol_count - 1].function);
    else
        efg_summary_address(text, size, module, frame->offset);
}

void efg_summary_loop_name(const struct efg_run *run, const struct efg_graph *graph,
                           const struct efg_looptree *tree, const struct efg_run_loop *loop, char *text,
                           size_t size)
{
    uint32_t index = efg_summary_loop(tree, run, graph, loop);
    *text = '\0';
    if (index != EFG_NONE && efg_summary_is_in(tree, loop->node, index))
        efg_summary_function(run, graph, tree, index, text, size);
    if (!*text)
        name_frame(run, &graph->nodes[loop->node], loop->depth, text, size);
}

void efg_summary_phase_name(const struct efg_run *run, const struct efg_run_thread *thread,
                            const struct efg_looptree *tree, const struct efg_run_phase *phase, char *text,
                            size_t size)
{
    const struct efg_run_loop *loop = &phase->loop;
    char other[256], caller[256];
    bool is_unique = true;

    efg_summary_loop_name(run, &thread->graph, tree, loop, text, size);
    for (uint32_t i = 0; i < thread->phase_count && is_unique; i++) {
        if (thread->phases[i].loop.function == loop->function)
            continue;
        efg_summary_loop_name(run, &thread->graph, tree, &thread->phases[i].loop, other, sizeof other);
        is_unique = strcmp(text, other) != 0;
    }
    if (is_unique || !loop->depth)
        return;
    name_frame(run, &thread->graph.nodes[loop->node], loop->depth - 1, caller, sizeof caller);
    snprintf(text + strlen(text), size - strlen(text), " < %s", caller);
}
