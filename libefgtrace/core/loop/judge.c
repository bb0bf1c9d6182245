/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Goes down the call tree to the main loop. The path down: in each function that branches, take
 * the component of its sites with the most time; it is a loop if it has several sites. Then go
 * on, into the site of that component with the most time.
 *
 * The levels of one function are in the chain from coarse to fine. The rule looks only at the
 * chosen ones; the others are for users who want the next finer or coarser loop.
 */
#include "judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/flow/components.h"
#include "pivot.h"

#define SHARE 0.5       /* of the time, for a main loop */
#define NEGLIGIBLE 0.05 /* of the time: the way down ends */
#define EFFECTIVE 3.0   /* rounds */
#define FEW_ROUNDS 3
#define MAIN_EVENTS 0.94 /* share of the events, of a site that is nearly all of its loop */
#define MUCH_FINER 5
#define FREQUENT 0.8
#define MOST_PARTS 4
#define MOST_LEVELS 8 /* of one function */

struct walk {
    struct efg_judge *judge;
    const struct efg_callflow *flow;
    double all;                /* ns */
    uint32_t function;         /* where it has got to */
    uint32_t *kids, kid_count; /* sites of the function */
    uint32_t *number;          /* of each site, among the kids; EFG_NONE of others */
};

void efg_judge_fini(struct efg_judge *judge)
{
    free(judge->sites);
    *judge = (struct efg_judge){0};
}

/* ---- components ---- */

/* A site that was not entered is no kid: its edge in was lost for want of memory. */
static bool is_known(const struct walk *w, const struct efg_step_between *step)
{
    return w->number[step->from] != EFG_NONE && w->number[step->to] != EFG_NONE;
}

/* The steps of the function as a graph of its kids: targets of all, by kid. */
static void fill_digraph(const struct walk *w, uint32_t *first, uint32_t *targets)
{
    const struct efg_callflow *flow = w->flow;
    uint32_t begin = flow->first_step[w->function], end = flow->first_step[w->function + 1];

    for (uint32_t i = begin; i < end; i++)
        if (is_known(w, &flow->steps[i]))
            first[w->number[flow->steps[i].from] + 2]++;
    for (uint32_t k = 2; k < w->kid_count + 2; k++)
        first[k] += first[k - 1];
    for (uint32_t i = begin; i < end; i++)
        if (is_known(w, &flow->steps[i]))
            targets[first[w->number[flow->steps[i].from] + 1]++] = w->number[flow->steps[i].to];
}

/* The component of each kid. Returns how many there are, or -ENOMEM. */
static int64_t find_components(const struct walk *w, uint32_t *component)
{
    uint32_t steps = w->flow->first_step[w->function + 1] - w->flow->first_step[w->function];
    uint32_t *first = calloc((size_t)w->kid_count + 2 + steps + 1, sizeof *first);
    int64_t count = -1;

    if (first) {
        uint32_t *targets = first + w->kid_count + 2;
        fill_digraph(w, first, targets);
        count = efg_components_find(
            &(struct efg_digraph){.nodes = w->kid_count, .first = first, .targets = targets}, component);
    }
    free(first);
    return count;
}

/* The one with the most time. */
static int64_t longest_component(const struct walk *w, uint32_t *component)
{
    int64_t count = find_components(w, component), longest = -1;
    double *time = count > 0 ? calloc((size_t)count, sizeof *time) : NULL;

    for (uint32_t k = 0; time && k < w->kid_count; k++)
        time[component[k]] += w->flow->flow[w->kids[k]].time;
    for (int64_t c = 0; time && c < count; c++)
        longest = longest < 0 || time[c] > time[longest] ? c : longest;
    free(time);
    return longest;
}

/* ---- the chain ---- */

static int reserve_sites(struct efg_judge *judge, uint32_t more)
{
    uint32_t count = judge->site_count + more;

    if (count <= judge->site_room)
        return 0;
    if (efg_array_grow(&judge->sites, judge->site_room, count - judge->site_room, sizeof *judge->sites))
        return -ENOMEM;
    judge->site_room = count;
    return 0;
}

