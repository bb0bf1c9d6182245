/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks of the run file, written. Nearly all is LEB128, and what could be large is made
 * small: differences in the curve, ids + 1 (so that EFG_NONE is 0), a mask of the bins of
 * a histogram that are not empty, sums that are whole numbers as whole numbers. What can be
 * computed anew (lists of edges, hash tables, predictions) is left out.
 *
 * Every put_x here has its get_x in runfile_get.c, in the same order.
 */
#include "runfile_parts.h"

#define WHOLE 9e15 /* below, each whole double is a number that survives */

/* Twice a whole number, or 1 and the double. */
static void put_real(struct efg_buffer *out, double value)
{
    if (value >= 0 && value < WHOLE && value == (double)(uint64_t)value) {
        efg_buffer_number(out, (uint64_t)value << 1);
        return;
    }
    efg_buffer_number(out, 1);
    efg_buffer_double(out, value);
}

/* An id that may be EFG_NONE. */
static void put_id(struct efg_buffer *out, uint32_t id)
{
    efg_buffer_number(out, (uint32_t)(id + 1));
}

static void put_stat(struct efg_buffer *out, const struct efg_stat *stat)
{
    uint32_t mask = 0;
    efg_buffer_number(out, stat->count);
    if (!stat->count)
        return;
    efg_buffer_number(out, stat->sum);
    efg_buffer_number(out, stat->min);
    efg_buffer_number(out, stat->max);
    for (int i = 0; i < EFG_BINS; i++)
        mask |= stat->bin[i] ? UINT32_C(1) << i : 0;
    efg_buffer_number(out, mask);
    for (int i = 0; i < EFG_BINS; i++) {
        if (stat->bin[i])
            efg_buffer_number(out, stat->bin[i]);
    }
}

static void put_rhythm(struct efg_buffer *out, const struct efg_rhythm *rhythm)
{
    efg_buffer_number(out, rhythm->visits);
    efg_buffer_number(out, rhythm->time);
    put_real(out, rhythm->gap1);
    put_real(out, rhythm->gap2);
    put_real(out, rhythm->variation);
    efg_buffer_number(out, rhythm->last);
    efg_buffer_number(out, rhythm->last_gap);
    efg_buffer_number(out, rhythm->firsts);
    efg_buffer_number(out, rhythm->last_time);
    efg_buffer_number(out, rhythm->longest);
}

static void put_signature(struct efg_buffer *out, const struct efg_signature *s)
{
    uint32_t partner = (uint32_t)s->partner;
    efg_buffer_number(out, s->call);
    efg_buffer_number(out, s->path);
    efg_buffer_number(out, s->region);
    efg_buffer_number(out, s->comm);
    efg_buffer_number(out, partner << 1 ^ (s->partner < 0 ? UINT32_MAX : 0)); /* zigzag */
    efg_buffer_number(out, s->size);
}

static void put_node(struct efg_buffer *out, const struct efg_node *node)
{
    put_signature(out, &node->signature);
    efg_buffer_u64(out, node->hash);
    efg_buffer_number(out, (uint64_t)node->flags << 1 | (node->mark != 0));
    efg_buffer_number(out, node->bytes);
    efg_buffer_number(out, node->polls);
    efg_buffer_number(out, node->poll_time);
    put_stat(out, &node->time);
    put_rhythm(out, &node->rhythm);
}

static void put_edge(struct efg_buffer *out, const struct efg_edge *edge)
{
    efg_buffer_number(out, edge->from);
    efg_buffer_number(out, (uint64_t)edge->to << 1 | (edge->mark != 0));
    put_stat(out, &edge->time);
    put_rhythm(out, &edge->rhythm);
}

static void put_graph(struct efg_buffer *out, const struct efg_graph *graph)
{
    efg_buffer_number(out, graph->node_count);
    for (uint32_t i = 0; i < graph->node_count; i++)
        put_node(out, &graph->nodes[i]);
    efg_buffer_number(out, graph->edge_count);
    for (uint32_t i = 0; i < graph->edge_count; i++)
        put_edge(out, &graph->edges[i]);
    efg_buffer_number(out, graph->dropped);
    put_id(out, graph->current);
    put_id(out, graph->edge);
    efg_buffer_number(out, graph->events);
    efg_buffer_number(out, graph->start);
    efg_buffer_number(out, graph->last_leave);
    efg_buffer_number(out, graph->poll_time);
    efg_buffer_number(out, graph->node_time);
    efg_buffer_number(out, graph->pivot_kind);
    put_id(out, graph->pivot_id);
    put_id(out, graph->overflow);
    put_id(out, graph->polled);
    efg_buffer_number(out, graph->lost_edges);
    efg_buffer_number(out, graph->is_full != 0);
}

