/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums up the recorded iterations. The trace is read before it is known which graph it is compared with.
 * So what was recorded is added up by iteration and by step, from one call site to the next; then, with
 * the graph, steps become sums by sample and by what they are of (nodes, then loops).
 */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>

#include "files/conf/conf.h"

#define SPIN (EFG_NONE - 1) /* no site */

struct step { /* in an iteration: calls of a site, each of them after a call of another */
    uint32_t iteration, from,
        site;   /* FROM: EFG_NONE for the first call of the iteration; SPIN: polls of the site
                                       that found nothing, which are no calls */
    bool hides; /* bytes that are not known */
    double time, gap, calls, bytes; /* ns in the calls, and from the end of the one before */
    double polled;                  /* ns of that in polls that found nothing */
};

/* --- reading --- */

/* How much iteration NUMBER of PHASE counts. */
static double weight_of(const struct efg_representative_work *w, uint32_t phase, uint64_t number)
{
    for (uint32_t i = 0; w->has_spread && i < w->speaker->window_count; i++) {
        const struct efg_run_window *window = &w->speaker->windows[i];
        if (window->select == EFG_SELECT_SPREAD && number >= window->first && number < window->last &&
            (!phase || !window->phase || phase == window->phase))
            return w->of_window[i];
    }
    return 1;
}

/* Without memory the number is past the end. */
static uint64_t iteration_of(struct efg_representative_work *w, uint32_t phase, uint64_t number)
{
    const struct efg_representative_own nobody = {0, 0};
    const double none = 0, weight = weight_of(w, phase, number);
    uint64_t iteration = efg_map_number(&w->index, efg_recorded_key(phase, number));
    if (iteration == w->durations.size / sizeof none) {
        efg_buffer_put(&w->durations, &none, sizeof none);
        efg_buffer_put(&w->own, &nobody, sizeof nobody);
        efg_buffer_put(&w->weights, &weight, sizeof weight);
    }
    return w->durations.failed || w->own.failed || w->weights.failed ? UINT64_MAX : iteration;
}

static struct step *step_of(struct efg_representative_work *w, uint64_t iteration, uint32_t from,
                            uint32_t site)
{
    struct step none = {(uint32_t)iteration, from, site, false, 0, 0, 0, 0, 0};
    uint64_t pair = efg_map_number(&w->pairs, (uint64_t)(from + 1) << 32 | site);
    uint64_t step = efg_map_number(&w->numbers, iteration << 32 | pair);
    if (iteration == UINT64_MAX || pair == UINT64_MAX || step == UINT64_MAX)
        return NULL;
    if (step == w->steps.size / sizeof none)
        efg_buffer_put(&w->steps, &none, sizeof none);
    return w->steps.failed ? NULL : (struct step *)w->steps.data + step;
}

