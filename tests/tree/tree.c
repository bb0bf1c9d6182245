/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks up and down the tree of runtime/job/tree.h, with real ranks: of any size, empty ones, ones
 * that failed, longer than a message may be (pieces are 1000 bytes here).
 *
 * usage: mpirun -np N tree ROUNDS
 */
#include "runtime/job/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void expect(int fine, const char *what, int round)
{
    if (fine)
        return;
    fprintf(stderr, "FAIL rank %d of %d, round %d: %s\n", rank, size, round, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Bytes that rank R has in ROUND: mostly few, sometimes none, sometimes many. */
static size_t length_of(int r, int round)
{
    unsigned x = (unsigned)(r * 7919 + round * 104729) * 2654435761u >> 8;
    return x % 5 == 0 ? 0 : x % 7 == 0 ? x % 50000 : x % 300;
}

static unsigned char byte_of(int r, int round, size_t at)
{
    return (unsigned char)(r * 31 + round * 17 + (int)(at * 7));
}

static int fails(int r, int round)
{
    return round % 4 == 3 && r == round % size;
}

static void fill(struct efg_buffer *block, int r, int round)
{
    for (size_t i = 0; i < length_of(r, round); i++) {
        unsigned char byte = byte_of(r, round, i);
        efg_buffer_put(block, &byte, 1);
    }
}

static void check(const unsigned char *block, size_t bytes, int r, int round)
{
    expect(bytes == (fails(r, round) ? 0 : length_of(r, round)), "length", round);
    for (size_t i = 0; i < bytes; i++)
        expect(block[i] == byte_of(r, round, i), "byte", round);
}

static void gather(int round)
{
    struct efg_buffer mine = {0};
    fill(&mine, rank, round);
    mine.failed = fails(rank, round);
    struct efg_blocks all = efg_tree_gather(MPI_COMM_WORLD, &mine);
    expect(all.count == (rank ? 0 : size), "count", round);
    for (int r = 0; r < all.count; r++) {
        size_t bytes;
        const void *block = efg_blocks_get(&all, r, &bytes);
        check(block, bytes, r, round);
    }
    efg_blocks_fini(&all);
    efg_buffer_fini(&mine);
}

static void scatter(int round)
{
    struct efg_buffer all = {0}, mine = {0};
    uint64_t *ends = calloc((size_t)size, sizeof *ends);
    int will_fail = round % 8 == 7;
    for (int r = 0; rank == 0 && r < size; r++) {
        fill(&all, r, round & ~3); /* a round without failures */
        ends[r] = all.size;
    }
    all.failed |= will_fail;
    int error = efg_tree_scatter(MPI_COMM_WORLD, &all, ends, &mine);
    expect(!error == !will_fail, "error", round);
    if (!error)
        check(mine.data, mine.size, rank, round & ~3);
    free(ends);
    efg_buffer_fini(&all);
    efg_buffer_fini(&mine);
}

static void put(struct efg_buffer *out, const void *mine)
{
    const struct efg_buffer *all = mine;
    efg_buffer_put(out, all->data, all->size);
    out->failed |= all->failed;
}

static int add(void *mine, const void *bytes, size_t bytes_size)
{
    struct efg_buffer *all = mine;
    efg_buffer_put(all, bytes, bytes_size);
    return all->failed ? -1 : 0;
}

/* Joined is what all ranks have, one after the other in their order. */
static void join(int round)
{
    static const struct efg_tree_joiner joiner = {put, add};
    struct efg_buffer mine = {0}, expected = {0};
    int will_fail = 0;
    fill(&mine, rank, round);
    for (int r = 0; r < size; r++) {
        fill(&expected, r, round);
        will_fail |= r && fails(r, round);
    }
    mine.failed |= rank && fails(rank, round);
    int error = efg_tree_join(MPI_COMM_WORLD, &mine, &joiner);
    if (rank == 0)
        expect(!error == !will_fail, "error of a join", round);
    if (rank == 0 && !error)
        expect(mine.size == expected.size && (!mine.size || !memcmp(mine.data, expected.data, mine.size)),
               "joined bytes", round);
    efg_buffer_fini(&mine);
    efg_buffer_fini(&expected);
}

/* From the last rank to the first one, aside of the tree. */
static void send_one(int round)
{
    struct efg_buffer block = {0};
    if (size == 1)
        return;
    if (rank == size - 1) {
        fill(&block, rank, round);
        efg_tree_send(MPI_COMM_WORLD, 0, &block);
    } else if (rank == 0) {
        expect(efg_tree_receive(MPI_COMM_WORLD, size - 1, &block) == 0, "receive", round);
        expect(block.size == length_of(size - 1, round), "length of a block", round);
        for (size_t i = 0; i < block.size; i++)
            expect(block.data[i] == byte_of(size - 1, round, i), "byte of a block", round);
    }
    efg_buffer_fini(&block);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < rounds; round++) {
        gather(round);
        scatter(round);
        join(round);
        send_one(round);
    }
    MPI_Finalize();
    return 0;
}
