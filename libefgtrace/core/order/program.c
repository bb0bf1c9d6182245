/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns the order of calls into a program, event by event. One frame for each loop that the last
 * event is in, from the whole inwards. An event first leaves the loops that it is not in, then
 * enters those that it is in.
 *
 *     whole      a  [loop 0]                  items of the present iteration
 *     loop 0     b  [loop 1]
 *     loop 1     c  d                         the last event was d
 */
#include "program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"

struct frame {
    uint32_t loop;
    uint64_t iterations;            /* that have ended, of this time */
    bool is_cut;                    /* 1: the present iteration was too long, and its beginning is left out */
    bool has_head;                  /* 1: its header has come */
    struct efg_program_item *items; /* of the present iteration */
    uint32_t size, most;            /* of all iterations so far */
};

struct parse {
    struct frame *frames; /* as many as loops are nested, and one */
    uint32_t depth, frame_count;
    uint32_t last;          /* node of the last event, or EFG_NONE */
    uint32_t *edge;         /* per node: the edge taken last from it, or EFG_NONE */
    struct efg_map by_hash; /* of a form -> its index */
    uint32_t *way;          /* loops to be entered, as many as frames */
};

static uint32_t parent_of(const struct efg_program *p, uint32_t loop)
{
    uint32_t parent = p->tree->loops[loop].parent;
    return parent == EFG_NONE ? p->tree->count : parent;
}

uint32_t efg_program_loop_of(const struct efg_program *p, uint32_t node)
{
    uint32_t loop = p->tree->loop_of ? p->tree->loop_of[node] : EFG_NONE;

    if (loop == EFG_NONE)
        return p->tree->count;
    return p->tree->loops[loop].node_count == 1 ? parent_of(p, loop) : loop;
}

static uint32_t nesting(const struct efg_looptree *tree)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < tree->count; i++)
        if (tree->loops[i].depth >= most)
            most = tree->loops[i].depth + 1;
    return most;
}

static struct parse *parse_new(const struct efg_program *p)
{
    struct parse *parse = calloc(1, sizeof *parse);
    uint32_t nodes = p->graph->node_count;

    if (!parse)
        return NULL;
    parse->frame_count = nesting(p->tree) + 1;
    parse->frames = calloc(parse->frame_count, sizeof *parse->frames);
    parse->way = calloc(parse->frame_count, sizeof *parse->way);
    parse->edge = malloc((nodes + 1) * sizeof *parse->edge);
    parse->last = EFG_NONE;
    parse->depth = 1;
    if (parse->frames)
        parse->frames[0].loop = p->tree->count;
    if (parse->edge)
        memset(parse->edge, 0xff, (nodes + 1) * sizeof *parse->edge);
    return parse;
}

static void parse_free(struct parse *parse)
{
    if (!parse)
        return;
    for (uint32_t i = 0; parse->frames && i < parse->frame_count; i++)
        free(parse->frames[i].items);
    free(parse->frames);
    free(parse->way);
    free(parse->edge);
    efg_map_fini(&parse->by_hash);
    free(parse);
}

int efg_program_init(struct efg_program *p, const struct efg_graph *graph, const struct efg_looptree *tree,
                     uint32_t item_limit)
{
    memset(p, 0, sizeof *p);
    p->graph = graph;
    p->tree = tree;
    p->item_limit = item_limit;
    p->weight = 1;
    p->first_form = malloc((tree->count + 1) * sizeof *p->first_form);
    p->of_node = calloc(graph->node_count + 1, sizeof *p->of_node);
    p->of_loop = calloc(tree->count + 1, sizeof *p->of_loop);
    p->parse = parse_new(p);
    if (p->first_form)
        memset(p->first_form, 0xff, (tree->count + 1) * sizeof *p->first_form);
    if (p->first_form && p->of_node && p->of_loop && p->parse && p->parse->frames && p->parse->way &&
        p->parse->edge)
        return 0;
    efg_program_fini(p);
    return -ENOMEM;
}

void efg_program_fini(struct efg_program *p)
{
    parse_free(p->parse);
    free(p->forms);
    free(p->items);
    free(p->first_form);
    free(p->of_node);
    free(p->of_loop);
    memset(p, 0, sizeof *p);
}

/* ---- forms ---- */

static bool is_same(const struct efg_program_item *a, const struct efg_program_item *b)
{
    return a->node == b->node && a->loop == b->loop;
}

static bool has_form(const struct efg_program *p, const struct efg_program_form *form,
                     const struct frame *frame)
{
    if (form->loop != frame->loop || form->size != frame->size)
        return false;
    for (uint32_t i = 0; i < form->size; i++)
        if (!is_same(&p->items[form->first + i], &frame->items[i]))
            return false;
    return true;
}

static uint64_t hash_of(uint32_t loop, const struct efg_program_item *items, uint32_t size)
{
    uint64_t hash = efg_hash_mix(size, loop);

    for (uint32_t i = 0; i < size; i++)
        hash = efg_hash_mix(hash, (uint64_t)items[i].node << 32 | items[i].loop);
    return hash;
}