static void put_point(struct efg_buffer *out, const struct efg_curve_point *point,
                      const struct efg_curve_point *before)
{
    efg_buffer_number(out, point->time - before->time);
    efg_buffer_number(out, point->events - before->events);
    efg_buffer_number(out, (uint32_t)(point->nodes - before->nodes));
    efg_buffer_number(out, (uint32_t)(point->edges - before->edges));
}

static void put_stability(struct efg_buffer *out, const struct efg_stability *stability)
{
    struct efg_curve_point before = {0};
    efg_buffer_number(out, stability->count);
    for (uint32_t i = 0; i < stability->count; i++) {
        put_point(out, &stability->curve[i], &before);
        before = stability->curve[i];
    }
    put_point(out, &stability->last, &before);
    efg_buffer_number(out, stability->stride);
    efg_buffer_number(out, stability->skipped);
    efg_buffer_number(out, stability->required);
    efg_buffer_number(out, stability->equal);
    efg_buffer_number(out, stability->stable_since);
}

static void put_pivot(struct efg_buffer *out, const struct efg_pivot *pivot)
{
    efg_buffer_number(out, pivot->kind);
    if (pivot->kind == EFG_PIVOT_NONE)
        return;
    efg_buffer_number(out, pivot->id);
    efg_buffer_number(out, pivot->tier);
    efg_buffer_number(out, pivot->world != 0);
    efg_buffer_u64(out, pivot->hash);
    efg_buffer_number(out, pivot->visits);
    put_real(out, pivot->period);
    put_real(out, pivot->cv);
    put_real(out, pivot->lv);
}

static void put_window(struct efg_buffer *out, const struct efg_run_window *window)
{
    efg_buffer_number(out, window->first);
    efg_buffer_number(out, window->last);
    efg_buffer_number(out, window->start);
    efg_buffer_number(out, window->end);
    efg_buffer_number(out, window->events);
    efg_buffer_number(out, window->bytes);
    efg_buffer_number(out, window->complete);
    efg_buffer_number(out, window->agreed);
}

static void put_thread(struct efg_buffer *out, const struct efg_run_thread *thread)
{
    efg_buffer_number(out, thread->number);
    put_graph(out, &thread->graph);
    put_stability(out, &thread->stability);
    put_pivot(out, &thread->pivot);
    put_pivot(out, &thread->levels.finer);
    put_pivot(out, &thread->levels.automatic);
    put_pivot(out, &thread->levels.coarser);
    put_stat(out, &thread->iterations.all);
    put_stat(out, &thread->iterations.recorded);
    efg_buffer_number(out, thread->iterations.all_mpi);
    efg_buffer_number(out, thread->iterations.recorded_mpi);
    efg_buffer_number(out, thread->window_count);
    for (uint32_t i = 0; i < thread->window_count; i++)
        put_window(out, &thread->windows[i]);
}

static void put_path(struct efg_buffer *out, const struct efg_run_path *path)
{
    efg_buffer_u64(out, path->hash);
    efg_buffer_number(out, path->depth);
    for (uint32_t i = 0; i < path->depth; i++) {
        efg_buffer_number(out, path->frames[i].module);
        efg_buffer_number(out, path->frames[i].offset);
    }
}

static void put_call(struct efg_buffer *out, const struct efg_run_call *call)
{
    efg_buffer_number(out, call->id);
    efg_buffer_number(out, call->class);
    efg_buffer_string(out, call->name);
}

static void put_region(struct efg_buffer *out, const struct efg_run_region *region)
{
    efg_buffer_number(out, region->id);
    efg_buffer_string(out, region->name);
}

static void put_place(struct efg_buffer *out, const struct efg_run_place *place)
{
    put_id(out, place->package);
    put_id(out, place->numa);
    put_id(out, place->core);
    put_id(out, place->last_core);
    efg_buffer_number(out, place->core_count);
    efg_buffer_number(out, place->node_cores);
    efg_buffer_string(out, place->cores);
}

