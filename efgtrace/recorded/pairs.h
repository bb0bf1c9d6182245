/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of the recorded messages have both ends in the trace: how many sends and receives each
 * channel has. The first ones are pairs.
 */
#ifndef EFG_RECORDED_PAIRS_H
#define EFG_RECORDED_PAIRS_H

#include "files/otf2/table.h"
#include "recorded.h"

struct efg_recorded_pairs { /* all zero: none yet */
    struct efg_otf2_table channels;
    struct efg_recorded_ends {
        uint64_t sends, receives;
    } * ends; /* by row of the channels */
};

/* Count an end of a message. Returns what the other end has, too, and nothing else, ascending by
 * channel; EFG_RECORDED_NONE without memory. */
uint64_t efg_recorded_pairs_add(struct efg_recorded_pairs *pairs,
                                const struct efg_recorded_message *message);

uint64_t efg_recorded_pairs_count(const struct efg_recorded_pairs *pairs);

void efg_recorded_pairs_fini(struct efg_recorded_pairs *pairs);

#endif
