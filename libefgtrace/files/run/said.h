/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What plug-ins have said at the end of the run, as the run file keeps it: numbers and lines, each as a line
 * of text with its parts between tabs.
 *
 *     number  plugin  name  unit  ranks  sum  least  its rank  most  its rank
 *     line    plugin  text        ranks              its rank
 *
 * That of one rank and that of all ranks have the same form.
 */
#ifndef EFG_RUN_SAID_H
#define EFG_RUN_SAID_H

#include "base/buffer.h"

struct efg_said_item {
    const char *plugin;
    const char *name; /* of the number; the text of the line */
    const char *unit; /* "B", "ns", anything else; NULL: it is a line */
    uint64_t ranks, sum, least, most;
    uint32_t least_rank, most_rank; /* the first one; of a line LEAST_RANK */
};

struct efg_said {
    struct efg_said_item *items;
    size_t count;
    char *text; /* that the items are in */
};

/* Read TEXT (NULL: nothing was said). What is not as it should be is passed over. Returns 0 or -ENOMEM. */
int efg_said_read(struct efg_said *said, const char *text);
void efg_said_fini(struct efg_said *said);

/* Append ITEM to OUT, as text. */
void efg_said_put(struct efg_buffer *out, const struct efg_said_item *item);

/* What was said by the ranks of ONE and of OTHER, which come later: to be freed, NULL without memory. */
char *efg_said_join(const char *one, const char *other);

#endif
