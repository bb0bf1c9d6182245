/* SPDX-License-Identifier: BSD-3-Clause */
/* graph.c against a model that keeps the whole sequence and computes everything anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "core/graph/graph.h"

#define EVENTS 400

static uint64_t random_state = 1;

static uint64_t random_below(uint64_t n)
{
    random_state = efg_hash_mix(random_state, 3);
    return random_state % n;
}

struct entry {
    struct efg_event event;
    int is_poll;
    uint32_t node, edge; /* as the graph named them */
};

static struct efg_event random_event(uint64_t last, uint32_t sites)
{
    uint32_t site = (uint32_t)random_below(sites);
    uint64_t enter = last + random_below(1000) - (random_below(50) ? 0 : last < 5 ? 0 : 5);

    return (struct efg_event){.signature = {.call = site % 5, .path = site, .size = site % 2},
                              .path_hash = 1000 + site,
                              .enter = enter,
                              .leave = enter + random_below(1ull << random_below(34)),
                              .bytes = random_below(100),
                              .flags = (uint32_t)random_below(4)};
}

static uint32_t run(struct efg_graph *graph, struct entry *log, uint32_t sites, uint64_t start)
{
    uint64_t last = start;

    for (uint32_t i = 0; i < EVENTS; i++) {
        struct entry *entry = &log[i];
        entry->event = random_event(last, sites);
        entry->is_poll = !random_below(5);
        if (entry->is_poll) {
            efg_graph_poll(graph, &entry->event);
            entry->node = graph->polled;
        } else {
            efg_graph_step(graph, &entry->event);
            entry->node = graph->current;
            entry->edge = graph->edge;
        }
        last = entry->event.leave;
    }
    return EVENTS;
}

static struct efg_stat stat_of(const uint64_t *values, uint32_t n)
{
    struct efg_stat stat = {.min = UINT64_MAX};

    for (uint32_t i = 0; i < n; i++) {
        uint32_t bin = 0;
        while (bin < EFG_BINS - 1 && values[i] >> (bin + 1))
            bin++;
        stat.bin[bin]++;
        stat.count++;
        stat.sum += values[i];
        stat.min = values[i] < stat.min ? values[i] : stat.min;
        stat.max = values[i] > stat.max ? values[i] : stat.max;
    }
    return stat;
}

static void check_stat(const struct efg_stat *stat, const uint64_t *values, uint32_t n)
{
    struct efg_stat expected = stat_of(values, n);

    assert_int_equal(stat->count, expected.count);
    assert_int_equal(stat->sum, expected.sum);
    assert_memory_equal(stat->bin, expected.bin, sizeof expected.bin);
    if (n) {
        assert_int_equal(stat->min, expected.min);
        assert_int_equal(stat->max, expected.max);
    }
}

/* NUMBER and END: of the visits; SPENT: from the end of the event before. */
static void check_rhythm(const struct efg_rhythm *rhythm, const uint64_t *number, const uint64_t *end,
                         const uint64_t *spent, uint32_t n)
{
    double gap1 = 0, gap2 = 0;
    uint64_t time = 0;

    for (uint32_t i = 0; i < n; i++) {
        time += spent[i];
        if (!i)
            continue;
        uint64_t gap = number[i] - number[i - 1];
        gap1 += (double)gap;
        gap2 += (double)(gap * gap);
    }
    assert_int_equal(rhythm->visits, n);
    assert_int_equal(rhythm->time, time);
    assert_true(rhythm->gap1 == gap1 && rhythm->gap2 == gap2);
    if (n) {
        assert_int_equal(rhythm->first, spent[0]);
        assert_int_equal(rhythm->last, number[n - 1]);
        assert_int_equal(rhythm->last_time, end[n - 1]);
    }
}

struct facts {
    uint64_t number[EVENTS], end[EVENTS], spent[EVENTS], inside[EVENTS], between[EVENTS];
    uint32_t n;
    uint64_t bytes, polls, poll_time;
    uint32_t flags, from;
};

