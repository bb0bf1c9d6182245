/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Puts what this process knows into the form of the run file. Facts are gathered from where they are kept:
 * names, the rank, its loops and pivot, its threads, the run.
 */
#include "known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "enough.h"
#include "leader.h"
#include "phases.h"
#include "runtime/base/memory.h"
#include "runtime/process/job.h"
#include "runtime/process/processor.h"
#include "runtime/process/program.h"
#include "runtime/process/notes.h"
#include "runtime/record/regions.h"
#include "runtime/stack/callpath.h"
#include "steering.h"
#include "threads.h"
#include "thrift.h"
#include "visits.h"
#include "wish.h"

static struct efg_job *const job = &efg_job;
static const struct efg_steering *const s = &efg_steering;

/* --- names --- */

static void fill_calls(struct efg_run_names *names)
{
    names->calls = calloc(EFG_CALLS, sizeof *names->calls);
    for (uint32_t i = 1; names->calls && i < EFG_CALLS; i++)
        names->calls[names->call_count++] =
            (struct efg_run_call){i, efg_call_info[i].class, (char *)efg_call_info[i].name};
}

static void fill_paths(struct efg_run_names *names)
{
    uint32_t modules = efg_callpath_modules(), paths = efg_callpath_count();
    names->modules = calloc(modules + 1, sizeof *names->modules);
    names->paths = calloc(paths + 1, sizeof *names->paths);
    for (uint32_t i = 0; names->modules && i < modules; i++)
        names->modules[names->module_count++] = (char *)efg_callpath_module(i);
    for (uint32_t i = 1; names->paths && i <= paths; i++) {
        struct efg_path path = efg_callpath_get(i);
        names->paths[names->path_count++] =
            (struct efg_run_path){path.hash, path.depth, (struct efg_frame *)path.frames};
    }
}

static void fill_regions(struct efg_run_names *names)
{
    uint32_t at = 0, id;
    names->regions = calloc(EFG_REGION_NAMES, sizeof *names->regions);
    for (const char *name; names->regions && (name = efg_regions_next(&at, &id));)
        names->regions[names->region_count++] = (struct efg_run_region){id, (char *)name};
}

/* Of all frames. */
static int fill_positions(struct efg_run_names *names)
{
    int error = 0;
    for (uint32_t i = 0; i < names->path_count; i++)
        for (uint32_t k = 0; k < names->paths[i].depth && !error; k++) {
            const struct efg_frame *frame = &names->paths[i].frames[k];
            error = efg_run_position_add(names, frame, efg_callpath_known_position(frame));
        }
    return error;
}

int efg_known_names(struct efg_run_names *names)
{
    *names = (struct efg_run_names){0};
    fill_calls(names);
    fill_paths(names);
    fill_regions(names);
    return names->calls && names->modules && names->paths && names->regions ? fill_positions(names) : -ENOMEM;
}

void efg_known_forget(struct efg_run_names *names)
{
    free(names->calls);
    free(names->modules);
    free(names->paths);
    free(names->regions);
    free(names->positions);
    efg_map_fini(&names->by_frame);
}

/* --- the rank --- */

static uint64_t realtime(uint64_t ticks)
{
    return efg_job_base() + ticks;
}

static uint64_t thread_cost(const struct efg_thread *t)
{
    uint64_t calls = t->graph.events;
    for (uint32_t i = 0; i < t->graph.node_count; i++)
        calls += t->graph.nodes[i].polls;
    return efg_cost_of(&t->cost, calls - t->polls_passed);
}

static struct efg_run_items list_items(struct efg_traffic *traffic,
                                       uint32_t list(struct efg_traffic *traffic,
                                                     struct efg_traffic_item *items))
{
    struct efg_run_items items = {.item = calloc(efg_traffic_most(traffic), sizeof *items.item)};
    if (items.item)
        items.count = list(traffic, items.item);
    return items;
}

/* --- loops and the pivot --- */

