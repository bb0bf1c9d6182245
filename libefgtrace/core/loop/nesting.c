/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the loops of all functions. The functions are looked at from the outermost one on, each
 * by itself: its call sites, and the steps between them. A BODY is a set of sites that can all be
 * reached from one another. How often it went round follows from the rule for the main loop
 * (level.h); but if it falls into several bodies when its rarer steps are left out, these are
 * loops one after the other, and what goes round is a loop around them:
 *
 *     A --100--> B <--900/1000--> C --100--> A       a body of A, B, C that went round 100
 *                                                    times, in it one of B and C
 *
 * Where the code is known (place.h), the outermost of its loops that goes round comes first, whichever of
 * them the rule takes. Inner loops of the same function are the bodies made by the steps that are more
 * frequent than the loop around them. The list of bodies is also the list of work, so nothing recurses.
 *
 * Invariant: the sites of a body are contiguous in ORDER, and an inner body is a part of its
 * outer one's stretch. Functions are looked at in the order of their ids, so that INSIDE of a
 * function is known before its sites are looked at.
 */
#include "nesting.h"

#include "base/array.h"
#include "core/flow/components.h"
#include "dissolve.h"
#include "level.h"
#include "recognise.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARTS 4 /* of an iteration, as in judge.c */

struct arc {
    uint32_t to; /* number of a site of the present function */
    uint64_t count;
};

struct body {
    uint32_t begin, end; /* in the order */
    uint32_t parent;     /* loop around it, or EFG_NONE */
    uint64_t least;      /* its steps are those that were taken so often */
    bool is_split;       /* 1: these steps make no smaller bodies of it */
    bool is_inner;       /* 1: it is of a loop of the same function */
};

struct builder {
    struct efg_looptree *tree;
    const struct efg_callflow *flow;
    const struct efg_loop_known *main;
    uint64_t main_count;               /* what its repetitions would be if it were not known */
    uint32_t main_function, main_call; /* sites: its function, and the call if that is repeated;
                                          EFG_NONE: none */
    uint32_t *inside;                  /* per site: its innermost loop, or EFG_NONE */
    /* The present function. */
    uint32_t function;
    uint32_t *order, kid_count; /* its sites, by bodies */
    uint32_t *number;           /* per site: its number */
    uint32_t *first_arc;        /* per number and one more */
    struct arc *arcs;
    struct body *bodies;
    uint32_t body_count;
    /* The present stretch. */
    uint32_t *place;            /* per number: its place in it, or EFG_NONE */
    uint32_t *first, *targets;  /* its steps, by places */
    uint32_t *component, *size; /* per place; per component */
    uint32_t *moved;
    struct efg_body_site *sites;
};

/* ---- memory ---- */

static void builder_fini(struct builder *b)
{
    free(b->inside);
    free(b->order);
    free(b->number);
    free(b->first_arc);
    free(b->arcs);
    free(b->bodies);
    free(b->place);
    free(b->first);
    free(b->targets);
    free(b->component);
    free(b->size);
    free(b->moved);
    free(b->sites);
}

static int builder_init(struct builder *b)
{
    size_t sites = (size_t)b->flow->sites + 2, steps = (size_t)b->flow->graph->edge_count + 1;

    b->inside = malloc(sites * sizeof *b->inside);
    b->order = malloc(sites * sizeof *b->order);
    b->number = calloc(sites, sizeof *b->number);
    b->first_arc = malloc(sites * sizeof *b->first_arc);
    b->arcs = malloc(steps * sizeof *b->arcs);
    b->place = malloc(sites * sizeof *b->place);
    b->first = malloc(sites * sizeof *b->first);
    b->targets = malloc(steps * sizeof *b->targets);
    b->component = malloc(sites * sizeof *b->component);
    b->size = malloc(sites * sizeof *b->size);
    b->moved = malloc(sites * sizeof *b->moved);
    b->sites = malloc(sites * sizeof *b->sites);
    if (!b->inside || !b->order || !b->number || !b->first_arc || !b->arcs || !b->place || !b->first ||
        !b->targets || !b->component || !b->size || !b->moved || !b->sites)
        return -ENOMEM;
    b->inside[EFG_CALLTREE_ROOT] = EFG_NONE;
    memset(b->place, 0xff, sites * sizeof *b->place);
    return 0;
}