/* What the log says of node or edge ID. */
static struct facts find_facts(const struct entry *log, uint32_t id, int is_edge, uint64_t start)
{
    struct facts f = {.flags = EFG_NODE_WORLD, .from = EFG_NONE};
    uint64_t number = 0, last = start, polling = 0, polled = 0, called = 0;
    uint64_t bound = 0, called_then = 0; /* of the last poll that was as long as others */
    uint32_t before = EFG_NONE;

    for (uint32_t i = 0; i < EVENTS; i++) {
        const struct efg_event *e = &log[i].event;
        uint64_t inside = e->leave - e->enter;
        int mine =
            (is_edge && !log[i].is_poll ? log[i].edge : log[i].node) == id && !(is_edge && log[i].is_poll);
        if (mine)
            f.flags = (f.flags & e->flags & EFG_NODE_WORLD) | ((f.flags | e->flags) & EFG_NODE_UNORDERED);
        if (log[i].is_poll) {
            uint64_t polls = 1 + e->bytes; /* it stands for so many others */
            if (polled && e->enter - polled <= EFG_SPIN * polls) {
                inside = e->leave - polled;
            } else if (polls > 1) {
                uint64_t begin = bound ? bound : last, took = bound ? called - called_then : polling;
                uint64_t room = e->leave > begin ? e->leave - begin : 0;
                room = room > took ? room - took : 0;
                inside = inside * polls < room ? inside * polls : room;
                bound = e->leave > begin ? e->leave : begin;
                called_then = called + inside;
            }
            polled = e->leave;
            polling += inside;
            called += inside;
            f.polls += mine ? 1 + e->bytes : 0;
            f.poll_time += mine ? inside : 0;
            continue;
        }
        number++;
        called += inside;
        if (mine) {
            f.number[f.n] = number;
            f.end[f.n] = e->leave;
            f.spent[f.n] = e->leave > last ? e->leave - last : 0;
            f.inside[f.n] = inside;
            f.between[f.n++] = e->enter > last + polling ? e->enter - last - polling : 0;
            f.bytes += e->bytes;
            f.from = before;
        }
        before = log[i].node;
        last = e->leave;
        polling = polled = 0;
    }
    return f;
}

static uint64_t sum(const uint64_t *values, uint32_t n)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

static void check(const struct efg_graph *graph, const struct entry *log, uint64_t start)
{
    for (uint32_t v = 0; v < graph->node_count; v++) {
        const struct efg_node *node = &graph->nodes[v];
        struct facts f = find_facts(log, v, 0, start);
        check_stat(&node->time, f.inside, f.n);
        check_rhythm(&node->rhythm, f.number, f.end, f.spent, f.n);
        assert_int_equal(node->bytes, f.bytes);
        assert_int_equal(node->polls, f.polls);
        assert_int_equal(node->poll_time, f.poll_time);
        if (!(node->flags & EFG_NODE_OVERFLOW))
            assert_int_equal(node->flags, f.flags);
    }
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        const struct efg_edge *edge = &graph->edges[e];
        struct facts f = find_facts(log, e, 1, start);
        check_stat(&edge->time, f.between, f.n);
        assert_int_equal(edge->visits, f.n);
        assert_int_equal(edge->spent, sum(f.spent, f.n));
        assert_int_equal(edge->from, f.from);
    }
}

