/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loops.c against the definition, on random graphs: the loops of a set of nodes are its
 * strongly connected components; the header is the node that the search meets first; the
 * loops inside are those of the component without its header. A loop is
 * irreducible if an edge from outside enters it beside its header, and then the
 * loops inside that hold the entry are no loops of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "core/flow/loops.h"
#include "core/graph/graph.h"

#define MOST 12

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
    random_state = efg_hash_mix(random_state, 7);
    return (uint32_t)(random_state % n);
}

struct naive {
    uint32_t nodes;
    uint16_t next[MOST]; /* successors as sets */
    uint32_t preorder[MOST], clock;
    uint16_t loop[MOST]; /* members of the loop that the node heads, or 0 */
    uint8_t irreducible[MOST], merged[MOST];
};

static void number(struct naive *naive, uint32_t v)
{
    naive->preorder[v] = ++naive->clock;
    for (uint32_t b = 0; b < naive->nodes; b++) {
        if (naive->next[v] >> b & 1 && !naive->preorder[b])
            number(naive, b);
    }
}

/* Nodes of SET that V reaches by at least one edge inside SET. */
static uint16_t reached(const struct naive *naive, uint32_t v, uint16_t set)
{
    uint16_t seen = naive->next[v] & set, before = 0;

    while (seen != before) {
        before = seen;
        for (uint32_t u = 0; u < naive->nodes; u++) {
            if (before >> u & 1)
                seen |= naive->next[u] & set;
        }
    }
    return seen;
}

static uint16_t component(const struct naive *naive, uint32_t v, uint16_t set)
{
    uint16_t members = 1 << v, from_v = reached(naive, v, set);

    for (uint32_t u = 0; u < naive->nodes; u++) {
        if (from_v >> u & 1 && reached(naive, u, set) >> v & 1)
            members |= 1 << u;
    }
    return members;
}

static void find(struct naive *naive, uint16_t set)
{
    for (uint32_t v = 0; v < naive->nodes; v++) {
        if (!(set >> v & 1))
            continue;
        uint16_t members = component(naive, v, set);
        set &= ~members;
        if (members == 1 << v)
            continue;
        uint32_t header = v;
        for (uint32_t u = 0; u < naive->nodes; u++) {
            if (members >> u & 1 && naive->preorder[u] < naive->preorder[header])
                header = u;
        }
        naive->loop[header] = members;
        find(naive, members & ~(1 << header));
    }
}

static void merge(struct naive *naive)
{
    for (uint32_t top = 0; top < naive->nodes; top++) {
        uint16_t entries = 0;
        for (uint32_t u = 0; u < naive->nodes; u++) {
            if (!(naive->loop[top] >> u & 1))
                entries |= naive->next[u] & naive->loop[top] & ~(1 << top);
        }
        naive->irreducible[top] = entries != 0;
        for (uint32_t h = 0; h < naive->nodes; h++) {
            if (h != top && naive->loop[top] >> h & 1 && naive->loop[h] & entries)
                naive->merged[h] = 1;
        }
    }
}

static uint32_t naive_header(const struct naive *naive, uint32_t v)
{
    uint32_t best = EFG_NONE, size = MOST + 1;

    for (uint32_t h = 0; h < naive->nodes; h++) {
        uint32_t members = (uint32_t)__builtin_popcount(naive->loop[h]);
        if (h != v && naive->loop[h] >> v & 1 && !naive->merged[h] && members < size) {
            best = h;
            size = members;
        }
    }
    return best;
}

/* Returns whether it is irreducible. */
static int check_random_graph(uint32_t nodes, uint32_t density)
{
    struct naive naive = {.nodes = nodes};
    uint32_t first[MOST + 1], targets[MOST * MOST], header[MOST], count = 0;
    uint8_t flags[MOST];
    int irreducible = 0;

    for (uint32_t v = 0; v < nodes; v++) {
        first[v] = count;
        for (uint32_t b = 0; b < nodes; b++) {
            if (random_below(100) < density) {
                naive.next[v] |= 1 << b;
                targets[count++] = b;
            }
        }
    }
    first[nodes] = count;
    for (uint32_t v = 0; v < nodes; v++) {
        if (!naive.preorder[v])
            number(&naive, v);
    }
    find(&naive, (uint16_t)((1 << nodes) - 1));
    merge(&naive);
    assert_int_equal(efg_loops_find(&(struct efg_digraph){nodes, first, targets}, header, flags), 0);
    for (uint32_t v = 0; v < nodes; v++) {
        int is_header = naive.loop[v] && !naive.merged[v];
        uint32_t expected = (is_header ? EFG_LOOP_HEADER : 0) |
                            (is_header && naive.irreducible[v] ? EFG_LOOP_IRREDUCIBLE : 0) |
                            (naive.next[v] >> v & 1 ? EFG_LOOP_SELF : 0);
        assert_int_equal(flags[v], expected);
        assert_int_equal(header[v], naive_header(&naive, v));
        irreducible |= naive.irreducible[v];
    }
    return irreducible;
}

static void test_random_graphs(void **state)
{
    (void)state;
    int irreducible = 0;

    for (int i = 0; i < 60000; i++)
        irreducible += check_random_graph(1 + random_below(MOST), 3 + random_below(35));
    assert_in_range(irreducible, 10000, 50000); /* both kinds were met */
}

