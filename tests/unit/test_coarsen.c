/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * coarsen.c, backlog.c: a graph that is made coarser at random moments is the one that was
 * coarse from the beginning, even if events come to it later. And a million signatures stay
 * within the budget.
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/graph/backlog.h"
#include "core/loop/finder.h"
#include "some_events.h"
#include "some_graphs.h"

#define DEPTH 32

/* Paths as in some_graphs.h. */
static uint32_t cut_path(uint32_t path, unsigned depth, uint64_t *hash)
{
    unsigned frames = path ? 31 - (unsigned)__builtin_clz(path) : 0;

    if (path && depth < frames)
        path >>= frames - depth;
    *hash = path;
    return path;
}

/* ---- the model ---- */

struct subject {
    struct efg_graph graph;
    struct efg_backlog backlog;
    struct efg_detail asked, now;
};

static void init(struct subject *s, unsigned dimensions, uint32_t dropped)
{
    s->asked = (struct efg_detail){dimensions, DEPTH};
    s->now = efg_detail_without(s->asked, dropped);
    assert_int_equal(efg_graph_init(&s->graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&s->graph, NULL, NULL), 0);
    assert_int_equal(efg_backlog_init(&s->backlog), 0);
    s->graph.dropped = dropped;
}

static int drop(struct subject *s, uint32_t dropped)
{
    struct efg_detail to = efg_detail_without(s->asked, dropped);
    uint32_t nodes = s->graph.node_count, *new_id = malloc((nodes + 1) * sizeof *new_id);
    uint32_t next = 0;

    int done = (int)efg_graph_coarsen(&s->graph, s->now, to, cut_path, new_id);
    for (uint32_t i = 0; i < nodes; i++) { /* in the order of first appearance */
        assert_true(new_id[i] <= next);
        next += new_id[i] == next;
    }
    assert_int_equal(next, s->graph.node_count);
    free(new_id);
    efg_backlog_coarsen(&s->backlog, s->now, to, cut_path);
    s->now = to;
    s->graph.dropped = dropped;
    return done;
}

static void fini(struct subject *s)
{
    efg_graph_fini(&s->graph);
    efg_backlog_fini(&s->backlog);
}

/* Add what waits. Returns whether the last event counts; the others do not. */
static int settle(struct subject *s)
{
    int counts = 0;

    for (uint32_t i = 0; i < s->backlog.count; i++) {
        const struct efg_event *event = &s->backlog.event[i];
        assert_int_equal(counts, 0);
        int may_count = efg_graph_may_count(&s->graph, event);
        if (event->is_poll)
            efg_graph_poll(&s->graph, event);
        else
            counts = efg_graph_step(&s->graph, event);
        assert_true(may_count || !counts || s->graph.pivot_kind == EFG_PIVOT_SITE);
    }
    s->backlog.count = 0;
    return counts;
}

/* EVENT, which has all detail, as the subject sees it, waits from now on; PATH_DEPTH is the
 * length of its path, which may be less already than what the graph has. */
static void put(struct subject *s, struct efg_event event, unsigned path_depth)
{
    struct efg_signature *name = &event.signature;

    if (s->now.dimensions & EFG_DIM_PATH)
        name->path =
            cut_path(name->path, path_depth < s->now.depth ? path_depth : s->now.depth, &event.path_hash);
    *name = efg_signature_reduce(*name, s->now.dimensions);
    s->backlog.event[s->backlog.count++] = event;
}

/* The same, without waiting. */
static int add(struct subject *s, struct efg_event event)
{
    put(s, event, DEPTH);
    return settle(s);
}

/* ---- the comparison ---- */

static void check_rhythm(const struct efg_rhythm *a, const struct efg_rhythm *b)
{
    assert_int_equal(a->last, b->last);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->last_time, b->last_time);
    assert_true(a->gap1 == b->gap1);
}

/* With what goes on from here. */
static void check_same(const struct efg_graph *a, const struct efg_graph *b)
{
    expect_same_graphs(a, b);
    for (uint32_t i = 0; i < a->node_count; i++) {
        assert_int_equal(a->nodes[i].hash, b->nodes[i].hash);
        check_rhythm(&a->nodes[i].rhythm, &b->nodes[i].rhythm);
    }
    for (uint32_t i = 0; i < a->edge_count; i++) {
        assert_int_equal(a->edges[i].visits, b->edges[i].visits);
        assert_int_equal(a->edges[i].spent, b->edges[i].spent);
    }
    assert_int_equal(a->current, b->current);
    assert_int_equal(a->edge, b->edge);
    assert_int_equal(a->polled, b->polled);
    assert_int_equal(a->lost_edges, 0);
}

/* ---- tests ---- */