/* The most regular of the sites that are entered in each iteration. */
static double rounds_of_body(const struct efg_body *body, uint64_t iterations)
{
    double most = 0, least = FREQUENT * (double)iterations;
    bool any = false;

    for (uint32_t i = 0; i < body->count && (double)body->sites[i].entries >= least; i++) {
        if (body->sites[i].entries > iterations)
            continue;
        double rounds = efg_callflow_rounds(body->flow, body->sites[i].site);
        most = rounds > most ? rounds : most;
        any = true;
    }
    return any ? most : (double)iterations;
}

static struct efg_loop_found *add_loop(struct walk *w, uint32_t site, uint64_t iterations, double time)
{
    struct efg_judge *judge = w->judge;

    if (judge->count == EFG_CHAIN)
        return NULL;
    struct efg_loop_found *found = &judge->chain[judge->count++];
    *found = (struct efg_loop_found){
        .loop = {.function = efg_callflow_site(w->flow, site)->hash,
                 .iterations = iterations,
                 .share = time / w->all},
        .site = site,
        .parts = 1,
        .first_site = judge->site_count,
    };
    return found;
}

/* SITE is one of the sites of FOUND, the last one of the chain; there is room. */
static void put_site(struct efg_judge *judge, struct efg_loop_found *found, uint32_t site)
{
    judge->sites[judge->site_count++] = site;
    found->site_count++;
}

static void add_call(struct walk *w)
{
    const struct efg_flow *flow = &w->flow->flow[w->function];
    struct efg_loop_found *found =
        flow->repeats ? add_loop(w, w->function, efg_callflow_visits(w->flow, w->function), flow->time)
                      : NULL;

    if (!found)
        return;
    found->is_call = found->is_level = true;
    found->rounds = efg_callflow_rounds(w->flow, w->function);
}

static int add_level(struct walk *w, const struct efg_body *body, uint32_t i, uint64_t chosen)
{
    uint64_t iterations = efg_level_rounds(body, i);
    struct efg_loop_found *found = add_loop(w, body->function, iterations, body->time);

    if (!found || reserve_sites(w->judge, body->count))
        return -ENOMEM;
    found->is_level = iterations == chosen;
    found->rounds = rounds_of_body(body, iterations);
    found->loop.place = efg_level_place(body, i);
    for (uint32_t k = 0; k < body->count; k++)
        put_site(w->judge, found, body->sites[k].site);
    return 0;
}

/* All levels of the function, from the coarsest one on; of very many, those that are coarser
 * than the chosen one are left out. */
static int add_levels(struct walk *w, const struct efg_body *body)
{
    uint32_t levels[MOST_LEVELS], count = 0;
    uint64_t chosen = efg_level_choose(body);

    for (uint32_t i = 0; i < body->count; i = efg_level_next(body, i)) {
        bool is_chosen = efg_level_rounds(body, i) == chosen;
        if (count < MOST_LEVELS - 1 || (is_chosen && count < MOST_LEVELS))
            levels[count++] = i;
    }
    while (count > 0)
        if (add_level(w, body, levels[--count], chosen))
            return -ENOMEM;
    return 0;
}

/* ---- the way down ---- */

static void list_kids(struct walk *w)
{
    w->kid_count = 0;
    for (uint32_t x = efg_callflow_site(w->flow, w->function)->first_child; x != EFG_NONE;
         x = efg_callflow_site(w->flow, x)->next_sibling) {
        if (x >= w->flow->sites || !w->flow->flow[x].entries)
            continue;
        w->number[x] = w->kid_count;
        w->kids[w->kid_count++] = x;
    }
}

static uint32_t longest_of(const struct efg_body *body)
{
    uint32_t longest = body->sites[0].site;

    for (uint32_t i = 1; i < body->count; i++)
        if (body->flow->flow[body->sites[i].site].time > body->flow->flow[longest].time)
            longest = body->sites[i].site;
    return longest;
}

