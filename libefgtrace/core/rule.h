/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rule: the regularity rule of pivot.h, applied to one window. It looks, and remembers
 * nothing but its own last choices; pivot.c decides when a choice is accepted.
 */
#ifndef EFG_RULE_H
#define EFG_RULE_H

#include "history.h"
#include "pivot.h"

#define EFG_RARE_VISITS 0.8  /* rarer than that share of the visits is rare ... */
#define EFG_RARE_TIME 0.02   /* ... and may cost that share of the time */
#define EFG_HALF_VISITS 0.45 /* what EFG_RARE_VISITS is where steps alternate */

struct efg_candidate {
    uint32_t kind, id, tier;
    int full;         /* what is rarer costs little */
    int ordered;      /* how often it is visited is not a matter of timing */
    uint64_t visits;  /* in the window */
    uint64_t counted; /* as the pivot would count: an edge with rarer ones into its target */
    double irregular; /* CV + LV */
};

struct efg_share {
    uint64_t visits;
    uint64_t time; /* ns: of this node and all before it */
};

struct efg_rule {
    const struct efg_history *history;
    struct efg_pivot_levels levels; /* the last choices */

    struct efg_candidate *candidates;
    struct efg_share *shares; /* of the nodes visited in the window, by rising visits */
    uint64_t *counted;        /* per edge: visits of it and of rarer edges into its target */
    uint32_t *order;          /* per edge, for sorting */
    uint32_t *stack, *mark;   /* per node */
    uint64_t *part_time;      /* per node */
    uint32_t candidate_count, share_count;
    uint32_t node_room, edge_room;
};

void efg_rule_init(struct efg_rule *rule, const struct efg_history *history);
void efg_rule_fini(struct efg_rule *rule);

/* Forget the last choices. */
void efg_rule_restart(struct efg_rule *rule);

/* Bytes held. */
uint64_t efg_rule_memory(const struct efg_rule *rule);

/* Look at the window of the history's last sample; the choices are in rule->levels.
 * Returns 0, or -1 without memory. */
int efg_rule_apply(struct efg_rule *rule);

/* Share of the time of nodes visited less than X times in the window. */
double efg_rule_rare(const struct efg_rule *rule, double x);

/* Share of the time that what is rarer than PIVOT costs, in the window that was looked at. */
double efg_rule_doubt(const struct efg_rule *rule, const struct efg_pivot *pivot);

#endif
