/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loop tree of small programs, as a reader of the program would draw it; of the programs
 * that the rule for the main loop is tried with, against the rule; of random walks, whether it
 * is a tree; and of large graphs, in time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/map.h"
#include "core/loop/finder.h"
#include "core/loop/recognise.h"
#include "loop_programs.h"

#define US 1000
#define PATHS 10000
#define FRAMES 24

/* ---- events with call paths ---- */

struct feed {
    struct efg_graph graph;
    struct efg_finder *finder; /* NULL: none is asked */
    uint64_t now, next_sample, random;
    struct efg_map ids; /* of paths, by hash */
    struct efg_mainloop loop;
    uint64_t frames[FRAMES]; /* where the program is */
    uint32_t depth;
};

static struct {
    uint32_t depth;
    uint64_t frames[FRAMES];
} paths[PATHS]; /* of the feed at hand, by id */

static uint32_t keys_of(uint32_t path, uint64_t *keys)
{
    memcpy(keys, paths[path].frames, paths[path].depth * sizeof *keys);
    return paths[path].depth;
}

static uint32_t id_of(struct feed *f, const uint64_t *frames, uint32_t depth)
{
    uint64_t hash = 1;
    for (uint32_t i = 0; i < depth; i++)
        hash = efg_hash_mix(hash, frames[i]);
    uint64_t *id = efg_map_put(&f->ids, hash);
    assert_non_null(id);
    if (!*id) {
        *id = f->ids.count;
        assert_true(*id < PATHS && depth <= FRAMES);
        paths[*id].depth = depth;
        memcpy(paths[*id].frames, frames, depth * sizeof *frames);
    }
    return (uint32_t)*id;
}

static void feed_init(struct feed *f, int with_finder)
{
    *f = (struct feed){.random = 1};
    assert_int_equal(efg_graph_init(&f->graph, NULL, 0), 0);
    if (!with_finder)
        return;
    assert_int_equal(efg_graph_follow_calls(&f->graph, keys_of, NULL), 0);
    f->finder = efg_finder_new(&f->graph, (struct efg_wish){EFG_LEVEL_AUTO, 0});
    assert_non_null(f->finder);
}

static void feed_fini(struct feed *f)
{
    efg_finder_free(f->finder);
    efg_graph_fini(&f->graph);
    efg_map_fini(&f->ids);
}

static void take(void *to, const struct loop_event *e)
{
    struct feed *f = to;
    uint32_t path = id_of(f, e->frames, e->depth);
    struct efg_event event = {.signature = {.call = e->call, .path = path},
                              .path_hash = path,
                              .enter = f->now + e->compute,
                              .leave = f->now + e->compute + e->inside,
                              .flags = e->flags & (EFG_NODE_WORLD | EFG_NODE_UNORDERED)};
    f->now = event.leave;
    if (e->flags & LOOP_EVENT_POLL)
        efg_graph_poll(&f->graph, &event);
    else
        efg_graph_step(&f->graph, &event);
    if (f->finder && f->now >= f->next_sample) {
        efg_finder_sample(f->finder, f->now, &f->loop);
        f->next_sample = f->now + efg_finder_pause(f->now, 10000 * US);
    }
}

/* ---- small programs ---- */

/* A call of function CALL, made in the line CALL of the function at hand. */
static void call(struct feed *f, uint32_t line)
{
    f->frames[f->depth] = line;
    take(f, &(struct loop_event){.call = (uint16_t)line,
                                 .depth = f->depth + 1,
                                 .frames = f->frames,
                                 .compute = 20 * US,
                                 .inside = 5 * US});
}

static void enter(struct feed *f, uint32_t line)
{
    f->frames[f->depth++] = line;
}

static void leave(struct feed *f)
{
    f->depth--;
}

/* A loop of ITERATIONS with two calls, of LINE and the next one. */
static void call_pairs(struct feed *f, int iterations, uint32_t line)
{
    for (int i = 0; i < iterations; i++) {
        call(f, line);
        call(f, line + 1);
    }
}

