/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every node and every edge is looked at once:
 *
 *   1  nodes by rising visits, with the sum of their times: rare(x) is one search in it
 *   2  the candidates: regular, and there all through the window; some are FULL: what is
 *      rarer costs little
 *   3  AUTO: of the full ones the best tier, of that the most visited within 0.8, of
 *      those one, see prefer()
 *   4  instead, if steps alternate, what they have in common: see alternate.c; if a step
 *      repeats a part of itself two to four times, the step
 *   5  FINER and COARSER: of all candidates, the next level up and down, and again prefer();
 *      without a choice at 3 and 4, FINER is the least frequent one
 *
 * Three equal choices in a row are needed, while all numbers move a little from
 * sample to sample. So differences that mean nothing are ties, and a tie is won by the
 * last choice, then by what was seen first.
 *
 * Source: LOOPS.md of this project; the local variation is that of Shinomoto, Shima, Tanji,
 * "Differences in spiking patterns among cortical neurons" (2003).
 */
#include "rule.h"

#include "alternate.h"
#include "ways.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_VISITS 10
#define LEAST_SPAN 0.7
#define SAME_LEVEL 0.8 /* visits within that share of each other are of one level */
#define FINER_VISITS 1.25
#define MOST_COUNTED 1.6 /* an edge that would count more than that by rarer ones is none */
#define TIE 0.05         /* of CV + LV */
#define MOST_PARTS 4     /* a step that repeats a part of itself does so at most so often */

/* ---- memory ---- */

void efg_rule_init(struct efg_rule *rule, const struct efg_history *history)
{
    *rule = (struct efg_rule){.history = history};
}

void efg_rule_fini(struct efg_rule *rule)
{
    free(rule->candidates);
    free(rule->shares);
    free(rule->counted);
    free(rule->order);
    free(rule->stack);
    free(rule->mark);
    free(rule->part_time);
    *rule = (struct efg_rule){.history = rule->history};
}

void efg_rule_restart(struct efg_rule *rule)
{
    rule->levels = (struct efg_pivot_levels){.automatic.kind = EFG_PIVOT_NONE};
}

uint64_t efg_rule_memory(const struct efg_rule *rule)
{
    uint64_t items = (uint64_t)rule->node_room + rule->edge_room;

    return items * sizeof *rule->candidates +
           rule->node_room * (sizeof *rule->shares + sizeof *rule->stack + sizeof *rule->mark +
                              sizeof *rule->part_time) +
           rule->edge_room * (sizeof *rule->counted + sizeof *rule->order);
}

static int resize(void *array, size_t count, size_t size)
{
    void *old, *bigger;

    memcpy(&old, array, sizeof old);
    bigger = realloc(old, count * size);
    if (bigger)
        memcpy(array, &bigger, sizeof bigger);
    return bigger ? 0 : -1;
}

static int reserve(struct efg_rule *rule)
{
    const struct efg_graph *graph = rule->history->graph;
    uint32_t nodes = graph->node_room, edges = graph->edge_room;

    if (graph->node_count <= rule->node_room && graph->edge_count <= rule->edge_room)
        return 0;
    if (resize(&rule->candidates, (size_t)nodes + edges, sizeof *rule->candidates) ||
        resize(&rule->shares, nodes, sizeof *rule->shares) ||
        resize(&rule->counted, edges, sizeof *rule->counted) ||
        resize(&rule->order, edges, sizeof *rule->order) ||
        resize(&rule->stack, nodes, sizeof *rule->stack) ||
        resize(&rule->mark, nodes, sizeof *rule->mark) ||
        resize(&rule->part_time, nodes, sizeof *rule->part_time))
        return -1;
    rule->node_room = nodes;
    rule->edge_room = edges;
    return 0;
}

/* ---- rare(x) ---- */

static int compare_shares(const void *a, const void *b)
{
    const struct efg_share *x = a, *y = b;

    return x->visits < y->visits ? -1 : x->visits > y->visits;
}

