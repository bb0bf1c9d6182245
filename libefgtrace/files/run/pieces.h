/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pieces: the files that each thread of a job saves while it runs, in the order of ranks and threads.
 */
#ifndef EFG_RUN_PIECES_H
#define EFG_RUN_PIECES_H

#include <stdint.h>

#include "files/disk/local.h"

struct efg_piece {
    uint32_t rank, thread;
    uint32_t folder; /* that it is in (fan.h) ... */
    uint32_t place;  /* ... of this place (local.h) */
};

/* Those of a job, wherever they are, to PIECES, which the caller frees, whatever is returned: how many, 0
 * where there are none, or -ENOMEM. */
int efg_pieces_find(const struct efg_local *local, struct efg_piece **pieces);

/* How many there are of the job of DIR; 0 for none, or no such folder. */
int efg_pieces_count(const char *dir);

#endif