/* Each signature has one node, each transition one edge, and each edge is in its list. */
static void check_structure(const struct efg_graph *graph, const struct entry *log)
{
    uint32_t listed = 0;

    for (uint32_t i = 0; i < EVENTS; i++) {
        const struct efg_node *node = &graph->nodes[log[i].node];
        if (!(node->flags & EFG_NODE_OVERFLOW))
            assert_true(efg_signature_is_equal(&node->signature, &log[i].event.signature));
        if (!log[i].is_poll && log[i].edge != EFG_NONE)
            assert_int_equal(graph->edges[log[i].edge].to, log[i].node);
    }
    for (uint32_t v = 0; v < graph->node_count; v++) {
        for (uint32_t u = 0; u < v; u++)
            assert_false(efg_signature_is_equal(&graph->nodes[v].signature, &graph->nodes[u].signature));
        for (uint32_t e = graph->nodes[v].first_edge; e != EFG_NONE; e = graph->edges[e].next) {
            assert_int_equal(graph->edges[e].from, v);
            listed++;
            for (uint32_t f = graph->edges[e].next; f != EFG_NONE; f = graph->edges[f].next)
                assert_true(graph->edges[f].to != graph->edges[e].to);
        }
    }
    assert_int_equal(listed, graph->edge_count);
}

static void test_random_events(void **state)
{
    (void)state;
    static struct entry log[EVENTS];

    for (int i = 0; i < 100; i++) {
        struct efg_graph graph;
        struct efg_budget budget = {.limit = random_below(1000000)};
        uint32_t sites = 1 + (uint32_t)random_below(200);
        uint64_t start = random_below(1000);
        if (efg_graph_init(&graph, &budget, start)) {
            assert_true(budget.limit < 300000);
            assert_int_equal(budget.used, 0);
            continue;
        }
        run(&graph, log, sites, start);
        assert_true(budget.most <= budget.limit);
        check(&graph, log, start);
        check_structure(&graph, log);
        efg_graph_fini(&graph);
        assert_int_equal(budget.used, 0);
    }
}

static struct efg_event event_at(uint32_t path, uint64_t enter, uint64_t leave)
{
    return (struct efg_event){.signature = {.path = path}, .path_hash = path, .enter = enter, .leave = leave};
}

static int step(struct efg_graph *graph, uint32_t path)
{
    struct efg_event event = event_at(path, graph->last_leave + 10, graph->last_leave + 20);

    return efg_graph_step(graph, &event);
}

static void test_growth(void **state)
{
    (void)state;
    struct efg_graph graph;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < 20000; i++) {
            step(&graph, i);
            assert_int_equal(graph.current, i);
        }
    }
    assert_int_equal(graph.node_count, 20000);
    assert_int_equal(graph.edge_count, 20000);
    efg_graph_fini(&graph);
}

/* What there is at first is all that there will be. */
static void init_tight(struct efg_graph *graph, struct efg_budget *budget)
{
    *budget = (struct efg_budget){.limit = UINT64_MAX};
    assert_int_equal(efg_graph_init(graph, budget, 0), 0);
    budget->limit = budget->used;
}

static void test_overflow(void **state)
{
    (void)state;
    struct efg_graph graph;
    struct efg_budget budget;

    init_tight(&graph, &budget);
    uint32_t last = graph.node_room - 1;
    for (uint32_t i = 0; i < last + 7; i++)
        step(&graph, i);
    assert_int_equal(graph.is_full, 1);
    assert_int_equal(graph.node_count, last + 1);
    assert_int_equal(graph.overflow, last);
    assert_int_equal(graph.nodes[last].rhythm.visits, 7);
    assert_int_equal(graph.nodes[last].flags & EFG_NODE_OVERFLOW, EFG_NODE_OVERFLOW);
    step(&graph, 1);
    assert_int_equal(graph.current, 1);
    step(&graph, UINT32_MAX);
    assert_int_equal(graph.current, last);
    efg_graph_fini(&graph);
    assert_int_equal(budget.used, 0);
}

static void test_too_many_edges(void **state)
{
    (void)state;
    struct efg_graph graph;
    struct efg_budget budget;

    init_tight(&graph, &budget);
    for (uint32_t i = 0; i < 30; i++) {
        for (uint32_t k = 0; k < 30; k++) {
            step(&graph, i);
            step(&graph, k);
        }
    }
    assert_int_equal(graph.is_full, 1);
    assert_int_equal(graph.edge_count, graph.edge_room);
    assert_int_equal(graph.events, 2 * 30 * 30);
    uint64_t through = graph.lost_edges;
    for (uint32_t e = 0; e < graph.edge_count; e++)
        through += graph.edges[e].visits;
    assert_int_equal(through, graph.events - 1);
    efg_graph_fini(&graph);
}

