/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Labels that tell call sites apart. Calls of one function from a wrapper have the same innermost frame; so
 * a label grows outwards until no other one of the run is the same:
 *
 *     MPI_Allreduce  Foam::reduce < PCG::scalarSolve
 *
 * Of each set of equal labels, the next frame in which they differ is added to all of them, then the same is
 * done for what is still equal. Frames that are the same in all stay away. Where names do not help, as two
 * calls in one function may have no lines, the offset of the first frame that differs does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "names.h"
#include "summary.h"

#define MOST_LEVELS 127

struct item {
    uint64_t text; /* hash of what is compared; 0: there is none */
    uint32_t path; /* id */
};

static uint64_t offset_at(const struct efg_run_path *path, uint32_t level)
{
    if (level >= path->depth)
        return 0;
    return efg_hash_mix(path->frames[level].module, path->frames[level].offset) | 1;
}

/* Of frame LEVEL of the names, or of the addresses. */
static uint64_t text_at(const struct efg_run *run, uint32_t id, uint32_t level, bool by_offset)
{
    struct efg_node node = {.signature.path = id};
    char text[256];
    if (by_offset)
        return offset_at(efg_run_path(run, id), level);
    if (!efg_summary_frame(run, &node, level, text, sizeof text))
        return 0;
    return efg_hash_bytes(0, text, strlen(text)) | 1;
}

enum level { SAME, DIFFERENT, BEYOND };

static enum level look_at(const struct efg_run *run, struct item *items, size_t count, uint32_t level,
                          bool by_offset)
{
    enum level found = BEYOND;
    for (size_t i = 0; i < count; i++) {
        items[i].text = text_at(run, items[i].path, level, by_offset);
        if (items[i].text && found == BEYOND)
            found = SAME;
        if (items[i].text != items[0].text)
            found = DIFFERENT;
    }
    return found;
}

static void split(struct efg_run *run, struct item *items, size_t count, int depth, uint32_t level,
                  bool by_offset);

/* The sets of those that are equal, which may have FRAME more frames from LEVEL on. */
static void split_equal(struct efg_run *run, struct item *items, size_t count, int frame, uint32_t level,
                        bool by_offset)
{
    qsort(items, count, sizeof *items, efg_compare_numbers);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && items[next].text == items[i].text;)
            next++;
        split(run, &items[i], next - i, frame, level, by_offset);
    }
}

static void split(struct efg_run *run, struct item *items, size_t count, int frame, uint32_t level,
                  bool by_offset)
{
    enum level found = SAME;
    if (count < 2 || frame == EFG_APART)
        return;
    while (level < MOST_LEVELS && (found = look_at(run, items, count, level, by_offset)) == SAME)
        level++;
    if (found != DIFFERENT) {
        if (!by_offset)
            split(run, items, count, frame, 0, true);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (items[i].text)
            run->apart[items[i].path - 1][frame] =
                (unsigned char)(by_offset ? EFG_APART_OFFSET | level : level);
    split_equal(run, items, count, frame + 1, level + 1, by_offset);
}

/* From the innermost one outwards, however they were found. */
static void sort_frames(const struct efg_run *run, uint32_t path, unsigned char *apart)
{
    for (int i = 1; i < EFG_APART && apart[i]; i++)
        for (int k = i;
             k && efg_summary_level(run, path, apart[k]) < efg_summary_level(run, path, apart[k - 1]); k--) {
            unsigned char inner = apart[k];
            apart[k] = apart[k - 1];
            apart[k - 1] = inner;
        }
}

int efg_summary_tell_apart(struct efg_run *run)
{
    size_t count = run->common.names.path_count;
    uint32_t *calls = efg_run_path_calls(run);
    struct item *items = calloc(count + 1, sizeof *items);
    free(run->apart);
    run->apart = calloc(count + 1, sizeof *run->apart);
    if (calls && items && run->apart) {
        for (uint32_t i = 0; i < count; i++)
            items[i] = (struct item){efg_hash_mix(calls[i], text_at(run, i + 1, 0, false)), i + 1};
        split_equal(run, items, count, 0, 1, false);
        for (uint32_t i = 0; i < count; i++)
            sort_frames(run, i + 1, run->apart[i]);
    }
    int error = calls && items && run->apart ? 0 : -ENOMEM;
    free(calls);
    free(items);
    return error;
}