/* SITE is called again with nothing in between. */
static bool is_repeated(const struct walk *w, uint32_t site)
{
    for (uint32_t i = w->flow->first_step[w->function]; i < w->flow->first_step[w->function + 1]; i++)
        if (w->flow->steps[i].from == site && w->flow->steps[i].to == site)
            return true;
    return false;
}

/* Its loop, if it has one, and the site to go on with; EFG_NONE without memory. */
static uint32_t look_at_function(struct walk *w, struct efg_body_site *sites, uint32_t *component)
{
    struct efg_body body = {.flow = w->flow, .function = w->function, .sites = sites};
    int64_t longest = longest_component(w, component);

    for (uint32_t k = 0; longest >= 0 && k < w->kid_count; k++)
        if (component[k] == longest)
            sites[body.count++].site = w->kids[k];
    if (!body.count)
        return EFG_NONE;
    efg_body_fill(&body);
    if ((body.count > 1 || is_repeated(w, sites[0].site)) && add_levels(w, &body))
        return EFG_NONE;
    return longest_of(&body);
}

static uint32_t step_down(struct walk *w)
{
    struct efg_body_site *sites = malloc(w->kid_count * sizeof *sites);
    uint32_t *component = malloc(w->kid_count * sizeof *component), next = EFG_NONE;

    if (sites && component)
        next = look_at_function(w, sites, component);
    free(sites);
    free(component);
    return next;
}

static bool is_cut(const struct walk *w)
{
    return efg_calltree_is_cut(w->flow->tree, w->function);
}

static int walk_down(struct walk *w)
{
    while (!is_cut(w) && w->flow->flow[w->function].time >= NEGLIGIBLE * w->all) {
        if (efg_callflow_site(w->flow, w->function)->node != EFG_NONE) {
            add_call(w);
            return 0;
        }
        list_kids(w);
        if (!w->kid_count)
            return 0;
        uint32_t next = w->kid_count > 1 || is_repeated(w, w->kids[0]) ? step_down(w) : w->kids[0];
        if (next == EFG_NONE)
            return w->judge->count == EFG_CHAIN ? 0 : -ENOMEM;
        w->function = next;
    }
    return 0;
}

/* ---- the choice ---- */

static bool is_enough(const struct efg_loop_found *found, uint64_t least)
{
    double effective = (double)least - 0.5 < EFFECTIVE ? (double)least - 0.5 : EFFECTIVE;

    return found->is_level && found->loop.share >= SHARE && found->loop.iterations >= least &&
           found->rounds >= effective;
}

/* The outermost loop that will do. */
static uint32_t outermost(struct efg_judge *judge, uint64_t least)
{
    judge->is_beginning = false;
    for (uint32_t i = 0; i < judge->count; i++) {
        const struct efg_loop_found *found = &judge->chain[i];
        if (is_enough(found, least))
            return i;
        judge->is_beginning |= found->loop.iterations < EFG_LEAST_ROUNDS && is_enough(found, 2);
    }
    return EFG_NONE;
}

/* The loop that stands for the next function in the chain, after I. */
static uint32_t next_level(const struct efg_judge *judge, uint32_t i)
{
    for (i++; i < judge->count && !judge->chain[i].is_level; i++)
        ;
    return i;
}

/* Nothing but sites that are much more frequent than ENTRIES. */
static bool is_pure(const struct efg_judge *judge, const struct efg_loop_found *inner, uint64_t entries)
{
    const struct efg_callflow *flow = judge->flow;
    uint32_t frequent = 0;

    for (uint32_t x = efg_callflow_site(flow, inner->site)->first_child; x != EFG_NONE;
         x = efg_callflow_site(flow, x)->next_sibling) {
        double n = x < flow->sites ? (double)flow->flow[x].entries : 0;
        if (n >= 0.1 * (double)entries && n < 1.5 * (double)entries)
            return false;
        frequent += n >= 1.5 * (double)entries;
    }
    return frequent >= 2 && frequent <= inner->site_count;
}

