/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names files of ranks.
 */
#include "fan.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/none.h"
#include "below.h"

#define NAMES 2 /* TOP and a file */

static uint32_t few; /* 0: no test has said anything else than fan.h */

void efg_fan_begin(void)
{
    const char *value = getenv("EFG_TEST_FAN");

    few = value ? (uint32_t)strtoul(value, NULL, 10) : 0;
}

/* Ranks of a folder; 0: all are in one. */
static uint32_t step_of(uint32_t ranks)
{
    return ranks <= (few ? few : EFG_FAN_MOST) ? 0 : few ? few : EFG_FAN_RANKS;
}

uint32_t efg_fan_folder(uint32_t rank, uint32_t ranks)
{
    uint32_t step = step_of(ranks);

    return step ? rank - rank % step : EFG_NONE;
}

void efg_fan_path(char *path, size_t size, const char *top, uint32_t folder, uint32_t rank, uint32_t thread,
                  const char *ending)
{
    size_t length = (size_t)snprintf(path, size, "%s", top);

    if (length < size)
        efg_fan_add(path + length, size - length, folder, rank, thread, ending);
}

void efg_fan_add(char *end, size_t size, uint32_t folder, uint32_t rank, uint32_t thread, const char *ending)
{
    if (folder == EFG_NONE)
        snprintf(end, size, "/%u.%u.%s", rank, thread, ending);
    else
        snprintf(end, size, "/%u/%u.%u.%s", folder, rank, thread, ending);
}

/* Whether the LENGTH bytes of NAME, with a number in decimal, are that of a folder. */
static bool is_folder(const char *name, size_t length)
{
    return length && strspn(name, "0123456789") >= length;
}

unsigned efg_fan_below(const char *path)
{
    const char *end = strrchr(path, '/'), *begin = end;

    while (begin && begin > path && begin[-1] != '/')
        begin--;
    return NAMES + (begin && is_folder(begin, (size_t)(end - begin)));
}

bool efg_fan_ends(const char *name, const char *ending, uint32_t *rank, uint32_t *thread)
{
    int end = 0;

    return sscanf(name, "%u.%u.%n", rank, thread, &end) == 2 && end && strcmp(name + end, ending) == 0;
}

/* --- folders --- */

static void name_folder(char path[PATH_MAX], const char *top, uint32_t folder)
{
    snprintf(path, PATH_MAX, "%.4000s/%u", top, folder);
}

int efg_fan_make(const char *top, unsigned below, uint32_t ranks)
{
    char path[PATH_MAX];
    uint32_t step = step_of(ranks);
    int error = efg_below_make_folder(top, below);

    for (uint64_t first = 0; step && first < ranks && !error; first += step) {
        name_folder(path, top, (uint32_t)first);
        error = efg_below_make_folder(path, below + 1);
    }
    return error;
}

void efg_fan_remove(const char *top, unsigned below, uint32_t ranks)
{
    char path[PATH_MAX];
    uint32_t step = step_of(ranks);

    for (uint64_t first = 0; step && first < ranks; first += step) {
        name_folder(path, top, (uint32_t)first);
        efg_below_remove_folder(path, below + 1);
    }
    efg_below_remove_folder(top, below);
}

/* --- what is there --- */

static int list_folder(const char *top, unsigned below, uint32_t folder, efg_fan_visit *visit, void *context)
{
    char path[PATH_MAX];
    int result = 0;

    name_folder(path, top, folder);
    DIR *list = efg_below_list(path, below + 1);
    for (struct dirent *entry; list && !result && (entry = readdir(list));)
        if (entry->d_name[0] != '.')
            result = visit(context, folder, entry->d_name);
    if (list)
        closedir(list);
    return result; /* what is no folder, or a link, has no files of ours */
}

int efg_fan_list(const char *top, unsigned below, efg_fan_visit *visit, void *context)
{
    DIR *list = efg_below_list(top, below);
    int result = 0;

    if (!list)
        return -errno;
    for (struct dirent *entry; !result && (entry = readdir(list));)
        if (is_folder(entry->d_name, strlen(entry->d_name)))
            result = list_folder(top, below, (uint32_t)strtoul(entry->d_name, NULL, 10), visit, context);
        else if (entry->d_name[0] != '.')
            result = visit(context, EFG_NONE, entry->d_name);
    closedir(list);
    return result;
}