static void test_polls(void **state)
{
    (void)state;
    struct efg_graph graph;
    struct efg_event a = event_at(1, 10, 20), poll = event_at(2, 21, 25), b = event_at(3, 40, 50);

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    efg_graph_step(&graph, &a);
    efg_graph_poll(&graph, &poll);
    efg_graph_poll(&graph, &poll);
    efg_graph_step(&graph, &b);
    assert_int_equal(graph.edge_count, 1);
    assert_int_equal(graph.edges[0].from, 0);
    assert_int_equal(graph.edges[0].time.sum, 20 - 8);
    assert_int_equal(graph.edges[0].spent, 30);
    assert_int_equal(graph.nodes[1].polls, 2);
    assert_int_equal(graph.nodes[1].rhythm.visits, 0);
    assert_int_equal(graph.node_time, 10 + 8 + 10);
    assert_int_equal(graph.events, 2);
    efg_graph_fini(&graph);
}

/* From poll to poll the time is in MPI, if it is short; and all of it is that of the call that ends it. */
static void test_spin(void **state)
{
    (void)state;
    struct efg_graph graph;
    uint64_t late = 34 + EFG_SPIN + 1, polled[4];
    struct efg_event a = event_at(1, 10, 20), first = event_at(2, 21, 25), other = event_at(3, 30, 34),
                     third = event_at(2, late, late + 7), b = event_at(4, late + 9, late + 12);

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    efg_graph_step(&graph, &a);
    efg_graph_poll(&graph, &first);
    efg_graph_poll(&graph, &other);
    efg_graph_poll(&graph, &third);
    efg_graph_step(&graph, &b);
    assert_int_equal(graph.nodes[1].poll_time, 4 + 7);
    assert_int_equal(graph.nodes[2].poll_time, 34 - 25);
    assert_int_equal(graph.node_time, 10 + 4 + 9 + 7 + 3);
    assert_int_equal(graph.edges[0].time.sum, 1 + (EFG_SPIN + 1) + 2);
    efg_graph_polled(&graph, polled);
    assert_int_equal(polled[0] + polled[1] + polled[2], 0);
    assert_int_equal(polled[3], 4 + 9 + 7);
    efg_graph_poll(&graph, &other); /* a spin of its own, though it is before the end of the last */
    assert_int_equal(graph.nodes[2].poll_time, 9 + 4);
    efg_graph_fini(&graph);
}

/* A poll that stands for others stands for no more than there was time for: else the time in calls would be
 * more than that of the run. */
static void test_poll_for_others(void **state)
{
    (void)state;
    struct efg_graph graph;
    uint64_t start = 1000000, step = 20 * EFG_SPIN, last = start + 10;
    struct efg_event a = event_at(1, start, last);

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    efg_graph_step(&graph, &a);
    for (int i = 0; i < 100; i++) { /* every second one loses its processor */
        uint64_t long_one = i % 2 ? step * 9 / 10 : 5;
        struct efg_event poll = event_at(2, last + step, last + step + long_one);
        struct efg_event b = event_at(3, poll.leave + 3, poll.leave + 5);
        poll.bytes = 15;
        efg_graph_poll(&graph, &poll);
        efg_graph_step(&graph, &b);
        last = b.leave;
        assert_true(graph.node_time <= last - start);
    }
    assert_int_equal(graph.nodes[1].polls, 1600);
    assert_true(graph.nodes[1].poll_time >=
                50 * (step + step * 9 / 10)); /* all of it, where it was too long */
    assert_true(graph.nodes[1].poll_time <= 50 * (step + step * 9 / 10 + 16 * 5 + 3));
    assert_true(efg_graph_poll_again(&graph, 15, last + 100));
    assert_int_equal(graph.nodes[1].polls, 1615);
    assert_true(graph.node_time <= last + 100 - start);
    efg_graph_fini(&graph);
}