static void fill_shares(struct efg_rule *rule)
{
    const struct efg_history *history = rule->history;
    uint64_t time = 0;

    rule->share_count = 0;
    for (uint32_t i = 0; i < history->graph->node_count; i++) {
        const struct efg_pace *pace = &history->nodes[i];
        if (pace->visits)
            rule->shares[rule->share_count++] = (struct efg_share){pace->visits, pace->time};
    }
    qsort(rule->shares, rule->share_count, sizeof *rule->shares, compare_shares);
    for (uint32_t i = 0; i < rule->share_count; i++) {
        time += rule->shares[i].time;
        rule->shares[i].time = time;
    }
}

/* Share of the time of nodes visited less than X times. */
double efg_rule_rare(const struct efg_rule *rule, double x)
{
    uint32_t less = 0, more = rule->share_count;

    while (less < more) {
        uint32_t middle = less + (more - less) / 2;
        if ((double)rule->shares[middle].visits < x)
            less = middle + 1;
        else
            more = middle;
    }
    uint64_t all = rule->share_count ? rule->shares[rule->share_count - 1].time : 0;
    return less && all ? (double)rule->shares[less - 1].time / (double)all : 0;
}

static const struct efg_pace *pace_of(const struct efg_rule *rule, uint32_t kind, uint32_t id)
{
    return kind == EFG_PIVOT_NODE ? &rule->history->nodes[id] : &rule->history->edges[id];
}

double efg_rule_doubt(const struct efg_rule *rule, const struct efg_pivot *pivot)
{
    double share = pivot->tier == 3 ? EFG_HALF_VISITS : EFG_RARE_VISITS;

    return efg_rule_rare(rule, share * (double)pace_of(rule, pivot->kind, pivot->id)->visits);
}

/* ---- candidates ---- */

static int is_regular(const struct efg_pace *pace)
{
    double quiet = 3 * pace->period;

    if (quiet < 1.5 * (double)pace->longest)
        quiet = 1.5 * (double)pace->longest;
    return pace->visits >= LEAST_VISITS && pace->span >= LEAST_SPAN &&
           (double)pace->silence <= quiet &&
           ((pace->cv <= 0.6 && pace->lv <= 0.5) || (pace->cv <= 1.2 && pace->lv <= 0.25));
}

static int is_ordered(const struct efg_graph *graph, uint32_t kind, uint32_t id)
{
    uint32_t node = kind == EFG_PIVOT_NODE ? id : graph->edges[id].from;

    return !(graph->nodes[node].flags & EFG_NODE_UNORDERED);
}

static void add_candidate(struct efg_rule *rule, uint32_t kind, uint32_t id, uint32_t tier,
                          uint64_t counted)
{
    const struct efg_pace *pace = pace_of(rule, kind, id);

    if (!is_regular(pace) || (double)counted > MOST_COUNTED * (double)pace->visits)
        return;
    rule->candidates[rule->candidate_count++] = (struct efg_candidate){
        .kind = kind,
        .id = id,
        .tier = tier,
        .full = efg_rule_rare(rule, EFG_RARE_VISITS * (double)pace->visits) <= EFG_RARE_TIME,
        .ordered = is_ordered(rule->history->graph, kind, id),
        .visits = pace->visits,
        .counted = counted,
        .irregular = pace->cv + pace->lv,
    };
}

static void find_candidates(struct efg_rule *rule)
{
    const struct efg_graph *graph = rule->history->graph;

    rule->candidate_count = 0;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        uint32_t flags = graph->nodes[i].flags;
        if (!(flags & EFG_NODE_OVERFLOW))
            add_candidate(rule, EFG_PIVOT_NODE, i, flags & EFG_NODE_WORLD ? 1 : 2,
                          rule->history->nodes[i].visits);
    }
    for (uint32_t i = 0; i < graph->edge_count; i++) {
        const struct efg_edge *edge = &graph->edges[i];
        if (!((graph->nodes[edge->from].flags & EFG_NODE_OVERFLOW) ||
              (graph->nodes[edge->to].flags & (EFG_NODE_UNORDERED | EFG_NODE_OVERFLOW))))
            add_candidate(rule, EFG_PIVOT_EDGE, i, 2, rule->counted[i]);
    }
}

/* ---- one of a level ---- */

/* Candidates of one level. */
struct level {
    uint32_t tier;    /* only this one */
    uint32_t kind;    /* only this one */
    int full;         /* 1: full ones only */
    int ordered;      /* 1: ordered ones only */
    double from, to;  /* visits */
    double irregular; /* at most */
    double counted;   /* at least */
};