/* The site of the loop with the most time, and the most frequent one beside it. */
static uint32_t main_site(const struct efg_judge *judge, const struct efg_loop_found *found, uint32_t *beside)
{
    const struct efg_flow *flow = judge->flow->flow;
    const uint32_t *sites = judge->sites + found->first_site;
    uint32_t longest = sites[0];

    for (uint32_t i = 1; i < found->site_count; i++)
        if (flow[sites[i]].time > flow[longest].time)
            longest = sites[i];
    *beside = EFG_NONE;
    for (uint32_t i = 0; i < found->site_count; i++)
        if (sites[i] != longest &&
            (double)flow[sites[i]].entries >= FREQUENT * (double)found->loop.iterations &&
            (*beside == EFG_NONE || flow[sites[i]].entries > flow[*beside].entries))
            *beside = sites[i];
    return longest;
}

static bool is_nearly_all(const struct efg_judge *judge, const struct efg_loop_found *found, uint32_t site)
{
    const struct efg_flow *flow = judge->flow->flow;
    uint64_t all = 0;

    for (uint32_t i = 0; i < found->site_count; i++)
        all += flow[judge->sites[found->first_site + i]].events;
    return (double)flow[site].entries >= FREQUENT * (double)found->loop.iterations &&
           (double)flow[site].events >= MAIN_EVENTS * (double)all;
}

/* Where the code is known, SITE is called in a loop within the one that was found: not right in
 * it, and not in a function that is the body of a loop itself, as what that repeats are parts
 * of an iteration. */
static bool may_be_further_in(const struct efg_judge *judge, const struct efg_loop_found *found,
                              uint32_t site)
{
    return !found->loop.place || (efg_place_loop(found->loop.place) != EFG_PLACE_NO_LOOP &&
                                  efg_callflow_place(judge->flow, site) != found->loop.place);
}

/* All calls of LOOP are collectives of some of the ranks, so others may go round it more often, or less. */
static bool is_of_some_ranks(const struct efg_judge *judge, const struct efg_loop_found *loop)
{
    const struct efg_callflow *flow = judge->flow;

    for (uint32_t x = loop->site; x != EFG_NONE; x = efg_calltree_next(flow->tree, x, loop->site)) {
        uint32_t node = x < flow->sites ? efg_callflow_site(flow, x)->node : EFG_NONE;
        if (node != EFG_NONE && !(flow->graph->nodes[node].flags & EFG_NODE_GROUP))
            return false;
    }
    return true;
}

/* A function is called in each iteration, and the rest of the loop comes in each k-th. */
static bool is_further_in(const struct efg_judge *judge, const struct efg_loop_found *found,
                          const struct efg_loop_found *inner)
{
    uint32_t beside, site;

    if (found->is_call || inner->is_call)
        return false;
    site = main_site(judge, found, &beside);
    return may_be_further_in(judge, found, site) && is_nearly_all(judge, found, site) && beside != EFG_NONE &&
           efg_callflow_is_steady(judge->flow, beside) &&
           efg_calltree_gaps(judge->flow->tree, site) == inner->site &&
           inner->loop.iterations >= MUCH_FINER * found->loop.iterations &&
           is_pure(judge, inner, judge->flow->flow[site].entries) &&
           !(is_of_some_ranks(judge, inner) && efg_pivot_is_world(judge, found));
}

static uint32_t go_further_in(const struct efg_judge *judge, uint32_t i)
{
    uint32_t inner = next_level(judge, i);

    return inner < judge->count && is_further_in(judge, &judge->chain[i], &judge->chain[inner]) ? inner : i;
}

/* ---- parts ---- */

static bool is_about(uint64_t count, double wanted)
{
    return (double)count <= wanted + 1.5 && (double)count >= wanted - 1.5;
}

/* Whether the children of SITE take turns, and how many there are; *FIRST is a call if there is
 * one. */
