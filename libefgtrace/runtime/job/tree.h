/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tree: blocks of any size from all ranks to rank 0, and back. In log2 n steps for n ranks; a
 * rank in the middle holds the blocks of those below it while they pass, rank 0 all of them.
 *
 * Collective. A rank without memory fails for those below it, but no rank hangs.
 */
#ifndef EFG_TREE_H
#define EFG_TREE_H

#include <mpi.h>

#include "base/buffer.h"

/* The blocks of all ranks, on rank 0: ENDS[i] is where the block of rank i ends, and the next one
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

/* Join what the ranks have, two neighbours at a time, until rank 0 has it all. PUT turns what a
 * rank has into bytes, for the rank before it, which ADDs them to its own and returns 0, or < 0
 * if that failed. Returns 0 on rank 0, or -ENOMEM if any part failed; on other ranks, as far as
 * they know. */
struct efg_tree_joiner {
    void (*put)(struct efg_buffer *out, const void *mine);
    int (*add)(void *mine, const void *bytes, size_t size);
};
int efg_tree_join(MPI_Comm comm, void *mine, const struct efg_tree_joiner *joiner);

/* One block from rank to rank. RECEIVE appends it to OUT; it returns 0, or -ENOMEM if either
 * side has no memory. */
void efg_tree_send(MPI_Comm comm, int to, const struct efg_buffer *block);
int efg_tree_receive(MPI_Comm comm, int from, struct efg_buffer *out);

#endif
