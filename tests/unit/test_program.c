/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs: of orders whose source is known, as text; of orders of all shapes, by their sums.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/order/program.h"
#include "some_events.h"

struct whole {           /* an order of events, and all that is made of it */
    struct events nodes; /* as numbered by the graph */
    struct efg_graph graph;
    struct efg_looptree tree;
    struct efg_program program;
};

static void add(struct whole *w, uint32_t event, uint64_t *now)
{
    uint64_t before = 1 + events_below(1000), inside = 1 + events_below(1000);
    struct efg_event e = {
        .signature = {.call = event}, .enter = *now + before, .leave = *now + before + inside};

    *now = e.leave;
    efg_graph_step(&w->graph, &e);
    events_add(&w->nodes, w->graph.current);
}

static void make_program(struct whole *w, uint32_t item_limit)
{
    assert_int_equal(efg_program_init(&w->program, &w->graph, &w->tree, item_limit), 0);
    for (size_t i = 0; i < w->nodes.count;) {
        uint64_t count = 1 + (uint64_t)events_below(3); /* runs come in pieces */
        size_t end = i;
        while (end < w->nodes.count && end < i + count && w->nodes.node[end] == w->nodes.node[i])
            end++;
        efg_program_add(&w->program, w->nodes.node[i], end - i);
        i = end;
    }
    assert_int_equal(efg_program_close(&w->program), 0);
    assert_int_equal(w->program.events, w->nodes.count);
}

static void make(struct whole *w, const struct events *events, uint32_t item_limit)
{
    uint64_t now = 0;

    memset(w, 0, sizeof *w);
    assert_int_equal(efg_graph_init(&w->graph, NULL, 0), 0);
    for (size_t i = 0; i < events->count; i++)
        add(w, events->node[i], &now);
    assert_int_equal(efg_looptree_build(&w->tree, &w->graph, NULL, NULL, NULL), 0);
    make_program(w, item_limit);
}

static void destroy(struct whole *w)
{
    efg_program_fini(&w->program);
    efg_looptree_fini(&w->tree);
    efg_graph_fini(&w->graph);
    events_free(&w->nodes);
}

/* ---- text ---- */

static void draw_forms(const struct efg_program *p, uint32_t loop, char *text, size_t room);

static void draw_item(const struct efg_program *p, const struct efg_program_item *item, uint64_t count,
                      char *text, size_t room)
{
    char range[32] = "", *end;

    if (item->least < item->most)
        snprintf(range, sizeof range, "[%d-%d]", (int)item->least, (int)item->most);
    else if (item->least > 1)
        snprintf(range, sizeof range, "[%d]", (int)item->least);
    assert_true(item->repetitions >= item->least * count);
    assert_true(item->repetitions <= item->most * count);
    if (item->node == EFG_NONE) {
        strcat(text, " (");
        draw_forms(p, item->loop, text, room);
        strcat(text, ")");
    } else {
        end = text + strlen(text);
        snprintf(end, room - strlen(text), " %c", p->graph->nodes[item->node].signature.call);
    }
    strcat(text, range);
}

static void draw_forms(const struct efg_program *p, uint32_t loop, char *text, size_t room)
{
    for (uint32_t f = p->first_form[loop]; f != EFG_NONE; f = p->forms[f].next) {
        const struct efg_program_form *form = &p->forms[f];
        char *end = text + strlen(text);
        snprintf(end, room - strlen(text), f == p->first_form[loop] ? "%dx" : " %dx", (int)form->count);
        for (uint32_t i = 0; i < form->size; i++)
            draw_item(p, &p->items[form->first + i], form->count, text, room);
    }
}

static void expect(const char *order, const char *program)
{
    struct events events = {0};
    struct whole w;
    char text[1000] = "";

    for (const char *at = order; *at; at++)
        events_add(&events, (uint32_t)*at);
    make(&w, &events, EFG_PROGRAM_ITEMS);
    draw_forms(&w.program, w.tree.count, text, sizeof text);
    assert_string_equal(text, program);
    destroy(&w);
    events_free(&events);
}

