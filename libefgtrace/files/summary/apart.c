/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Labels that tell call sites apart. Calls of one function from a wrapper have the same innermost frame; so
 * a label grows outwards until no other one of the run is the same:
 *
 *     MPI_Allreduce  Foam::reduce < PCG::scalarSolve
 *
 * Of each set of equal labels, the next frame in which they differ is added to all of them, then the same is
 * done for what is still equal. Frames that are the same in all stay away. How often a function has called
 * itself is part of its name: "7 x descend". Where names do not help, as two calls in one function may have
 * no lines, the offset of the first frame that differs does. What is the same after all is numbered.
 *
 * Long names are shortened where they are shown. Of those that would then be the same, what they differ in is
 * shown: `alike` of the run has where that is.
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
    uint64_t text;          /* hash of what is compared; 0: there is none */
    uint32_t path;          /* id */
    struct efg_outwards at; /* the names of its frames have been compared up to there */
    uint32_t times;         /* so many have the name of the last one, from that one on; 0: not known */
};

static uint64_t offset_at(const struct efg_run_path *path, uint32_t level)
{
    if (level >= path->depth)
        return 0;
    return efg_hash_mix(path->frames[level].module, path->frames[level].offset) | 1;
}

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return x->text != y->text ? efg_compare(x->text, y->text) : efg_compare(x->path, y->path);
}

/* Of function LEVEL of the names, the next one. */
static uint64_t name_at(const struct efg_run *run, struct item *item, uint32_t level)
{
    struct efg_node node = {.signature.path = item->path};
    char text[EFG_PLACE];
    if (!efg_summary_outwards(run, &node, &item->at, level, text, sizeof text))
        return 0;
    if (level)
        item->times = item->times > 1 ? item->times - 1 : efg_summary_times(run, &node, item->at, level);
    return efg_hash_bytes(item->times, text, strlen(text)) | 1;
}

/* Of frame LEVEL of the names, or of the addresses. */
static uint64_t text_at(const struct efg_run *run, struct item *item, uint32_t level, bool by_offset)
{
    return by_offset ? offset_at(efg_run_path(run, item->path), level) : name_at(run, item, level);
}

enum level { SAME, DIFFERENT, BEYOND };

static enum level look_at(const struct efg_run *run, struct item *items, size_t count, uint32_t level,
                          bool by_offset)
{
    enum level found = BEYOND;
    for (size_t i = 0; i < count; i++) {
        items[i].text = text_at(run, &items[i], level, by_offset);
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

/* --- what is the same after all --- */

/* Those of the same text get numbers, in the order of the paths. */
static int number_equal(struct efg_run *run, struct item *items, size_t count)
{
    int error = 0;
    qsort(items, count, sizeof *items, compare_items);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && items[next].text == items[i].text;)
            next++;
        for (size_t k = i; k < next && next - i > 1; k++) {
            uint64_t *number = efg_map_put(&run->twins, items[k].path);
            if (number)
                *number = k - i + 1;
            error |= !number;
        }
    }
    return error ? -ENOMEM : 0;
}

static int find_twins(struct efg_run *run, const uint32_t *calls, struct item *items, size_t count)
{
    char text[EFG_PLACE];
    for (size_t i = 0; i < count; i++) {
        struct efg_node node = {.signature.path = (uint32_t)i + 1};
        efg_summary_place(run, &node, text, sizeof text);
        items[i] = (struct item){.text = efg_hash_mix(calls[i], efg_hash_bytes(0, text, strlen(text))),
                                 .path = (uint32_t)i + 1};
    }
    return number_equal(run, items, count);
}

/* --- long names --- */

struct name {
    uint64_t brief; /* hash of what is shown if it is the only one */
    const char *function;
};

static int compare_names(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    return x->brief != y->brief ? efg_compare(x->brief, y->brief) : strcmp(x->function, y->function);
}

/* What the stems of COUNT names that are shown alike have in common: at the beginning, and at the end. */
static void common_ends(const struct name *names, size_t count, size_t *begin, size_t *end)
{
    char first[EFG_NAME_MOST], stem[EFG_NAME_MOST];
    efg_summary_stem(first, sizeof first, names[0].function);
    size_t length = strlen(first);
    *begin = *end = length;
    for (size_t i = 1; i < count; i++) {
        size_t same = 0, most, other;
        efg_summary_stem(stem, sizeof stem, names[i].function);
        other = strlen(stem);
        while (same < *begin && first[same] == stem[same])
            same++;
        *begin = same;
        most = (other < length ? other : length) - same;
        for (same = 0; same < most && first[length - 1 - same] == stem[other - 1 - same];)
            same++;
        *end = same < *end ? same : *end;
    }
}