static void test_node_pivot(void **state)
{
    (void)state;
    struct efg_graph graph;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    step(&graph, 1);
    step(&graph, 2);
    efg_graph_mark_pivot(&graph, EFG_PIVOT_NODE, 1);
    assert_int_equal(step(&graph, 1), 0);
    assert_int_equal(step(&graph, 2), 1);
    assert_int_equal(step(&graph, 3), 0);
    assert_int_equal(step(&graph, 2), 1);
    efg_graph_mark_pivot(&graph, EFG_PIVOT_NONE, 0);
    assert_int_equal(step(&graph, 2), 0);
    efg_graph_fini(&graph);
}

/* Path 45 is the call site 4, and 5 below it. */
static uint32_t digits(uint32_t path, uint64_t *keys)
{
    keys[0] = path / 10;
    keys[1] = path % 10;
    return path < 10 ? (keys[0] = path, 1) : 2;
}

/* The site of paths 41, 42 and 43 counts when it is entered from elsewhere, by whatever path,
 * those included that are new. */
static void test_site_pivot(void **state)
{
    (void)state;
    struct efg_graph graph;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(&graph, digits, NULL), 0);
    step(&graph, 41);
    step(&graph, 42);
    step(&graph, 1);
    step(&graph, 41);
    uint32_t site = graph.tree->sites[graph.tree->sites[graph.nodes[0].leaf].parent].parent;
    assert_int_equal(efg_graph_visits(&graph, EFG_PIVOT_SITE, site), 2);
    efg_graph_mark_pivot(&graph, EFG_PIVOT_SITE, site);
    assert_int_equal(step(&graph, 41), 0);
    assert_int_equal(step(&graph, 42), 0);
    assert_int_equal(step(&graph, 1), 0);
    assert_int_equal(step(&graph, 42), 1);
    assert_int_equal(step(&graph, 43), 0);
    assert_int_equal(step(&graph, 2), 0);
    assert_int_equal(step(&graph, 43), 1);
    assert_int_equal(step(&graph, 51), 0);
    assert_int_equal(step(&graph, 41), 1);
    assert_int_equal(efg_graph_visits(&graph, EFG_PIVOT_SITE, site), 5);
    efg_graph_fini(&graph);
}

static void begin_with_tree(struct efg_graph *graph)
{
    assert_int_equal(efg_graph_init(graph, NULL, 0), 0);
    assert_int_equal(efg_graph_follow_calls(graph, digits, NULL), 0);
}

/* A site is as old as the first call below it. */
static void test_born(void **state)
{
    (void)state;
    struct efg_graph graph;
    static const uint32_t paths[] = {41, 42, 1, 41, 42};

    begin_with_tree(&graph);
    for (uint32_t i = 0; i < 5; i++)
        efg_graph_step(&graph, &(struct efg_event){.signature = {.call = 1, .path = paths[i]},
                                                   .path_hash = paths[i],
                                                   .enter = 100 * (i + 1),
                                                   .leave = 100 * (i + 1) + 50});
    uint32_t first = graph.tree->sites[graph.nodes[0].leaf].parent;
    uint32_t second = graph.tree->sites[graph.nodes[1].leaf].parent;
    assert_int_equal(graph.tree->sites[first].born, 100);
    assert_int_equal(graph.tree->sites[second].born, 200);
    assert_int_equal(graph.tree->sites[graph.tree->sites[second].parent].born, 100);
    efg_graph_fini(&graph);
}