static void test_known(void **state)
{
    (void)state;
    expect("abc", "1x a b c");
    expect("abcbcbcbcd", "1x a (4x b c)[4] d");
    expect("aaabbbbc", "1x a[3] b[4] c");
    /* a loop in a loop, of as many iterations each time, and of others */
    expect("axyxyxybxyxyxybxyxyxybxyxyxybz", "1x a (4x (12x x y)[3] b)[4] z");
    expect("axyxyxyxyxyxybxyxyxyxyxybxyxyxyxyxyxybxyxyxyxybz", "1x a (4x (21x x y)[4-6] b)[4] z");
    /* runs that differ make no other form */
    expect("abbcdbcdbbbcdbbcde", "1x a (4x b[1-3] c d)[4] e");
    /* a branch, taken in two of six iterations */
    expect("abcdbdbcdbcdbcdbde", "1x a (4x b c d 2x b d)[6] e");
}

/* ---- sums ---- */

static void check_sums(const struct whole *w)
{
    const struct efg_program *p = &w->program;
    uint32_t nodes = w->graph.node_count, loops = w->tree.count;
    uint64_t *calls = calloc(nodes, sizeof *calls);
    uint64_t *asked = calloc(loops + 1, sizeof *asked), *made = calloc(loops + 1, sizeof *made);
    double before = 0, between = 0;

    assert_true(calls && asked && made);
    for (uint32_t f = 0; f < p->form_count; f++) {
        made[p->forms[f].loop] += p->forms[f].count;
        for (uint32_t i = 0; i < p->forms[f].size; i++) {
            const struct efg_program_item *item = &p->items[p->forms[f].first + i];
            *(item->node == EFG_NONE ? &asked[item->loop] : &calls[item->node]) += item->repetitions;
            before += item->before;
        }
    }
    for (uint32_t i = 0; i < nodes; i++) {
        before += p->of_node[i].before;
        assert_int_equal(calls[i] + p->of_node[i].repetitions, w->graph.nodes[i].time.count);
    }
    asked[loops] = 1;
    for (uint32_t i = 0; i <= loops; i++)
        assert_int_equal(made[i] + p->of_loop[i].iterations, asked[i] + p->of_loop[i].repetitions);
    for (uint32_t i = 0; i < w->graph.edge_count; i++)
        between += (double)w->graph.edges[i].time.sum;
    assert_true(before > between - 1 && before < between + 1);
    free(calls);
    free(asked);
    free(made);
}

static void test_sums(void **state)
{
    static const uint32_t limits[] = {EFG_PROGRAM_ITEMS, 100, 3, 1};

    (void)state;
    for (unsigned run = 0; run < 30 * EVENT_SHAPES; run++) {
        struct events events = {0};
        struct whole w;
        events_seed(run);
        events_make(&events, run % EVENT_SHAPES, 1 + events_below(run % 7 ? 300 : 20000));
        make(&w, &events, limits[run % 4]);
        assert_true(w.program.item_count <= limits[run % 4]);
        check_sums(&w);
        destroy(&w);
        events_free(&events);
    }
}

/* The orders of several ranks: each is an iteration of the whole. */
static void test_ranks(void **state)
{
    static const char *const orders[] = {"abcbcd", "abcbcbcbcd", "abcd"};
    struct events events = {0};
    struct whole w;
    char text[100] = "";

    (void)state;
    for (const char *at = orders[1]; *at; at++) /* all of them have its graph */
        events_add(&events, (uint32_t)*at);
    make(&w, &events, EFG_PROGRAM_ITEMS);
    efg_program_fini(&w.program);
    assert_int_equal(efg_program_init(&w.program, &w.graph, &w.tree, EFG_PROGRAM_ITEMS), 0);
    for (unsigned i = 0; i < 3; i++) {
        efg_program_begin(&w.program, i + 1);
        for (const char *at = orders[i]; *at; at++)
            efg_program_add(&w.program, (uint32_t)(*at - 'a'), 1); /* in order of appearance */
    }
    assert_int_equal(efg_program_close(&w.program), 0);
    assert_int_equal(w.program.events, 6 + 2 * 10 + 3 * 4);
    draw_forms(&w.program, w.tree.count, text, sizeof text);
    assert_string_equal(text, "6x a (13x b c)[1-4] d");
    destroy(&w);
    events_free(&events);
}

static void test_nothing(void **state)
{
    struct events none = {0};
    struct whole w;

    (void)state;
    make(&w, &none, EFG_PROGRAM_ITEMS);
    assert_int_equal(w.program.form_count, 0);
    destroy(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
