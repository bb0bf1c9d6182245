/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds how often a loop went round. Counts are tried from the highest one down. For each, the
 * sites are divided in two: the frequent ones, then, from FIRST on, the rare ones. Both are in
 * descending order, so that a site with a given count is found by bisection.
 */
#include "level.h"

#include <stdlib.h>
#include <string.h>

#define FREQUENT 0.8     /* of the count, at least */
#define FEW_EVENTS 0.025 /* share that rare sites may have */
#define SOME 0.35        /* share of events or time */
#define LITTLE 0.1       /* share of events, of what the code has in a loop around this one */
#define HARDLY_ANY 0.002 /* of the time: rare sites with less say nothing of stages */
#define LEAST_ROUNDS 5
#define NEARLY_ALL 0.9 /* of the events of a loop */
#define SELDOM 4.9     /* iterations from one visit to the next, of what is not nested */
#define MOST_STAGES 4
#define MOST_PIECES 8     /* stages that are a loop of their own in the code */
#define MOST_BRANCHES 192 /* rare sites, at most, among which branches are looked for */
#define MOST_PAIRS 64     /* of them */
#define WORDS (MOST_BRANCHES / 64)

/* A count that is tried. */
struct level {
    const struct efg_body *body;
    double rounds;   /* the count */
    uint32_t first;  /* rare site */
    efg_place place; /* of the loop, where that is known: then what is not in it is rare */
    uint32_t count;  /* of frequent sites, and branches */
    uint64_t events; /* of them */
    double time;
};

/* ---- the sites ---- */

static int compare(const void *a, const void *b)
{
    const struct efg_body_site *x = a, *y = b;

    if (x->entries != y->entries)
        return x->entries < y->entries ? 1 : -1;
    return x->site < y->site ? -1 : x->site > y->site;
}

static bool is_around_all(const struct efg_body *body, efg_place place)
{
    for (uint32_t i = 0; i < body->count; i++)
        if (!efg_place_is_in(body->sites[i].place, place))
            return false;
    return true;
}

static uint32_t function_of(const struct efg_body *body, uint32_t i)
{
    return efg_order_function(body->flow->tree->sites[body->sites[i].site].order);
}

bool efg_body_is_one_function(const struct efg_body *body)
{
    for (uint32_t i = 1; i < body->count; i++)
        if (function_of(body, i) != function_of(body, 0))
            return false;
    return true;
}

/* A line of a script often calls several functions, in turn. */
static bool is_script(const struct efg_body *body)
{
    for (uint32_t i = 0; i < body->count; i++)
        if (function_of(body, i) >= EFG_ORDER_SCRIPTS)
            return true;
    return false;
}

/* Nothing comes more than once in each call of its function. Of what is called last there may be no frame. */
static bool are_straight(const struct efg_body *body)
{
    for (uint32_t i = 0; i < body->count; i++)
        if (!efg_callflow_is_straight(body->flow, body->sites[i].site) &&
            body->flow->tree->sites[body->sites[i].site].first_child != EFG_NONE)
            return false;
    return true;
}

/* All are in the same place: in no loop. */
static void put_straight(struct efg_body *body)
{
    body->widest = EFG_PLACE_NO_LOOP | (efg_place)EFG_PLACE_NO_LOOP << 16;
    for (uint32_t i = 0; i < body->count; i++)
        body->sites[i].place = body->widest;
}

static void find_places(struct efg_body *body)
{
    body->widest = EFG_PLACE_UNKNOWN;
    for (uint32_t i = 0; i < body->count; i++) {
        efg_place place = efg_callflow_place(body->flow, body->sites[i].site);
        body->sites[i].place = place;
        if (!i || efg_place_is_in(body->widest, place))
            body->widest = place;
    }
    bool is_one = efg_body_is_one_function(body);
    if (!is_around_all(body, body->widest) || (is_script(body) && !is_one))
        body->widest = EFG_PLACE_UNKNOWN;
    if (!is_one && are_straight(body))
        put_straight(body);
}

static bool is_unordered(const struct efg_body *body, uint32_t i)
{
    return efg_callflow_is_timed(body->flow, body->sites[i].site);
}

/* Where the program asks again and again, it may do something else in between: how often it begins to ask is
 * a matter of timing, and it counts as if that was as often as what comes about as often in any case. */
static void level_unordered(struct efg_body *body)
{
    for (uint32_t i = 0; i < body->count; i++) {
        uint64_t own = body->sites[i].entries, most = 0;
        if (!is_unordered(body, i))
            continue;
        for (uint32_t k = 0; k < body->count; k++) {
            uint64_t other = body->sites[k].entries;
            if (other > most && other < own && !is_unordered(body, k))
                most = other;
        }
        if ((double)most >= FREQUENT * (double)own)
            body->sites[i].entries = most;
    }
}