/* Rounds of a loop with polls and, now and then, something else. */
static void some_rounds(struct efg_event *events, uint32_t count, bool is_plain)
{
    static const uint32_t loop[] = {41, 41, 42, 1, 1, 2, 43, 2};
    uint64_t time = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t path = random_below(20) ? loop[i % 8] : 10 + (uint32_t)random_below(5);
        uint64_t enter = time + random_below(100) - (random_below(9) ? 0 : 3 * (time > 3));
        time = enter + random_below(1ull << random_below(34));
        uint64_t size = is_plain ? 0 : path % 2 + !random_below(20);
        events[i] = (struct efg_event){.signature = {.call = 1, .path = path, .size = size},
                                       .path_hash = 1000 + path,
                                       .enter = enter,
                                       .leave = time,
                                       .bytes = random_below(100),
                                       .flags = (uint32_t)random_below(4),
                                       .is_poll = !random_below(9)};
    }
}

static bool one_more(struct efg_graph *graph, const struct efg_event *event)
{
    if (event->is_poll)
        efg_graph_poll(graph, event);
    return !event->is_poll && efg_graph_step(graph, event);
}

static void compare_graphs(const struct efg_graph *a, const struct efg_graph *b)
{
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_memory_equal(a->nodes, b->nodes, a->node_count * sizeof *a->nodes);
    assert_memory_equal(a->edges, b->edges, a->edge_count * sizeof *a->edges);
    assert_memory_equal(a->tree->sites, b->tree->sites, a->tree->count * sizeof *a->tree->sites);
    assert_memory_equal(&a->first, &b->first,
                        offsetof(struct efg_graph, node_table) - offsetof(struct efg_graph, first));
}

/* PASSED of the events at EVENT were added to OTHER: NODES and WORLDS are those of ONE. */
static void follow(struct efg_graph *one, const struct efg_event *event, uint32_t passed,
                   const uint32_t *nodes, uint64_t worlds)
{
    for (uint32_t k = 0; k < passed; k++) {
        assert_false(one_more(one, &event[k])); /* none is of the pivot */
        assert_false(event[k].is_poll);
        assert_int_equal(nodes[k], one->current);
        worlds -= event[k].flags & EFG_NODE_WORLD;
    }
    assert_int_equal(worlds, 0);
}

/* Many events at once are the same as one by one, and stop where they say. */
static void add_at_once(bool is_plain)
{
    enum { COUNT = 3000, AT_ONCE = 7 };
    static struct efg_event events[COUNT];
    struct efg_graph one, other;
    uint32_t nodes[AT_ONCE], many = 0;

    some_rounds(events, COUNT, is_plain);
    begin_with_tree(&one);
    begin_with_tree(&other);
    for (uint32_t i = 0; i < COUNT;) {
        if (i % 1000 == 500)
            for (uint32_t k = 0; k < 2; k++)
                efg_graph_mark_pivot(k ? &other : &one, EFG_PIVOT_NODE, i / 1000);
        uint32_t most = COUNT - i < AT_ONCE ? COUNT - i : AT_ONCE;
        uint64_t worlds = 0;
        uint32_t passed = efg_graph_pass(&other, &events[i], most, nodes, &worlds, is_plain);
        assert_in_range(passed, 0, most);
        follow(&one, &events[i], passed, nodes, worlds);
        if (!passed)
            assert_int_equal(one_more(&one, &events[i]), one_more(&other, &events[i]));
        many += passed > 1;
        i += passed ? passed : 1;
        compare_graphs(&one, &other);
    }
    assert_in_range(many, COUNT / 100, COUNT);
    efg_graph_fini(&one);
    efg_graph_fini(&other);
}

static void test_events_at_once(void **state)
{
    (void)state;
    add_at_once(true);
    add_at_once(false);
}

