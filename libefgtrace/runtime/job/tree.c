/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Brings bytes from all ranks to rank 0. A binomial tree: rank r has the children r + 1, r + 2, r + 4 ...
 * below its lowest bit, and the one at r + b stands for the ranks [r + b, r + 2b). So the blocks of a
 * subtree are those of neighbouring ranks, and come into order by themselves.
 *
 *     giver:  how many bytes, or that it failed  ->  taker
 *                                                <-  whether it has room
 *             ends, data                         ->  if so
 *
 * MPI counts in int: longer messages go in pieces.
 */
#include "tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TAG 2
#ifndef EFG_TREE_PIECE
#define EFG_TREE_PIECE (1u << 30) /* bytes of a message */
#endif

struct place { /* in the tree */
    MPI_Comm comm;
    int rank, size;
    int span; /* ranks from this one on that are below it, and itself, if there are so many */
};

static struct place find_place(MPI_Comm comm)
{
    struct place at = {.comm = comm, .span = 1};
    PMPI_Comm_rank(comm, &at.rank);
    PMPI_Comm_size(comm, &at.size);
    while (at.rank ? !(at.rank & at.span) : at.span < at.size)
        at.span *= 2;
    return at;
}

/* How many of the SPAN ranks from FIRST on there are. */
static int count_ranks(const struct place *at, int first, int span)
{
    return at->size - first < span ? at->size - first : span;
}

static void send_bytes(const struct place *at, int to, const void *bytes, uint64_t size)
{
    for (const char *data = bytes; size;) {
        int piece = size < EFG_TREE_PIECE ? (int)size : (int)EFG_TREE_PIECE;
        PMPI_Send(data, piece, MPI_BYTE, to, TAG, at->comm);
        data += piece;
        size -= (uint64_t)piece;
    }
}

static void receive_bytes(const struct place *at, int from, void *bytes, uint64_t size)
{
    for (char *data = bytes; size;) {
        int piece = size < EFG_TREE_PIECE ? (int)size : (int)EFG_TREE_PIECE;
        PMPI_Recv(data, piece, MPI_BYTE, from, TAG, at->comm, MPI_STATUS_IGNORE);
        data += piece;
        size -= (uint64_t)piece;
    }
}

struct offer {
    uint64_t start; /* where the first block begins, in what the giver has */
    uint64_t bytes;
    uint64_t failed;
};

/* COUNT blocks, the first of which begins at START in DATA; ENDS: NULL for a failure. */
static void give(const struct place *at, int to, const uint64_t *ends, int count, uint64_t start,
                 const unsigned char *data)
{
    struct offer offer = {start, ends ? ends[count - 1] - start : 0, !ends};
    int has_room = 0;
    send_bytes(at, to, &offer, sizeof offer);
    PMPI_Recv(&has_room, 1, MPI_INT, to, TAG, at->comm, MPI_STATUS_IGNORE);
    if (!has_room)
        return;
    send_bytes(at, to, ends, (uint64_t)count * sizeof *ends);
    send_bytes(at, to, data + start, offer.bytes);
}

/* COUNT blocks behind those that ALL holds, and where they end there; ENDS: NULL for no room.
 * Returns 0, or -ENOMEM if either side has failed. */
static int take(const struct place *at, int from, uint64_t *ends, int count, struct efg_buffer *all)
{
    struct offer offer;
    receive_bytes(at, from, &offer, sizeof offer);
    uint64_t start = all->size;
    void *data = ends && !offer.failed ? efg_buffer_extend(all, offer.bytes) : NULL;
    int has_room = data != NULL;
    PMPI_Send(&has_room, 1, MPI_INT, from, TAG, at->comm);
    if (!has_room)
        return -ENOMEM;
    receive_bytes(at, from, ends, (uint64_t)count * sizeof *ends);
    receive_bytes(at, from, data, offer.bytes);
    for (int i = 0; i < count; i++)
        ends[i] += start - offer.start;
    return 0;
}

/* --- up --- */

struct efg_blocks efg_tree_gather(MPI_Comm comm, const struct efg_buffer *mine)
{
    struct place at = find_place(comm);
    struct efg_buffer all = {0};
    uint64_t *ends = calloc((size_t)count_ranks(&at, at.rank, at.span), sizeof *ends);
    int failed = !ends;

