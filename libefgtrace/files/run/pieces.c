/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the pieces in the output folder, and on the nodes. A piece is DIR/pieces/RANK.THREAD.efg, or as fan.h
 * has it.
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
    uint32_t place; /* that is being looked through */
};

static int compare_pieces(const void *a, const void *b)
{
    const struct efg_piece *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int add_piece(void *context, uint32_t folder, const char *name)
{
    struct found *found = context;
    struct efg_piece piece = {.folder = folder, .place = found->place};
    if (!efg_fan_ends(name, "efg", &piece.rank, &piece.thread))
        return 0;
    if (efg_array_grow(found->pieces, (uint64_t)found->count, 1, sizeof piece))
        return -ENOMEM;
    (*found->pieces)[found->count++] = piece;
    return 0;
}

static int find_in(const char *folder, struct found *found)
{
    char path[PATH_MAX];
    if (!folder || snprintf(path, sizeof path, "%s/pieces", folder) >= (int)sizeof path)
        return 0;
    return efg_fan_list(path, 1, add_piece, found);
}

/* Of one that was being moved, the first place has it whole. Returns how many are left. */
static int drop_doubles(struct efg_piece *pieces, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!kept || pieces[kept - 1].rank != pieces[i].rank || pieces[kept - 1].thread != pieces[i].thread)
            pieces[kept++] = pieces[i];
    return kept;
}

int efg_pieces_find(const struct efg_local *local, struct efg_piece **pieces)
{
    struct found found = {pieces, 0, 0};
    int error = 0;
    *pieces = NULL;
    for (; found.place <= local->count && error != -ENOMEM; found.place++)
        error = find_in(efg_local_folder(local, found.place), &found);
    if (error == -ENOMEM)
        return error;
    if (found.count)
        qsort(*pieces, (size_t)found.count, sizeof **pieces, compare_pieces);
    return drop_doubles(*pieces, found.count);
}

int efg_pieces_count(const char *dir)
{
    struct efg_piece *pieces = NULL;
    struct efg_local local;
    int count = efg_local_read(&local, dir) ? 0 : efg_pieces_find(&local, &pieces);
    free(pieces);
    efg_local_fini(&local);
    return count > 0 ? count : 0;
}
