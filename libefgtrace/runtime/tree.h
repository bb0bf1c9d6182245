/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tree: blocks of any size from all ranks to rank 0, and back. In log2 n steps for n ranks; a
 * rank in the middle holds the blocks of those below it while they pass, rank 0 all of them.
 *
 * Collective. A rank without memory fails for those below it, and hangs nobody.
 */
#ifndef EFG_TREE_H
#define EFG_TREE_H

#include <mpi.h>

#include "files/buffer.h"

/* What all ranks gave, at rank 0: ENDS[i] is where the block of rank i ends, and the next one
 * begins. */
struct efg_blocks {
    unsigned char *data;
    uint64_t *ends;
    int count; /* ranks; 0 if it failed, and on all ranks but 0 */
};

/* A block that failed arrives as an empty one. */
struct efg_blocks efg_tree_gather(MPI_Comm comm, const struct efg_buffer *mine);
const void *efg_blocks_get(const struct efg_blocks *blocks, int rank, size_t *size);
void efg_blocks_fini(struct efg_blocks *blocks);

/* Rank i gets the bytes [ENDS[i - 1], ENDS[i]) of ALL, which rank 0 has, into MINE. Returns 0,
 * or -ENOMEM on the ranks that did not get theirs. */
int efg_tree_scatter(MPI_Comm comm, const struct efg_buffer *all, const uint64_t *ends,
                     struct efg_buffer *mine);

#endif