static void run_plain(struct feed *f)
{
    call(f, 1);
    call_pairs(f, 1000, 2);
    call(f, 4);
}

/* Two loops of one function, one of which goes round four times as often, by chance. */
static void run_four_times(struct feed *f)
{
    call_pairs(f, 51, 1);
    call_pairs(f, 204, 3);
}

/* What happens now and then is part of the loop. */
static void run_output(struct feed *f)
{
    for (int i = 0; i < 1000; i++) {
        call(f, 2);
        call(f, 3);
        if (i % 100 == 99)
            call(f, 4);
    }
}

/* Rebuilds instead of an exchange; each 20th, with several calls. */
static void run_rebuilds(struct feed *f)
{
    for (int i = 0; i < 2000; i++) {
        enter(f, 1);
        if (i % 20)
            call(f, 2);
        else
            for (uint32_t line = 3; line < 8; line++)
                call(f, line);
        leave(f);
        for (int k = 0; k < 6; k++) {
            enter(f, 10 + (uint32_t)k);
            call(f, 20);
            call(f, 21);
            leave(f);
        }
    }
}

static void run_solver(struct feed *f)
{
    for (int i = 0; i < 100; i++) {
        call(f, 1);
        enter(f, 2);
        call_pairs(f, 10, 3);
        leave(f);
    }
}

/* The same, in one function. */
static void run_nested(struct feed *f)
{
    for (int i = 0; i < 100; i++) {
        call(f, 1);
        call_pairs(f, 10, 3);
    }
}

/* Two loops, one after the other, in an outer one of the same function. */
static void run_two_inner(struct feed *f)
{
    for (int i = 0; i < 100; i++) {
        call_pairs(f, 10, 1);
        call_pairs(f, 10, 3);
    }
}

static void run_sequence(struct feed *f)
{
    call_pairs(f, 300, 1);
    call_pairs(f, 100, 3);
}

static void run_equal(struct feed *f)
{
    call_pairs(f, 300, 1);
    call_pairs(f, 300, 3);
    call_pairs(f, 300, 5);
}

static void run_branches(struct feed *f)
{
    for (int i = 0; i < 1000; i++) {
        call(f, 1);
        call(f, i * 7 % 10 < 5 ? 2 : 3);
        call(f, 4);
    }
}

static void run_repeated(struct feed *f)
{
    for (int i = 0; i < 50; i++) {
        call(f, 1);
        for (int k = 0; k < 8; k++)
            call(f, 2);
    }
}

static void run_deep(struct feed *f)
{
    for (int i = 0; i < 5; i++) {
        call(f, 1);
        enter(f, 2);
        for (int j = 0; j < 6; j++) {
            call(f, 3);
            enter(f, 4);
            call_pairs(f, 7, 5);
            leave(f);
        }
        leave(f);
    }
}

static void run_once(struct feed *f)
{
    for (uint32_t line = 1; line < 50; line++)
        call(f, line);
}

/* Nothing comes between two calls of a function, which has a loop of its own, or just two calls. */
static void run_again(struct feed *f)
{
    for (int i = 0; i < 50; i++) {
        enter(f, 1);
        call_pairs(f, 4, 2);
        leave(f);
    }
    call(f, 9);
}

static void run_again_once(struct feed *f)
{
    for (int i = 0; i < 50; i++) {
        enter(f, 1);
        call(f, 2);
        call(f, 3);
        leave(f);
    }
    call(f, 9);
}

/* In most rounds nothing comes between two calls of a function. */
static void run_callbacks(struct feed *f)
{
    for (int i = 0; i < 1000; i++) {
        enter(f, 1);
        call(f, 2);
        call(f, 3);
        leave(f);
        if (i % 5 != 1)
            continue;
        enter(f, 10);
        for (int k = 0; k < 8; k++)
            call(f, 11);
        leave(f);
    }
}

