/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The name of a loop is that of its function, which only symbols tell, and these are looked up when the trace
 * is written. So the log has calls that the function makes: one of each place, of the calls of MPI below the
 * site that tells the loop from others of its function, or of all below the function.
 */
#include "why.h"

#include "phases.h"
#include "runtime/process/job.h"
#include "runtime/stack/callpath.h"
#include "steering.h"

#define PLACES 64 /* of one loop, at most: enough to tell what is inlined from what inlines it */

static bool has(const struct efg_frame *frames, uint32_t count, const struct efg_frame *frame)
{
    for (uint32_t i = 0; i < count; i++)
        if (frames[i].module == frame->module && frames[i].offset == frame->offset)
            return true;
    return false;
}

/* The places in the function of site FUNCTION where the calls below the site TOP are made, to FRAMES. Returns
 * how many. */
static uint32_t find_places(const struct efg_graph *graph, uint32_t function, uint32_t top,
                            struct efg_frame frames[PLACES])
{
    uint32_t depth = graph->tree->sites[function].depth, count = 0;

    for (uint32_t i = 0; i < graph->node_count && count < PLACES; i++) {
        const struct efg_node *node = &graph->nodes[i];
        if (!node->signature.path || !efg_calltree_is_below(graph->tree, node->leaf, top))
            continue;
        struct efg_path path = efg_callpath_get(node->signature.path);
        if (!path.depth)
            continue;
        uint32_t inner = depth < path.depth ? path.depth - 1 - depth : 0; /* 0: the call itself is repeated */
        if (!has(frames, count, &path.frames[inner]))
            frames[count++] = path.frames[inner];
    }
    return count;
}

/* The site that tells LOOP from others of its function; EFG_NONE if it is not known here. */
static uint32_t key_of(uint64_t loop, uint32_t phase)
{
    for (uint32_t i = 0; i < efg_phases.count; i++)
        if (efg_phases.list[i].number == phase && efg_phases.list[i].loop.function == loop)
            return efg_phases.list[i].loop.key;
    return efg_steering.loop.function == loop ? efg_steering.loop.key : EFG_NONE;
}

/* Those of LOOP, which PHASE has. */
static uint32_t find_calls(const struct efg_graph *graph, uint64_t loop, uint32_t phase,
                           struct efg_frame frames[PLACES])
{
    uint32_t function = efg_calltree_find(graph->tree, loop), key = key_of(loop, phase), count = 0;

    if (function == EFG_NONE)
        return 0;
    if (key != EFG_NONE && key < graph->tree->count)
        count = find_places(graph, function, key, frames);
    return count ? count : find_places(graph, function, function, frames);
}

void efg_why_say(struct efg_thread *t, uint32_t phase)
{
    struct efg_frame frames[PLACES] = {0};
    uint32_t count = 0;

    efg_recorder_when(&t->recorder, efg_job.conf.when.text);
    if (phase != EFG_PHASE_LATER && !efg_recorder_knows_phase(&t->recorder, phase) && t->graph.tree)
        count = find_calls(&t->graph, efg_steering.control.agree.loop, phase, frames);
    efg_recorder_phase(&t->recorder, phase, frames, count);
}
