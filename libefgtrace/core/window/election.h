/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Election: which loop is to have windows. For agree.c, which has the rounds.
 */
#ifndef EFG_ELECTION_H
#define EFG_ELECTION_H

#include "agree.h"

/* Windows of this part come next. Whether another part follows the present one. */
void efg_election_begin_part(struct efg_agree *agree, uint32_t part);
bool efg_election_has_part(const struct efg_agree *agree);

/* The loop that is to have windows by RESULT, and has none yet that lies ahead; NULL: none, or not yet. */
struct efg_candidate efg_election_winner(struct efg_agree *agree, const struct efg_vote *result);

/* Whether ONE and OTHER may be the same loop, by all that is known of them. */
bool efg_election_is_loop(const struct efg_agree_loop *one, const struct efg_agree_loop *other);

/* Whether it is the present loop. It is from now on. */
bool efg_election_is_present(const struct efg_agree *agree, const struct efg_candidate *winner);
void efg_election_take(struct efg_agree *agree, const struct efg_candidate *winner);

/* By RESULT the pivot of the present loop is chosen: what ranks call it, and how many have it. Whether more
 * have it now. */
void efg_election_know(struct efg_agree *agree, const struct efg_vote *result);
bool efg_election_has_grown(const struct efg_agree *agree, const struct efg_vote *result);

/* The present loop has a window. Of other levels of it, which were taken for it before, nothing is kept. */
void efg_election_made(struct efg_agree *agree);

/* The time since the last result is that of the loop which most ranks vote for. */
void efg_election_credit(struct efg_agree *agree, const struct efg_vote *result);

/* At the end. Phase number N took LASTED[N - 1] ns on all ranks, BUSY[N - 1] of them with a processor. It is
 * brief if both are below 5% of those of the longest one: it was taken because nothing else was known yet.
 * None is if there are no windows but of such. */
void efg_election_settle(struct efg_agree *agree, const uint64_t *lasted, const uint64_t *busy);

/* Which of COUNT phases, up to EFG_AGREE_TURNS + 1, in their order, is that of the main loop, by the time
 * that they LASTED, their TIME with a processor, and the function of their LOOPS (0: not known): of the first
 * function with 40% of the time of the longest one the first phase with 40% of its longest one's. A function
 * that lasted less than 20% of another one is left out: where a machine has other work to do, a long
 * phase may have had hardly any processor. So phases of about the same time do not change places
 * from run to run: where a machine has other work to do, one of two that do the same may take twice as long.
 * EFG_NONE: none takes any. */
uint32_t efg_election_main(const uint64_t *lasted, const uint64_t *time, const uint64_t *loops,
                           uint32_t count);

#endif
