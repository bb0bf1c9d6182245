/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Steps that alternate: P C, Q C, P C ... In events this is the same as one step P C Q C,
 * and where P and Q come at random there is nothing regular but C.
 *
 * C is COMMON to all steps if what is rarer than half of it costs little, and it is
 * on no cycle of nodes about as frequent: between two visits of C there always is something
 * that is not always there. (In a loop of two iterations inside a step, P C D C D, that is
 * not so: C and D make a cycle.) Where the rule found nothing else, that is enough.
 *
 * Where it found P and Q, the two kinds of steps must be alike as well: the nodes
 * visited half as often as C, joined where one follows the other, fall into parts, of which,
 * with the way from there to C, none costs more than two thirds. The two parts of one step
 * would rarely be so.
 *
 * Source: the third tier is that of LOOPS.md, the likeness is our own.
 */
#include "alternate.h"

#include <string.h>

#define MOST_TRIES 64 /* searches for a cycle in one sample */

static uint64_t node_visits(const struct efg_rule *rule, uint32_t v)
{
    return rule->history->nodes[v].visits;
}

/* 1 if a way through nodes visited at least LEAST times leads from V back to V. */
static int is_on_cycle(struct efg_rule *rule, uint32_t v, double least)
{
    const struct efg_graph *graph = rule->history->graph;
    uint32_t depth = 0;

    memset(rule->mark, 0, graph->node_count * sizeof *rule->mark);
    rule->stack[depth++] = v;
    while (depth) {
        uint32_t u = rule->stack[--depth];
        for (uint32_t e = graph->nodes[u].first_edge; e != EFG_NONE; e = graph->edges[e].next) {
            uint32_t to = graph->edges[e].to;
            if (!rule->history->edges[e].visits || rule->mark[to] ||
                (double)node_visits(rule, to) < least)
                continue;
            if (to == v)
                return 1;
            rule->mark[to] = 1;
            rule->stack[depth++] = to;
        }
    }
    return 0;
}

int efg_alternate_is_inner(struct efg_rule *rule, const struct efg_candidate *c)
{
    return c->kind == EFG_PIVOT_NODE &&
           is_on_cycle(rule, c->id, EFG_RARE_VISITS * (double)c->visits);
}

/* What all steps have in common: what is rarer than half of it costs little, and every
 * step leads through rarer nodes. */
static int is_common(struct efg_rule *rule, const struct efg_candidate *c)
{
    return c->kind == EFG_PIVOT_NODE &&
           efg_rule_rare(rule, EFG_HALF_VISITS * (double)c->visits) <= EFG_RARE_TIME &&
           !efg_alternate_is_inner(rule, c);
}

/* Without full candidates: the third tier. */
void efg_alternate_add(struct efg_rule *rule)
{
    int tries = 0;

    for (uint32_t i = 0; i < rule->candidate_count && tries < MOST_TRIES; i++) {
        struct efg_candidate *c = &rule->candidates[i];
        if (c->kind != EFG_PIVOT_NODE ||
            efg_rule_rare(rule, EFG_HALF_VISITS * (double)c->visits) > EFG_RARE_TIME)
            continue;
        tries++;
        if (is_common(rule, c)) {
            c->tier = 3;
            c->full = 1;
        }
    }
}

static uint32_t root_of(uint32_t *parent, uint32_t v)
{
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static int is_half(const struct efg_rule *rule, uint32_t v, uint64_t whole)
{
    double n = (double)node_visits(rule, v);

    return n >= 0.4 * (double)whole && n <= 0.65 * (double)whole;
}

/* Nodes visited half as often as C, joined where one follows the other: the root of each. */
static void join_halves(struct efg_rule *rule, const struct efg_candidate *c)
{
    const struct efg_graph *graph = rule->history->graph;
    uint32_t *parent = rule->mark;

    for (uint32_t v = 0; v < graph->node_count; v++)
        parent[v] = v;
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        uint32_t from = graph->edges[e].from, to = graph->edges[e].to;
        if (is_half(rule, from, c->visits) && is_half(rule, to, c->visits) &&
            10 * rule->history->edges[e].visits > c->visits)
            parent[root_of(parent, from)] = root_of(parent, to);
    }
}

/* They fall into parts: the two kinds of steps. With the way from each to C they must cost
 * about the same, or else they may be the two parts of one step as well. */
static int has_similar_halves(struct efg_rule *rule, const struct efg_candidate *c)
{
    const struct efg_graph *graph = rule->history->graph;
    uint64_t all = 0, largest = 0, *part = rule->part_time;

    join_halves(rule, c);
    memset(part, 0, graph->node_count * sizeof *part);
    for (uint32_t v = 0; v < graph->node_count; v++)
        if (is_half(rule, v, c->visits))
            part[root_of(rule->mark, v)] += rule->history->nodes[v].time;
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].to == c->id && is_half(rule, graph->edges[e].from, c->visits))
            part[root_of(rule->mark, graph->edges[e].from)] += rule->history->edges[e].time;
    for (uint32_t v = 0; v < graph->node_count; v++) {
        all += part[v];
        largest = part[v] > largest ? part[v] : largest;
    }
    return all && (double)largest <= 2.0 / 3.0 * (double)all;
}

/* Steps P C, Q C, P C, ... look like one step P C Q C: if the two halves are alike we
 * take C. A collective of the world is given up for another one only. */
struct efg_candidate *efg_alternate_find(struct efg_rule *rule,
                                         const struct efg_candidate *chosen)
{
    int tries = 0;

    for (uint32_t i = 0; i < rule->candidate_count && tries < MOST_TRIES; i++) {
        struct efg_candidate *c = &rule->candidates[i];
        double times = (double)c->visits / (double)chosen->visits;
        if (c->tier > chosen->tier || times < 1.8 || times > 2.2)
            continue;
        tries++;
        if (is_common(rule, c) && has_similar_halves(rule, c)) {
            c->tier = 3;
            return c;
        }
    }
    return NULL;
}
