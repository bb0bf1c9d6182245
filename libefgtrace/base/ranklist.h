/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank list: ascending ranks as ranges with a stride, "0-62" or "1-61:2". What the ranges are
 * depends on the ranks only, not on the order in which lists were put together.
 */
#ifndef EFG_RANKLIST_H
#define EFG_RANKLIST_H

#include <stdbool.h>

#include "buffer.h"

struct efg_range {                 /* first, first + stride, ...: COUNT of them */
    uint32_t first, stride, count; /* stride 1 where count is 1 */
};

struct efg_ranklist { /* all zero is an empty list */
    struct efg_range *ranges;
    uint32_t range_count;
};

void efg_ranklist_fini(struct efg_ranklist *list);

/* Append a rank, or those of MORE: larger ones than LIST has. Returns 0 or -ENOMEM. */
int efg_ranklist_add(struct efg_ranklist *list, uint32_t rank);
int efg_ranklist_append(struct efg_ranklist *list, const struct efg_ranklist *more);

/* Add the ranks of MORE, in any order, in time proportional to both. Returns 0, or
 * -ENOMEM with LIST unchanged. */
int efg_ranklist_unite(struct efg_ranklist *list, const struct efg_ranklist *more);

/* Whether both have the same ranks. */
bool efg_ranklist_is_equal(const struct efg_ranklist *a, const struct efg_ranklist *b);

bool efg_ranklist_has(const struct efg_ranklist *list, uint32_t rank);

/* How many ranks there are. */
uint64_t efg_ranklist_count(const struct efg_ranklist *list);

/* "0, 2-62, 63-127:2"; what does not fit ends in "...". */
void efg_ranklist_print(const struct efg_ranklist *list, char *text, size_t size);

/* Append all of it as text: "0,2-62,63-127:2,200,300", as the tool takes lists of ranks. */
void efg_ranklist_write(struct efg_buffer *out, const struct efg_ranklist *list);

/* Number of ranges; of each: first - last rank before it, stride, count. GET marks the reader
 * as failed unless the ranks ascend. Returns 0 or -ENOMEM. */
void efg_ranklist_put(struct efg_buffer *out, const struct efg_ranklist *list);
int efg_ranklist_get(struct efg_reader *in, struct efg_ranklist *list);

#endif