/* ---- loops ---- */

/* Returns its index, or EFG_NONE without memory. */
static uint32_t add_loop(struct builder *b, uint32_t parent, uint32_t function, uint64_t repetitions)
{
    struct efg_looptree *tree = b->tree;

    if (efg_array_grow(&tree->loops, tree->count, 1, sizeof *tree->loops))
        return EFG_NONE;
    tree->loops[tree->count] = (struct efg_loop){
        .parent = parent,
        .depth = parent == EFG_NONE ? 0 : tree->loops[parent].depth + 1,
        .function = efg_callflow_site(b->flow, function)->hash,
        .header = EFG_NONE,
        .repetitions = repetitions,
    };
    return tree->count++;
}

/* ---- the steps of a function ---- */

static int compare_arcs(const void *a, const void *b)
{
    const struct arc *x = a, *y = b;

    return x->to < y->to ? -1 : x->to > y->to;
}

/* Those to the same site are one. */
static uint32_t merge_arcs(struct arc *arcs, uint32_t count)
{
    uint32_t merged = 0;

    qsort(arcs, count, sizeof *arcs, compare_arcs);
    for (uint32_t i = 0; i < count; i++) {
        if (merged && arcs[merged - 1].to == arcs[i].to)
            arcs[merged - 1].count += arcs[i].count;
        else
            arcs[merged++] = arcs[i];
    }
    return merged;
}

/* Sorted by where they begin, which are counted first. */
static void list_arcs(struct builder *b)
{
    const struct efg_callflow *flow = b->flow;
    uint32_t begin = flow->first_step[b->function], end = flow->first_step[b->function + 1];
    uint32_t *first = b->first_arc, from = 0, to = 0;

    memset(first, 0, (b->kid_count + 2) * sizeof *first);
    for (uint32_t i = begin; i < end; i++)
        first[b->number[flow->steps[i].from] + 2]++;
    for (uint32_t k = 2; k < b->kid_count + 2; k++)
        first[k] += first[k - 1];
    for (uint32_t i = begin; i < end; i++)
        b->arcs[first[b->number[flow->steps[i].from] + 1]++] =
            (struct arc){b->number[flow->steps[i].to], flow->steps[i].count};
    for (uint32_t k = 0; k < b->kid_count; k++) {
        uint32_t count = first[k + 1] - from;
        uint32_t merged = merge_arcs(b->arcs + from, count);
        memmove(b->arcs + to, b->arcs + from, merged * sizeof *b->arcs);
        from = first[k + 1];
        first[k] = to;
        to += merged;
    }
    first[b->kid_count] = to;
}

static void list_kids(struct builder *b)
{
    b->kid_count = 0;
    for (uint32_t x = efg_callflow_site(b->flow, b->function)->first_child; x != EFG_NONE;
         x = efg_callflow_site(b->flow, x)->next_sibling) {
        b->inside[x] = b->inside[b->function];
        b->number[x] = b->kid_count;
        b->order[b->kid_count++] = x;
    }
}

/* ---- a stretch ---- */

static void number_places(struct builder *b, uint32_t begin, uint32_t end, bool on)
{
    for (uint32_t i = begin; i < end; i++)
        b->place[b->number[b->order[i]]] = on ? i - begin : EFG_NONE;
}

/* The components that its steps make which were taken LEAST times or more. Returns how many, or
 * -ENOMEM; then size[c] is how many sites each has. */
static int64_t find_components(struct builder *b, uint32_t begin, uint32_t end, uint64_t least)
{
    uint32_t count = 0, nodes = end - begin;

    number_places(b, begin, end, true);
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t k = b->number[b->order[begin + i]];
        b->first[i] = count;
        for (uint32_t a = b->first_arc[k]; a < b->first_arc[k + 1]; a++)
            if (b->arcs[a].count >= least && b->place[b->arcs[a].to] != EFG_NONE)
                b->targets[count++] = b->place[b->arcs[a].to];
    }
    b->first[nodes] = count;
    number_places(b, begin, end, false);
    int64_t components =
        efg_components_find(&(struct efg_digraph){nodes, b->first, b->targets}, b->component);
    memset(b->size, 0, nodes * sizeof *b->size);
    for (uint32_t i = 0; components >= 0 && i < nodes; i++)
        b->size[b->component[i]]++;
    return components;
}