/* The most frequent of the nodes below SITE; EFG_NONE if there is none. */
static uint32_t node_below(const struct efg_graph *graph, uint32_t site)
{
    uint32_t best = EFG_NONE;

    for (uint32_t i = 0; i < graph->node_count; i++)
        if (efg_calltree_is_below(graph->tree, graph->nodes[i].leaf, site) &&
            (best == EFG_NONE || graph->nodes[i].rhythm.visits > graph->nodes[best].rhythm.visits))
            best = i;
    return best;
}

/* Where a site is, as run.efg says it: a NODE below it, and at which DEPTH of its frames. */
static void place_site(const struct efg_graph *graph, uint32_t site, uint32_t *node, uint32_t *depth)
{
    uint32_t below = node_below(graph, site);

    *node = below == EFG_NONE ? 0 : below;
    *depth = graph->tree->sites[site].depth;
    if (below != EFG_NONE && *depth >= graph->tree->sites[graph->nodes[below].leaf].depth)
        (*depth)--; /* the call itself */
}

/* LOOP, which is that of SITE. */
static struct efg_run_loop describe(const struct efg_graph *graph, const struct efg_mainloop *loop,
                                    uint32_t site)
{
    struct efg_run_loop out = {loop->function, loop->iterations, 0, 0, (uint32_t)(loop->share * 1e6)};

    if (site == EFG_NONE)
        return (struct efg_run_loop){0};
    place_site(graph, site, &out.node, &out.depth);
    return out;
}

/* The same of one whose key is known: loops of several functions that are called at one place have the same
 * site. */
static struct efg_run_loop describe_known(const struct efg_graph *graph, const struct efg_mainloop *loop,
                                          uint32_t site)
{
    struct efg_run_loop out = describe(graph, loop, site);
    uint32_t below = site == EFG_NONE || loop->key == EFG_NONE ? EFG_NONE : node_below(graph, loop->key);

    if (below != EFG_NONE)
        out.node = below;
    return out;
}

/* What the rule takes at this LEVEL, unless it is what it takes anyway. */
static struct efg_run_loop at_level(const struct efg_thread *t, enum efg_level level)
{
    const struct efg_judge *judge = efg_finder_judge(t->finder);
    const struct efg_loop_found *found =
        efg_wish_find(judge, (struct efg_wish){level, efg_wish_present().function});

    return found && found->rounds >= EFG_GOES_ROUND ? describe(&t->graph, &found->loop, found->site)
                                                    : (struct efg_run_loop){0};
}

/* The loop that came nearest, and why it is none. */
static void explain(const struct efg_thread *t, struct efg_run_loops *loops)
{
    const struct efg_judge *judge = efg_finder_judge(t->finder);
    const struct efg_loop_found *best = NULL;

    for (uint32_t i = 0; i < judge->count; i++)
        if (judge->chain[i].is_level && judge->chain[i].loop.iterations >= 3 &&
            (!best || judge->chain[i].loop.share > best->loop.share))
            best = &judge->chain[i];
    loops->reason = !t->graph.events            ? EFG_REASON_NO_CALLS
                    : !best                     ? EFG_REASON_NO_REPEAT
                    : judge->chosen != EFG_NONE ? EFG_REASON_LATE
                    : best->loop.share < 0.5    ? EFG_REASON_NO_SHARE
                                                : EFG_REASON_UNEVEN;
    if (best)
        loops->best = describe(&t->graph, &best->loop, best->site);
}

static uint32_t main_site(const struct efg_thread *t)
{
    return s->is_earlier ? efg_calltree_find(t->graph.tree, s->main.function) : efg_finder_site(t->finder);
}

static void fill_loops(struct efg_run_loops *loops, const struct efg_thread *t)
{
    if (!t->finder || !t->graph.tree)
        return;
    if (efg_leader_is(t))
        loops->main = describe_known(&t->graph, &s->main, main_site(t));
    if (s->is_earlier) /* the levels that are known are those of what came last */
        return;
    loops->automatic = at_level(t, EFG_LEVEL_AUTO);
    loops->finer = at_level(t, EFG_LEVEL_FINER);
    loops->coarser = at_level(t, EFG_LEVEL_COARSER);
    if (!loops->main.function && efg_leader_is(t))
        explain(t, loops);
}

