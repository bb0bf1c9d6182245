/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces: the files that each thread of a job saves while it runs, in the order of ranks and threads.
 */
#ifndef EFG_RUN_PIECES_H
#define EFG_RUN_PIECES_H

#include <stdint.h>

struct efg_piece {
    uint32_t rank, thread;
    uint32_t folder; /* that it is in (fan.h) */
};

/* Those in DIR to PIECES, which the caller frees, whatever is returned: how many, 0 where there is no
 * such folder, or -ENOMEM. */
int efg_pieces_find(const char *dir, struct efg_piece **pieces);

/* How many there are in DIR; 0 for none, or no such folder. */
int efg_pieces_count(const char *dir);

#endif