/* Moves the sites of each component together; size[c] is then where it ends. */
static void gather(struct builder *b, uint32_t begin, uint32_t end, int64_t components)
{
    uint32_t next = begin;

    for (int64_t c = 0; c < components; c++) {
        uint32_t size = b->size[c];
        b->size[c] = next;
        next += size;
    }
    for (uint32_t i = begin; i < end; i++)
        b->moved[b->size[b->component[i - begin]]++ - begin] = b->order[i];
    memcpy(b->order + begin, b->moved, (end - begin) * sizeof *b->order);
}

/* ---- how often a body went round ---- */

/* How often the component C of the stretch that was looked at last was entered. */
static uint64_t count_entries(const struct builder *b, uint32_t begin, uint32_t end, uint32_t c)
{
    uint64_t entries = 0, within = 0;

    for (uint32_t i = begin; i < end; i++) {
        uint32_t k = b->number[b->order[i]];
        if (b->component[i - begin] != c)
            continue;
        entries += b->flow->flow[b->order[i]].entries;
        for (uint32_t a = b->first_arc[k]; a < b->first_arc[k + 1]; a++) {
            uint32_t to = b->place[b->arcs[a].to];
            within += to != EFG_NONE && b->component[to] == c ? b->arcs[a].count : 0;
        }
    }
    return entries > within ? entries - within : 0;
}

/* How often several loops, one after the other, came by, that went round COUNT times or so;
 * COUNT itself if there is but one of them, 0 without memory. */
static uint64_t count_around(struct builder *b, uint32_t begin, uint32_t end, uint64_t count)
{
    uint64_t most = 0;
    uint32_t loops = 0;
    int64_t components = find_components(b, begin, end, count / 2);

    if (components < 0)
        return 0;
    number_places(b, begin, end, true);
    for (uint32_t c = 0; c < components; c++) {
        if (b->size[c] < 2)
            continue;
        uint64_t entries = count_entries(b, begin, end, c);
        most = entries > most ? entries : most;
        loops++;
    }
    number_places(b, begin, end, false);
    return loops > 1 && most && most < count - count / 3 ? most : count;
}

/* COUNT and a quarter of it. */
static uint64_t more_than(uint64_t count)
{
    uint64_t more = count + count / 4 + 1;

    return more > count ? more : UINT64_MAX;
}

struct rounds {
    uint64_t count;
    efg_place place; /* in the code; unknown if that is not known */
};

/* The loop of the code that is around all of BODY, and around the one that went round COUNT times; if there
 * is none, or it did not go round less often, that one. */
static struct rounds find_outermost(const struct efg_body *body, uint64_t count)
{
    uint64_t rounds = count;
    efg_place taken = EFG_PLACE_UNKNOWN, place = EFG_PLACE_UNKNOWN;

    for (uint32_t i = 0; i < body->count; i = efg_level_next(body, i)) {
        rounds = efg_level_rounds(body, i);
        place = efg_level_place(body, i);
        taken = rounds == count ? place : taken;
    }
    bool is_around = place != taken && efg_place_is_in(taken, place);
    return is_around && rounds > 1 && more_than(rounds) <= count ? (struct rounds){rounds, place}
                                                                 : (struct rounds){count, taken};
}

static struct rounds choose_level(struct builder *b, uint32_t begin, uint32_t end)
{
    struct efg_body body = {
        .flow = b->flow, .function = b->function, .count = end - begin, .sites = b->sites};

    for (uint32_t i = begin; i < end; i++)
        b->sites[i - begin].site = b->order[i];
    efg_body_fill(&body);
    if (!efg_body_is_one_function(&body) && !efg_place_is_straight(body.widest))
        body.widest = EFG_PLACE_UNKNOWN; /* places of several have nothing to do with one another */
    return find_outermost(&body, efg_level_choose(&body));
}

