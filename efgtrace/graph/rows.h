/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows: calls of the same function one after the other, outside loops, made equally often by the
 * same ranks. Programs begin and end with them; drawn one by one, they hide the rest.
 */
#ifndef EFG_GRAPH_ROWS_H
#define EFG_GRAPH_ROWS_H

#include "model/merged.h"

struct efg_rows {    /* per node */
    uint32_t *first; /* of its row; itself if it is in none */
    uint32_t *next;  /* in the row, EFG_NONE at its end and outside rows */
};

/* Find the rows of MERGED of at least LEAST calls. Returns 0 or -ENOMEM. */
int efg_rows_find(struct efg_rows *rows, const struct efg_merged *merged, uint32_t least);
void efg_rows_fini(struct efg_rows *rows);

#endif
