/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop tree of the difficult programs, as a reader of the program would draw it; of
 * random walks, against the definition; and of large graphs, in time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "core/looptree.h"
#include "programs.h"

/* ---- programs ---- */

struct drawing {
    const char *name;
    void (*run)(struct replay *replay, uint32_t steps);
    uint32_t steps;
    const char
        *tree; /* repetitions of the costliest loop, (those inside it, by falling time) */
};

static const struct drawing DRAWINGS[] = {
    {"plain", program_plain, 1000, "1000"},
    {"io at end", program_io_at_end, 1000, "10(1000)"},
    {"io at start", program_io_at_start, 1000, "10(1000)"},
    {"costly io", program_costly_io, 100, "100(2000)"},
    {"helper", program_helper, 1000, "1003"}, /* three of them at the start */
    {"alternate", program_alternate, 1000, "1000"},
    {"alternate randomly", program_alternate_randomly, 1000, "1000"},
    {"two colours", program_two_colours, 1000, "1000"},
    {"driver", program_driver, 3000, "3(3000)"},
    {"shuffled", program_shuffled, 1000, "1000"},
    {"inner solver", program_inner_solver, 1000, "1000(10055)"},
    {"slow steps", program_slow_steps, 10, "10(19717)"},
    {"master", program_master, 1000, "1000"},
    {"worker", program_worker, 1000, "1000"},
    {"polling", program_polling, 1000, "1000"},
    {"communicators", program_communicators, 1000, "1000(3000)"},
    {"phases", program_phases, 2000, "1000"},
    {"recursion", program_recursion, 1000, "1000(2000(4000))"},
    {"norm", program_norm, 1000, "101(1000)"},
    {"lammps", program_lammps, 2000, "40(101(2001(8004 7600) 404))"},
    {"fast", program_fast, 100000, "101(100000)"},
    {"checkpoint", program_checkpoint, 30000, "3(30000)"},
};

static void draw(const struct efg_looptree *tree, uint32_t l, char *text, size_t room)
{
    size_t used = strlen(text);

    snprintf(text + used, room - used, "%llu", (unsigned long long)tree->loops[l].repetitions);
    for (uint32_t c = tree->loops[l].first_child; c != EFG_NONE;
         c = tree->loops[c].next_sibling) {
        strcat(text, c == tree->loops[l].first_child ? "(" : " ");
        draw(tree, c, text, room);
    }
    if (tree->loops[l].first_child != EFG_NONE)
        strcat(text, ")");
}

static void test_programs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof DRAWINGS / sizeof *DRAWINGS; i++) {
        struct replay replay;
        struct efg_looptree tree;
        char text[400] = "";
        replay_init(&replay, EFG_LEVEL_AUTO);
        DRAWINGS[i].run(&replay, DRAWINGS[i].steps);
        assert_int_equal(efg_looptree_build(&tree, &replay.graph), 0);
        draw(&tree, tree.first, text, sizeof text);
        if (strcmp(text, DRAWINGS[i].tree))
            print_message("%s\n", DRAWINGS[i].name);
        assert_string_equal(text, DRAWINGS[i].tree);
        efg_looptree_fini(&tree);
        replay_fini(&replay);
    }
}

/* The time of a loop is what passes from its first call to its last one. */
static void test_times(void **state)
{
    (void)state;
    struct replay r;
    struct efg_looptree tree;
    uint64_t begin = 0, compute = 0;

    replay_init(&r, EFG_LEVEL_AUTO);
    replay_event(&r, 1, 100, 10, 0);
    for (int i = 0; i < 50; i++) {
        replay_event(&r, 2, 100 * US, 10 * US, 0);
        if (!i) {
            begin = r.now;
            compute = r.graph.nodes[1].time.sum;
        }
        replay_event(&r, 3, 100 * US, 10 * US, 0);
        replay_event(&r, 9, 1 * US, 1 * US, REPLAY_POLL);
    }
    uint64_t end = r.graph.last_leave;
    replay_event(&r, 4, 100 * US, 10 * US, 0);
    assert_int_equal(efg_looptree_build(&tree, &r.graph), 0);
    assert_int_equal(tree.count, 1);
    assert_int_equal(tree.loops[0].time, end - begin + compute);
    assert_int_equal(tree.loops[0].mpi_time,
                     r.graph.nodes[1].time.sum + r.graph.nodes[2].time.sum);
    assert_int_equal(tree.loops[0].events, 100);
    assert_int_equal(tree.loops[0].entries, 1);
    assert_int_equal(tree.loops[0].header, 1);
    assert_int_equal(tree.loops[0].irreducible, 0);
    assert_int_equal(tree.loop_of[0], EFG_NONE);
    assert_int_equal(efg_looptree_common(&tree, 1, 2), 0);
    assert_int_equal(efg_looptree_common(&tree, 0, 2), EFG_NONE);
    efg_looptree_fini(&tree);
    replay_fini(&r);
}