/* The form of the present iteration, or EFG_NONE; *KEY: where in the map it is or belongs: at
 * its hash, or behind others that have the same. */
static uint32_t find_form(const struct efg_program *p, const struct frame *frame, uint64_t *key)
{
    for (*key = hash_of(frame->loop, frame->items, frame->size);; ++*key) {
        const uint64_t *form = efg_map_find(&p->parse->by_hash, *key);
        if (!form || has_form(p, &p->forms[*form], frame))
            return form ? (uint32_t)*form : EFG_NONE;
    }
}

/* A new form, of the present iteration, not counted yet. Returns its index, or EFG_NONE. */
static uint32_t add_form(struct efg_program *p, const struct frame *frame, uint64_t key)
{
    uint64_t *form = efg_map_put(&p->parse->by_hash, key);

    if (!form || efg_array_grow(&p->forms, p->form_count, 1, sizeof *p->forms) ||
        efg_array_grow(&p->items, p->item_count, frame->size, sizeof *p->items)) {
        p->failed = true;
        return EFG_NONE;
    }
    p->forms[p->form_count] = (struct efg_program_form){
        .loop = frame->loop, .next = p->first_form[frame->loop], .first = p->item_count, .size = frame->size};
    for (uint32_t i = 0; i < frame->size; i++)
        p->items[p->item_count++] = (struct efg_program_item){
            .node = frame->items[i].node, .loop = frame->items[i].loop, .least = UINT64_MAX};
    p->first_form[frame->loop] = p->form_count;
    *form = p->form_count;
    return p->form_count++;
}

static void leave_out(struct efg_program *p, const struct frame *frame, uint64_t weight)
{
    for (uint32_t i = 0; i < frame->size; i++) {
        const struct efg_program_item *item = &frame->items[i];
        struct efg_program_rest *rest =
            item->node == EFG_NONE ? &p->of_loop[item->loop] : &p->of_node[item->node];
        rest->repetitions += weight * item->repetitions;
        rest->before += (double)weight * item->before;
    }
}

static void count_form(struct efg_program *p, const struct frame *frame, struct efg_program_form *form,
                       uint64_t weight)
{
    form->count += weight;
    for (uint32_t i = 0; i < frame->size; i++) {
        struct efg_program_item *sum = &p->items[form->first + i];
        const struct efg_program_item *item = &frame->items[i];
        sum->repetitions += weight * item->repetitions;
        sum->before += (double)weight * item->before;
        sum->least = item->repetitions < sum->least ? item->repetitions : sum->least;
        sum->most = item->repetitions > sum->most ? item->repetitions : sum->most;
    }
}

/* ---- frames ---- */

/* The present iteration, and TIMES - 1 more like it. */
static void end_iterations(struct efg_program *p, struct frame *frame, uint64_t times)
{
    uint64_t key, weight = p->weight * times;
    uint32_t form = find_form(p, frame, &key);

    if (form == EFG_NONE && !frame->is_cut && frame->size <= p->item_limit - p->item_count)
        form = add_form(p, frame, key);
    if (form == EFG_NONE || frame->is_cut) {
        leave_out(p, frame, weight);
        p->of_loop[frame->loop].iterations += weight;
    } else {
        count_form(p, frame, &p->forms[form], weight);
    }
    frame->iterations += times;
    frame->size = 0;
    frame->is_cut = frame->has_head = false;
}

static struct frame *top(const struct efg_program *p)
{
    return &p->parse->frames[p->parse->depth - 1];
}

/* Does an iteration of LOOP begin with ITEM? */
static bool is_head(const struct efg_program *p, uint32_t loop, const struct efg_program_item *item)
{
    if (loop == p->tree->count)
        return false;
    uint32_t header = p->tree->loops[loop].header;
    if (item->node != EFG_NONE)
        return item->node == header;
    return efg_looptree_is_inside(p->tree, p->tree->loop_of[header], item->loop);
}

static void add_item(struct efg_program *p, struct efg_program_item item)
{
    struct frame *frame = top(p);

    bool is_begin = is_head(p, frame->loop, &item);

    if (is_begin && frame->has_head)
        end_iterations(p, frame, 1);
    frame->has_head |= is_begin;
    if (frame->size == p->item_limit) {
        leave_out(p, frame, p->weight);
        frame->size = 0;
        frame->is_cut = true;
    }
    if (frame->size == frame->most)
        p->failed |= efg_array_grow(&frame->items, frame->most++, 1, sizeof *frame->items) != 0;
    if (!p->failed)
        frame->items[frame->size++] = item;
}

static void leave_loop(struct efg_program *p)
{
    struct frame *frame = top(p);

    end_iterations(p, frame, 1);
    p->parse->depth--;
    top(p)->items[top(p)->size - 1].repetitions = frame->iterations;
}

static bool is_in(const struct efg_program *p, uint32_t loop, uint32_t outer)
{
    return outer == p->tree->count ||
           (loop != p->tree->count && efg_looptree_is_inside(p->tree, loop, outer));
}