/* Nodes and sites have other numbers when calls are told apart less finely. */
static bool is_known(const struct efg_graph *graph, const struct efg_pivot *pivot)
{
    uint32_t count = pivot->kind == EFG_PIVOT_NODE ? graph->node_count : graph->tree ? graph->tree->count : 0;

    return pivot->kind != EFG_PIVOT_NONE && pivot->id < count &&
           efg_graph_name(graph, pivot->kind, pivot->id) == pivot->hash;
}

/* PIVOT has had so many VISITS; it belongs to the loop of FUNCTION, 0 for the main one. */
static void fill_pivot(struct efg_run_pivot *out, const struct efg_graph *graph,
                       const struct efg_pivot *pivot, uint64_t visits, uint64_t function)
{
    if (!is_known(graph, pivot))
        return;
    *out = (struct efg_run_pivot){
        .kind = pivot->kind,
        .class = pivot->class,
        .visits = visits,
        .function = function,
    };
    if (pivot->kind == EFG_PIVOT_NODE)
        out->node = pivot->id;
    else
        place_site(graph, pivot->id, &out->node, &out->depth);
}

/* --- phases --- */

/* The phase whose pivot is marked has the iterations of the thread, if there are any yet. */
static bool is_counted(const struct efg_thread *t, const struct efg_phase *phase)
{
    return efg_phases.counted != EFG_NONE && phase == &efg_phases.list[efg_phases.counted] &&
           t->iterations.all.count;
}

/* The phase that the main loop is; NULL if there is none. */
static const struct efg_phase *main_phase(void)
{
    return s->main.function ? efg_phases_find(&s->main) : NULL;
}

/* The same, if its iterations are known, and are not those of the pivot that is marked. */
static const struct efg_phase *main_before(const struct efg_thread *t)
{
    const struct efg_phase *main = main_phase();

    return main && !is_counted(t, main) && main->longest.all.count ? main : NULL;
}

/* The loop of PHASE with all its iterations until now; of the main loop there is one number. */
static struct efg_mainloop loop_of(const struct efg_thread *t, const struct efg_phase *phase)
{
    const struct efg_callflow *flow = t->finder ? efg_finder_judge(t->finder)->flow : NULL;

    if (phase == main_phase())
        return s->main;
    return flow && phase->loop.iterations ? efg_phases_loop(flow, phase) : phase->loop;
}

/* Returns false if there is nothing to say: a loop whose place another one took at once was no phase. */
static bool describe_phase(struct efg_run_phase *out, const struct efg_thread *t,
                           const struct efg_phase *phase, uint64_t now)
{
    struct efg_mainloop loop = loop_of(t, phase);
    uint32_t site = efg_calltree_find(t->graph.tree, loop.function);
    struct efg_run_iterations iterations = is_counted(t, phase) ? t->iterations : phase->longest;

    if (site == EFG_NONE)
        return false;
    if (!phase->number && !iterations.all.count && !efg_phases_time(phase, now))
        return false;
    *out = (struct efg_run_phase){
        .number = phase->number,
        .loop = describe_known(&t->graph, &loop, site),
        .begin = phase->begin - job->start,
        .end = (phase->resumed ? now : phase->end) - job->start,
        .time = efg_phases_time(phase, now),
        .counted = iterations.all.count,
        .iterations_time = iterations.all.sum,
        .iterations_mpi = iterations.all_mpi,
    };
    return true;
}

/* Where other ranks have found the last phase sooner than this one, its first window began before it did
 * here. Of several with one number, the first one has that window. */
