/* SPDX-License-Identifier: BSD-3-Clause */
#include "some_graphs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "some_events.h"

unsigned random_dimensions(unsigned among)
{
    unsigned dimensions = (unsigned)events_below(1 << EFG_DIMENSIONS) & among;

    return dimensions & EFG_DIM_SIZE ? dimensions & ~(unsigned)EFG_DIM_SIZE_CLASS : dimensions;
}

struct efg_event random_event(uint64_t *clock, uint32_t sites)
{
    uint64_t site = events_below(sites), enter = *clock + events_below(100);
    uint32_t path = (UINT32_C(1) << (5 + site % 12)) | (uint32_t)(site % 32);
    struct efg_event event = {
        .signature = {.call = (uint16_t)(1 + site % 3),
                      .buffer = (uint16_t)events_below(2),
                      .path = path,
                      .region = (uint32_t)(site / 5 % 2),
                      .comm = (uint32_t)(site / 7 % 2),
                      .partner = (int32_t)events_below(3) - 1,
                      .element = (uint32_t)events_below(2) * 8,
                      .size = events_below(3) ? events_below(20) : 0},
        .path_hash = path,
        .enter = enter,
        .leave = enter + events_below(1000),
        .bytes = events_below(50),
        .flags = (uint32_t)events_below(4),
    };

    *clock = event.leave;
    return event;
}

static void expect_same_stats(const struct efg_stat *a, const struct efg_stat *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->sum, b->sum);
    assert_int_equal(a->max, b->max);
    assert_memory_equal(a->bin, b->bin, sizeof a->bin);
    if (a->count)
        assert_int_equal(a->min, b->min);
}

static void expect_same_nodes(const struct efg_node *a, const struct efg_node *b)
{
    assert_true(efg_signature_is_equal(&a->signature, &b->signature));
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->first_edge, b->first_edge);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->polls, b->polls);
    assert_int_equal(a->poll_time, b->poll_time);
    assert_int_equal(a->rhythm.visits, b->rhythm.visits);
    assert_int_equal(a->rhythm.time, b->rhythm.time);
    expect_same_stats(&a->time, &b->time);
}

static void expect_same_edges(const struct efg_edge *a, const struct efg_edge *b)
{
    assert_int_equal(a->from, b->from);
    assert_int_equal(a->to, b->to);
    assert_int_equal(a->next, b->next);
    assert_int_equal(a->visits, b->visits);
    assert_int_equal(a->spent, b->spent);
    expect_same_stats(&a->time, &b->time);
}

void expect_same_graphs(const struct efg_graph *a, const struct efg_graph *b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->edge_count, b->edge_count);
    for (uint32_t i = 0; i < a->node_count; i++)
        expect_same_nodes(&a->nodes[i], &b->nodes[i]);
    for (uint32_t i = 0; i < a->edge_count; i++)
        expect_same_edges(&a->edges[i], &b->edges[i]);
    assert_int_equal(a->events, b->events);
    assert_int_equal(a->node_time, b->node_time);
}