static void test_empty(void **state)
{
    (void)state;
    struct efg_graph graph;
    struct efg_looptree tree;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    assert_int_equal(efg_looptree_build(&tree, &graph), 0);
    assert_int_equal(tree.count, 0);
    assert_int_equal(tree.first, EFG_NONE);
    efg_looptree_fini(&tree);
    efg_graph_fini(&graph);
}

/* ---- random walks ---- */

#define MOST 10

static void walk(struct replay *r)
{
    uint32_t nodes = 2 + replay_below(r, MOST - 1), next[MOST][3], at = 0;

    for (uint32_t v = 0; v < nodes; v++) {
        for (int k = 0; k < 3; k++)
            next[v][k] = replay_below(r, nodes);
    }
    for (uint32_t n = 1 + replay_below(r, 300); n > 0; n--) {
        uint32_t way = replay_below(r, 30);
        replay_event(r, at, 50, 10, 0);
        at = next[at][way < 20 ? 0 : way < 28 ? 1 : 2];
    }
}

/* Nodes of SET reached from V by edges of SET taken at least LEAST times. */
static uint32_t reached(const struct efg_graph *g, uint32_t v, uint32_t set, uint64_t least)
{
    uint32_t seen = 0, before = 1;

    for (uint32_t from = 1u << v; seen != before; from = seen) {
        before = seen;
        for (uint32_t e = 0; e < g->edge_count; e++) {
            const struct efg_edge *edge = &g->edges[e];
            if (from >> edge->from & 1 && set >> edge->from & set >> edge->to & 1 &&
                edge->rhythm.visits >= least)
                seen |= 1u << edge->to;
        }
    }
    return seen;
}

static int is_one_loop(const struct efg_graph *g, uint32_t set, uint64_t least)
{
    for (uint32_t v = 0; v < g->node_count; v++) {
        if (set >> v & 1 && reached(g, v, set, least) != set)
            return 0;
    }
    return set != 0;
}

static uint32_t members(const struct efg_looptree *tree, uint32_t l, uint32_t nodes)
{
    uint32_t set = 0;

    for (uint32_t v = 0; v < nodes; v++) {
        if (efg_looptree_is_inside(tree, tree->loop_of[v], l))
            set |= 1u << v;
    }
    return set;
}

static uint64_t bottleneck(const struct efg_graph *g, uint32_t set)
{
    uint64_t x = 1;

    while (is_one_loop(g, set, x + 1))
        x++;
    return x;
}

/* Loops that the definition finds in SET, each looked up in the tree. Returns how many there
 * are; those that repeat nothing are looked through. */
static uint32_t check_loops(const struct efg_graph *g, const struct efg_looptree *tree,
                            uint32_t set, uint64_t least, uint32_t parent)
{
    uint32_t count = 0;

    for (uint32_t v = 0; v < g->node_count; v++) {
        uint32_t loop = 0, own = 0, once = 0, l;
        if (!(set >> v & 1) || !(reached(g, v, set, least) >> v & 1))
            continue;
        for (uint32_t u = 0; u < g->node_count; u++) {
            if (reached(g, v, set, least) >> u & reached(g, u, set, least) >> v & 1)
                loop |= 1u << u;
        }
        set &= ~loop;
        for (l = 0; l < tree->count && members(tree, l, g->node_count) != loop; l++)
            ;
        uint64_t inner = bottleneck(g, loop) * 3 / 2 + 1;
        for (uint32_t u = 0; u < g->node_count; u++) {
            if (loop >> u & 1 && !(reached(g, u, loop, inner) >> u & 1)) {
                own++;
                once += g->nodes[u].rhythm.visits == 1;
            }
        }
        if (own && 2 * once >= own) {
            count += check_loops(g, tree, loop, inner, parent);
            continue;
        }
        assert_true(l < tree->count);
        assert_int_equal(tree->loops[l].parent, parent);
        assert_int_equal(tree->loops[l].header, (uint32_t)__builtin_ctz(loop));
        assert_int_equal(tree->loops[l].node_count, (uint32_t)__builtin_popcount(loop));
        assert_true(tree->loops[l].repetitions >= bottleneck(g, loop));
        count += 1 + check_loops(g, tree, loop, inner, l);
    }
    return count;
}