static uint32_t count_turns(const struct efg_judge *judge, uint32_t site, double iterations, uint32_t *first)
{
    const struct efg_callflow *flow = judge->flow;
    uint32_t turns = 0;

    *first = EFG_NONE;
    for (uint32_t x = efg_callflow_site(flow, site)->first_child; x != EFG_NONE;
         x = efg_callflow_site(flow, x)->next_sibling) {
        if (x >= flow->sites || !flow->flow[x].entries)
            continue;
        turns++;
        if (*first == EFG_NONE || efg_callflow_site(flow, x)->node != EFG_NONE)
            *first = x;
    }
    if (turns < 2 || turns > MOST_PARTS || iterations / turns < EFG_LEAST_ROUNDS)
        return 0;
    for (uint32_t x = efg_callflow_site(flow, site)->first_child; x != EFG_NONE;
         x = efg_callflow_site(flow, x)->next_sibling)
        if (x < flow->sites && flow->flow[x].entries &&
            (!is_about(flow->flow[x].entries, iterations / turns) || !efg_callflow_is_steady(flow, x)))
            return 0;
    return turns;
}

/* The same for the first site at or below TOP of which that is so. */
static uint32_t count_turns_below(const struct efg_judge *judge, uint32_t top, double iterations,
                                  uint32_t *first)
{
    uint32_t turns = 0;

    for (uint32_t x = top; x != EFG_NONE && !turns; x = efg_calltree_next(judge->flow->tree, x, top))
        if (x < judge->flow->sites && is_about(judge->flow->flow[x].entries, iterations))
            turns = count_turns(judge, x, iterations, first);
    return turns;
}

static void find_parts(const struct efg_judge *judge, struct efg_loop_found *found)
{
    double iterations = (double)found->loop.iterations;
    uint32_t first, turns = 0;

    for (uint32_t i = 0; i < found->site_count && !turns; i++) {
        uint32_t site = judge->sites[found->first_site + i];
        if (is_about(judge->flow->flow[site].entries, iterations))
            turns = count_turns_below(judge, site, iterations, &first);
    }
    if (!turns || efg_pivot_is_world(judge, found))
        return;
    found->parts = turns;
    found->part = first;
    found->loop.iterations /= turns;
}

/* ---- marks ---- */

/* The outermost site that is entered once in each iteration that MARK begins, and is not the only one of
 * its function: the loop is right around it. */
static uint32_t widest_of(const struct efg_callflow *flow, uint32_t mark)
{
    uint64_t visits = efg_callflow_visits(flow, mark);
    uint32_t widest = mark;

    for (uint32_t x = mark; x != EFG_CALLTREE_ROOT && efg_callflow_turns(flow, x) + 1 >= visits;
         x = efg_callflow_site(flow, x)->parent)
        if (efg_callflow_site(flow, efg_callflow_site(flow, x)->parent)->child_count > 1)
            widest = x;
    return widest;
}

static int add_mark(struct walk *w)
{
    struct efg_judge *judge = w->judge;
    uint32_t mark = w->function, site = widest_of(w->flow, mark);
    uint32_t function = efg_callflow_site(w->flow, site)->parent;

    if (reserve_sites(judge, 1))
        return -ENOMEM;
    judge->count -= judge->count == EFG_CHAIN;
    struct efg_loop_found *found =
        add_loop(w, function, efg_callflow_visits(w->flow, mark), w->flow->flow[function].time);
    found->is_level = found->is_marked = true;
    found->rounds = efg_callflow_rounds(w->flow, mark);
    found->loop.place = efg_callflow_place(w->flow, site);
    put_site(judge, found, site);
    return 0;
}

