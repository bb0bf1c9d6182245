/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counts.c: what was counted at a graph that is made coarser is what would have been counted at the coarse
 * one.
 * counters.c of the run file: counts of ranks as text and back, and joined.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/graph/coarsen.h"
#include "core/graph/counts.h"
#include "files/run/counters.h"
#include "files/run/runfile.h"
#include "some_graphs.h"

#define WIDTH 3
#define DEPTH 32

static uint32_t cut_path(uint32_t path, unsigned depth, uint64_t *hash)
{
    unsigned frames = path ? 31 - (unsigned)__builtin_clz(path) : 0;

    if (path && depth < frames)
        path >>= frames - depth;
    *hash = path;
    return path;
}

static void count(struct efg_counts *counts, struct efg_graph *graph, struct efg_event event,
                  struct efg_detail to)
{
    uint64_t values[EFG_COUNTERS] = {event.leave - event.enter, event.bytes, event.signature.path};

    event.signature = efg_coarsen_signature(event.signature, (struct efg_detail){ALL_DIMENSIONS, DEPTH}, to,
                                            cut_path, &event.path_hash);
    efg_graph_step(graph, &event);
    efg_counts_add_node(counts, graph->current, values);
    values[0] = event.enter;
    efg_counts_add_edge(counts, graph, graph->edge, values);
}

static void expect_same(const uint64_t *sums, uint32_t count_a, const uint64_t *others, uint32_t count_b,
                        uint32_t items)
{
    static const uint64_t none[WIDTH];

    for (uint32_t i = 0; i < items; i++)
        assert_memory_equal(i < count_a ? &sums[i * WIDTH] : none, i < count_b ? &others[i * WIDTH] : none,
                            sizeof none);
}

static void test_coarser(void **state)
{
    const struct efg_detail all = {ALL_DIMENSIONS, DEPTH}, few = {EFG_DIM_PATH, 2};
    struct efg_graph fine, coarse;
    struct efg_counts *counted = efg_counts_new(WIDTH, NULL), *wanted = efg_counts_new(WIDTH, NULL);
    uint64_t clock = 1000;
    (void)state;

    srandom(1);
    assert_int_equal(efg_graph_init(&fine, NULL, 0), 0);
    assert_int_equal(efg_graph_init(&coarse, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&fine, NULL, NULL), 0);
    assert_int_equal(efg_graph_follow_calls(&coarse, NULL, NULL), 0);
    for (int i = 0; i < 4000; i++) {
        struct efg_event event = random_event(&clock, 40);
        event.is_poll = 0;
        if (i == 2000) {
            uint32_t *new_id = malloc((fine.node_count + 1) * sizeof *new_id);
            assert_true(fine.node_count > 2 * coarse.node_count);
            assert_int_not_equal(efg_graph_coarsen(&fine, all, few, cut_path, new_id), EFG_COARSENED_NOTHING);
            efg_counts_coarsen(counted, &fine, new_id);
            free(new_id);
        }
        count(counted, &fine, event, i < 2000 ? all : few);
        count(wanted, &coarse, event, few);
    }
    assert_int_equal(fine.node_count, coarse.node_count);
    expect_same(counted->nodes, counted->node_count, wanted->nodes, wanted->node_count, fine.node_count);
    expect_same(counted->edges, counted->edge_count, wanted->edges, wanted->edge_count, fine.edge_count);
    assert_memory_equal(counted->rest, wanted->rest, sizeof wanted->rest);
    efg_counts_free(counted);
    efg_counts_free(wanted);
    efg_graph_fini(&fine);
    efg_graph_fini(&coarse);
}

/* Without room, sums between calls are still complete. */
static void test_no_room(void **state)
{
    struct efg_budget budget = {.limit = 100 * WIDTH * sizeof(uint64_t)};
    struct efg_counts *counts = efg_counts_new(WIDTH, &budget);
    struct efg_graph graph;
    uint64_t clock = 1000, sum = 0;
    (void)state;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    for (int i = 0; i < 4000; i++) {
        struct efg_event event = random_event(&clock, 40);
        uint64_t values[EFG_COUNTERS] = {(uint64_t)i};
        event.is_poll = 0;
        efg_graph_step(&graph, &event);
        efg_counts_add_edge(counts, &graph, graph.edge, values);
        sum += (uint64_t)i;
    }
    assert_true(counts->edge_count < graph.edge_count && counts->rest[0] > 0);
    assert_int_equal(efg_counts_between(counts, 0), sum);
    efg_counts_free(counts);
    efg_graph_fini(&graph);
}

/* --- as text --- */

