/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops have hashes, people have names. The function that has a loop is the one that the frames
 * below its site are in: frame number DEPTH of any path there, from the outermost one.
 */
#include "runtime/wish.h"

#include <string.h>

#include "files/symbols.h"
#include "runtime/callpath.h"

static const struct efg_process *const p = &efg_process;
static struct efg_symbols *symbols;
static int is_found;

struct efg_wish efg_wish_begin(void)
{
    struct efg_wish wish = {(enum efg_level)p->conf.level, 0};

    is_found = !p->conf.loop[0] || efg_conf_loop_hash(p->conf.loop, &wish.function);
    return wish;
}

/* "run" and "Verlet::run" are names of "LAMMPS_NS::Verlet::run(int)". */
static int is_named(const char *function, const char *name)
{
    size_t whole = strcspn(function, "("), length = strlen(name);

    if (length > whole || strncmp(function + whole - length, name, length) != 0)
        return 0;
    return length == whole || function[whole - length - 1] == ':';
}

static int has_name(struct efg_path path, uint32_t depth)
{
    const struct efg_symbol *frames;

    if (depth >= path.depth)
        return 0;
    const struct efg_frame *frame = &path.frames[path.depth - 1 - depth];
    int count =
        efg_symbols_find(symbols, efg_callpath_module(frame->module), frame->offset, &frames);
    for (int i = 0; i < count; i++)
        if (is_named(frames[i].function, p->conf.loop))
            return 1;
    return 0;
}

/* Any path below SITE. */
static int is_wished(const struct efg_graph *graph, uint32_t site)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (i != graph->overflow && graph->nodes[i].signature.path &&
            efg_calltree_is_below(graph->tree, graph->nodes[i].leaf, site))
            return has_name(efg_callpath_get(graph->nodes[i].signature.path),
                            graph->tree->sites[site].depth);
    return 0;
}

void efg_wish_look(struct efg_thread *t)
{
    const struct efg_judge *judge = efg_finder_judge(t->finder);

    if (is_found)
        return;
    if (!symbols)
        symbols = efg_symbols_new();
    for (uint32_t i = 0; i < judge->count && !is_found; i++) {
        const struct efg_loop_found *found = &judge->chain[i];
        if (!found->is_level || !is_wished(&t->graph, found->site))
            continue;
        efg_finder_wish(t->finder,
                        (struct efg_wish){(enum efg_level)p->conf.level, found->loop.function});
        is_found = 1;
    }
    if (is_found && symbols) {
        efg_symbols_free(symbols);
        symbols = NULL;
    }
}