static void test_random_walks(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 20000; i++) {
        struct replay replay;
        struct efg_looptree tree;
        replay_init(&replay, EFG_LEVEL_AUTO);
        replay.random = i;
        walk(&replay);
        const struct efg_graph *g = &replay.graph;
        assert_int_equal(efg_looptree_build(&tree, g), 0);
        assert_int_equal(check_loops(g, &tree, (1u << g->node_count) - 1, 1, EFG_NONE),
                         tree.count);
        for (uint32_t l = 0; l < tree.count; l++) {
            assert_true(tree.loops[l].parent == EFG_NONE || tree.loops[l].parent < l);
            assert_true(tree.loops[l].mpi_time <= tree.loops[l].time);
        }
        efg_looptree_fini(&tree);
        replay_fini(&replay);
    }
}

/* ---- large graphs ---- */

static void add(struct efg_graph *graph, uint32_t path)
{
    uint64_t now = graph->last_leave;
    struct efg_event event = {
        .signature.path = path + 1, .path_hash = path, .enter = now + 10, .leave = now + 20};

    efg_graph_step(graph, &event);
}

static double build(struct efg_looptree *tree, const struct efg_graph *graph)
{
    clock_t begin = clock();

    assert_int_equal(efg_looptree_build(tree, graph), 0);
    double t = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (getenv("EFG_TEST_VERBOSE"))
        print_message("%u nodes, %u edges: %.3f s\n", graph->node_count, graph->edge_count, t);
    return t;
}

/* A step of 10^5 calls, of which each stretch of ten is a small loop that is run 1 to
 * 8 times, and each stretch of a thousand twice. */
static void test_many_nodes(void **state)
{
    (void)state;
    struct efg_graph graph;
    struct efg_looptree tree;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    for (uint32_t step = 0; step < 3; step++) {
        for (uint32_t i = 0; i < 100000; i += 1000) {
            for (uint32_t k = 0; k < 2; k++) {
                for (uint32_t j = i; j < i + 1000; j++)
                    for (uint32_t n = 0; n <= (j % 10 ? 0 : j / 10 % 8); n++)
                        for (uint32_t m = 0; m < (j % 10 ? 1 : 10); m++)
                            add(&graph, j + m);
            }
        }
    }
    assert_true(build(&tree, &graph) < 20); /* 0.3 s; sanitizers and busy machines are slow */
    assert_int_equal(tree.loops[tree.first].node_count, 100000);
    efg_looptree_fini(&tree);
    efg_graph_fini(&graph);
}

/* Loops in loops: node v goes on to v + 1 and, every second time, back to 0. */
static void test_many_levels(void **state)
{
    (void)state;
    enum { LEVELS = 20 };
    struct efg_graph graph;
    struct efg_looptree tree;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    for (uint32_t i = 1; i < 1u << LEVELS; i++) {
        for (int v = 0; v <= __builtin_ctz(i); v++)
            add(&graph, (uint32_t)v);
    }
    assert_true(build(&tree, &graph) < 5);
    assert_in_range(tree.count, LEVELS - 3, LEVELS);
    for (uint32_t l = 1; l < tree.count; l++)
        assert_int_equal(tree.loops[l].parent, l - 1);
    efg_looptree_fini(&tree);
    efg_graph_fini(&graph);
}

/* Any call may follow any other: half a million edges. */
static void test_dense(void **state)
{
    (void)state;
    struct efg_graph graph;
    struct efg_looptree tree;
    uint64_t random = 1;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    for (uint32_t i = 0; i < 1000000; i++) {
        random = efg_hash_mix(random, i);
        add(&graph, (uint32_t)(random % 1000));
    }
    assert_true(build(&tree, &graph) < 60);
    assert_int_equal(tree.loops[tree.first].node_count, 1000);
    efg_looptree_fini(&tree);
    efg_graph_fini(&graph);
}

/* Counts that no run has, but a damaged file may: the tree comes to an end. */
static void test_endless_counts(void **state)
{
    (void)state;
    struct efg_graph graph;
    struct efg_looptree tree;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    for (uint32_t i = 0; i < 30; i++)
        add(&graph, i % 3);
    for (uint32_t i = 0; i < graph.edge_count; i++)
        graph.edges[i].rhythm.visits = UINT64_MAX;
    build(&tree, &graph);
    assert_int_equal(tree.count, 1);
    efg_looptree_fini(&tree);
    efg_graph_fini(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_programs),   cmocka_unit_test(test_times),
        cmocka_unit_test(test_empty),      cmocka_unit_test(test_random_walks),
        cmocka_unit_test(test_many_nodes), cmocka_unit_test(test_many_levels),
        cmocka_unit_test(test_dense),      cmocka_unit_test(test_endless_counts),
    };
    return cmocka_run_group_tests_name("looptree", tests, NULL, NULL);
}