void efg_body_fill(struct efg_body *body)
{
    body->events = 0;
    body->time = 0;
    for (uint32_t i = 0; i < body->count; i++) {
        const struct efg_flow *flow = &body->flow->flow[body->sites[i].site];
        body->sites[i].entries = efg_callflow_turns(body->flow, body->sites[i].site);
        body->events += flow->events;
        body->time += flow->time;
    }
    level_unordered(body);
    find_places(body);
    qsort(body->sites, body->count, sizeof *body->sites, compare);
}

static double entries(const struct efg_body *body, uint32_t i)
{
    return (double)body->sites[i].entries;
}

static const struct efg_flow *flow_of(const struct efg_body *body, uint32_t i)
{
    return &body->flow->flow[body->sites[i].site];
}

/* The first site with at most MOST entries. */
static uint32_t at_most(const struct efg_body *body, double most)
{
    uint32_t from = 0, to = body->count;

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (entries(body, middle) > most)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Whether a site other than X has from LEAST to MOST entries. */
static bool is_any(const struct efg_body *body, double least, double most, uint32_t x)
{
    uint32_t i = at_most(body, most);

    i += i == x;
    return i < body->count && entries(body, i) >= least;
}

/* None before it is of its loop. */
static bool leads_loop(const struct efg_body *body, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (body->sites[k].place == body->sites[i].place)
            return false;
    return true;
}

/* The first site that is entered less often than site number I. An iteration that goes on lacks one entry of
 * some; where the code tells loops apart, 5 and 3 are two of them. */
static uint32_t next_count(const struct efg_body *body, uint32_t i)
{
    double count = entries(body, i), least = FREQUENT * count - 1;
    if (body->widest)
        least = FREQUENT * count < count - 1 ? FREQUENT * count : count - 1;

    while (i < body->count && entries(body, i) >= least)
        i++;
    return i;
}

uint32_t efg_level_next(const struct efg_body *body, uint32_t i)
{
    i = next_count(body, i);
    while (body->widest && i < body->count && !leads_loop(body, i))
        i++;
    return i;
}

/* Of several loops with one count, it is the outer one. */
efg_place efg_level_place(const struct efg_body *body, uint32_t i)
{
    efg_place place = body->widest ? body->sites[i].place : EFG_PLACE_UNKNOWN;

    for (uint32_t k = i, end = next_count(body, i); k < end; k++)
        if (efg_place_is_in(place, body->sites[k].place))
            place = body->sites[k].place;
    return place;
}

static bool is_first(const struct efg_body *body, uint32_t i)
{
    return body->flow->tree->sites[body->sites[i].site].firsts > 0;
}

/* What comes in a loop within it, or in other rounds of one than the first, may come a little more often: a
 * call in the loop itself says so, at best one in first rounds. */
uint64_t efg_level_rounds(const struct efg_body *body, uint32_t i)
{
    efg_place place = efg_level_place(body, i);
    uint32_t own = EFG_NONE;

    for (uint32_t k = i, end = next_count(body, i); place && k < end; k++) {
        if (body->sites[k].place == place && is_first(body, k))
            return body->sites[k].entries;
        if (body->sites[k].place == place && own == EFG_NONE)
            own = k;
    }
    return body->sites[own == EFG_NONE ? i : own].entries;
}

static bool is_rare(const struct level *level, uint32_t i)
{
    return level->place ? !efg_place_is_in(level->body->sites[i].place, level->place) : i >= level->first;
}

/* ---- branches ---- */

/* Which rare site leads to which, through rare ones only. */
struct ways {
    uint32_t count;
    uint64_t to[MOST_BRANCHES][WORDS];
};

static bool is_way(const struct ways *ways, uint32_t a, uint32_t b)
{
    return (int)(ways->to[a][b / 64] >> b % 64 & 1);
}

/* The rare site with that number, or EFG_NONE. */
static uint32_t rare_index(const struct level *level, uint32_t site)
{
    for (uint32_t i = level->first; i < level->body->count; i++)
        if (level->body->sites[i].site == site)
            return i - level->first;
    return EFG_NONE;
}

static void find_steps(const struct level *level, struct ways *ways)
{
    const struct efg_callflow *flow = level->body->flow;

    for (uint32_t i = flow->first_step[level->body->function];
         i < flow->first_step[level->body->function + 1]; i++) {
        const struct efg_step_between *step = &flow->steps[i];
        if ((double)step->count <= 0.01 * level->rounds)
            continue;
        uint32_t from = rare_index(level, step->from), to = rare_index(level, step->to);
        if (from != EFG_NONE && to != EFG_NONE)
            ways->to[from][to / 64] |= UINT64_C(1) << to % 64;
    }
}

static void add_ways(uint64_t *to, const uint64_t *more)
{
    for (uint32_t w = 0; w < WORDS; w++)
        to[w] |= more[w];
}

/* Warshall's transitive closure. */
static void close_ways(struct ways *ways)
{
    for (uint32_t via = 0; via < ways->count; via++)
        for (uint32_t from = 0; from < ways->count; from++)
            if (is_way(ways, from, via))
                add_ways(ways->to[from], ways->to[via]);
}

/* One or the other in each iteration, and never one after the other. */
static bool is_either(const struct level *level, const struct ways *ways, uint32_t a, uint32_t b)
{
    return !is_way(ways, a, b) && !is_way(ways, b, a) && flow_of(level->body, level->first + a)->entries &&
           flow_of(level->body, level->first + b)->entries;
}

static void count_branch(struct level *level, uint32_t rare)
{
    const struct efg_flow *flow = flow_of(level->body, level->first + rare);

    level->count++;
    level->events += flow->events;
    level->time += flow->time;
}

static void add_pairs(struct level *level, const struct ways *ways)
{
    uint8_t is_branch[MOST_BRANCHES] = {0};
    uint32_t pairs = 0;

    for (uint32_t a = 0; a < ways->count; a++) {
        for (uint32_t b = a + 1; b < ways->count && pairs < MOST_PAIRS; b++) {
            double sum = entries(level->body, level->first + a) + entries(level->body, level->first + b) -
                         level->rounds;
            if (sum > 2 + 0.01 * level->rounds || -sum > 2 + 0.01 * level->rounds)
                continue;
            pairs++;
            if (is_either(level, ways, a, b))
                is_branch[a] = is_branch[b] = 1;
        }
    }
    for (uint32_t i = 0; i < ways->count; i++)
        if (is_branch[i])
            count_branch(level, i);
}

static void add_branches(struct level *level)
{
    struct ways ways = {.count = level->body->count - level->first};

    if (level->rounds < LEAST_ROUNDS || ways.count < 2 || ways.count > MOST_BRANCHES)
        return;
    find_steps(level, &ways);
    close_ways(&ways);
    add_pairs(level, &ways);
}

/* ---- what is a matter of timing ---- */

/* How often MPI_Waitsome and its like are called is no matter of the loop; and so it is with
 * what is done as often. */
static void add_unordered(struct level *level)
{
    const struct efg_body *body = level->body;
    double least = 0, most = 0;

    for (uint32_t i = level->first; i < body->count; i++)
        if (is_unordered(body, i)) {
            least = 0.99 * entries(body, i) - 1;
            most = entries(body, i) / 0.99 + 1;
        }
    for (uint32_t i = level->first; most > 0 && i < body->count; i++)
        if (entries(body, i) >= least && entries(body, i) <= most)
            count_branch(level, i - level->first);
}

/* ---- one count ---- */

static struct level look_at(const struct efg_body *body, uint32_t i)
{
    struct level level = {.body = body,
                          .rounds = (double)efg_level_rounds(body, i),
                          .first = next_count(body, i),
                          .place = efg_level_place(body, i)};

    for (uint32_t k = 0; k < body->count; k++) {
        if (is_rare(&level, k))
            continue;
        level.count++;
        level.events += flow_of(body, k)->events;
        level.time += flow_of(body, k)->time;
    }
    if (!body->widest) {
        add_branches(&level);
        add_unordered(&level);
    }
    return level;
}

/* Sometimes another site is entered instead of X, which then is no part of a step that has
 * stages. */
static bool has_other(const struct level *level, uint32_t x)
{
    double rest = level->rounds - entries(level->body, x), error = 2 + 0.02 * entries(level->body, x);
    double least = rest - error > 0.55 * level->rounds ? rest - error : 0.55 * level->rounds;

    return is_any(level->body, least, rest + error, x);
}

/* Rare site number I comes once in exactly so many iterations, at each of them: 2, 3 or 4. */
static bool is_regular(const struct level *level, uint32_t i)
{
    for (int k = 2; k <= MOST_STAGES; k++) {
        double off = k * entries(level->body, i) - level->rounds, error = k + 0.002 * level->rounds;
        if (off <= error && -off <= error)
            return true;
    }
    return false;
}

/* It is in a loop of the code that is around this one, in each round of which this one goes round 2 to 8
 * times, more or less: directions, colours, fields, or a solver that needs few iterations. */
static bool is_around(const struct level *level, uint32_t i)
{
    double each = level->rounds / entries(level->body, i) + is_first(level->body, i); /* that one is apart */

    return efg_place_is_in(level->place, level->body->sites[i].place) && each >= 1.5 &&
           each <= MOST_PIECES + 0.5;
}

/* Iterations are stages of what is around them. */
static bool has_stages(const struct level *level)
{
    if (level->time >= (1 - HARDLY_ANY) * level->body->time)
        return false;
    for (uint32_t i = 0; i < level->body->count; i++)
        if (is_rare(level, i) && entries(level->body, i) >= LEAST_ROUNDS &&
            (is_regular(level, i) || is_around(level, i)) && !has_other(level, i))
            return true;
    return false;
}

/* The rare site with the most events comes steadily, and in every fifth iteration at most. */
static bool is_steady(const struct level *level)
{
    uint32_t most = EFG_NONE;

    for (uint32_t i = 0; i < level->body->count; i++)
        if (is_rare(level, i) &&
            (most == EFG_NONE || flow_of(level->body, i)->events > flow_of(level->body, most)->events))
            most = i;
    return most != EFG_NONE && SELDOM * entries(level->body, most) <= level->rounds &&
           efg_callflow_is_steady(level->body->flow, level->body->sites[most].site);
}

/* A frequent site is left out where a rare one comes. */
static bool is_exchanged(const struct level *level)
{
    for (uint32_t x = level->first; x < level->body->count; x++) {
        double n = entries(level->body, x), rest = level->rounds - n, error = 2 + 0.02 * n;
        double least = rest - error > 0.55 * level->rounds ? rest - error : 0.55 * level->rounds;
        double most = rest + error < level->rounds - 2 ? rest + error : level->rounds - 2;
        if (n >= 3 && flow_of(level->body, x)->time > 0 && is_any(level->body, least, most, x))
            return true;
    }
    return false;
}

/* The frequent sites are more than a few calls: a function is called, or the world meets. A
 * loop over partners or pieces is not, and belongs to an iteration. */
static bool is_iteration(const struct level *level)
{
    const struct efg_callflow *flow = level->body->flow;

    for (uint32_t i = 0; i < level->body->count; i++) {
        const struct efg_site *end =
            &flow->tree->sites[efg_calltree_gaps(flow->tree, level->body->sites[i].site)];
        if (is_rare(level, i))
            continue;
        if (end->node == EFG_NONE || end->depth > flow->tree->sites[level->body->function].depth + 2 ||
            flow->graph->nodes[end->node].flags & EFG_NODE_WORLD)
            return true;
    }
    return false;
}

static bool is_taken(const struct level *level)
{
    double events = 1 - (double)level->events / (double)level->body->events; /* of rare sites */
    double time = level->body->time > 0 ? 1 - level->time / level->body->time : 0;

    if (has_stages(level))
        return false;
    if ((events <= FEW_EVENTS && time <= SOME && (level->count > 1 || is_iteration(level))) ||
        (events <= (level->place ? LITTLE : SOME) && is_steady(level) && is_iteration(level)))
        return true;
    return !level->place && events <= SOME && time <= SOME && level->rounds >= LEAST_ROUNDS &&
           is_exchanged(level);
}

/* SITE has come from about the beginning of the loop of INNER on. */
static bool is_from_start(const struct efg_callflow *flow, uint32_t site, uint32_t inner)
{
    return efg_callflow_span(flow, site) >= NEARLY_ALL * efg_callflow_span(flow, inner);
}

/* The outermost loop is taken where none passes. A loop of the code that has just begun is not, or one of
 * which nothing was seen for a good part of the run, if there is one inside of it that goes on. */
uint64_t efg_level_choose(const struct efg_body *body)
{
    const struct efg_body_site *inner = NULL;
    uint64_t inner_rounds = 0;

    for (uint32_t i = 0; i < body->count; i = efg_level_next(body, i)) {
        const struct efg_body_site *site = &body->sites[i];
        struct level level = look_at(body, i);
        if (inner && (level.rounds < LEAST_ROUNDS || !is_from_start(body->flow, site->site, inner->site)))
            return inner_rounds;
        if (is_taken(&level) || (level.place && level.place == body->widest))
            return (uint64_t)level.rounds;
        if (level.place && level.rounds >= LEAST_ROUNDS) {
            inner = site;
            inner_rounds = (uint64_t)level.rounds;
        }
    }
    return body->count ? body->sites[body->count - 1].entries : 0;
}
