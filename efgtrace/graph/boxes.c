/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Folds calls into boxes, step by step until they are few enough. Each step says anew for every call which
 * box it is in; calls with the same box are one.
 */
#include "boxes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"

#define ROW_LEAST 4   /* calls of a row that is drawn as one */
#define BOXES_MOST 25 /* of a picture */

struct step { /* what is folded */
    bool outside;
    double loops; /* those with less than this share of the time */
    bool functions;
};

struct folding {
    const struct efg_model *model;
    struct efg_rows rows; /* without what is folded */
    struct step step;
    uint32_t
        first_call; /* of the main loop, or of the one with the most time; EFG_NONE: there are no loops */
    uint32_t fork;  /* the context where the tree of callers branches first */
    const uint64_t *time; /* per box of the step before, if those with less than LEAST go to the rest */
    uint64_t least;
};

/* --- which box a call is in --- */

/* The outermost loop around LOOP that is folded; EFG_NONE: none. */
static uint32_t folded_loop(const struct folding *f, uint32_t loop)
{
    const struct efg_looptree *tree = &f->model->merged.tree;
    double whole = (double)f->model->merged.duration;
    uint32_t found = EFG_NONE;
    for (; loop != EFG_NONE; loop = tree->loops[loop].parent)
        if ((double)tree->loops[loop].time < f->step.loops * whole)
            found = loop;
    return found;
}

/* The context below ABOVE on the way to CONTEXT; CONTEXT if it is ABOVE, or not below it. */
static uint32_t towards(const struct efg_contexts *contexts, uint32_t context, uint32_t above)
{
    for (uint32_t c = context; c != EFG_NONE; c = contexts->items[c].parent)
        if (contexts->items[c].parent == above)
            return c;
    return context;
}

static struct efg_box function_box(const struct folding *f, uint32_t v, uint32_t loop)
{
    const struct efg_contexts *contexts = &f->model->contexts;
    uint32_t above = loop == EFG_NONE ? f->fork : contexts->of_loop[loop];
    return (struct efg_box){EFG_BOX_FUNCTION, towards(contexts, contexts->of_node[v], above), loop};
}

static struct efg_box box_of(const struct folding *f, uint32_t v)
{
    const struct efg_looptree *tree = &f->model->merged.tree;
    uint32_t own = tree->loop_of[v], folded = folded_loop(f, own);
    uint32_t loop = folded == EFG_NONE ? own : tree->loops[folded].parent;
    if (loop == EFG_NONE && f->step.outside && f->first_call != EFG_NONE)
        return (struct efg_box){v < f->first_call ? EFG_BOX_START : EFG_BOX_END, 0, EFG_NONE};
    if (folded != EFG_NONE && !f->step.functions)
        return (struct efg_box){EFG_BOX_LOOP, folded, loop};
    if (f->step.functions)
        return function_box(f, v, loop);
    return (struct efg_box){EFG_BOX_CALLS, f->rows.first[v], loop};
}

/* --- all of them --- */

static uint64_t key_of(const struct efg_box *box)
{
    return (uint64_t)box->kind << 61 ^ (uint64_t)(box->home + 1) << 30 ^ box->of;
}

/* Boxes with a single call are that call. */
static void close_boxes(struct efg_boxes *boxes, uint32_t nodes)
{
    boxes->count = 0;
    for (uint32_t v = 0; v < nodes; v++) {
        if (boxes->rows.first[v] != v)
            continue;
        boxes->count++;
        if (boxes->rows.next[v] == EFG_NONE && boxes->box[v].kind != EFG_BOX_LOOP)
            boxes->box[v].kind = EFG_BOX_CALLS;
    }
}

/* The box that V is in now. After the last step, that is the one that it was in, or the rest of its loop. */
static struct efg_box next_box(const struct folding *f, const struct efg_boxes *boxes, uint32_t v)
{
    if (!f->time)
        return box_of(f, v);
    uint32_t first = boxes->rows.first[v];
    if (f->time[first] < f->least)
        return (struct efg_box){EFG_BOX_REST, 0, boxes->box[first].home};
    return boxes->box[first];
}