static void run_against_reference(void)
{
    struct subject fine, coarse;
    unsigned dimensions = random_dimensions(ALL_DIMENSIONS), events = 1 + (unsigned)events_below(2000);
    uint32_t sites = 1 + (uint32_t)events_below(300);
    uint32_t last = (uint32_t)events_below(EFG_DROP_END), dropped = 0;
    unsigned path_depth = DEPTH;
    uint64_t clock = 0;

    init(&fine, dimensions, 0);
    init(&coarse, dimensions, last);
    for (unsigned i = 0; i < events; i++) {
        struct efg_event event = random_event(&clock, sites);
        event.is_poll = !events_below(6);
        if (!events_below(events / 4 + 1)) {
            dropped |= last & (uint32_t)events_below(EFG_DROP_END);
            drop(&fine, dropped);
        }
        if (!events_below(events)) /* paths may be short before the graph is told so */
            path_depth = coarse.now.depth;
        put(&fine, event, path_depth);
        if (fine.backlog.count == EFG_BACKLOG || !events_below(50))
            settle(&fine);
        add(&coarse, event);
    }
    drop(&fine, last);
    settle(&fine);
    check_same(&fine.graph, &coarse.graph);
    fini(&fine);
    fini(&coarse);
}

static void test_reference(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++)
        run_against_reference();
}

/* Of a few signatures, so that all transitions are seen soon. */
static struct efg_event one_of_few(uint64_t *clock, const struct efg_signature *few, uint32_t n)
{
    struct efg_event event = random_event(clock, 1);

    event.signature = few[events_below(n)];
    return event;
}

/* Visits of the pivot are counted as before, or else it is said that they are not. Returns
 * whether that was so. */
static int run_with_pivot(void)
{
    struct subject subject, untouched;
    unsigned dimensions = random_dimensions(ALL_DIMENSIONS);
    uint32_t n = 1 + (uint32_t)events_below(6), dropped = 0;
    struct efg_signature few[6];
    int is_lost = 0;
    uint64_t clock = 0;

    for (uint32_t i = 0; i < n; i++)
        few[i] = random_event(&clock, 300).signature;
    init(&subject, dimensions, 0);
    init(&untouched, dimensions, 0);
    for (unsigned i = 0; i < 1500; i++) {
        struct efg_event event = one_of_few(&clock, few, n);
        if (i == 1000) {
            int is_site = events_below(2) == 0;
            uint32_t kind = is_site ? EFG_PIVOT_SITE : EFG_PIVOT_NODE;
            uint32_t id =
                (uint32_t)events_below(is_site ? subject.graph.tree->count : subject.graph.node_count);
            efg_graph_mark_pivot(&subject.graph, kind, id);
            efg_graph_mark_pivot(&untouched.graph, kind, id);
        }
        if (i > 1000 && !events_below(100)) {
            dropped |= 1u << events_below(14);
            is_lost |= drop(&subject, dropped) == EFG_COARSENED_PIVOT;
        }
        int counts = add(&subject, event);
        int expected = add(&untouched, event);
        assert_int_equal(counts, is_lost ? 0 : expected);
    }
    fini(&subject);
    fini(&untouched);
    return is_lost;
}

static void test_pivot(void **state)
{
    (void)state;
    int lost = 0;

    for (int i = 0; i < 500; i++)
        lost += run_with_pivot();
    assert_true(lost > 20 && lost < 450);
}

static void test_order(void **state)
{
    (void)state;
    struct efg_detail asked = {ALL_DIMENSIONS, 10};
    static const struct efg_detail expected[] = {
        {ALL_DIMENSIONS ^ EFG_DIM_ADDRESS, 10},
        {ALL_DIMENSIONS ^ EFG_DIM_ADDRESS ^ EFG_DIM_SIZE ^ EFG_DIM_SIZE_CLASS, 10},
        {EFG_DIM_PATH | EFG_DIM_PARTNER | EFG_DIM_COMM | EFG_DIM_REGION, 10},
        {EFG_DIM_PATH | EFG_DIM_COMM | EFG_DIM_REGION, 10},
        {EFG_DIM_PATH | EFG_DIM_COMM | EFG_DIM_REGION, 7},
        {EFG_DIM_PATH | EFG_DIM_COMM | EFG_DIM_REGION, 5},
        {EFG_DIM_PATH | EFG_DIM_COMM | EFG_DIM_REGION, 3},
        {EFG_DIM_PATH | EFG_DIM_COMM | EFG_DIM_REGION, 2},
        {EFG_DIM_PATH | EFG_DIM_COMM | EFG_DIM_REGION, 1},
        {EFG_DIM_PATH | EFG_DIM_COMM, 1},
        {EFG_DIM_PATH, 1},
        {0, 0},
    };
    uint32_t dropped = 0;

    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        dropped = efg_detail_next(asked, dropped);
        struct efg_detail left = efg_detail_without(asked, dropped);
        assert_int_equal(left.dimensions, expected[i].dimensions);
        assert_int_equal(left.depth, expected[i].depth);
    }
    assert_int_equal(efg_detail_next(asked, dropped), dropped);
    dropped = efg_detail_shorten(asked, EFG_DROP_SIZE, 4);
    assert_int_equal(efg_detail_without(asked, dropped).depth, 3);
    assert_int_equal(dropped & EFG_DROP_SIZE, EFG_DROP_SIZE);
    assert_int_equal(efg_detail_without(asked, efg_detail_shorten(asked, 0, 0)).depth, 0);
}

