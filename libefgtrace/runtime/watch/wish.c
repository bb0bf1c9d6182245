/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the loop that the user named. Loops have hashes, people have names. The function that has a loop
 * is the one that the frames below its site are in: frame number DEPTH of any path there, from the
 * outermost one.
 */
#include "wish.h"

#include <string.h>

#include "files/symbols/symbols.h"
#include "runtime/process/job.h"
#include "runtime/stack/callpath.h"
#include "threads.h"

static const struct efg_job *const job = &efg_job;

/* Of the leader. */
static struct efg_symbols *symbols;
static uint64_t named; /* the function of this name; 0: not found yet */

static struct efg_wish wish_for(uint64_t function)
{
    return (struct efg_wish){(enum efg_level)job->conf.level, function};
}

struct efg_wish efg_wish_begin(void)
{
    uint64_t function = 0;

    if (job->conf.loop[0])
        efg_conf_loop_hash(job->conf.loop, &function);
    return wish_for(function);
}

struct efg_wish efg_wish_present(void)
{
    return named ? wish_for(named) : efg_wish_begin();
}

bool efg_wish_is_named(const char *function, const char *name)
{
    size_t whole = strcspn(function, "("), length = strlen(name);

    if (length > whole || strncmp(function + whole - length, name, length) != 0)
        return false;
    return length == whole || function[whole - length - 1] == ':';
}

static bool has_name(struct efg_path path, uint32_t depth)
{
    const struct efg_symbol *frames;

    if (depth >= path.depth)
        return false;
    const struct efg_frame *frame = &path.frames[path.depth - 1 - depth];
    int count = efg_symbols_find(symbols, efg_callpath_module(frame->module), frame->offset, &frames);
    for (int i = 0; i < count; i++)
        if (efg_wish_is_named(frames[i].function, job->conf.loop))
            return true;
    return false;
}

/* Any path below SITE. */
static bool is_wished(const struct efg_graph *graph, uint32_t site)
{
    for (uint32_t i = 0; i < graph->node_count; i++)
        if (i != graph->overflow && graph->nodes[i].signature.path &&
            efg_calltree_is_below(graph->tree, graph->nodes[i].leaf, site))
            return has_name(efg_callpath_get(graph->nodes[i].signature.path), graph->tree->sites[site].depth);
    return false;
}

static void search(const struct efg_thread *t)
{
    const struct efg_judge *judge = efg_finder_judge(t->finder);

    if (!symbols)
        symbols = efg_symbols_new();
    for (uint32_t i = 0; i < judge->count && !named; i++) {
        const struct efg_loop_found *found = &judge->chain[i];
        if (found->is_level && is_wished(&t->graph, found->site))
            named = found->loop.function;
    }
    if (named && symbols) {
        efg_symbols_free(symbols);
        symbols = NULL;
    }
}

/* A thread that took over the lead has not been told what its predecessor found. */
void efg_wish_look(struct efg_thread *t)
{
    uint64_t function;

    if (!job->conf.loop[0] || efg_conf_loop_hash(job->conf.loop, &function))
        return;
    if (!named)
        search(t);
    if (named)
        efg_finder_wish(t->finder, wish_for(named));
}
