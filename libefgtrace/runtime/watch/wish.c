/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the loop that the user named. Loops have hashes, people have names. The function that has a loop
 * is the one that the frames below its site are in: frame number DEPTH of any path there, from the
 * outermost one.
 */
#include "wish.h"

#include <string.h>

#include "base/map.h"
#include "files/symbols/name.h"
#include "files/symbols/symbols.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/stack/callpath.h"
#include "threads.h"

#define LONGER 2 /* times as long as what is taken takes another one of the name that is */

static const struct efg_job *const job = &efg_job;

/* Of the leader. */
static struct efg_symbols *symbols;
static struct efg_map looked_at; /* hashes of sites: WISHED or not */
static uint64_t named;           /* the function of this name; 0: not found yet; others read it */
static bool is_granted;

struct efg_wish efg_wish_present(void)
{
    uint64_t function = __atomic_load_n(&named, __ATOMIC_RELAXED);

    if (!function && job->conf.loop[0])
        efg_conf_loop_hash(job->conf.loop, &function);
    return (struct efg_wish){(enum efg_level)job->conf.level, function};
}

bool efg_wish_is_named(const char *function, const char *name)
{
    size_t whole = efg_name_end(function), length = strlen(name);

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

/* By any path below SITE: its function, or one around it that makes no other calls. */
static bool is_wished(const struct efg_graph *graph, uint32_t site)
{
    const struct efg_site *sites = graph->tree->sites;
    uint32_t leaf = site;

    while (sites[leaf].first_child != EFG_NONE)
        leaf = sites[leaf].first_child;
    uint32_t path = sites[leaf].node == EFG_NONE ? 0 : graph->nodes[sites[leaf].node].signature.path;
    bool is = path && has_name(efg_callpath_get(path), sites[site].depth);
    while (path && !is && site != EFG_CALLTREE_ROOT && sites[sites[site].parent].child_count == 1) {
        site = sites[site].parent;
        is = has_name(efg_callpath_get(path), sites[site].depth);
    }
    return is;
}

/* FUNCTION has a loop that has gone round. */
static bool has_loop(struct efg_judge *judge, uint64_t function)
{
    return efg_judge_find(judge, function, 1) &&
           efg_wish_find(judge, (struct efg_wish){EFG_LEVEL_AUTO, function});
}

enum { NOT_WISHED = 1, WISHED };

/* Names are looked up once. */
static bool is_known_as_wished(const struct efg_graph *graph, uint32_t site)
{
    uint64_t *known = efg_map_put(&looked_at, graph->tree->sites[site].hash);

    if (known && !*known)
        *known = is_wished(graph, site) ? WISHED : NOT_WISHED;
    return known && *known == WISHED;
}

/* In all the tree: the loop need not have most of the time, or have gone on until now. A function may be
 * called from several places, first to prepare something, then for most of the run. */
static void search(const struct efg_thread *t)
{
    struct efg_judge *judge = efg_finder_judge(t->finder);
    const struct efg_calltree *tree = t->graph.tree;
    uint32_t present = named ? efg_calltree_find(tree, named) : EFG_NONE;
    double most = 0;

    if (!judge->flow)
        return;
    if (!symbols)
        symbols = efg_symbols_new();
    if (present < judge->flow->sites)
        most = LONGER * judge->flow->flow[present].time;
    for (uint32_t x = 0; x < judge->flow->sites; x++) {
        double time = judge->flow->flow[x].time;
        if (tree->sites[x].child_count > 1 && (time > most || !named) && is_known_as_wished(&t->graph, x) &&
            has_loop(judge, tree->sites[x].hash)) {
            __atomic_store_n(&named, tree->sites[x].hash, __ATOMIC_RELAXED);
            most = time;
        }
    }
}

/* A thread that took over the lead has not been told what its predecessor found. */
void efg_wish_look(struct efg_thread *t)
{
    uint64_t function;

    if (!job->conf.loop[0] || efg_conf_loop_hash(job->conf.loop, &function))
        return;
    search(t);
    if (named)
        efg_finder_wish(t->finder, efg_wish_present());
}

/* At another level than the rule's the loop is not that of the function, but one around or inside. */
bool efg_wish_is_met(const struct efg_mainloop *main)
{
    struct efg_wish wish = efg_wish_present();

    return efg_wish_is_for(wish, main->function) || (wish.function && wish.level != EFG_LEVEL_AUTO);
}

void efg_wish_finish(bool is_met)
{
    is_granted = is_met;
    efg_symbols_free(symbols);
    efg_map_fini(&looked_at);
    symbols = NULL;
    if (job->conf.loop[0] && job->rank == 0 && !is_granted)
        efg_note_silently("loop = %s: no such loop was seen, so the main loop is the one that the rule finds "
                          "(`efgtrace report --all` lists all loops, with their functions)",
                          job->conf.loop);
}

const char *efg_wish_granted(void)
{
    return is_granted ? job->conf.loop : "";
}