void efg_runfile_put_rank(struct efg_buffer *out, const struct efg_run_rank *rank)
{
    efg_buffer_number(out, rank->rank);
    efg_buffer_string(out, rank->host);
    put_place(out, &rank->place);
    efg_buffer_number(out, rank->clock_error);
    efg_buffer_number(out, rank->start);
    efg_buffer_number(out, rank->end - rank->start);
    efg_buffer_number(out, rank->cost);
    efg_buffer_number(out, rank->memory);
    efg_buffer_number(out, rank->init);
    efg_buffer_string(out, rank->note);
    efg_buffer_number(out, rank->call_count);
    for (uint32_t i = 0; i < rank->call_count; i++)
        put_call(out, &rank->calls[i]);
    efg_buffer_number(out, rank->module_count);
    for (uint32_t i = 0; i < rank->module_count; i++)
        efg_buffer_string(out, rank->modules[i]);
    efg_buffer_number(out, rank->path_count);
    for (uint32_t i = 0; i < rank->path_count; i++)
        put_path(out, &rank->paths[i]);
    efg_buffer_number(out, rank->region_count);
    for (uint32_t i = 0; i < rank->region_count; i++)
        put_region(out, &rank->regions[i]);
    efg_buffer_number(out, rank->thread_count);
    for (uint32_t i = 0; i < rank->thread_count; i++)
        put_thread(out, &rank->threads[i]);
}

static void put_messages(struct efg_buffer *out, const struct efg_run_messages *messages)
{
    efg_buffer_number(out, messages->sends);
    efg_buffer_number(out, messages->receives);
    efg_buffer_number(out, messages->matched);
    efg_buffer_number(out, messages->early);
    efg_buffer_number(out, messages->open_sends);
    efg_buffer_number(out, messages->open_receives);
    efg_buffer_number(out, messages->open_collectives);
    efg_buffer_number(out, messages->taken_along);
    efg_buffer_number(out, messages->unknown);
}

static void put_skew(struct efg_buffer *out, const struct efg_run_skew *skew)
{
    efg_buffer_number(out, skew->repair);
    efg_buffer_number(out, skew->moved);
    efg_buffer_number(out, skew->early);
    efg_buffer_number(out, skew->most);
    efg_buffer_number(out, skew->left);
}

static void put_cut(struct efg_buffer *out, const struct efg_run_cut *cut)
{
    efg_buffer_number(out, cut->first_least);
    efg_buffer_number(out, cut->first_most);
    efg_buffer_number(out, cut->last_least);
    efg_buffer_number(out, cut->last_most);
    efg_buffer_number(out, cut->ranks);
}

static void put_checks(struct efg_buffer *out, const struct efg_run *run)
{
    efg_buffer_number(out, run->is_checked);
    put_messages(out, &run->messages);
    put_skew(out, &run->skew);
    efg_buffer_number(out, run->cut_count);
    for (uint32_t i = 0; i < run->cut_count; i++)
        put_cut(out, &run->cuts[i]);
    efg_buffer_number(out, run->rounds);
    efg_buffer_number(out, run->finish);
    efg_buffer_number(out, run->own);
}

void efg_runfile_put_facts(struct efg_buffer *out, const struct efg_run *run)
{
    efg_buffer_string(out, run->application);
    efg_buffer_string(out, run->command);
    efg_buffer_string(out, run->version);
    efg_buffer_string(out, run->mpi);
    efg_buffer_string(out, run->output);
    efg_buffer_number(out, run->mode);
    efg_buffer_number(out, run->level);
    efg_buffer_number(out, run->dimensions);
    efg_buffer_number(out, run->iterations);
    efg_buffer_number(out, run->interval);
    efg_buffer_number(out, run->trace_events);
    efg_buffer_number(out, run->trace_bytes);
    efg_buffer_string(out, run->trace_note);
    put_checks(out, run);
}

void efg_runfile_put_sites(struct efg_buffer *out, const struct efg_run *run)
{
    efg_buffer_number(out, run->site_count);
    for (uint32_t i = 0; i < run->site_count; i++) {
        const struct efg_run_site *site = &run->sites[i];
        efg_buffer_string(out, site->module);
        efg_buffer_number(out, site->offset);
        efg_buffer_number(out, site->symbol_count);
        for (uint32_t k = 0; k < site->symbol_count; k++) {
            efg_buffer_string(out, site->symbols[k].function);
            efg_buffer_string(out, site->symbols[k].file);
            efg_buffer_number(out, site->symbols[k].line);
        }
    }
}
