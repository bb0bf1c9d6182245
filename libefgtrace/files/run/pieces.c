/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the pieces in the output folder. A piece is DIR/pieces/RANK.THREAD.efg, or as fan.h has it.
 */
#include "pieces.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "files/disk/fan.h"

struct found {
    struct efg_piece **pieces;
    int count;
};

static int compare_pieces(const void *a, const void *b)
{
    const struct efg_piece *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int add_piece(void *context, uint32_t folder, const char *name)
{
    struct found *found = context;
    struct efg_piece piece = {.folder = folder};
    if (!efg_fan_ends(name, "efg", &piece.rank, &piece.thread))
        return 0;
    if (efg_array_grow(found->pieces, (uint64_t)found->count, 1, sizeof piece))
        return -ENOMEM;
    (*found->pieces)[found->count++] = piece;
    return 0;
}

int efg_pieces_find(const char *dir, struct efg_piece **pieces)
{
    char path[PATH_MAX];
    struct found found = {pieces, 0};
    *pieces = NULL;
    snprintf(path, sizeof path, "%s/pieces", dir);
    int error = efg_fan_list(path, 1, add_piece, &found);
    if (found.count)
        qsort(*pieces, (size_t)found.count, sizeof **pieces, compare_pieces);
    return error == -ENOMEM ? error : found.count;
}

int efg_pieces_count(const char *dir)
{
    struct efg_piece *pieces;
    int count = efg_pieces_find(dir, &pieces);
    free(pieces);
    return count > 0 ? count : 0;
}