static bool is_near(uint64_t a, uint64_t b)
{
    return a <= more_than(b) && b <= more_than(a);
}

/* The node that the main loop is known by. */
static bool has_main_node(const struct builder *b, uint32_t begin, uint32_t end)
{
    uint32_t leaf = b->flow->graph->nodes[b->main->node].leaf;

    for (uint32_t i = begin; i < end; i++)
        if (efg_calltree_is_below(b->flow->tree, leaf, b->order[i]))
            return true;
    return false;
}

static bool has_entries(const struct builder *b, uint32_t begin, uint32_t end, uint64_t entries)
{
    for (uint32_t i = begin; i < end; i++)
        if (is_near(b->flow->flow[b->order[i]].entries, entries))
            return true;
    return false;
}

/* Whether the main loop is one of this body, which went round COUNT times: a site of it was
 * entered as often, or that often for each of some parts of an iteration. The latter may be by
 * chance: a master has as many iterations as its workers together. */
static bool is_main(const struct builder *b, uint32_t begin, uint32_t end, uint64_t count)
{
    uint64_t wanted = b->main ? b->main->iterations : 0;

    if (b->main_function != b->function || b->tree->main != EFG_NONE || wanted > more_than(count))
        return false;
    if (has_entries(b, begin, end, wanted))
        return true;
    for (uint64_t parts = 2; parts <= MOST_PARTS && wanted <= UINT64_MAX / MOST_PARTS; parts++)
        if (has_entries(b, begin, end, parts * wanted))
            return has_main_node(b, begin, end);
    return false;
}

/* The main loop does nothing but call this function, and the code said so, which is not known here: the
 * steps from one call of it to the next look like those of a loop around all it does, or of one that it
 * has. */
static bool is_called_by_main(const struct builder *b, uint64_t count)
{
    if (b->main_function == EFG_NONE || b->tree->main != EFG_NONE || b->main->iterations > more_than(count) ||
        efg_callflow_site(b->flow, b->function)->parent != b->main_function ||
        !efg_calltree_is_below(b->flow->tree, b->flow->graph->nodes[b->main->node].leaf, b->function))
        return false;
    uint64_t function = efg_callflow_site(b->flow, b->main_function)->hash;
    return efg_looptree_nearest(b->tree, function, b->main->iterations) == EFG_NONE;
}

/* ---- bodies ---- */

static int add_body(struct builder *b, struct body body)
{
    if (body.least == UINT64_MAX)
        return 0;
    if (efg_array_grow(&b->bodies, b->body_count, 1, sizeof *b->bodies))
        return -ENOMEM;
    b->bodies[b->body_count++] = body;
    return 0;
}

/* A loop of FUNCTION around all of BODY, which is inside of it from now on. */
static int put_around(struct builder *b, struct body *body, uint32_t function, uint64_t count)
{
    body->parent = add_loop(b, body->parent, function, count);
    if (body->parent == EFG_NONE)
        return -ENOMEM;
    for (uint32_t i = body->begin; i < body->end; i++)
        b->inside[b->order[i]] = body->parent;
    return 0;
}

/* The calls are in no loop of their function: it was called again and again, in rounds of the loop around. */
static bool is_called_around(const struct builder *b, const struct body *body, struct rounds rounds)
{
    return efg_place_loop(rounds.place) == EFG_PLACE_NO_LOOP && body->parent != EFG_NONE &&
           rounds.count <= more_than(b->tree->loops[body->parent].repetitions);
}

/* If it has as many rounds, that loop is known by this function, too; of several, by the main loop's. */
static void note_twin(struct builder *b, const struct body *body, uint64_t count)
{
    struct efg_loop *around = &b->tree->loops[body->parent];
    uint64_t main = b->main_function == EFG_NONE ? 0 : efg_callflow_site(b->flow, b->main_function)->hash;

    if (is_near(count, around->repetitions) && (!main || around->twin != main))
        around->twin = efg_callflow_site(b->flow, b->function)->hash;
}