/* Make LOOP the innermost one. */
static void go_to(struct efg_program *p, uint32_t loop)
{
    struct parse *parse = p->parse;
    uint32_t count = 0;

    while (!is_in(p, loop, top(p)->loop) && !p->failed)
        leave_loop(p);
    for (; loop != top(p)->loop; loop = parent_of(p, loop))
        parse->way[count++] = loop;
    while (count-- && !p->failed) {
        add_item(p, (struct efg_program_item){.node = EFG_NONE, .loop = parse->way[count]});
        if (!p->failed) {
            struct frame *frame = &parse->frames[parse->depth++];
            frame->loop = parse->way[count];
            frame->iterations = 0;
        }
    }
}

/* ---- events ---- */

/* Mean time in ns between an event of FROM and one of TO that follows it; 0 if not known. */
static double between(const struct efg_program *p, uint32_t from, uint32_t to)
{
    const struct efg_edge *edges = p->graph->edges;
    uint32_t *edge = &p->parse->edge[from];

    if (*edge == EFG_NONE || edges[*edge].to != to) {
        uint32_t found = p->graph->nodes[from].first_edge;
        while (found != EFG_NONE && edges[found].to != to)
            found = edges[found].next;
        if (found == EFG_NONE)
            return 0;
        *edge = found;
    }
    const struct efg_stat *time = &edges[*edge].time;
    return time->count ? (double)time->sum / (double)time->count : 0;
}

/* Each time that NODE comes an iteration of its loop begins; else it may come several times in one. */
static bool begins_alone(const struct efg_program *p, uint32_t node)
{
    uint32_t loop = p->tree->loop_of ? p->tree->loop_of[node] : EFG_NONE;

    return loop != EFG_NONE && p->tree->loops[loop].node_count > 1 && p->tree->loops[loop].header == node;
}

static void add_calls(struct efg_program *p, uint32_t node, uint64_t count, double before)
{
    go_to(p, efg_program_loop_of(p, node));
    if (!p->failed)
        add_item(p, (struct efg_program_item){
                        .node = node, .loop = EFG_NONE, .repetitions = count, .before = before});
}

/* An iteration for each of COUNT; those between the first and the last one have nothing else. */
static void add_heads(struct efg_program *p, uint32_t node, uint64_t count, double before)
{
    double after_itself = between(p, node, node);

    add_calls(p, node, 1, before);
    if (count > 1)
        add_calls(p, node, 1, after_itself);
    if (count > 2 && !p->failed) {
        end_iterations(p, top(p), count - 2);
        add_calls(p, node, 1, after_itself);
    }
}

void efg_program_add(struct efg_program *p, uint32_t node, uint64_t count)
{
    struct parse *parse = p->parse;
    double before = 0;

    if (p->failed)
        return;
    if (parse->last != EFG_NONE)
        before = between(p, parse->last, node);
    if (begins_alone(p, node)) {
        add_heads(p, node, count, before);
    } else {
        before += (double)(count - 1) * between(p, node, node);
        if (parse->last != node) {
            add_calls(p, node, count, before);
        } else {
            top(p)->items[top(p)->size - 1].repetitions += count;
            top(p)->items[top(p)->size - 1].before += before;
        }
    }
    parse->last = node;
    p->events += p->weight * count;
}

struct rank { /* of a form among the others */
    uint64_t count;
    uint32_t form;
};

/* Equal ones as they came. */
static int by_rising_count(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    return x->count != y->count ? (x->count > y->count) - (x->count < y->count)
                                : (x->form < y->form) - (x->form > y->form);
}

static int sort_forms(struct efg_program *p)
{
    struct rank *ranks = malloc((p->form_count + 1) * sizeof *ranks);

    if (!ranks)
        return -ENOMEM;
    for (uint32_t i = 0; i < p->form_count; i++)
        ranks[i] = (struct rank){p->forms[i].count, i};
    qsort(ranks, p->form_count, sizeof *ranks, by_rising_count);
    for (uint32_t i = 0; i <= p->tree->count; i++)
        p->first_form[i] = EFG_NONE;
    for (uint32_t i = 0; i < p->form_count; i++) {
        struct efg_program_form *form = &p->forms[ranks[i].form];
        form->next = p->first_form[form->loop];
        p->first_form[form->loop] = ranks[i].form;
    }
    free(ranks);
    return 0;
}

static void end_order(struct efg_program *p)
{
    while (p->parse->depth > 1 && !p->failed)
        leave_loop(p);
    if (!p->failed && top(p)->size)
        end_iterations(p, top(p), 1);
    p->parse->last = EFG_NONE;
}

void efg_program_begin(struct efg_program *p, uint64_t weight)
{
    end_order(p);
    p->weight = weight;
}

int efg_program_close(struct efg_program *p)
{
    end_order(p);
    parse_free(p->parse);
    p->parse = NULL;
    if (!p->failed && sort_forms(p) != 0)
        p->failed = true;
    return p->failed ? -ENOMEM : 0;
}