static void begin_with_window(struct efg_run_thread *thread)
{
    struct efg_run_phase *last = &thread->phases[thread->phase_count - 1];

    for (struct efg_run_phase *phase = thread->phases; phase < last; phase++)
        if (phase->number == last->number)
            return;
    for (uint32_t i = 0; last->number && i < s->window_count; i++)
        if (s->windows[i].phase == last->number && s->windows[i].start < last->begin) {
            last->time += last->begin - s->windows[i].start;
            last->begin = s->windows[i].start;
        }
}

static void fill_phases(struct efg_run_thread *out, const struct efg_thread *t, uint64_t now)
{
    const struct efg_phase *main = main_phase();

    out->phases = t->graph.tree ? calloc(efg_phases.count + 1, sizeof *out->phases) : NULL;
    for (uint32_t i = 0; out->phases && i < efg_phases.count; i++)
        if (describe_phase(&out->phases[out->phase_count], t, &efg_phases.list[i], now)) {
            out->phase_count++;
            begin_with_window(out);
        }
    out->main_phase = main ? main->number : 0;
}

/* Where the pivot of another phase is marked, what was known of that of the main loop. */
static void take_main_phase(struct efg_run_thread *out, const struct efg_thread *t)
{
    const struct efg_phase *main = main_before(t);

    if (!main)
        return;
    out->iterations = main->longest;
    out->series = main->series;
    out->pivot = (struct efg_run_pivot){0};
    fill_pivot(&out->pivot, &t->graph, &main->pivot, main->visits, main->loop.function);
}

/* --- threads --- */

/* As far as they stand for the main loop. */
static void fill_recorded(struct efg_run_thread *out)
{
    double *weight = calloc(out->window_count + 1, sizeof *weight);

    if (weight)
        efg_run_weigh(out, weight);
    for (uint32_t i = 0; weight && i < out->window_count; i++) {
        struct efg_stat recorded = s->recorded[i].recorded;
        if (weight[i] <= 0)
            continue;
        recorded.sum = (uint64_t)((double)recorded.sum * weight[i] + 0.5);
        efg_stat_unite(&out->iterations.recorded, &recorded);
        out->iterations.recorded_mpi += (uint64_t)((double)s->recorded[i].recorded_mpi * weight[i] + 0.5);
    }
    free(weight);
}

void efg_known_weigh(const struct efg_thread *t, double *weight)
{
    const struct efg_phase *main = main_phase();
    struct efg_run_thread thread = {.windows = s->windows,
                                    .window_count = s->window_count,
                                    .main_phase = main ? main->number : 0,
                                    .series = t->series};

    if (main_before(t))
        thread.series = main->series;
    efg_run_weigh(&thread, weight);
}

struct efg_counts_iterations efg_known_counted(const struct efg_thread *t, uint32_t *pivot)
{
    const struct efg_phase *main = efg_leader_is(t) ? main_before(t) : NULL;

    *pivot = main ? main->pivots : t->pivots;
    return main ? main->counted : t->counts->all;
}

/* The one that is marked; where none is, that of the main loop, if its iterations are those of the thread. */
static const struct efg_pivot *last_pivot(const struct efg_thread *t)
{
    const struct efg_phase *main = main_phase();

    return main && is_counted(t, main) ? efg_visits_counted() : &s->pivot;
}

static void fill_leader(struct efg_run_thread *out, const struct efg_thread *t, uint64_t now)
{
    fill_pivot(&out->pivot, &t->graph, last_pivot(t), t->tally.visits,
               s->is_owner ? s->control.agree.loop : 0);
    fill_phases(out, t, now);
    take_main_phase(out, t);
    out->windows = s->windows;
    out->window_count = s->window_count;
    fill_recorded(out);
    out->agreed = (struct efg_run_agreed){.is_owner = (uint32_t)s->is_owner,
                                          .drifted = efg_agree_has_drifted(&s->control.agree),
                                          .is_alone = s->control.agree.role == EFG_ALONE,
                                          .wanted = (uint32_t)s->control.agree.parts[0].windows};
}