/* The iteration of the leading thread at TIME, NULL if there is none. */
static const struct efg_recorded_span *borrowed(const struct efg_representative_work *w, uint64_t time)
{
    const struct efg_recorded_span *leader = (struct efg_recorded_span *)w->leader.data;
    size_t low = 0, count = w->leader.size / sizeof *leader, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (leader[middle].end <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && leader[low].begin <= time ? &leader[low] : NULL;
}

/* It is of another phase than the main loop. */
static bool is_elsewhere(const struct efg_representative_work *w, uint32_t phase)
{
    return w->phase && phase && phase != w->phase;
}

/* It was kept for what it is, and stands for no other one. */
static bool is_picked(uint32_t kept)
{
    return kept == EFG_KEPT_AROUND || kept == EFG_KEPT_SLOW || kept == EFG_KEPT_BESIDE ||
           kept == EFG_KEPT_WHEN;
}

/* It stands for nothing besides those that are spread. */
static bool is_besides(const struct efg_representative_work *w, uint32_t kept)
{
    return w->has_spread && (kept == EFG_KEPT_FIRST || kept == EFG_KEPT_ASKED);
}

/* The time is that of the site; of loops it is that of the next call. */
static int add_spin(struct efg_representative_work *w, const struct efg_recorded_call *call,
                    uint64_t iteration)
{
    struct step *step = step_of(w, iteration, SPIN, call->site);
    if (!step)
        return -ENOMEM;
    step->time += (double)(call->end - call->begin);
    w->polled += (double)(call->end - call->begin);
    return 0;
}

static int add_call(struct efg_representative_work *w, const struct efg_recorded_call *call)
{
    const struct efg_recorded_span *span = NULL;
    uint64_t number = call->iteration;
    uint32_t phase = call->phase;
    if (number == EFG_RECORDED_NONE && !w->is_leader)
        span = borrowed(w, call->begin);
    if (span) {
        number = span->number;
        phase = span->phase;
        w->thread_calls++;
    }
    if (number == EFG_RECORDED_NONE || is_picked(call->kept) || is_besides(w, call->kept) ||
        is_elsewhere(w, call->phase))
        return 0;
    uint64_t iteration = iteration_of(w, phase, number);
    if (call->polls)
        return add_spin(w, call, iteration);
    bool is_first = w->last_site == EFG_NONE || w->last_iteration != iteration;
    struct step *step = step_of(w, iteration, is_first ? EFG_NONE : w->last_site, call->site);
    if (!step)
        return -ENOMEM;
    step->time += (double)(call->end - call->begin);
    step->gap += is_first ? 0 : (double)call->begin - (double)w->last_end;
    step->polled += is_first ? 0 : w->polled;
    step->calls++;
    step->bytes += (double)call->bytes;
    step->hides |= call->bytes_kind != EFG_BYTES_KNOWN;
    w->last_site = call->site;
    w->last_end = call->end;
    w->last_iteration = iteration;
    w->polled = 0;
    return 0;
}

static int add_duration(struct efg_representative_work *w, const struct efg_recorded_span *span)
{
    uint64_t iteration = iteration_of(w, span->phase, span->number);
    if (iteration == UINT64_MAX)
        return -ENOMEM;
    ((double *)w->durations.data)[iteration] += (double)(span->end - span->begin);
    return 0;
}

/* That of a thread which has it. */
static int add_own(struct efg_representative_work *w, const struct efg_recorded_span *span)
{
    uint64_t iteration = iteration_of(w, span->phase, span->number);
    if (iteration == UINT64_MAX)
        return -ENOMEM;
    struct efg_representative_own *own = (struct efg_representative_own *)w->own.data + iteration;
    own->time += (double)(span->end - span->begin);
    own->count++;
    return add_duration(w, span);
}

static int add_iteration(struct efg_representative_work *w, const struct efg_recorded_span *span)
{
    w->r->threads -= !w->mine++;
    w->has_slow |= is_picked(span->kept);
    w->has_others |= is_elsewhere(w, span->phase);
    w->has_first |= is_besides(w, span->kept);
    if (is_picked(span->kept) || is_besides(w, span->kept) || is_elsewhere(w, span->phase))
        return 0;
    w->is_wanted[w->rank] = 1;
    w->is_leader |= !w->leader.size;
    if (w->is_leader)
        efg_buffer_put(&w->leader, span, sizeof *span);
    return w->leader.failed ? -ENOMEM : add_own(w, span);
}

/* A thread that was cut by the iterations of another one took their time, too. */
int efg_representative_end_thread(struct efg_representative_work *w)
{
    const struct efg_recorded_span *leader = (struct efg_recorded_span *)w->leader.data;
    int error = 0;
    for (size_t i = 0; i < w->leader.size / sizeof *leader && w->thread_calls && !error; i++)
        error = add_duration(w, &leader[i]);
    w->thread_calls = 0;
    return error;
}

static int begin_thread(struct efg_representative_work *w, uint32_t rank)
{
    uint32_t index = efg_run_index(w->run, rank);
    int error = efg_representative_end_thread(w);
    if (index != w->rank)
        w->leader.size = 0;
    w->rank = index;
    w->is_leader = false;
    w->mine = 0;
    w->last_site = EFG_NONE;
    w->polled = 0;
    w->r->threads++;
    return error;
}

int efg_representative_take(struct efg_representative *r, const struct efg_recorded_item *item)
{
    struct efg_representative_work *w = r->work;
    if (item->kind == EFG_RECORDED_LOCATION)
        return begin_thread(w, item->location.rank);
    if (w->rank == EFG_NONE)
        return 0;
    if (item->kind == EFG_RECORDED_CALL)
        return add_call(w, &item->call);
    return item->kind == EFG_RECORDED_ITERATION ? add_iteration(w, &item->span) : 0;
}

/* --- sums --- */

static uint32_t sample_of(const struct efg_representative_work *w, uint64_t iteration)
{
    return (uint32_t)((double)iteration * w->samples / (double)w->index.count);
}

struct efg_representative_sums *efg_representative_sums_of(const struct efg_representative_work *w,
                                                           uint32_t item, uint32_t sample)
{
    return &w->sums[(size_t)item * w->samples + sample];
}

/* Calls by function and path; then the node of each site. */
static int find_nodes(struct efg_representative_work *w)
{
    const struct efg_graph *graph = &w->r->merged->graph;
    struct efg_map nodes = {0};
    uint32_t overflow = EFG_NONE;
    int error = 0;
    for (uint32_t i = 0; i < graph->node_count && !error; i++) {
        const struct efg_node *node = &graph->nodes[i];
        uint64_t *id = efg_map_put(&nodes, (uint64_t)node->signature.call << 32 | node->signature.path);
        error = id ? 0 : -ENOMEM;
        if (id)
            *id = i;
        if (node->flags & EFG_NODE_OVERFLOW)
            overflow = i;
    }
    for (uint32_t i = 0; i < w->recorded->site_count && !error; i++) {
        struct efg_node node;
        w->node[i] = EFG_NONE;
        if (efg_recorded_node(&w->names, &w->recorded->sites[i], &node))
            continue;
        uint64_t call = (uint64_t)node.signature.call << 32;
        const uint64_t *id = efg_map_find(&nodes, call | node.signature.path);
        if (!id)
            id = efg_map_find(&nodes, call); /* paths were dropped */
        w->node[i] = id ? (uint32_t)*id : overflow;
    }
    efg_map_fini(&nodes);
    return error;
}

static void add_loops(struct efg_representative_work *w, const struct step *step, uint32_t node)
{
    const struct efg_looptree *tree = &w->r->merged->tree;
    uint32_t sample = sample_of(w, step->iteration), common = EFG_NONE;
    double inside = step->time + step->polled;
    if (step->from != EFG_NONE && w->node[step->from] != EFG_NONE)
        common = efg_looptree_common(tree, w->node[step->from], node);
    for (uint32_t l = tree->loop_of[node]; l != EFG_NONE; l = tree->loops[l].parent) {
        struct efg_representative_sums *s =
            efg_representative_sums_of(w, w->r->merged->graph.node_count + l, sample);
        if (l == common)
            inside += step->gap - step->polled; /* and all loops around it */
        s->time += inside;
        s->calls += tree->loops[l].header == node ? step->calls : 0;
    }
}

static struct step weighed(const struct step *step, double weight)
{
    struct step s = *step;
    s.time *= weight;
    s.gap *= weight;
    s.polled *= weight;
    s.calls *= weight;
    s.bytes *= weight;
    return s;
}

static void add_step(struct efg_representative_work *w, const struct step *unweighed)
{
    struct step one = weighed(unweighed, ((double *)w->weights.data)[unweighed->iteration]), *step = &one;
    uint32_t node = w->node[step->site];
    if (node == EFG_NONE) {
        w->r->strangers += (uint64_t)unweighed->calls;
        return;
    }
    struct efg_representative_sums *s = efg_representative_sums_of(w, node, sample_of(w, step->iteration));
    s->time += step->time;
    s->calls += step->calls;
    s->bytes += step->bytes;
    w->hides[node] |= step->hides;
    if (step->from != SPIN)
        add_loops(w, step, node);
}

int efg_representative_add(struct efg_representative_work *w)
{
    const struct efg_merged *m = w->r->merged;
    const struct step *steps = (struct step *)w->steps.data;
    const struct efg_representative_own *own = (struct efg_representative_own *)w->own.data;
    w->items = m->graph.node_count + m->tree.count;
    w->samples = w->index.count < EFG_SAMPLES_MOST ? (uint32_t)w->index.count : EFG_SAMPLES_MOST;
    w->sums = calloc((size_t)w->items * w->samples + 1, sizeof *w->sums);
    w->duration = calloc((size_t)w->samples + 1, sizeof *w->duration);
    w->count = calloc((size_t)w->samples + 1, sizeof *w->count);
    w->own_time = calloc((size_t)w->samples + 1, sizeof *w->own_time);
    w->own_count = calloc((size_t)w->samples + 1, sizeof *w->own_count);
    w->hides = calloc((size_t)w->items + 1, sizeof *w->hides);
    w->is_compared = calloc((size_t)m->tree.count + 1, sizeof *w->is_compared);
    w->node = calloc((size_t)w->recorded->site_count + 1, sizeof *w->node);
    if (!w->sums || !w->duration || !w->count || !w->own_time || !w->own_count || !w->hides ||
        !w->is_compared || !w->node || find_nodes(w))
        return -ENOMEM;
    for (uint64_t i = 0; i < w->index.count; i++) {
        double weight = ((double *)w->weights.data)[i];
        w->duration[sample_of(w, i)] += ((double *)w->durations.data)[i] * weight;
        w->count[sample_of(w, i)] += weight;
        w->own_time[sample_of(w, i)] += own[i].time * weight;
        w->own_count[sample_of(w, i)] += own[i].count * weight;
    }
    for (size_t i = 0; i < w->steps.size / sizeof *steps; i++)
        add_step(w, &steps[i]);
    return 0;
}

void efg_representative_work_fini(struct efg_representative_work *w)
{
    efg_recorded_names_fini(&w->names);
    efg_map_fini(&w->index);
    efg_map_fini(&w->pairs);
    efg_map_fini(&w->numbers);
    efg_buffer_fini(&w->steps);
    efg_buffer_fini(&w->durations);
    efg_buffer_fini(&w->own);
    efg_buffer_fini(&w->weights);
    free(w->of_window);
    free(w->own_time);
    free(w->own_count);
    free(w->is_compared);
    efg_buffer_fini(&w->leader);
    free(w->is_wanted);
    free(w->node);
    free(w->sums);
    free(w->duration);
    free(w->count);
    free(w->hides);
}