static const struct drawing {
    const char *name;
    void (*run)(struct feed *f);
    const char *tree; /* repetitions of a loop, (those inside it, by falling time) */
} DRAWINGS[] = {
    {"plain", run_plain, "1000"},
    {"output", run_output, "1000"},
    {"rebuilds", run_rebuilds, "2000"},
    {"solver", run_solver, "100(1000)"},
    {"nested", run_nested, "100(1000)"},
    {"two inner", run_two_inner, "100(1000 1000)"},
    {"sequence", run_sequence, "300 100"},
    {"branches", run_branches, "1000"},
    {"repeated", run_repeated, "50(400)"},
    {"deep", run_deep, "5(30(210))"},
    {"once", run_once, ""},
};

static void draw(const struct efg_looptree *tree, uint32_t first, char *text, size_t room)
{
    for (uint32_t l = first; l != EFG_NONE; l = tree->loops[l].next_sibling) {
        size_t used = strlen(text);
        snprintf(text + used, room - used, "%s%llu", l == first ? "" : " ",
                 (unsigned long long)tree->loops[l].repetitions);
        if (tree->loops[l].first_child == EFG_NONE)
            continue;
        strcat(text, "(");
        draw(tree, tree->loops[l].first_child, text, room);
        strcat(text, ")");
    }
}

static void test_drawings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof DRAWINGS / sizeof *DRAWINGS; i++) {
        struct feed f;
        struct efg_looptree tree;
        char text[400] = "";
        feed_init(&f, 0);
        DRAWINGS[i].run(&f);
        assert_int_equal(efg_looptree_build(&tree, &f.graph, keys_of, NULL, NULL), 0);
        draw(&tree, tree.first, text, sizeof text);
        if (strcmp(text, DRAWINGS[i].tree))
            print_message("%s\n", DRAWINGS[i].name);
        assert_string_equal(text, DRAWINGS[i].tree);
        efg_looptree_fini(&tree);
        feed_fini(&f);
    }
}