static int put_main_around(struct builder *b, struct body *body, uint64_t count)
{
    if (b->main->iterations > 1 && put_around(b, body, b->main_function, b->main->iterations))
        return -ENOMEM;
    b->tree->main = body->parent;
    b->main_count = count;
    return 0;
}

/* A loop of the sites from BEGIN to END, and what is to be looked at within it. */
static int look_at(struct builder *b, struct body body)
{
    struct rounds rounds = choose_level(b, body.begin, body.end);
    bool is_the_main = is_main(b, body.begin, body.end, rounds.count);
    uint64_t count = count_around(b, body.begin, body.end, rounds.count), more = more_than(body.least);
    bool is_around = !is_the_main && is_called_by_main(b, count);
    if ((is_the_main || is_around) && put_main_around(b, &body, count))
        return -ENOMEM;
    if (is_the_main || (is_around && is_near(count, b->main->iterations)))
        count = b->main->iterations;
    else if (is_called_around(b, &body, rounds))
        note_twin(b, &body, count);
    else if (count > 1 && put_around(b, &body, b->function, count))
        return -ENOMEM;
    body.least = more_than(count) > more ? more_than(count) : more; /* it always rises */
    body.is_split = false;
    body.is_inner = count > 1;
    return add_body(b, body);
}

/* How often SITE called its function right after it had called it. */
static uint64_t count_again(const struct builder *b, uint32_t site)
{
    uint32_t k = b->number[site];
    uint64_t turns = efg_callflow_turns(b->flow, site), entries = b->flow->flow[site].entries;
    uint64_t again = turns > entries ? turns - entries : 0; /* which steps within the function look like */

    for (uint32_t a = b->first_arc[k]; a < b->first_arc[k + 1]; a++)
        again += b->arcs[a].to == k ? b->arcs[a].count : 0;
    return again;
}

/* The sites from BEGIN to END lead to one another. One that calls a function again and again is a loop by
 * itself within one of the same function; elsewhere the function has its rounds. */
static bool is_loop(const struct builder *b, uint32_t begin, uint32_t end, const struct body *around)
{
    uint32_t site = b->order[begin];

    if (end - begin > 1)
        return true;
    uint64_t turns = efg_callflow_turns(b->flow, site);
    return around->is_inner && efg_callflow_site(b->flow, site)->node == EFG_NONE && turns >= around->least &&
           count_again(b, site) >= turns / 2;
}

/* An inner body that is all of the loop around it is no other loop. */
static int split(struct builder *b, struct body body)
{
    if (body.end - body.begin < 2)
        return 0;
    int64_t components = find_components(b, body.begin, body.end, body.least);

    if (components < 0)
        return -ENOMEM;
    gather(b, body.begin, body.end, components);
    if (components == 1 && body.is_inner) {
        body.least = more_than(body.least);
        return add_body(b, body);
    }
    uint32_t *ends = memcpy(b->moved, b->size, (size_t)components * sizeof *b->size);
    for (uint32_t c = 0, begin = body.begin; c < components; begin = ends[c++])
        if (is_loop(b, begin, ends[c], &body) &&
            add_body(b, (struct body){begin, ends[c], body.parent, body.least, true, false}))
            return -ENOMEM;
    return 0;
}

/* The function has one call, made again and again, and does not look like it from within what it calls. */
static bool is_alone(const struct builder *b)
{
    uint32_t site = b->order[0];

    return b->kid_count == 1 && efg_callflow_site(b->flow, site)->node == EFG_NONE &&
           count_again(b, site) >= efg_callflow_turns(b->flow, site) / 2;
}

static int look_at_function(struct builder *b)
{
    list_arcs(b);
    b->body_count = 0;
    if (b->kid_count < 2 && !is_alone(b))
        return 0;
    if (add_body(b, (struct body){0, b->kid_count, b->inside[b->function], 1, b->kid_count < 2, false}))
        return -ENOMEM;
    for (uint32_t i = 0; i < b->body_count; i++) {
        struct body body = b->bodies[i]; /* a copy: the array may move */
        if (body.is_split ? look_at(b, body) : split(b, body))
            return -ENOMEM;
    }
    return 0;
}

