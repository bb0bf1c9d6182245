/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a sample takes: a look at the flow graph that finds the loops, by the number of nodes.
 *
 *     make build/tests/bench_sample && build/tests/bench_sample
 *
 * The program is a loop whose calls are made by functions of ten call sites that call each other, or in
 * which any call follows any other, up to ten of them each. All calls of an iteration, or as many at random,
 * are made between two samples. Columns, in ms of CPU time, medians of samples:
 *
 *     sample    all of it, as the traced process takes it (efg_finder_sample)
 *     flow      of this, what the call tree is filled with from nodes and edges
 *     judge     and the way down it, to the main loop
 *     history   and the copy of the times of nodes that is kept of some samples
 */
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

#include "core/loop/finder.h"

#define SAMPLES 21
#define ROUNDS 12    /* before the first sample */
#define FOLLOWERS 10 /* of a call, at most, where any follows any other */
#define MS 1e6       /* ns */

struct program {
    struct efg_graph graph;
    uint32_t nodes;
    int is_random;
    uint32_t at; /* the last call */
    uint64_t now, random;
};

struct cost {
    double sample, flow, judge, history;
};

static void fail(const char *message)
{
    fprintf(stderr, "sample: %s\n", message);
    exit(1);
}

/* main, the loop's function, then functions of ten call sites; the call itself is the
 * innermost. */
static uint32_t keys_of(uint32_t path, uint64_t *keys)
{
    uint32_t depth = 0;

    keys[depth++] = 1;
    keys[depth++] = 2;
    for (uint32_t part = 100000; part; part /= 10)
        keys[depth++] = (uint64_t)part << 32 | path / part;
    return depth;
}

static uint32_t next_call(struct program *p)
{
    if (!p->is_random)
        return (p->at + 1) % p->nodes;
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    uint32_t one = (uint32_t)(p->random >> 33) % FOLLOWERS;
    return (uint32_t)((p->at * UINT64_C(2654435761) + one * UINT64_C(40503)) % p->nodes);
}

static void run(struct program *p, uint64_t calls)
{
    for (uint64_t i = 0; i < calls; i++) {
        p->at = next_call(p);
        struct efg_event event = {.signature = {.call = 1, .path = p->at + 1},
                                  .path_hash = p->at + 1,
                                  .enter = p->now + 1000,
                                  .leave = p->now + 2000};
        p->now = event.leave;
        efg_graph_step(&p->graph, &event);
    }
}

static double now(void)
{
    return measure_time(CLOCK_PROCESS_CPUTIME_ID);
}

/* The parts, in their order, on structures of their own. */
static struct cost sample(struct program *p, struct efg_finder *finder, struct efg_history *history,
                          struct efg_callflow *flow, struct efg_judge *judge)
{
    struct efg_mainloop loop;
    double begin = now();
    efg_finder_sample(finder, p->now, &loop);
    double sampled = now();
    if (efg_callflow_fill(flow, history, p->now))
        fail("no memory");
    double filled = now();
    if (efg_judge_look(judge, flow))
        fail("no memory");
    double judged = now();
    efg_history_sample(history, p->now);
    return (struct cost){sampled - begin, filled - sampled, judged - filled, now() - judged};
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* In ms, of the fields of COSTS that lie OFFSET behind the first one. */
static double median(const struct cost *costs, size_t field)
{
    double values[SAMPLES];

    for (int i = 0; i < SAMPLES; i++)
        values[i] = (&costs[i].sample)[field] / MS;
    qsort(values, SAMPLES, sizeof *values, compare);
    return values[SAMPLES / 2];
}

static void measure(uint32_t nodes, int is_random)
{
    struct program p = {.nodes = nodes, .is_random = is_random, .random = 1};
    struct efg_history history;
    struct efg_callflow flow = {0};
    struct efg_judge judge = {0};
    struct cost costs[SAMPLES];

    if (efg_graph_init(&p.graph, NULL, 0) || efg_graph_follow_calls(&p.graph, keys_of, NULL) ||
        efg_history_init(&history, &p.graph, 0))
        fail("no memory");
    struct efg_finder *finder = efg_finder_new(&p.graph, (struct efg_wish){.level = EFG_LEVEL_AUTO});
    if (!finder)
        fail("no memory");
    run(&p, (uint64_t)ROUNDS * nodes);
    for (int i = 0; i < SAMPLES; i++) {
        run(&p, nodes);
        costs[i] = sample(&p, finder, &history, &flow, &judge);
    }
    printf("%8u %8u %8u %-8s %8.4f %8.4f %8.4f %8.4f\n", p.graph.node_count, p.graph.edge_count,
           p.graph.tree->count, is_random ? "random" : "order", median(costs, 0), median(costs, 1),
           median(costs, 2), median(costs, 3));
    efg_judge_fini(&judge);
    efg_callflow_fini(&flow);
    efg_history_fini(&history);
    efg_finder_free(finder);
    efg_graph_fini(&p.graph);
}

int main(void)
{
    printf("%8s %8s %8s %-8s %8s %8s %8s %8s   (ms)\n", "nodes", "edges", "sites", "calls", "sample", "flow",
           "judge", "history");
    for (uint32_t nodes = 10; nodes <= 100000; nodes *= 10) {
        measure(nodes, 0);
        measure(nodes, 1);
    }
    return 0;
}