#define ANY_VISITS 1e300

static int is_of(const struct efg_candidate *c, const struct level *level)
{
    return c->tier == level->tier && (!level->kind || c->kind == level->kind) &&
           c->full >= level->full && c->ordered >= level->ordered &&
           (double)c->visits >= level->from && (double)c->visits <= level->to &&
           c->irregular <= level->irregular && (double)c->counted >= level->counted;
}

static int is_any(const struct efg_rule *rule, const struct level *level)
{
    for (uint32_t i = 0; i < rule->candidate_count; i++) {
        if (is_of(&rule->candidates[i], level))
            return 1;
    }
    return 0;
}

static void keep_regular(const struct efg_rule *rule, struct level *level)
{
    double least = ANY_VISITS;

    for (uint32_t i = 0; i < rule->candidate_count; i++) {
        const struct efg_candidate *c = &rule->candidates[i];
        if (is_of(c, level) && c->irregular < least)
            least = c->irregular;
    }
    level->irregular = least + TIE;
}

/* Of about equally regular ones, those that count most: they miss no iteration.
 * In a short window one visit more or less means nothing. */
static void keep_complete(const struct efg_rule *rule, struct level *level)
{
    double most = 0;

    for (uint32_t i = 0; i < rule->candidate_count; i++) {
        const struct efg_candidate *c = &rule->candidates[i];
        if (is_of(c, level) && (double)c->counted > most)
            most = (double)c->counted;
    }
    level->counted = 0.98 * most - 1.5;
}

static const struct efg_candidate *prefer(const struct efg_rule *rule, struct level level,
                                          const struct efg_pivot *last)
{
    const struct efg_candidate *first = NULL;

    level.kind = EFG_PIVOT_NODE;
    if (!is_any(rule, &level))
        level.kind = EFG_PIVOT_EDGE;
    keep_regular(rule, &level);
    keep_complete(rule, &level);
    for (uint32_t i = 0; i < rule->candidate_count; i++) {
        const struct efg_candidate *c = &rule->candidates[i];
        if (!is_of(c, &level))
            continue;
        if (c->kind == last->kind && c->id == last->id)
            return c;
        if (!first)
            first = c;
    }
    return first;
}

static struct level level_of(uint32_t tier, int full, double from, double to)
{
    return (struct level){
        .tier = tier, .full = full, .from = from, .to = to, .irregular = ANY_VISITS};
}

/* Most visits of a candidate, least visits; 0 for none. */
static uint64_t most_visits(const struct efg_rule *rule, const struct level *level)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < rule->candidate_count; i++) {
        const struct efg_candidate *c = &rule->candidates[i];
        if (is_of(c, level) && c->visits > most)
            most = c->visits;
    }
    return most;
}

static uint64_t least_visits(const struct efg_rule *rule, const struct level *level)
{
    uint64_t least = 0;

    for (uint32_t i = 0; i < rule->candidate_count; i++) {
        const struct efg_candidate *c = &rule->candidates[i];
        if (is_of(c, level) && (!least || c->visits < least))
            least = c->visits;
    }
    return least;
}

static const struct efg_candidate *choose_of_tier(const struct efg_rule *rule, uint32_t tier,
                                                  int ordered)
{
    struct level level = level_of(tier, 1, 0, ANY_VISITS);

    level.ordered = ordered;
    level.from = SAME_LEVEL * (double)most_visits(rule, &level);
    return level.from > 0 ? prefer(rule, level, &rule->levels.automatic) : NULL;
}

/* Waitsome and its like may be as regular as anything, but their counts differ between ranks.
 */
static const struct efg_candidate *choose_full(const struct efg_rule *rule)
{
    const struct efg_candidate *c = NULL;

    for (uint32_t tier = 1; tier <= 3 && !c; tier++) {
        c = choose_of_tier(rule, tier, 1);
        if (!c)
            c = choose_of_tier(rule, tier, 0);
    }
    return c;
}

/*
 * The stages of a Runge-Kutta step and the correctors of a pressure solver are as regular as
 * the steps, and may cost nearly all of the time; still a step is what people call an
 * iteration. A PART has a loop of its own, and there is a node of its tier that is visited once
 * in exactly 2, 3 or 4 visits of it.
 */