/* The call comes once in each iteration of the main loop: it has no loop of its own. */
static bool is_of_main(const struct builder *b, uint64_t visits)
{
    uint32_t loop = b->inside[b->function];

    return b->main_function != EFG_NONE && loop != EFG_NONE &&
           b->tree->loops[loop].function == efg_callflow_site(b->flow, b->main_function)->hash &&
           is_near(visits, b->main->iterations);
}

/* A call that comes again right after itself. */
static int look_at_call(struct builder *b)
{
    const struct efg_flow *flow = &b->flow->flow[b->function];
    uint64_t visits = efg_callflow_visits(b->flow, b->function);

    if (!flow->repeats || is_of_main(b, visits) ||
        (visits < more_than(flow->entries) && b->function != b->main_call))
        return 0;
    b->inside[b->function] = add_loop(b, b->inside[b->function], b->function, visits);
    return b->inside[b->function] == EFG_NONE ? -ENOMEM : 0;
}

static int look_at_site(struct builder *b)
{
    bool is_cut = efg_calltree_is_cut(b->flow->tree, b->function);

    if (efg_callflow_site(b->flow, b->function)->node != EFG_NONE)
        return is_cut ? 0 : look_at_call(b);
    list_kids(b);
    return is_cut || !b->kid_count ? 0 : look_at_function(b);
}

static int look_at_all(struct builder *b)
{
    for (b->function = 0; b->function < b->flow->sites; b->function++)
        if (look_at_site(b))
            return -ENOMEM;
    return 0;
}

/* ---- the main loop ---- */

static void find_function(struct builder *b)
{
    const struct efg_graph *graph = b->flow->graph;

    b->main_function = b->main_call = EFG_NONE;
    if (!b->main || b->main->node >= graph->node_count)
        return;
    uint32_t leaf = graph->nodes[b->main->node].leaf, site = leaf;
    while (site && efg_callflow_site(b->flow, site)->depth > b->main->depth)
        site = efg_callflow_site(b->flow, site)->parent;
    b->main_function = site;
    if (b->main->depth + 1 >= efg_callflow_site(b->flow, leaf)->depth)
        b->main_call = leaf;
}

/* It is one of those that were found, by its function, and around its node, if another one of the function
 * ran as often; the rule says how often it went round. */
static void settle_main(struct builder *b)
{
    struct efg_looptree *tree = b->tree;
    if (tree->main != EFG_NONE)
        tree->loops[tree->main].repetitions = b->main_count;
    if (b->main_function != EFG_NONE &&
        (tree->main == EFG_NONE || is_near(b->main_count, b->main->iterations)))
        tree->main = efg_looptree_around(tree, efg_callflow_site(b->flow, b->main_function)->hash,
                                         b->main->iterations, tree->loop_of[b->main->node]);
    if (tree->main == EFG_NONE && b->main_call != EFG_NONE)
        tree->main =
            efg_looptree_nearest(tree, efg_callflow_site(b->flow, b->main_call)->hash, b->main->iterations);
    if (tree->main != EFG_NONE)
        tree->loops[tree->main].repetitions = b->main->iterations;
}

/* ---- nodes ---- */

static int place_nodes(struct builder *b)
{
    const struct efg_graph *graph = b->flow->graph;
    struct efg_looptree *tree = b->tree;

    tree->loop_of = malloc((graph->node_count + 1) * sizeof *tree->loop_of);
    if (!tree->loop_of)
        return -ENOMEM;
    for (uint32_t v = 0; v < graph->node_count; v++)
        tree->loop_of[v] = b->inside[graph->nodes[v].leaf];
    return 0;
}

int efg_nesting_find(struct efg_looptree *tree, const struct efg_callflow *flow,
                     const struct efg_loop_known *main)
{
    struct builder b = {.tree = tree, .flow = flow, .main = main};

    find_function(&b);
    int failed = builder_init(&b) || look_at_all(&b) || place_nodes(&b);
    if (!failed) {
        settle_main(&b);
        failed = efg_loops_dissolve(tree, flow->graph);
    }
    builder_fini(&b);
    return failed ? -ENOMEM : 0;
}
