/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Boxes: which calls are drawn as one, so that a graph of any size is a picture that a person can look at.
 * The more calls, the more is folded: first rows of calls; then what is before the first loop, and behind
 * it; loops that take little time; the calls below each function that a loop calls; at last, what takes
 * least.
 */
#ifndef EFG_GRAPH_BOXES_H
#define EFG_GRAPH_BOXES_H

#include "model/model.h"
#include "rows.h"

enum efg_box_kind {
    EFG_BOX_CALLS, /* a call, or a row of them */
    EFG_BOX_START, /* outside loops, before the main one */
    EFG_BOX_END,   /* outside loops, behind it */
    EFG_BOX_LOOP,
    EFG_BOX_FUNCTION,
    EFG_BOX_REST, /* what takes little time in a loop, or outside of all */
};

struct efg_boxes {
    struct efg_rows rows; /* per node: the first one of its box, the next one in it */
    struct efg_box {
        enum efg_box_kind kind;
        uint32_t of;   /* the loop, or the context of the function */
        uint32_t home; /* the loop in which it is drawn, EFG_NONE outside of all */
    } * box;           /* per node that is the first one of a box */
    uint32_t count;
};

/* Find the boxes of the graph of MODEL, which has contexts; ALL: each call is one. Returns 0 or
 * -ENOMEM. */
int efg_boxes_find(struct efg_boxes *boxes, const struct efg_model *model, bool all);
void efg_boxes_fini(struct efg_boxes *boxes);

#endif