static const struct efg_candidate *choose_step(struct efg_rule *rule,
                                               const struct efg_candidate *part)
{
    if (part->tier == 3 || !efg_alternate_is_inner(rule, part))
        return part;
    for (int parts = MOST_PARTS; parts > 1; parts--) {
        double visits = (double)part->visits / parts, error = 1 + 0.002 * visits;
        struct level level = level_of(part->tier, 1, visits - error, visits + error);
        level.kind = EFG_PIVOT_NODE;
        if (is_any(rule, &level))
            return prefer(rule, level, &rule->levels.automatic);
    }
    return part;
}

static const struct efg_candidate *choose_between(const struct efg_rule *rule, double from,
                                                  double to, const struct efg_pivot *last)
{
    for (uint32_t tier = 1; tier <= 2; tier++) {
        struct level level = level_of(tier, 0, from, to);
        if (is_any(rule, &level))
            return prefer(rule, level, last);
    }
    return NULL;
}

/* The least visits, or the most, of tiers 1 and 2; 0 for none. */
static uint64_t nearest(const struct efg_rule *rule, double from, double to, int least)
{
    struct level one = level_of(1, 0, from, to), two = level_of(2, 0, from, to);
    uint64_t a = least ? least_visits(rule, &one) : most_visits(rule, &one);
    uint64_t b = least ? least_visits(rule, &two) : most_visits(rule, &two);

    if (!a || !b)
        return a ? a : b;
    return (a < b) == least ? a : b;
}

static const struct efg_candidate *choose_finer(const struct efg_rule *rule, double visits)
{
    uint64_t n = nearest(rule, FINER_VISITS * visits + 1, ANY_VISITS, 1);

    return n ? choose_between(rule, (double)n, (double)n / SAME_LEVEL, &rule->levels.finer)
             : NULL;
}

static const struct efg_candidate *choose_coarser(const struct efg_rule *rule, double visits)
{
    uint64_t n = nearest(rule, 0, SAME_LEVEL * visits - 1, 0);

    return n ? choose_between(rule, SAME_LEVEL * (double)n, (double)n, &rule->levels.coarser)
             : NULL;
}

/* ---- all of it ---- */

static void fill_pivot(const struct efg_rule *rule, const struct efg_candidate *c,
                       struct efg_pivot *pivot)
{
    const struct efg_graph *graph = rule->history->graph;

    *pivot = (struct efg_pivot){.kind = EFG_PIVOT_NONE};
    if (!c)
        return;
    const struct efg_pace *pace = pace_of(rule, c->kind, c->id);
    *pivot = (struct efg_pivot){
        .kind = c->kind,
        .id = c->id,
        .tier = c->tier,
        .world = c->kind == EFG_PIVOT_NODE && graph->nodes[c->id].flags & EFG_NODE_WORLD,
        .hash = efg_pivot_hash(graph, c->kind, c->id),
        .visits = c->counted,
        .period = pace->period * (double)c->visits / (double)c->counted,
        .cv = pace->cv,
        .lv = pace->lv,
    };
}

int efg_rule_apply(struct efg_rule *rule)
{
    const struct efg_candidate *automatic, *finer = NULL, *coarser = NULL;

    if (reserve(rule))
        return -1;
    fill_shares(rule);
    efg_ways_count(rule->history, rule->order, rule->counted);
    find_candidates(rule);
    automatic = choose_full(rule);
    if (automatic) {
        struct efg_candidate *common = efg_alternate_find(rule, automatic);
        automatic = common ? common : choose_step(rule, automatic);
    } else {
        efg_alternate_add(rule);
        automatic = choose_full(rule);
    }
    if (automatic) {
        finer = choose_finer(rule, (double)automatic->visits);
        coarser = choose_coarser(rule, (double)automatic->visits);
    } else {
        finer = choose_finer(rule, 0);
    }
    struct efg_pivot_levels levels;
    fill_pivot(rule, automatic, &levels.automatic);
    fill_pivot(rule, finer, &levels.finer);
    fill_pivot(rule, coarser, &levels.coarser);
    rule->levels = levels;
    return 0;
}