/* The mark whose loop has the most time; EFG_NONE if none was passed twice. */
static uint32_t find_mark(const struct efg_callflow *flow)
{
    uint32_t best = EFG_NONE;
    double most = -1;

    for (uint32_t i = 0; i < flow->graph->node_count; i++) {
        uint32_t leaf = flow->graph->nodes[i].leaf;
        if (!(flow->graph->nodes[i].flags & EFG_NODE_MARK) || leaf >= flow->sites ||
            efg_callflow_visits(flow, leaf) < 2)
            continue;
        double time = flow->flow[efg_callflow_site(flow, widest_of(flow, leaf))->parent].time;
        if (time > most) {
            most = time;
            best = leaf;
        }
    }
    return best;
}

/* ---- all of it ---- */

/* Let LOOK go through the tree; returns what it does, or -ENOMEM. */
static int walk(struct efg_judge *judge, uint32_t function, int look(struct walk *w))
{
    const struct efg_callflow *flow = judge->flow;
    struct walk w = {.judge = judge,
                     .flow = flow,
                     .all = flow->flow[EFG_CALLTREE_ROOT].time,
                     .function = function,
                     .kids = malloc(flow->sites * sizeof *w.kids),
                     .number = malloc(flow->sites * sizeof *w.number)};
    int result = -ENOMEM;

    if (w.kids && w.number && w.all > 0) {
        memset(w.number, 0xff, flow->sites * sizeof *w.number);
        result = look(&w);
    }
    free(w.kids);
    free(w.number);
    return result;
}

int efg_judge_look(struct efg_judge *judge, const struct efg_callflow *flow)
{
    judge->flow = flow;
    judge->count = judge->site_count = 0;
    judge->chosen = EFG_NONE;
    if (flow->flow[EFG_CALLTREE_ROOT].time <= 0)
        return 0;
    if (walk(judge, EFG_CALLTREE_ROOT, walk_down))
        return -ENOMEM;
    uint32_t mark = find_mark(flow);
    if (mark != EFG_NONE) {
        if (walk(judge, mark, add_mark))
            return -ENOMEM;
        judge->is_beginning = false;
        judge->chosen = judge->count - 1;
        return 0;
    }
    judge->chosen = outermost(judge, EFG_LEAST_ROUNDS);
    if (judge->chosen != EFG_NONE) {
        judge->chosen = go_further_in(judge, judge->chosen);
        find_parts(judge, &judge->chain[judge->chosen]);
    } else {
        judge->chosen = outermost(judge, FEW_ROUNDS);
    }
    return 0;
}

/* ---- another rank's choice ---- */

/* The loop of this one function. */
static int look_here(struct walk *w)
{
    if (is_cut(w))
        return 0;
    if (efg_callflow_site(w->flow, w->function)->node != EFG_NONE) {
        add_call(w);
        return 0;
    }
    list_kids(w);
    return w->kid_count > 1 && step_down(w) == EFG_NONE ? -ENOMEM : 0;
}

static double ratio(uint64_t a, uint64_t b)
{
    return a > b ? (double)a / (double)b : (double)b / (double)a;
}

static const struct efg_loop_found *nearest(const struct efg_judge *judge, uint64_t function,
                                            uint64_t iterations)
{
    const struct efg_loop_found *best = NULL;

    for (uint32_t i = 0; i < judge->count; i++) {
        const struct efg_loop_found *found = &judge->chain[i];
        if (found->loop.function != function || !found->loop.iterations)
            continue;
        double off = ratio(found->loop.iterations, iterations);
        if (!best || off < ratio(best->loop.iterations, iterations) ||
            (found->is_marked && off <= ratio(best->loop.iterations, iterations)))
            best = found;
    }
    return best;
}

const struct efg_loop_found *efg_judge_find(struct efg_judge *judge, uint64_t function, uint64_t iterations)
{
    const struct efg_loop_found *found = nearest(judge, function, iterations);
    uint32_t site = judge->flow ? efg_calltree_find(judge->flow->tree, function) : EFG_NONE;

    if (found || site == EFG_NONE || site >= judge->flow->sites || judge->count == EFG_CHAIN)
        return found;
    return walk(judge, site, look_here) ? NULL : nearest(judge, function, iterations);
}