/* Paths of many frames that are no others'. */
static uint32_t long_keys(uint32_t path, uint64_t *keys)
{
    for (uint32_t i = 0; i < EFG_CALLTREE_DEPTH; i++)
        keys[i] = (uint64_t)path << 32 | i;
    return EFG_CALLTREE_DEPTH;
}

/* The call tree has no room for a path, though the nodes and edges have. */
static void test_no_site(void **state)
{
    (void)state;
    struct efg_budget budget = {.limit = 1 << 20};
    struct efg_graph graph;
    uint32_t path = 0;

    assert_int_equal(efg_graph_init(&graph, &budget, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&graph, long_keys, NULL), 0);
    while (!graph.is_full && ++path < 1000)
        efg_graph_step(&graph,
                       &(struct efg_event){.signature = {.call = 1, .path = path}, .path_hash = path});
    assert_true(graph.is_full);
    assert_int_equal(graph.node_count, path);
    assert_int_not_equal(graph.node_count, graph.node_room);
    assert_in_range(graph.tree->count, 3000, path * (EFG_CALLTREE_DEPTH + 1));
    efg_graph_fini(&graph);
}

/* A program without end to its signatures: as many sizes, then partners, then paths. */
static struct efg_event event_of_million(uint32_t i, uint64_t clock)
{
    struct efg_event event = {
        .signature = {.call = 1 + i % 7, .path = 3}, .enter = clock, .leave = clock + 5, .bytes = 1};

    if (i < 400000)
        event.signature.size = i;
    else if (i < 700000)
        event.signature.partner = (int32_t)i;
    else
        event.signature.path = (UINT32_C(1) << 20) + i;
    if (i % 1000 == 0)
        event.signature = (struct efg_signature){.call = 100, .path = 2};
    return event;
}

/* Bytes of the heap that are in use, or that it keeps at hand for the next small blocks. */
static size_t memory(void)
{
    struct mallinfo2 heap = mallinfo2(); /* nothing, where a sanitizer has its own heap */
    return heap.uordblks + heap.hblkhd;
}

static void test_million(void **state)
{
    (void)state;
    struct efg_budget budget = {.limit = 4 << 20};
    struct subject s = {.asked = {ALL_DIMENSIONS, DEPTH}, .now = {ALL_DIMENSIONS, DEPTH}};
    uint32_t fewer = 0, pivot_lost = 0;
    size_t before = memory();
    struct efg_mainloop loop;

    assert_int_equal(efg_graph_init(&s.graph, &budget, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&s.graph, NULL, NULL), 0);
    assert_int_equal(efg_backlog_init(&s.backlog), 0);
    struct efg_finder *finder = efg_finder_new(&s.graph, (struct efg_wish){0});
    assert_non_null(finder);
    for (uint32_t i = 0; i < 1000000; i++) {
        add(&s, event_of_million(i, 10 * (uint64_t)i));
        while (s.graph.is_full) {
            uint32_t next = efg_detail_next(s.asked, s.graph.dropped);
            assert_true(next != s.graph.dropped);
            pivot_lost += drop(&s, next) == EFG_COARSENED_PIVOT;
            loop = efg_finder_renew(finder, 10 * (uint64_t)i + 9);
            fewer++;
        }
        if (i % 1000 == 999) {
            efg_finder_sample(finder, 10 * (uint64_t)i + 9, &loop);
            assert_true(memory() <= before + budget.used + 32768);
        }
    }
    assert_true(fewer >= 3);
    assert_true(s.graph.dropped & EFG_DROP_PARTNER);
    assert_int_equal(pivot_lost, 0);
    assert_true(budget.most <= budget.limit);
    uint64_t visits = 0, bytes = 0, through = 0;
    for (uint32_t i = 0; i < s.graph.node_count; i++) {
        visits += s.graph.nodes[i].rhythm.visits;
        bytes += s.graph.nodes[i].bytes;
    }
    for (uint32_t i = 0; i < s.graph.edge_count; i++)
        through += s.graph.edges[i].visits;
    assert_int_equal(visits, 1000000);
    assert_int_equal(bytes, 1000000);
    assert_int_equal(through, 1000000 - 1);
    size_t held = memory();
    efg_finder_free(finder);
    assert_true(held - memory() <= 16384 +
                                       EFG_ITEM_BYTES * ((uint64_t)s.graph.node_room + s.graph.edge_room) +
                                       EFG_SITE_BYTES * (uint64_t)s.graph.tree->room);
    fini(&s);
    assert_int_equal(budget.used, 0);
}