static size_t same_letters(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    return a[same] || b[same] ? same : 0; /* copies of one function do not differ */
}

/* With how many letters the stem of NAMES[I] begins as another one does, the most; they are sorted. */
static size_t most_same(const struct name *names, size_t count, size_t i)
{
    char stem[EFG_NAME_MOST], beside[EFG_NAME_MOST];
    size_t most = 0, k, same;
    efg_summary_stem(stem, sizeof stem, names[i].function);
    for (k = i; k > 0 && !strcmp(names[k - 1].function, names[i].function);)
        k--;
    for (int side = 0; side < 2; side++) {
        if (side)
            for (k = i + 1; k < count && !strcmp(names[k].function, names[i].function);)
                k++;
        if (side ? k == count : !k)
            continue;
        efg_summary_stem(beside, sizeof beside, names[side ? k : k - 1].function);
        same = same_letters(stem, beside);
        most = same > most ? same : most;
    }
    return most;
}

/* Only copies of one function, if all stems are the same: these have one name. */
static int show_difference(struct efg_run *run, const struct name *names, size_t count)
{
    char stem[EFG_NAME_MOST];
    size_t begin, end;
    common_ends(names, count, &begin, &end);
    efg_summary_stem(stem, sizeof stem, names[0].function);
    bool differ = begin < strlen(stem);
    for (size_t i = 0; i < count; i++) {
        efg_summary_stem(stem, sizeof stem, names[i].function);
        differ |= begin < strlen(stem);
    }
    for (size_t i = 0; differ && i < count; i++) {
        efg_summary_stem(stem, sizeof stem, names[i].function);
        uint64_t *shown = efg_map_put(&run->alike, efg_summary_name_key(names[i].function));
        if (!shown)
            return -ENOMEM;
        *shown = (uint64_t)begin << 32 | (strlen(stem) - end) << 16 | most_same(names, count, i);
    }
    return 0;
}

static size_t list_names(const struct efg_run *run, struct name *names)
{
    char text[EFG_NAME_SHORT];
    size_t count = 0;
    for (uint32_t i = 0; i < run->site_count; i++)
        for (uint32_t k = 0; k < run->sites[i].symbol_count; k++) {
            const char *function = run->sites[i].symbols[k].function;
            efg_summary_brief(text, sizeof text, function);
            if (names)
                names[count] = (struct name){efg_hash_bytes(0, text, strlen(text)), function};
            count++;
        }
    return count;
}

static int find_alike(struct efg_run *run)
{
    size_t count = list_names(run, NULL);
    struct name *names = calloc(count + 1, sizeof *names);
    int error = names ? 0 : -ENOMEM;
    if (names) {
        list_names(run, names);
        qsort(names, count, sizeof *names, compare_names);
    }
    for (size_t i = 0, next; i < count && !error; i = next) {
        for (next = i + 1; next < count && names[next].brief == names[i].brief;)
            next++;
        error = next - i > 1 ? show_difference(run, &names[i], next - i) : 0;
    }
    free(names);
    return error;
}

int efg_summary_tell_apart(struct efg_run *run)
{
    size_t count = run->common.names.path_count;
    uint32_t *calls = efg_run_path_calls(run);
    struct item *items = calloc(count + 1, sizeof *items);
    int error = calls && items ? 0 : -ENOMEM;
    free(run->apart);
    run->apart = calloc(count + 1, sizeof *run->apart);
    efg_map_fini(&run->alike);
    efg_map_fini(&run->twins);
    if (!error)
        error = run->apart ? find_alike(run) : -ENOMEM;
    if (!error) {
        for (uint32_t i = 0; i < count; i++) {
            items[i] = (struct item){.path = i + 1};
            items[i].text = efg_hash_mix(calls[i], name_at(run, &items[i], 0));
        }
        split_equal(run, items, count, 0, 1, false);
        for (uint32_t i = 0; i < count; i++)
            sort_frames(run, i + 1, run->apart[i]);
        error = find_twins(run, calls, items, count);
    }
    free(calls);
    free(items);
    return error;
}