    if (!mine->failed)
        efg_buffer_put(&all, mine->data, mine->size);
    failed |= all.failed;
    if (!failed)
        ends[0] = all.size;
    for (int step = 1; step < at.span && at.rank + step < at.size; step *= 2)
        failed |= take(&at, at.rank + step, failed ? NULL : ends + step,
                       count_ranks(&at, at.rank + step, step), &all) != 0;
    if (at.rank)
        give(&at, at.rank - at.span, failed ? NULL : ends, count_ranks(&at, at.rank, at.span), 0, all.data);
    if (at.rank == 0 && !failed)
        return (struct efg_blocks){all.data, ends, at.size};
    efg_buffer_fini(&all);
    free(ends);
    return (struct efg_blocks){0};
}

const void *efg_blocks_get(const struct efg_blocks *blocks, int rank, size_t *size)
{
    uint64_t start = rank ? blocks->ends[rank - 1] : 0;
    *size = blocks->ends[rank] - start;
    return blocks->data + start;
}

void efg_blocks_fini(struct efg_blocks *blocks)
{
    free(blocks->data);
    free(blocks->ends);
    *blocks = (struct efg_blocks){0};
}

static int take_and_add(const struct place *at, int from, void *mine, const struct efg_tree_joiner *joiner,
                        bool failed)
{
    struct efg_buffer theirs = {0};
    uint64_t end;
    int error = take(at, from, failed ? NULL : &end, 1, &theirs);
    if (!error)
        error = joiner->add(mine, theirs.data, theirs.size);
    efg_buffer_fini(&theirs);
    return error;
}

static void give_block(const struct place *at, int to, const struct efg_buffer *block, bool failed)
{
    uint64_t end = block->size;
    give(at, to, failed || block->failed ? NULL : &end, 1, 0, block->data);
}

int efg_tree_join(MPI_Comm comm, void *mine, const struct efg_tree_joiner *joiner)
{
    struct place at = find_place(comm);
    bool failed = false;
    for (int step = 1; step < at.span && at.rank + step < at.size; step *= 2)
        failed |= take_and_add(&at, at.rank + step, mine, joiner, failed) != 0;
    if (at.rank) {
        struct efg_buffer block = {0};
        if (!failed)
            joiner->put(&block, mine);
        give_block(&at, at.rank - at.span, &block, failed);
        efg_buffer_fini(&block);
    }
    return failed ? -ENOMEM : 0;
}

/* --- aside --- */

void efg_tree_send(MPI_Comm comm, int to, const struct efg_buffer *block)
{
    struct place at = {.comm = comm};
    give_block(&at, to, block, false);
}

int efg_tree_receive(MPI_Comm comm, int from, struct efg_buffer *out)
{
    struct place at = {.comm = comm};
    uint64_t end;
    return take(&at, from, &end, 1, out);
}

/* --- down --- */

/* What rank 0 has, or what comes from above: the blocks of all ranks of this subtree. */
static int take_subtree(const struct place *at, const struct efg_buffer *all, const uint64_t *ends,
                        struct efg_buffer *part, uint64_t *part_ends)
{
    int count = count_ranks(at, at->rank, at->span);
    if (at->rank)
        return take(at, at->rank - at->span, part_ends, count, part);
    efg_buffer_put(part, all->data, all->size);
    if (all->failed || part->failed || !ends || !part_ends)
        return -ENOMEM;
    memcpy(part_ends, ends, (size_t)count * sizeof *ends);
    return 0;
}

int efg_tree_scatter(MPI_Comm comm, const struct efg_buffer *all, const uint64_t *ends,
                     struct efg_buffer *mine)
{
    struct place at = find_place(comm);
    uint64_t *part_ends = calloc((size_t)count_ranks(&at, at.rank, at.span), sizeof *ends);
    int error = take_subtree(&at, all, ends, mine, part_ends);

    for (int step = at.span / 2; step > 0; step /= 2)
        if (at.rank + step < at.size)
            give(&at, at.rank + step, error ? NULL : part_ends + step, count_ranks(&at, at.rank + step, step),
                 error ? 0 : part_ends[step - 1], mine->data);
    mine->size = error ? 0 : part_ends[0];
    free(part_ends);
    return error;
}