/* A graph from pairs of nodes, in order. */
static void find_loops(uint32_t nodes, uint32_t edges, uint32_t (*edge)[2], uint32_t *header, uint8_t *flags)
{
    uint32_t *first = calloc(nodes + 2, sizeof *first);
    uint32_t *targets = malloc((edges + 1) * sizeof *targets);

    for (uint32_t i = 0; i < edges; i++)
        first[edge[i][0] + 2]++;
    for (uint32_t v = 0; v < nodes; v++)
        first[v + 2] += first[v + 1];
    for (uint32_t i = 0; i < edges; i++)
        targets[first[edge[i][0] + 1]++] = edge[i][1];
    assert_int_equal(efg_loops_find(&(struct efg_digraph){nodes, first, targets}, header, flags), 0);
    free(first);
    free(targets);
}

static void test_nested_loops(void **state)
{
    (void)state;
    uint32_t edge[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 1}, {1, 4}, {2, 2}};
    uint32_t header[5];
    uint8_t flags[5];

    find_loops(5, 7, edge, header, flags);
    assert_int_equal(header[0], EFG_NONE);
    assert_int_equal(header[1], EFG_NONE);
    assert_int_equal(header[2], 1);
    assert_int_equal(header[3], 2);
    assert_int_equal(header[4], EFG_NONE);
    assert_int_equal(flags[1], EFG_LOOP_HEADER);
    assert_int_equal(flags[2], EFG_LOOP_HEADER | EFG_LOOP_SELF);
}

/* A step S, then calls in any order: one loop around one irreducible one. */
static void test_shuffled_calls_are_one_loop(void **state)
{
    (void)state;
    enum { CALLS = 30 };
    uint32_t edge[(CALLS + 1) * (CALLS + 1)][2], header[CALLS + 1], edges = 0;
    uint8_t flags[CALLS + 1];

    for (uint32_t u = 0; u <= CALLS; u++) {
        for (uint32_t v = 0; v <= CALLS; v++) {
            if (u != v) {
                edge[edges][0] = u;
                edge[edges++][1] = v;
            }
        }
    }
    find_loops(CALLS + 1, edges, edge, header, flags);
    assert_int_equal(flags[0], EFG_LOOP_HEADER);
    assert_int_equal(header[1], 0);
    assert_int_equal(flags[1], EFG_LOOP_HEADER | EFG_LOOP_IRREDUCIBLE);
    for (uint32_t v = 2; v <= CALLS; v++) {
        assert_int_equal(header[v], 1);
        assert_int_equal(flags[v], 0);
    }
}

/* A chain of NODES with an edge from each node back to the one STEP before. */
static void check_chain(uint32_t nodes, uint32_t step)
{
    uint32_t(*edge)[2] = malloc(2 * (size_t)nodes * sizeof *edge);
    uint32_t *header = malloc(nodes * sizeof *header);
    uint8_t *flags = malloc(nodes);
    uint32_t edges = 0;

    for (uint32_t v = 0; v < nodes; v++) {
        if (v + 1 < nodes)
            edge[edges][0] = v, edge[edges++][1] = v + 1;
        if (v >= step)
            edge[edges][0] = v, edge[edges++][1] = v - step;
    }
    find_loops(nodes, edges, edge, header, flags);
    for (uint32_t v = 0; v < nodes; v++) {
        assert_int_equal(header[v], v ? v - 1 : EFG_NONE);
        assert_int_equal(flags[v], v < nodes - step ? EFG_LOOP_HEADER : 0);
    }
    free(edge);
    free(header);
    free(flags);
}

static void test_deep_chains(void **state)
{
    (void)state;
    check_chain(100000, 1);
    check_chain(1000000, 1);
}

/* Loops around loops: node v goes on to v + 1, node 2n - 1 - v back to v. */
static void test_deep_nesting(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    uint32_t(*edge)[2] = malloc(3 * DEPTH * sizeof *edge), edges = 0;
    uint32_t *header = malloc(2 * DEPTH * sizeof *header);
    uint8_t *flags = malloc(2 * DEPTH);

    for (uint32_t v = 0; v + 1 < 2 * DEPTH; v++) {
        edge[edges][0] = v, edge[edges++][1] = v + 1;
        if (v >= DEPTH)
            edge[edges][0] = v, edge[edges++][1] = 2 * DEPTH - 1 - v;
    }
    edge[edges][0] = 2 * DEPTH - 1, edge[edges++][1] = 0;
    find_loops(2 * DEPTH, edges, edge, header, flags);
    for (uint32_t v = 1; v < DEPTH; v++) {
        assert_int_equal(header[v], v - 1);
        assert_int_equal(header[2 * DEPTH - 1 - v], v);
        assert_int_equal(flags[v], EFG_LOOP_HEADER);
    }
    free(edge);
    free(header);
    free(flags);
}

static void test_no_nodes(void **state)
{
    (void)state;
    uint32_t first[1] = {0};

    assert_int_equal(efg_loops_find(&(struct efg_digraph){0, first, NULL}, NULL, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_shuffled_calls_are_one_loop),
        cmocka_unit_test(test_deep_chains),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_no_nodes),
    };
    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