/* Paths as in some_graphs.h: a frame is a bit, from the most significant one on. */
static uint32_t bits_of(uint32_t path, uint64_t *keys)
{
    uint32_t frames = path ? 31 - (uint32_t)__builtin_clz(path) : 0;

    for (uint32_t i = 0; i < frames; i++)
        keys[i] = path >> (frames - 1 - i) & 1;
    return frames;
}

/* A loop in frame number 3, from 0: a call in a path of 4 frames, and one of 6, which a cut may shorten. */
static void step(struct subject *s, uint32_t round, uint32_t *counted)
{
    static const uint32_t paths[] = {1 << 4 | 0, 1 << 6 | 7};

    for (uint32_t i = 0; i < 2; i++) {
        uint64_t enter = (2 * round + i) * 1000000u;
        struct efg_event event = {.signature = {.call = 1 + i, .path = paths[i]},
                                  .path_hash = paths[i],
                                  .enter = enter,
                                  .leave = enter + 1000};
        *counted += (uint32_t)add(s, event);
    }
}

/* The loop that was accepted, and its pivot, are still there when inner frames of calls in it are cut off;
 * none is known if what it is known by is among these. */
static void test_kept(void **state)
{
    (void)state;
    for (unsigned depth = 5; depth >= 1; depth--) {
        struct subject s = {.asked = {EFG_DIM_PATH, 6}, .now = {EFG_DIM_PATH, 6}};
        struct efg_mainloop loop = {0}, kept;
        uint32_t counted = 0, before, dropped = efg_detail_shorten(s.asked, 0, depth);

        assert_int_equal(efg_graph_init(&s.graph, NULL, 0), 0);
        assert_int_equal(efg_graph_follow_calls(&s.graph, bits_of, NULL), 0);
        assert_int_equal(efg_backlog_init(&s.backlog), 0);
        struct efg_finder *finder = efg_finder_new(&s.graph, (struct efg_wish){0});
        for (uint32_t round = 0; round < 1000; round++) {
            step(&s, round, &counted);
            if (round % 50 == 49)
                efg_finder_sample(finder, round * 2000000ul, &loop);
        }
        assert_int_equal(loop.iterations, 1000);
        efg_graph_mark_pivot(&s.graph, EFG_PIVOT_SITE, loop.key);
        step(&s, 1000, &counted);
        assert_int_equal(before = counted, 1);
        unsigned left = efg_detail_without(s.asked, dropped).depth;
        int is_lost = drop(&s, dropped) == EFG_COARSENED_PIVOT;
        kept = efg_finder_renew(finder, 2002000000);
        step(&s, 1001, &counted);
        assert_true(left <= depth && left > 0);
        assert_int_equal(kept.function, left > 4 ? loop.function : 0);
        assert_int_equal(is_lost, left <= 4);
        assert_int_equal(counted, before + (left > 4));
        if (kept.function)
            assert_true(s.graph.tree->sites[kept.key].depth == 4);
        efg_finder_free(finder);
        fini(&s);
    }
}

static void test_budget(void **state)
{
    (void)state;
    struct efg_budget budget = {.limit = 100};

    assert_int_equal(efg_budget_take(&budget, 60, 40), 1);
    assert_int_equal(efg_budget_take(&budget, 41, 0), 0);
    assert_int_equal(efg_budget_take(&budget, 20, 21), 0);
    assert_int_equal(efg_budget_take(&budget, 20, 20), 1);
    efg_budget_add(&budget, 100);
    assert_int_equal(efg_budget_take(&budget, 0, 0), 0);
    efg_budget_give(&budget, 150);
    assert_int_equal(budget.used, 30);
    assert_int_equal(budget.most, 180);
    assert_int_equal(efg_budget_take(NULL, UINT64_MAX, UINT64_MAX), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference), cmocka_unit_test(test_pivot),  cmocka_unit_test(test_order),
        cmocka_unit_test(test_million),   cmocka_unit_test(test_budget), cmocka_unit_test(test_no_site),
        cmocka_unit_test(test_kept),
    };
    return cmocka_run_group_tests_name("coarsen", tests, NULL, NULL);
}