/* Returns 0 or -ENOMEM. */
static int fold(const struct folding *f, struct efg_boxes *boxes)
{
    uint32_t nodes = f->model->merged.graph.node_count;
    struct efg_map last = {0}; /* of each box so far */
    for (uint32_t v = 0; v < nodes; v++) {
        struct efg_box box = next_box(f, boxes, v);
        uint64_t *before = efg_map_put(&last, key_of(&box));
        if (!before) {
            efg_map_fini(&last);
            return -ENOMEM;
        }
        boxes->rows.next[v] = EFG_NONE;
        boxes->rows.first[v] = *before ? boxes->rows.first[*before - 1] : v;
        if (*before)
            boxes->rows.next[*before - 1] = v;
        else
            boxes->box[v] = box;
        *before = (uint64_t)v + 1;
    }
    efg_map_fini(&last);
    close_boxes(boxes, nodes);
    return 0;
}

/* --- until they are few enough --- */

static int descending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Only the boxes with the most time are left, and for each loop one of all others. */
static int fold_small(struct folding *f, struct efg_boxes *boxes)
{
    const struct efg_graph *graph = &f->model->merged.graph;
    uint64_t *time = calloc((size_t)graph->node_count + 1, sizeof *time);
    uint64_t *order = calloc((size_t)graph->node_count + 1, sizeof *order);
    int error = time && order ? 0 : -ENOMEM;
    for (uint32_t v = 0; !error && v < graph->node_count; v++)
        time[boxes->rows.first[v]] += efg_node_time(&graph->nodes[v]) + 1;
    if (!error) {
        memcpy(order, time, graph->node_count * sizeof *order);
        qsort(order, graph->node_count, sizeof *order, descending);
        f->time = time;
        f->least = order[BOXES_MOST - 1];
        error = fold(f, boxes);
    }
    f->time = NULL;
    free(order);
    free(time);
    return error;
}

static int fold_all(struct folding *f, struct efg_boxes *boxes)
{
    static const struct step steps[] = {{false, 0, false},  {true, .001, false}, {true, .01, false},
                                        {true, .001, true}, {true, .01, true},   {true, .05, true},
                                        {true, .2, true}};
    int error = -1;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && (!i || boxes->count > BOXES_MOST); i++) {
        f->step = steps[i];
        error = fold(f, boxes);
        if (error)
            return error;
    }
    return boxes->count > BOXES_MOST ? fold_small(f, boxes) : 0;
}

/* The first context from the root on that has several below it. */
static uint32_t find_fork(const struct efg_contexts *contexts)
{
    for (uint32_t at = 0;;) {
        uint32_t below = EFG_NONE;
        for (uint32_t c = at + 1; c < contexts->count; c++) {
            if (contexts->items[c].parent == at && below != EFG_NONE)
                return at;
            if (contexts->items[c].parent == at)
                below = c;
        }
        if (below == EFG_NONE || contexts->items[below].is_call)
            return at;
        at = below;
    }
}

static uint32_t first_call(const struct efg_looptree *tree)
{
    if (!tree->count)
        return EFG_NONE;
    return tree->loops[tree->main != EFG_NONE ? tree->main : tree->first].header;
}

int efg_boxes_find(struct efg_boxes *boxes, const struct efg_model *model, bool all)
{
    uint32_t nodes = model->merged.graph.node_count;
    struct folding f = {
        .model = model, .first_call = first_call(&model->merged.tree), .fork = find_fork(&model->contexts)};
    *boxes = (struct efg_boxes){.box = calloc((size_t)nodes + 1, sizeof *boxes->box)};
    int error = efg_rows_find(&f.rows, &model->merged, all ? UINT32_MAX : ROW_LEAST) ||
                efg_rows_find(&boxes->rows, &model->merged, UINT32_MAX) || !boxes->box;
    if (!error)
        error = all ? fold(&f, boxes) : fold_all(&f, boxes);
    efg_rows_fini(&f.rows);
    return error ? -ENOMEM : 0;
}

void efg_boxes_fini(struct efg_boxes *boxes)
{
    efg_rows_fini(&boxes->rows);
    free(boxes->box);
    *boxes = (struct efg_boxes){0};
}