static struct efg_run_rank rank_with(struct efg_run_thread *threads, uint32_t count)
{
    struct efg_run_rank rank = {.thread_count = count, .threads = threads};

    for (uint32_t i = 0; i < count; i++) {
        threads[i].number = i;
        threads[i].graph.node_count = threads[i].graph.edge_count = 4;
        threads[i].graph.edges = calloc(4, sizeof(struct efg_edge));
    }
    return rank;
}

static void fill(struct efg_run_thread *thread, uint64_t seed)
{
    struct efg_counts *c = thread->counts = efg_counts_new(2, NULL);
    uint64_t values[EFG_COUNTERS] = {seed, 10 * seed};

    strcpy(c->name[0], "task-clock");
    strcpy(c->name[1], "page-faults");
    efg_counts_add_node(c, 3, values);
    efg_counts_add_edge(c, &thread->graph, 1, values);
    efg_counts_add_edge(c, &thread->graph, EFG_NONE, values);
    efg_counts_add_iteration(&c->all, 2, values);
    efg_counts_add_iteration(&c->all, 2, values);
    efg_counts_add_iteration(&c->recorded, 2, values);
}

static void test_text(void **state)
{
    struct efg_run_thread threads[2] = {0}, again[2] = {0};
    struct efg_run_rank rank = rank_with(threads, 2), read = rank_with(again, 2);
    struct efg_counter_total totals[EFG_COUNTER_TOTALS];
    (void)state;

    fill(&threads[0], 5);
    fill(&threads[1], 7);
    read.counters = efg_run_counters_text(&rank);
    assert_non_null(read.counters);
    assert_int_equal(efg_run_counters_read(&read), 0);
    for (int i = 0; i < 2; i++) {
        const struct efg_counts *a = threads[i].counts, *b = again[i].counts;
        assert_int_equal(b->width, 2);
        assert_memory_equal(a->name, b->name, sizeof a->name);
        assert_memory_equal(&a->nodes[6], &b->nodes[6], 2 * sizeof *a->nodes);
        assert_memory_equal(&a->edges[2], &b->edges[2], 2 * sizeof *a->edges);
        assert_memory_equal(a->rest, b->rest, sizeof a->rest);
        assert_memory_equal(&a->all, &b->all, sizeof a->all);
        assert_memory_equal(&a->recorded, &b->recorded, sizeof a->recorded);
    }
    char *one = efg_run_counters_total(&read), *two = efg_counter_totals_join(one, "cycles 1 2 3 4 5 6 7\n");
    char *all = efg_counter_totals_join(two, one);
    assert_int_equal(efg_counter_totals_read(totals, all), 3);
    assert_string_equal(totals[1].name, "page-faults");
    assert_int_equal(totals[1].ranks, 2);
    assert_int_equal(totals[1].calls, 240);
    assert_int_equal(totals[1].between, 480);
    assert_int_equal(totals[1].all_count, 8);
    assert_int_equal(totals[1].recorded, 240);
    assert_string_equal(totals[2].name, "cycles");
    assert_int_equal(totals[2].recorded, 7);
    free(one), free(two), free(all), free(read.counters);
    for (int i = 0; i < 2; i++) {
        efg_counts_free(threads[i].counts), efg_counts_free(again[i].counts);
        free(threads[i].graph.edges), free(again[i].graph.edges);
    }
}

/* What is wrong is refused, or passed over; nothing is written where nothing is. */
static void test_wrong(void **state)
{
    static const struct {
        const char *text;
        int error;
    } texts[] = {
        {"counters a\nthread 0\nnode 4 1\n", -EBADMSG},
        {"counters a\nthread 0\nedge 4294967297 1\n", -EBADMSG},
        {"counters a\nthread 1\n", -EBADMSG},
        {"thread 0\n", -EBADMSG},
        {"counters a\nthread 0\nthread 0\n", -EBADMSG},
        {"node 1 1\n", 0},
        {"counters a b c d e f g h i j k l\nthread 0\nnode 1 1 2 3 4 5 6 7 8 9 10 11 12\nrest\nall\n", 0},
        {"counters a\nthread 0\nnews 1 2\n\n\nnode 1\nnode 2 x\n", 0},
        {"counters a-name-that-is-longer-than-any-other-name\nthread 0\n", 0},
    };
    (void)state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct efg_run_thread thread = {0};
        struct efg_run_rank rank = rank_with(&thread, 1);
        rank.counters = (char *)texts[i].text;
        assert_int_equal(efg_run_counters_read(&rank), texts[i].error);
        efg_counts_free(thread.counts);
        free(thread.graph.edges);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coarser),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
