/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Summons: ranks that may never return from MPI_Init, because another library may keep them
 * there, are asked whether they are here, with a short time limit.
 */
#ifndef EFG_SUMMONS_H
#define EFG_SUMMONS_H

#include <stdbool.h>

#define EFG_RANKS_MOST (1 << 20) /* ranks in a set */

/* A set of ranks: bit RANK % 8 of byte RANK / 8. */
static inline bool efg_ranks_has(const unsigned char *ranks, int rank)
{
    return ranks[rank / 8] >> rank % 8 & 1;
}

static inline void efg_ranks_add(unsigned char *ranks, int rank)
{
    ranks[rank / 8] |= (unsigned char)(1 << rank % 8);
}

/* LEADER is this rank. HERE has those of SIZE ranks that are surely here. Ask all others
 * whose notice says PERHAPS, wait some seconds for answers, and tell those that
 * answered who is here. HERE is then the set of these. */
void efg_summons_call(int leader, int size, unsigned char *here);

/* As RANK, wait for the summons of LEADER and answer it. Returns 1 with the set in HERE; 0 if
 * LEADER did not call within some seconds, and any other can be waited for; -1 if this rank was
 * told that it came too late. */
int efg_summons_follow(int leader, int rank, int size, unsigned char *here);

#endif