/* The main loop is what the rule says, whatever the tree would have said. */
static void test_known(void **state)
{
    (void)state;
    static const struct {
        void (*run)(struct feed *f);
        uint32_t line; /* of a call in it */
        uint64_t iterations;
        const char *tree;
    } known[] = {
        {run_plain, 3, 1000, "1000"},
        {run_plain, 3, 997, "997"},       /* seen a little earlier */
        {run_output, 2, 10, "10(1000)"},  /* the coarser level */
        {run_two_inner, 1, 1000, "1000"}, /* one loop, by the rule */
        {run_two_inner, 1, 100, "100(1000 1000)"},
        {run_nested, 1, 1000, "100(1000)"},
        {run_four_times, 1, 51, "204 51"},
        {run_branches, 1, 500, "500"},      /* two visits of it are one iteration */
        {run_equal, 1, 300, "300 300 300"}, /* of several with as many, that of the call */
        {run_equal, 3, 300, "300 300 300"},
        {run_equal, 5, 299, "299 300 300"}, /* seen a little earlier */
        {run_again, 2, 50, "50(200)"},      /* what the code says is not known here */
        {run_again_once, 2, 50, "50"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct feed f;
        struct efg_looptree tree;
        char text[400] = "";
        struct efg_loop_known main = {0, 0, known[i].iterations};
        feed_init(&f, 0);
        known[i].run(&f);
        while (f.graph.nodes[main.node].signature.call != known[i].line)
            main.node++;
        assert_int_equal(efg_looptree_build(&tree, &f.graph, keys_of, NULL, &main), 0);
        draw(&tree, tree.first, text, sizeof text);
        assert_string_equal(text, known[i].tree);
        assert_true(tree.main < tree.count);
        assert_int_equal(tree.loops[tree.main].repetitions, known[i].iterations);
        assert_int_equal(efg_looptree_find(&tree, &f.graph, keys_of, &main), tree.main);
        struct efg_looptree none = {.first = EFG_NONE, .main = EFG_NONE}; /* as without memory */
        assert_int_equal(efg_looptree_find(&none, &f.graph, keys_of, &main), EFG_NONE);
        assert_true(known[i].run != run_equal || tree.loop_of[main.node] == tree.main);
        efg_looptree_fini(&tree);
        feed_fini(&f);
    }
}

/* In run_callbacks: the calls of the step, lines 2 and 3, are in no loop of it; others are in one. */
static struct efg_position position_in_callbacks(uint32_t path, uint32_t frame)
{
    bool is_in_step = frame == 1 && paths[path].frames[0] == 1;
    return (struct efg_position){.place = is_in_step ? 1 << 16 | EFG_PLACE_NO_LOOP : 2 << 16 | 2};
}

static uint64_t function_at(const struct efg_looptree *tree, uint32_t depth, uint64_t key)
{
    return depth ? efg_hash_mix(tree->root, key) : tree->root;
}

/* One loop, whether it is known by its function or by that of a step, is found by both; the number is that
 * which is known. */
static void test_twins(void **state)
{
    (void)state;
    for (uint32_t depth = 0; depth < 2; depth++) {
        struct feed f;
        struct efg_looptree tree;
        char text[400] = "";
        struct efg_loop_known main = {0, depth, 999};
        feed_init(&f, 0);
        run_callbacks(&f);
        assert_int_equal(efg_looptree_build(&tree, &f.graph, keys_of, position_in_callbacks, &main), 0);
        draw(&tree, tree.first, text, sizeof text);
        assert_string_equal(text, "999(1600)");
        assert_int_equal(tree.main, 0);
        assert_true(tree.loops[0].function == function_at(&tree, depth, 1));
        assert_true(tree.loops[0].twin == function_at(&tree, !depth, 1));
        assert_int_equal(efg_looptree_nearest(&tree, function_at(&tree, !depth, 1), 1000), 0);
        efg_looptree_fini(&tree);
        feed_fini(&f);
    }
}

/* Two loops of the code within another one: the first one calls a function, line 1, again and again. */
static void run_starts(struct feed *f)
{
    for (int i = 0; i < 10; i++) {
        call(f, 5);
        for (int k = 0; k < 90 + i; k++) {
            enter(f, 1);
            call(f, 2);
            call(f, 3);
            leave(f);
        }
        call_pairs(f, 20, 6);
    }
}

/* There: loop 2, with loops 3 and 4 in it. */
static struct efg_position position_in_starts(uint32_t path, uint32_t frame)
{
    uint32_t line = (uint32_t)paths[path].frames[frame];
    bool is_in_step = frame == 1;
    return (struct efg_position){.place = is_in_step  ? 1 << 16 | EFG_PLACE_NO_LOOP
                                          : line == 1 ? 3 << 16 | 3
                                          : line >= 6 ? 4 << 16 | 4
                                                      : 4 << 16 | 2};
}

static void test_positions(void **state)
{
    (void)state;
    static const struct {
        void (*run)(struct feed *f);
        efg_path_position *position;
        const char *tree;
        uint64_t most; /* of a loop in the outermost function, not in the step */
    } known[] = {
        {run_callbacks, NULL, "201(1000 1600)", 201},
        {run_callbacks, position_in_callbacks, "1000(1600)", 1000},
        {run_starts, NULL, "10(945 200)", 200},
        {run_starts, position_in_starts, "10(945 200)", 945},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct feed f;
        struct efg_looptree tree;
        char text[400] = "";
        feed_init(&f, 0);
        known[i].run(&f);
        assert_int_equal(efg_looptree_build(&tree, &f.graph, keys_of, known[i].position, NULL), 0);
        draw(&tree, tree.first, text, sizeof text);
        assert_string_equal(text, known[i].tree);
        uint32_t loop = efg_looptree_nearest(&tree, tree.root, 1000);
        assert_int_equal(tree.loops[loop].repetitions, known[i].most);
        efg_looptree_fini(&tree);
        feed_fini(&f);
    }
}

/* ---- is it a tree? ---- */

static void check_tree(const struct efg_looptree *tree, const struct efg_graph *graph)
{
    uint32_t *nodes = calloc(tree->count + 1, sizeof *nodes);
    assert_non_null(nodes);
    for (uint32_t v = 0; v < graph->node_count; v++)
        for (uint32_t l = tree->loop_of[v]; l != EFG_NONE; l = tree->loops[l].parent)
            nodes[l]++;
    for (uint32_t l = 0; l < tree->count; l++) {
        const struct efg_loop *loop = &tree->loops[l];
        assert_true(loop->parent == EFG_NONE || loop->parent < l);
        assert_int_equal(loop->depth, loop->parent == EFG_NONE ? 0 : tree->loops[loop->parent].depth + 1);
        assert_int_equal(loop->node_count, nodes[l]);
        assert_true(loop->node_count > 0 && loop->header < graph->node_count);
        assert_true(efg_looptree_is_inside(tree, tree->loop_of[loop->header], l));
        assert_true(loop->mpi_time <= loop->time);
        assert_true(loop->repetitions > 1);
        assert_true(loop->parent == EFG_NONE || loop->node_count <= tree->loops[loop->parent].node_count);
    }
    free(nodes);
}

/* ---- the programs that the rule is tried with ---- */

/* The loop of the rule, by a node below its function. */
static struct efg_loop_known place(const struct feed *f)
{
    const struct efg_calltree *tree = f->graph.tree;
    struct efg_loop_known known = {EFG_NONE, 0, f->loop.iterations};
    uint32_t site = efg_calltree_find(tree, f->loop.function);
    for (uint32_t v = 0; v < f->graph.node_count; v++)
        if (efg_calltree_is_below(tree, f->graph.nodes[v].leaf, site) &&
            (known.node == EFG_NONE ||
             f->graph.nodes[v].rhythm.visits > f->graph.nodes[known.node].rhythm.visits))
            known.node = v;
    known.depth = tree->sites[site].depth;
    known.depth -= tree->sites[site].node != EFG_NONE; /* the call itself */
    return known;
}

static void check_program(const struct loop_program *program, uint32_t rank, uint32_t *found, uint32_t *same)
{
    struct feed f;
    struct efg_looptree tree;
    feed_init(&f, 1);
    loop_program_run(program, rank, take, &f);
    efg_finder_sample(f.finder, f.now, &f.loop);
    if (f.loop.function) {
        struct efg_loop_known known = place(&f);
        assert_int_equal(efg_looptree_build(&tree, &f.graph, keys_of, NULL, &known), 0);
        check_tree(&tree, &f.graph);
        assert_true(tree.main < tree.count);
        assert_int_equal(tree.loops[tree.main].repetitions, f.loop.iterations);
        assert_true(tree.loops[tree.main].function == f.loop.function);
        efg_looptree_fini(&tree);
        ++*found;
    }
    assert_int_equal(efg_looptree_build(&tree, &f.graph, keys_of, NULL, NULL), 0);
    check_tree(&tree, &f.graph);
    uint32_t by_itself = efg_looptree_nearest(&tree, f.loop.function, f.loop.iterations);
    int is_same =
        f.loop.function && by_itself != EFG_NONE && tree.loops[by_itself].repetitions == f.loop.iterations;
    if (f.loop.function && !is_same && getenv("EFG_TEST_VERBOSE"))
        print_message("%s, rank %u: %llu by the rule, %llu in the tree\n", program->name, rank,
                      (unsigned long long)f.loop.iterations,
                      by_itself == EFG_NONE ? 0ull : (unsigned long long)tree.loops[by_itself].repetitions);
    *same += (uint32_t)is_same;
    efg_looptree_fini(&tree);
    feed_fini(&f);
}

/* The tree has the loop of the rule, with its number. Most trees would have it without being
 * told. */
static void test_rule(void **state)
{
    (void)state;
    uint32_t found = 0, same = 0;
    for (uint32_t i = 0; i < LOOP_PROGRAM_COUNT; i++)
        for (uint32_t rank = 0; rank < LOOP_PROGRAM_RANKS; rank += 3)
            check_program(&LOOP_PROGRAMS[i], rank, &found, &same);
    if (getenv("EFG_TEST_VERBOSE"))
        print_message("%u with a main loop, %u the same without being told\n", found, same);
    assert_true(found >= LOOP_PROGRAM_COUNT);
    assert_true(10 * same >= 8 * found);
}

/* ---- sums ---- */

static void poll(struct feed *f)
{
    f->frames[f->depth] = 9;
    take(f, &(struct loop_event){.call = 9,
                                 .flags = LOOP_EVENT_POLL,
                                 .depth = 1,
                                 .frames = f->frames,
                                 .compute = US,
                                 .inside = US});
}

/* The time of a loop is what passes from its first call to its last one. Polls that never find anything are
 * in it, too. */
static void test_times(void **state)
{
    (void)state;
    struct feed f;
    struct efg_looptree tree;
    uint64_t begin = 0, compute = 0;

    feed_init(&f, 0);
    call(&f, 1);
    for (int i = 0; i < 50; i++) {
        call(&f, 2);
        if (!i) {
            begin = f.now;
            compute = f.graph.nodes[1].time.sum;
        }
        call(&f, 3);
        poll(&f);
    }
    uint64_t end = f.graph.last_leave;
    call(&f, 4);
    assert_int_equal(efg_looptree_build(&tree, &f.graph, keys_of, NULL, NULL), 0);
    assert_int_equal(tree.count, 1);
    assert_int_equal(tree.loops[0].time, end - begin + compute);
    assert_int_equal(f.graph.nodes[3].polls, 50);
    assert_int_equal(tree.loop_of[3], 0);
    assert_int_equal(tree.loops[0].mpi_time,
                     f.graph.nodes[1].time.sum + f.graph.nodes[2].time.sum + f.graph.nodes[3].poll_time);
    assert_int_equal(tree.loops[0].events, 100);
    assert_int_equal(tree.loops[0].entries, 1);
    assert_int_equal(tree.loops[0].header, 1);
    assert_int_equal(tree.loops[0].irreducible, 0);
    assert_int_equal(tree.loop_of[0], EFG_NONE);
    assert_int_equal(tree.main, EFG_NONE);
    assert_int_equal(efg_looptree_common(&tree, 1, 2), 0);
    assert_int_equal(efg_looptree_common(&tree, 0, 2), EFG_NONE);
    efg_looptree_fini(&tree);
    feed_fini(&f);
}

/* What polls took is an estimate: it may be more than there was. */
static void test_times_of_polls(void **state)
{
    (void)state;
    struct feed f;
    struct efg_looptree tree;

    feed_init(&f, 0);
    for (int i = 0; i < 50; i++) {
        call(&f, 2);
        call(&f, 3);
        poll(&f);
    }
    f.graph.nodes[2].poll_time *= 3;
    assert_int_equal(efg_looptree_build(&tree, &f.graph, keys_of, NULL, NULL), 0);
    assert_int_equal(tree.count, 1);
    assert_int_equal(tree.loop_of[2], 0);
    efg_looptree_fini(&tree);
    feed_fini(&f);
}

/* Iterations begin at a call that comes in each of them, also if another one came first. */
static void test_header(void **state)
{
    (void)state;
    struct feed f;
    struct efg_looptree tree;

    feed_init(&f, 0);
    for (int i = 0; i < 100; i++) {
        if (i % 50 == 0)
            call(&f, 1);
        call(&f, 2);
        call(&f, 3);
    }
    assert_int_equal(efg_looptree_build(&tree, &f.graph, keys_of, NULL, NULL), 0);
    assert_int_equal(tree.count, 1);
    assert_int_equal(tree.loops[0].header, 1);
    assert_int_equal(tree.loops[0].entered, 0);
    efg_looptree_fini(&tree);
    feed_fini(&f);
}

static void test_empty(void **state)
{
    (void)state;
    struct efg_graph graph;
    struct efg_looptree tree;

    assert_int_equal(efg_graph_init(&graph, NULL, 0), 0);
    assert_int_equal(efg_looptree_build(&tree, &graph, keys_of, NULL, NULL), 0);
    assert_int_equal(tree.count, 0);
    assert_int_equal(tree.first, EFG_NONE);
    assert_int_equal(tree.main, EFG_NONE);
    efg_looptree_fini(&tree);
    efg_graph_fini(&graph);
}

/* ---- random walks ---- */

#define MOST 10

static uint32_t below(struct feed *f, uint32_t most)
{
    f->random = efg_hash_mix(f->random, 1);
    return (uint32_t)(f->random >> 33) % most;
}

/* Over call sites at random depths. */
static void walk(struct feed *f)
{
    uint32_t nodes = 2 + below(f, MOST - 1), next[MOST][3], depth[MOST], at = 0;

    for (uint32_t v = 0; v < nodes; v++) {
        depth[v] = below(f, 3);
        for (int k = 0; k < 3; k++)
            next[v][k] = below(f, nodes);
    }
    for (uint32_t n = 1 + below(f, 300); n > 0; n--) {
        uint32_t way = below(f, 30);
        f->depth = 0;
        for (uint32_t d = 0; d < depth[at]; d++)
            enter(f, 100 + at % (d + 2));
        call(f, at);
        at = next[at][way < 20 ? 0 : way < 28 ? 1 : 2];
    }
}

#ifdef __SANITIZE_ADDRESS__
enum { WALKS = 5000 }; /* each takes several times as long */
#else
enum { WALKS = 20000 };
#endif

static void test_random_walks(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= WALKS; i++) {
        struct feed f;
        struct efg_looptree tree;
        feed_init(&f, 0);
        f.random = i;
        walk(&f);
        struct efg_loop_known known = {below(&f, f.graph.node_count), below(&f, 4), 1 + below(&f, 300)};
        assert_int_equal(efg_looptree_build(&tree, &f.graph, keys_of, NULL, i % 2 ? &known : NULL), 0);
        if (i % 2 == 0)
            check_tree(&tree, &f.graph);
        efg_looptree_fini(&tree);
        feed_fini(&f);
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

    assert_int_equal(efg_looptree_build(tree, graph, NULL, NULL, NULL), 0);
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

/* Loops in loops: each function has one, and calls the next one in it. */
static void nest(struct feed *f, uint32_t levels)
{
    for (int i = 0; i < 3 && levels; i++) {
        call(f, 1);
        enter(f, 2);
        nest(f, levels - 1);
        leave(f);
    }
}

static void test_many_levels(void **state)
{
    (void)state;
    enum { LEVELS = 10 };
    struct feed f;
    struct efg_looptree tree;
    uint64_t repetitions = 1;

    feed_init(&f, 0);
    nest(&f, LEVELS);
    assert_int_equal(efg_looptree_build(&tree, &f.graph, keys_of, NULL, NULL), 0);
    assert_int_equal(tree.count, LEVELS);
    for (uint32_t l = 0; l < tree.count; l++) {
        repetitions *= 3;
        assert_int_equal(tree.loops[l].parent, l - 1);
        assert_int_equal(tree.loops[l].repetitions, repetitions);
    }
    efg_looptree_fini(&tree);
    feed_fini(&f);
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
        graph.edges[i].visits = UINT64_MAX;
    build(&tree, &graph);
    efg_looptree_fini(&tree);
    efg_graph_fini(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawings),       cmocka_unit_test(test_known),
        cmocka_unit_test(test_twins),          cmocka_unit_test(test_positions),
        cmocka_unit_test(test_rule),           cmocka_unit_test(test_times),
        cmocka_unit_test(test_times_of_polls), cmocka_unit_test(test_header),
        cmocka_unit_test(test_empty),          cmocka_unit_test(test_random_walks),
        cmocka_unit_test(test_many_nodes),     cmocka_unit_test(test_many_levels),
        cmocka_unit_test(test_dense),          cmocka_unit_test(test_endless_counts),
    };
    return cmocka_run_group_tests_name("looptree", tests, NULL, NULL);
}
