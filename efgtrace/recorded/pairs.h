/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of the recorded messages have both ends in the trace: how many sends and receives each
 * channel has, counted in a pass of its own. The first ones are pairs.
 */
#ifndef EFG_RECORDED_PAIRS_H
#define EFG_RECORDED_PAIRS_H

#include "files/otf2/table.h"
#include "recorded.h"

struct efg_recorded_pairs { /* all zero: none yet */
    struct efg_otf2_table channels;
    struct efg_recorded_ends {
        uint64_t sends, receives;
        uint64_t first; /* number of its first pair among all */
    } * ends;           /* by row of the channels */
    uint32_t room;
    uint64_t count; /* of pairs, once they are numbered */
};

/* Count an end of a message. Returns what the other end has, too, in the order of the pairs, once
 * they are numbered; EFG_RECORDED_NONE without memory. */
uint64_t efg_recorded_pairs_add(struct efg_recorded_pairs *pairs,
                                const struct efg_recorded_message *message);

/* Number the pairs of all channels from 0. */
void efg_recorded_pairs_number(struct efg_recorded_pairs *pairs);

/* The number of the pair that MESSAGE is an end of, EFG_RECORDED_NONE if the other one is
 * missing.
 */
uint64_t efg_recorded_pair(struct efg_recorded_pairs *pairs,
                           const struct efg_recorded_message *message);

void efg_recorded_pairs_fini(struct efg_recorded_pairs *pairs);

#endif