static void test_signatures(void **state)
{
    (void)state;
    struct efg_signature s = {
        .call = 1, .buffer = 9, .path = 2, .region = 3, .comm = 4, .partner = -5, .element = 8, .size = 1000};
    struct efg_signature class = efg_signature_reduce(s, EFG_DIM_SIZE_CLASS);
    struct efg_signature all =
        efg_signature_reduce(s, EFG_DIM_PATH | EFG_DIM_SIZE_CLASS | EFG_DIM_SIZE | EFG_DIM_PARTNER |
                                    EFG_DIM_COMM | EFG_DIM_REGION | EFG_DIM_ELEMENT | EFG_DIM_ADDRESS);
    struct efg_signature none = efg_signature_reduce(s, 0);

    assert_int_equal(class.size, 10);
    assert_int_equal(class.path, 0);
    assert_true(efg_signature_is_equal(&all, &s));
    assert_true(efg_signature_is_equal(&none, &(struct efg_signature){.call = 1}));
    assert_true(efg_signature_hash(&all) != efg_signature_hash(&none));
    s.size = 0;
    assert_int_equal(efg_signature_reduce(s, EFG_DIM_SIZE_CLASS).size, 0);
}

static void test_hashes(void **state)
{
    (void)state;
    assert_true(efg_hash_mix(0, 0) != 0);
    assert_true(efg_hash_mix(1, 2) != efg_hash_mix(2, 1));
    assert_true(efg_hash_bytes(0, "a", 1) != efg_hash_bytes(0, "a", 2));
    assert_true(efg_hash_bytes(0, "abcdefgh", 8) != efg_hash_bytes(0, "abcdefgi", 8));
    assert_int_equal(efg_hash_bytes(5, "libmpi.so", 9), efg_hash_bytes(5, "libmpi.so", 9));
}

/* By the definition: little endian words, the last one filled up with zeros, and the length. */
static void test_hash_of_bytes(void **state)
{
    unsigned char bytes[40];
    (void)state;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(7 * i + 200);
    for (unsigned start = 0; start < 8; start++)
        for (unsigned length = 0; start + length <= sizeof bytes; length++) {
            uint64_t hash = 3;
            for (unsigned i = 0; i < length; i += 8) {
                uint64_t word = 0;
                for (unsigned k = i; k < length && k < i + 8; k++)
                    word |= (uint64_t)bytes[start + k] << 8 * (k - i);
                hash = efg_hash_mix(hash, word);
            }
            assert_int_equal(efg_hash_bytes(3, bytes + start, length), efg_hash_mix(hash, length));
        }
}

/* Ids of paths are those of a process, hashes of nodes agree between processes. */
static void test_hashes_of_nodes(void **state)
{
    struct efg_graph one, other;
    (void)state;
    assert_int_equal(efg_graph_init(&one, NULL, 0), 0);
    assert_int_equal(efg_graph_init(&other, NULL, 0), 0);
    for (uint32_t i = 0; i < 20; i++) {
        struct efg_event event = {.signature = {.call = 1 + i % 3, .path = 1 + i}, .path_hash = 1000 + i};
        event.signature.size = i < 10 ? 0 : i;
        efg_graph_step(&one, &event);
        event.signature.path = 50 - i;
        efg_graph_step(&other, &event);
        assert_int_equal(one.nodes[i].hash, other.nodes[i].hash);
        for (uint32_t k = 0; k < i; k++)
            assert_true(one.nodes[k].hash != one.nodes[i].hash);
    }
    efg_graph_fini(&one);
    efg_graph_fini(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_events),   cmocka_unit_test(test_growth),
        cmocka_unit_test(test_overflow),        cmocka_unit_test(test_too_many_edges),
        cmocka_unit_test(test_polls),           cmocka_unit_test(test_spin),
        cmocka_unit_test(test_poll_for_others), cmocka_unit_test(test_node_pivot),
        cmocka_unit_test(test_site_pivot),      cmocka_unit_test(test_born),
        cmocka_unit_test(test_signatures),      cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_hash_of_bytes),   cmocka_unit_test(test_hashes_of_nodes),
        cmocka_unit_test(test_events_at_once),
    };
    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
