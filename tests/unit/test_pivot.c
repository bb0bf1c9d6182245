/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pivots of loops of a few calls, each on a call path of its own: which of them is the best
 * one, and what it is called.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/graph/graph.h"
#include "core/loop/pivot.h"

#define ROUNDS 50
#define MOST 8
#define STARTS EFG_NODE_STARTS
#define WORLD EFG_NODE_WORLD
#define MARK EFG_NODE_MARK
#define UNORDERED EFG_NODE_UNORDERED
#define BUT(n) ((n) << 16) /* it is left out in each N-th round */
#define FUNCTION (1u << 16 | EFG_PLACE_NO_LOOP)
#define LOOP (2u << 16 | 2) /* the only one of its function */
#define SURE(place) (place | EFG_PLACE_ALWAYS)

/* A call in the loop of main, by way of a function that has only this one. */
struct call {
    uint32_t flags;         /* STARTS, WORLD, MARK, UNORDERED, BUT */
    efg_place outer, inner; /* of the calls in main and in the function; 0: not known */
};

static const struct call *calls; /* path K is that of call K - 1 */
static uint64_t names;           /* the hashes of paths begin with it */

static uint32_t keys_of(uint32_t path, uint64_t *keys)
{
    keys[0] = names + 10 * path;
    keys[1] = names + 10 * path + 1;
    return 2;
}

static struct efg_position position_of(uint32_t path, uint32_t frame)
{
    return (struct efg_position){.place = frame ? calls[path - 1].inner : calls[path - 1].outer};
}

static void go_round(struct efg_graph *graph, uint32_t count)
{
    uint64_t now = 0;

    for (uint32_t i = 0; i < ROUNDS * count; i++) {
        uint32_t k = i % count;
        if (calls[k].flags >> 16 && i / count % (calls[k].flags >> 16) == 0)
            continue;
        struct efg_event event = {.signature = {.call = 1 + k, .path = 1 + k},
                                  .path_hash = names + k,
                                  .enter = now + 10,
                                  .leave = now + 20,
                                  .flags = calls[k].flags & (WORLD | MARK | UNORDERED),
                                  .is_start = (calls[k].flags & EFG_NODE_STARTS) != 0};
        now += 20;
        efg_graph_step(graph, &event);
    }
}

/* Those of the main loop; ID is which of the calls it is. Returns how many. */
static uint32_t find(const struct call *of, uint32_t count, struct efg_pivot *pivots)
{
    struct efg_graph graph;
    struct efg_history history;
    struct efg_callflow flow = {0};
    struct efg_judge judge = {0};
    uint64_t end = 20 * ROUNDS * count;

    calls = of;
    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&graph, keys_of, position_of), 0);
    assert_int_equal(efg_history_init(&history, &graph, 0), 0);
    go_round(&graph, count);
    assert_int_equal(efg_callflow_fill(&flow, &history, end), 0);
    assert_int_equal(efg_judge_look(&judge, &flow), 0);
    assert_int_not_equal(judge.chosen, EFG_NONE);
    uint32_t found = efg_pivot_list(&judge, &judge.chain[judge.chosen], pivots, MOST);
    for (uint32_t i = 0; i < found; i++)
        if (pivots[i].kind == EFG_PIVOT_NODE)
            pivots[i].id = graph.nodes[pivots[i].id].signature.call - 1;
    efg_judge_fini(&judge);
    efg_callflow_fini(&flow);
    efg_history_fini(&history);
    efg_graph_fini(&graph);
    return found;
}

/* The best pivot is of CLASS, and one of the calls in the set BEST. */
static void assert_best(const struct call *of, uint32_t count, enum efg_pivot_class class, uint32_t best)
{
    struct efg_pivot pivots[MOST];

    assert_true(find(of, count, pivots) > 0);
    assert_int_equal(pivots[0].class, class);
    assert_int_equal(pivots[0].kind, EFG_PIVOT_NODE);
    assert_true(best >> pivots[0].id & 1);
}

