/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the pieces in the output folder. A piece is DIR/pieces/RANK.THREAD.efg.
 */
#include "pieces.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "files/disk/below.h"

static int compare_pieces(const void *a, const void *b)
{
    const struct efg_piece *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static bool read_name(const char *name, struct efg_piece *piece)
{
    int end = 0;
    return sscanf(name, "%u.%u.efg%n", &piece->rank, &piece->thread, &end) == 2 && end && !name[end];
}

int efg_pieces_find(const char *dir, struct efg_piece **pieces)
{
    char path[PATH_MAX];
    struct efg_piece piece;
    int count = 0, error = 0;
    *pieces = NULL;
    snprintf(path, sizeof path, "%s/pieces", dir);
    DIR *folder = efg_below_list(path, 1);
    for (struct dirent *entry; folder && !error && (entry = readdir(folder));)
        if (read_name(entry->d_name, &piece)) {
            error = efg_array_grow(pieces, (uint64_t)count, 1, sizeof **pieces);
            if (!error)
                (*pieces)[count++] = piece;
        }
    if (folder)
        closedir(folder);
    if (count)
        qsort(*pieces, (size_t)count, sizeof **pieces, compare_pieces);
    return error ? error : count;
}

int efg_pieces_count(const char *dir)
{
    struct efg_piece *pieces;
    int count = efg_pieces_find(dir, &pieces);
    free(pieces);
    return count > 0 ? count : 0;
}
