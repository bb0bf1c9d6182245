/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that alternate; a part of rule.c. */
#ifndef EFG_ALTERNATE_H
#define EFG_ALTERNATE_H

#include "rule.h"

/* Move the candidates that are common to steps that alternate to tier 3: for when the other
 * tiers are empty. */
void efg_alternate_add(struct efg_rule *rule);

/* The candidate that is to be taken instead of CHOSEN as steps alternate, now of tier 3, or
 * NULL. A collective of the world is given up for another one only. */
struct efg_candidate *efg_alternate_find(struct efg_rule *rule,
                                         const struct efg_candidate *chosen);

/* 1 if the node C recurs without anything rarer in between: it has a loop of its own. */
int efg_alternate_is_inner(struct efg_rule *rule, const struct efg_candidate *c);

#endif