/* The same whatever the hashes are, by which pivots of one class are in order. */
static void assert_always_best(const struct call *of, uint32_t count, enum efg_pivot_class class,
                               uint32_t best)
{
    for (uint64_t n = 1; n <= 20; n++) {
        names = n << 32;
        assert_best(of, count, class, best);
    }
}

#define BEST(of, class, best) assert_always_best(of, sizeof(of) / sizeof *(of), EFG_PIVOT_##class, best)

/* Irecv, Isend, Waitall, Sendrecv: the third one is followed by what is no start, the last one
 * ends behind itself, where the first one begins: both are right. */
static void where_nothing_is_under_way(void **state)
{
    const struct call exchange[] = {{STARTS, 0, 0}, {STARTS, 0, 0}, {0, 0, 0}, {0, 0, 0}};

    (void)state;
    BEST(exchange, CLEAN, 1 << 0 | 1 << 3);
}

/* Nothing but starts: a program that tests for completion. */
static void always_under_way(void **state)
{
    const struct call starts[] = {{STARTS, 0, 0}, {STARTS, 0, 0}};

    (void)state;
    BEST(starts, CALL, 1 << 0 | 1 << 1);
}

static void collective_of_all(void **state)
{
    const struct call sum[] = {{STARTS, 0, 0}, {0, 0, 0}, {WORLD, 0, 0}, {0, 0, 0}};

    (void)state;
    BEST(sum, WORLD, 1 << 2);
}

/* None was left out so far, but may be: in the loop, or in the function that it calls. */
static void left_out_by_no_way(void **state)
{
    const struct call branch[] = {
        {WORLD, LOOP, FUNCTION}, {0, SURE(LOOP), SURE(FUNCTION)}, {0, SURE(LOOP), FUNCTION}};
    const struct call sums[] = {{WORLD, LOOP, SURE(FUNCTION)}, {WORLD, SURE(LOOP), SURE(FUNCTION)}};
    const struct call nested[] = {{0, SURE(LOOP), SURE(LOOP)}, {WORLD, LOOP, FUNCTION}};

    (void)state;
    BEST(branch, SURE_CALL, 1 << 1);
    BEST(sums, SURE_WORLD, 1 << 1);
    BEST(nested, WORLD, 1 << 1);
}

static void the_program_says_so(void **state)
{
    const struct call marked[] = {{WORLD, SURE(LOOP), SURE(FUNCTION)}, {MARK, LOOP, LOOP}, {0, 0, 0}};

    (void)state;
    BEST(marked, MARK, 1 << 1);
}

/* The class of call number ID; EFG_PIVOT_CLASSES if it is no pivot. */
static enum efg_pivot_class class_of(const struct call *of, uint32_t count, uint32_t id)
{
    struct efg_pivot pivots[MOST];
    uint32_t found = find(of, count, pivots);

    for (uint32_t i = 0; i < found; i++)
        if (pivots[i].kind == EFG_PIVOT_NODE && pivots[i].id == id)
            return pivots[i].class;
    return EFG_PIVOT_CLASSES;
}

/* What is sent in seven of eight rounds is no pivot, unless the loop asks for something: then it may be one
 * for want of a better one. */
static void what_is_a_matter_of_timing(void **state)
{
    const struct call asks[] = {{UNORDERED, 0, 0}, {0, 0, 0}, {BUT(8), 0, 0}};
    const struct call does_not[] = {{0, 0, 0}, {0, 0, 0}, {BUT(8), 0, 0}};

    (void)state;
    assert_int_equal(class_of(asks, 3, 2), EFG_PIVOT_UNORDERED);
    assert_true(class_of(asks, 3, 1) < EFG_PIVOT_ENTRY);
    assert_int_equal(class_of(does_not, 3, 2), EFG_PIVOT_CLASSES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_nothing_is_under_way), cmocka_unit_test(always_under_way),
        cmocka_unit_test(collective_of_all),          cmocka_unit_test(left_out_by_no_way),
        cmocka_unit_test(the_program_says_so),        cmocka_unit_test(what_is_a_matter_of_timing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