static uint32_t count_short(struct efg_thread *only)
{
    uint32_t count = 0;

    for (struct efg_thread *t = only ? only : efg_threads.list; t; t = only ? NULL : t->next)
        count += t->recorder.failed != 0;
    return count;
}

static void fill_thread(struct efg_run_thread *out, struct efg_thread *t, uint64_t now)
{
    out->number = t->number;
    out->graph = t->graph;
    out->stability = t->stability;
    out->iterations = t->iterations;
    out->series = t->series;
    out->counts = t->counts;
    out->traffic.partners = list_items(t->recorder.traffic, efg_traffic_partners);
    out->traffic.sends = list_items(t->recorder.traffic, efg_traffic_sends);
    out->traffic.collectives = list_items(t->recorder.traffic, efg_traffic_collectives);
    fill_loops(&out->loops, t);
    if (efg_leader_is(t))
        fill_leader(out, t, now);
}

static void add_thread(struct efg_run_rank *rank, struct efg_thread *t, uint64_t now)
{
    struct efg_run_thread *out = &rank->threads[t->number < rank->thread_count ? t->number : 0];

    rank->cost += thread_cost(t);
    rank->memory += efg_recorder_memory(&t->recorder);
    fill_thread(out, t, now);
    if (efg_leader_is(t) && !rank->phases)
        rank->phases = efg_run_phases_text(out);
}

/* Only the leader knows it, or, when all is over, whoever ends. */
static uint64_t main_error(const struct efg_thread *only)
{
    const struct efg_phase *main;

    if (only && !efg_leader_is(only))
        return 0;
    main = main_phase();
    return efg_enough_error(main ? main->number : 0);
}

void efg_known_rank(struct efg_run_rank *rank, struct efg_thread *only, uint64_t now)
{
    *rank = (struct efg_run_rank){
        .rank = (uint32_t)job->rank,
        .host = job->host,
        .place = job->place,
        .clock_error = job->sync.error,
        .start = realtime(job->start),
        .end = realtime(now),
        .memory = __atomic_load_n(&efg_memory.most, __ATOMIC_RELAXED),
        .note = efg_notes(),
        .said = job->said,
        .openmp = job->openmp,
        .sections = job->sections,
        .init = job->init,
        .accuracy = job->conf.accuracy,
        .error = main_error(only),
        .processor = efg_processor_since(&job->processor),
        .short_logs = count_short(only),
    };
    efg_thrift_known(rank, only);
    rank->thread_count = only ? 1 : efg_threads.count;
    rank->threads = rank->note ? calloc(rank->thread_count, sizeof *rank->threads) : NULL;
    if (!rank->threads) {
        rank->thread_count = 0;
        return;
    }
    for (struct efg_thread *t = only ? only : efg_threads.list; t; t = only ? NULL : t->next)
        add_thread(rank, t, now);
}

void efg_known_forget_rank(struct efg_run_rank *rank)
{
    for (uint32_t i = 0; i < rank->thread_count; i++) {
        free(rank->threads[i].phases);
        free(rank->threads[i].traffic.partners.item);
        free(rank->threads[i].traffic.sends.item);
        free(rank->threads[i].traffic.collectives.item);
    }
    free(rank->threads);
    free(rank->note);
    free(rank->phases);
}

/* --- the run --- */

void efg_known_run(struct efg_run *run)
{
    run->application = strdup(job->application);
    run->command = efg_program_command();
    run->version = strdup(EFG_VERSION);
    run->mpi = strdup(job->mpi);
    run->output = strdup(job->folder);
    run->trace_note = strdup("");
    run->when = strdup(job->conf.when.text);
    run->mode = (uint32_t)job->conf.mode;
    run->level = (uint32_t)job->conf.level;
    run->loop = strdup(efg_wish_granted());
    run->dimensions = job->conf.signature;
    run->iterations = job->conf.iterations;
    run->interval = job->conf.interval;
    run->size = (uint32_t)job->size;
}
