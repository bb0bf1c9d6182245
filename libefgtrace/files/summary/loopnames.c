/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of the loops that a rank has told of: its main loop, phases and their levels. They are those of their
 * functions, also where the tree of loops has no such loop.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/flow/place.h"
#include "names.h"
#include "summary.h"

/* Frame number DEPTH of NODE, counted from the outermost one; NULL if there is none. */
static const struct efg_frame *frame_of(const struct efg_run *run, const struct efg_node *node,
                                        uint32_t depth)
{
    const struct efg_run_path *path = efg_run_path(run, node->signature.path);
    return path && depth < path->depth ? &path->frames[path->depth - 1 - depth] : NULL;
}

/* A loop that is not in the tree: the function of its frame. */
static void name_frame(const struct efg_run *run, const struct efg_node *node, uint32_t depth, char *text,
                       size_t size)
{
    const struct efg_frame *frame = frame_of(run, node, depth);
    if (!frame) {
        efg_summary_node(run, node, text, size);
        return;
    }
    const char *module = efg_run_module(run, frame->module);
    const struct efg_run_site *site = efg_run_site(run, module, frame->offset);
    if (site && site->symbol_count)
        efg_summary_short(run, text, size, site->symbols[site->symbol_count - 1].function);
    else
        efg_summary_address(text, size, module, frame->offset);
}

/* The first function of NODE, from frame DEPTH outwards, which has a loop around its call, as far as the code
 * says so. */
static void name_loop(const struct efg_run *run, const struct efg_node *node, uint32_t depth, char *text,
                      size_t size)
{
    for (uint32_t i = depth + 1; i-- > 0;) {
        const struct efg_frame *frame = frame_of(run, node, i);
        efg_place place = frame ? efg_run_position(&run->common.names, frame).place : EFG_PLACE_UNKNOWN;
        name_frame(run, node, i, text, size);
        if (frame && efg_place_is_looping(place) && efg_summary_is_worth_naming(text))
            return;
        if (frame && !efg_place_is_straight(place))
            break;
    }
    name_frame(run, node, depth, text, size);
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
        name_loop(run, &graph->nodes[loop->node], loop->depth, text, size);
}

/* Whether A and B are the same call, made on the same way from frames DEPTH_A and DEPTH_B on. */
static bool is_same_way(const struct efg_run *run, const struct efg_node *a, uint32_t depth_a,
                        const struct efg_node *b, uint32_t depth_b)
{
    const struct efg_frame *function = frame_of(run, a, depth_a), *same = frame_of(run, b, depth_b);

    if (!function || !same || a->signature.call != b->signature.call)
        return false;
    const struct efg_frame *inmost = efg_run_path(run, a->signature.path)->frames,
                           *too = efg_run_path(run, b->signature.path)->frames;
    return function - inmost == same - too &&
           !memcmp(inmost, too, (size_t)(function - inmost + 1) * sizeof *inmost);
}

/* Whether NODE is called by that call of the function of LOOP which is meant. */
static bool is_of(const struct efg_run *run, const struct efg_graph *graph, const struct efg_run_loop *loop,
                  const struct efg_node *node)
{
    const struct efg_run_path *path = efg_run_path(run, graph->nodes[loop->node].signature.path),
                              *other = efg_run_path(run, node->signature.path);

    return path && other && path->depth > loop->depth && other->depth > loop->depth &&
           !memcmp(&path->frames[path->depth - loop->depth], &other->frames[other->depth - loop->depth],
                   loop->depth * sizeof *path->frames);
}

bool efg_summary_is_same_code(const struct efg_run *run, const struct efg_graph *graph,
                              const struct efg_run_loop *a, const struct efg_run_loop *b)
{
    if (a->function == b->function)
        return false;
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (is_of(run, graph, a, &graph->nodes[i]) &&
            is_same_way(run, &graph->nodes[i], a->depth, &graph->nodes[b->node], b->depth))
            return true;
    return false;
}

/* The call in frame number DEPTH of NODE: "solver.c:120 main", or as above where its line is not known. */
static void name_line(const struct efg_run *run, const struct efg_node *node, uint32_t depth, char *text,
                      size_t size)
{
    const struct efg_frame *frame = frame_of(run, node, depth);
    const struct efg_run_site *site =
        frame ? efg_run_site(run, efg_run_module(run, frame->module), frame->offset) : NULL;
    const struct efg_run_symbol *symbol =
        site && site->symbol_count ? &site->symbols[site->symbol_count - 1] : NULL;
    size_t used = 0;

    if (symbol && symbol->line) {
        const char *base = strrchr(symbol->file, '/');
        snprintf(text, size, "%s:%u ", base ? base + 1 : symbol->file, symbol->line);
        used = strlen(text);
    }
    name_frame(run, node, depth, text + used, size - used);
}

/* The first frame of NODE that is in FUNCTION, from DEPTH outwards; DEPTH if none is. */
static uint32_t depth_of(const struct efg_run *run, const struct efg_node *node, uint32_t depth,
                         const char *function)
{
    char name[256];
    for (uint32_t i = depth + 1; i-- > 0;) {
        name_frame(run, node, i, name, sizeof name);
        if (!strcmp(name, function))
            return i;
    }
    return depth;
}

struct name {                    /* of a loop */
    const struct efg_node *node; /* in it */
    uint32_t depth;              /* of the frame of NODE that is in its function */
    char function[256];
};

static struct name name_of(const struct efg_run *run, const struct efg_graph *graph,
                           const struct efg_looptree *tree, const struct efg_run_loop *loop)
{
    struct name name = {.node = &graph->nodes[loop->node]};
    efg_summary_loop_name(run, graph, tree, loop, name.function, sizeof name.function);
    name.depth = depth_of(run, name.node, loop->depth, name.function);
    return name;
}

/* With so much of where it is called: 0: nothing; 2k - 1: the function k frames out; 2k: the line in it, too.
 * Returns false if there are no frames so far out. */
static bool put_name(const struct efg_run *run, const struct name *name, uint32_t detail, char *text,
                     size_t size)
{
    uint32_t more = (detail + 1) / 2;
    size_t used = (size_t)snprintf(text, size, "%s", name->function);
    if (!detail || name->depth < more || used + sizeof " < " > size)
        return !detail;
    used += (size_t)snprintf(text + used, size - used, " < ");
    (detail % 2 ? name_frame : name_line)(run, name->node, name->depth - more, text + used, size - used);
    return true;
}

/* Whether none of the COUNT others is called TEXT with so much detail. */
static bool is_unique(const struct efg_run *run, const struct name *others, uint32_t count, uint32_t detail,
                      const char *text)
{
    char other[256];
    for (uint32_t i = 0; i < count; i++) {
        put_name(run, &others[i], detail, other, sizeof other);
        if (!strcmp(text, other))
            return false;
    }
    return true;
}

void efg_summary_phase_name(const struct efg_run *run, const struct efg_run_thread *thread,
                            const struct efg_looptree *tree, const struct efg_run_phase *phase, char *text,
                            size_t size)
{
    struct name own = name_of(run, &thread->graph, tree, &phase->loop);
    struct name *others = calloc(thread->phase_count + 1, sizeof *others); /* without memory there are none */
    uint32_t count = 0, detail = 0;
    for (uint32_t i = 0; others && i < thread->phase_count; i++)
        if (thread->phases[i].loop.function != phase->loop.function)
            others[count++] = name_of(run, &thread->graph, tree, &thread->phases[i].loop);
    while (put_name(run, &own, detail, text, size) && !is_unique(run, others, count, detail, text))
        detail++;
    free(others);
}
