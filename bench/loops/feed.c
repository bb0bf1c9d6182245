/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples are taken as in the traced process: after an event, when the pause that the finder
 * asks for is over. The last one is taken at the end, so that the iterations are those of the
 * whole run.
 */
#include "feed.h"

#include "core/graph/calltree.h"
#include "core/graph/graph.h"
#include "core/loop/finder.h"

#include <stdlib.h>
#include <string.h>

struct feeder {
    struct efg_graph graph;
    struct efg_finder *finder;
    struct noise *noise;
    uint64_t interval, now, next_sample;
    struct feed_answer answer;
};

static const struct recording *fed; /* for keys_of_path(), which is told of nothing else */

/* Of a path that is too deep, the innermost frames, which are what the traced process has. */
static uint32_t keys_of_path(uint32_t path, uint64_t *keys)
{
    const struct recorded_path *p = &fed->paths[path];
    uint32_t depth = p->depth < EFG_CALLTREE_DEPTH ? p->depth : EFG_CALLTREE_DEPTH;

    memcpy(keys, p->keys + p->depth - depth, depth * sizeof *keys);
    return depth;
}

static void sample(struct feeder *f)
{
    struct efg_mainloop loop;
    int is_changed = efg_finder_sample(f->finder, f->now, &loop);

    if (is_changed && loop.function && !f->answer.first)
        f->answer.first = f->now;
    if (is_changed)
        f->answer.held = f->now;
    f->answer.changes += (uint32_t)is_changed;
    f->answer.function = loop.function;
    f->answer.iterations = loop.iterations;
    f->answer.share = loop.share;
    uint64_t pause = efg_finder_pause(f->now, f->interval);
    f->next_sample = f->now + noise_pause(f->noise, pause);
}

static void add(struct feeder *f, const struct recorded_event *e, uint64_t gap)
{
    struct efg_event event = {.signature = {.call = e->call, .path = e->path},
                              .path_hash = fed->paths[e->path].hash,
                              .flags = e->flags & (EFG_NODE_WORLD | EFG_NODE_UNORDERED | EFG_NODE_GROUP)};

    event.enter = noise_pass(f->noise, gap);
    event.leave = f->now = noise_pass(f->noise, e->leave - e->enter);
    if (e->flags & LOOP_EVENT_POLL)
        efg_graph_poll(&f->graph, &event);
    else
        efg_graph_step(&f->graph, &event);
    if (f->now >= f->next_sample)
        sample(f);
}

static void add_all(struct feeder *f)
{
    uint64_t last = fed->events[0].enter;

    for (uint64_t i = 0; i < fed->count; i++) {
        const struct recorded_event *e = &fed->events[i];
        add(f, e, e->enter > last ? e->enter - last : 0);
        last = e->leave;
    }
    sample(f);
}

static void init(struct feeder *f)
{
    if (efg_graph_init(&f->graph, NULL, 0) || efg_graph_follow_calls(&f->graph, keys_of_path, NULL))
        abort();
    f->finder = efg_finder_new(&f->graph, (struct efg_wish){.level = EFG_LEVEL_AUTO});
    if (!f->finder)
        abort();
    f->next_sample = noise_pause(f->noise, f->interval);
}

struct feed_answer feed(const struct recording *recording, struct noise *noise, uint64_t interval)
{
    struct feeder f = {.noise = noise, .interval = interval};

    fed = recording;
    init(&f);
    add_all(&f);
    f.answer.end = f.now;
    if (!f.answer.function)
        f.answer.first = f.answer.held = f.now;
    efg_finder_free(f.finder);
    efg_graph_fini(&f.graph);
    return f.answer;
}
