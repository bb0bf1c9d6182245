/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens, makes and removes files and folders below the output folder. Folders are held as places
 * only (O_PATH), which needs no right to read them. What openat2(2) does with RESOLVE_NO_SYMLINKS
 * is done name by name, since that call is not everywhere.
 */
#define _GNU_SOURCE
#include "below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACE (O_PATH | O_DIRECTORY | O_CLOEXEC)

/* --- the way down --- */

/* Where in PATH its last BELOW names begin. */
static const char *names_of(const char *path, unsigned below)
{
    const char *at = path + strlen(path);

    while (below && at > path)
        if (*--at == '/' && --below == 0)
            return at + 1;
    return at + (*at == '/'); /* all of them */
}

/* -errno of an open with these FLAGS: of a link where a folder should be, the kernel says only
 * that it is none. */
static int explained(int at, const char *name, int flags)
{
    int error = errno;
    struct stat facts;

    if (error == ENOTDIR && (flags & O_NOFOLLOW) && fstatat(at, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISLNK(facts.st_mode))
        error = ELOOP;
    return -error;
}

/* The first LENGTH bytes of PATH, a folder in AT. */
static int open_place(int at, const char *path, size_t length, int flags)
{
    char name[PATH_MAX];

    if (length >= sizeof name)
        return -ENAMETOOLONG;
    memcpy(name, path, length);
    name[length] = '\0';
    int place = openat(at, length ? name : at == AT_FDCWD ? "." : "", PLACE | flags);
    if (place >= 0)
        return place;
    return explained(at, name, flags);
}

/* The folder that the last of the names is in, and that *NAME, which is never followed. */
static int hold_parent(const char *path, unsigned below, const char **name)
{
    const char *slash, *at = names_of(path, below ? below : 1);
    size_t length = (size_t)(at - path);
    int place = open_place(AT_FDCWD, path, length, 0);

    for (; place >= 0 && (slash = strchr(at, '/')); at = slash + 1) {
        int above = place;
        place = open_place(above, at, (size_t)(slash - at), O_NOFOLLOW);
        close(above);
    }
    *name = at;
    return place;
}

/* RESULT of a call in PLACE, which is let go. */
static int end(int place, int result)
{
    int error = errno;

    close(place);
    return result < 0 ? -error : result;
}

/* --- files --- */

int efg_below_open(const char *path, unsigned below, int flags)
{
    const char *name;
    int file, place;

    flags |= O_CLOEXEC | O_NONBLOCK;
    if (below == 0) {
        file = open(path, flags, 0644);
        return file < 0 ? -errno : file;
    }
    place = hold_parent(path, below, &name);
    if (place < 0)
        return place;
    flags |= O_NOFOLLOW;
    file = openat(place, name, flags, 0644);
    if (file < 0)
        file = explained(place, name, flags);
    close(place);
    return file;
}

bool efg_below_is_there(const char *path, unsigned below)
{
    struct stat facts;
    const char *name;
    int place = hold_parent(path, below, &name);

    return place >= 0 && end(place, fstatat(place, name, &facts, AT_SYMLINK_NOFOLLOW)) == 0;
}

uint64_t efg_below_size(const char *path, unsigned below)
{
    struct stat facts;
    const char *name;
    int place = hold_parent(path, below, &name);

    if (place < 0 || end(place, fstatat(place, name, &facts, AT_SYMLINK_NOFOLLOW)) != 0)
        return 0;
    return S_ISREG(facts.st_mode) ? (uint64_t)facts.st_size : 0;
}

int efg_below_remove(const char *path, unsigned below)
{
    const char *name;
    int place = hold_parent(path, below, &name);

    return place < 0 ? place : end(place, unlinkat(place, name, 0));
}

int efg_below_rename(const char *from, unsigned below_from, const char *to, unsigned below_to)
{
    const char *name, *other;
    int there, here = hold_parent(from, below_from, &name);

    if (here < 0)
        return here;
    there = hold_parent(to, below_to, &other);
    int error = there < 0 ? there : end(there, renameat(here, name, there, other));
    close(here);
    return error;
}

/* --- folders --- */

int efg_below_hold(const char *path, unsigned below)
{
    const char *name;

    if (below == 0)
        return open_place(AT_FDCWD, path, strlen(path), 0);
    int folder, place = hold_parent(path, below, &name);
    if (place < 0)
        return place;
    folder = open_place(place, name, strlen(name), O_NOFOLLOW);
    close(place);
    return folder;
}

DIR *efg_below_list(const char *path, unsigned below)
{
    int folder = efg_below_open(path, below, O_RDONLY | O_DIRECTORY);
    DIR *list = folder < 0 ? NULL : fdopendir(folder);

    if (folder < 0)
        errno = -folder;
    else if (!list)
        close(folder);
    return list;
}

static int make_folder(const char *path, unsigned below, mode_t mode)
{
    const char *name;
    int place = hold_parent(path, below, &name);

    return place < 0 ? place : end(place, mkdirat(place, name, mode));
}

int efg_below_make_folder(const char *path, unsigned below)
{
    return make_folder(path, below, 0755);
}

int efg_below_make_private(const char *path, unsigned below)
{
    return make_folder(path, below, 0700);
}

int efg_below_check_writable(const char *path, unsigned below)
{
    int folder = efg_below_hold(path, below);

    return folder < 0 ? folder : end(folder, faccessat(folder, ".", W_OK | X_OK, 0));
}

int efg_below_protect(const char *path, unsigned below)
{
    struct stat facts;
    int folder = efg_below_open(path, below, O_RDONLY | O_DIRECTORY);

    if (folder < 0)
        return folder;
    int error = fstat(folder, &facts);
    if (!error && facts.st_mode & (S_IWGRP | S_IWOTH))
        error = fchmod(folder, facts.st_mode & 0755);
    return end(folder, error);
}

int efg_below_remove_folder(const char *path, unsigned below)
{
    const char *name;
    int place = hold_parent(path, below, &name);

    return place < 0 ? place : end(place, unlinkat(place, name, AT_REMOVEDIR));
}

int efg_below_remove_all(const char *path, unsigned below)
{
    int error = efg_below_remove(path, below); /* if it is a folder, that is refused */
    DIR *list = error ? efg_below_list(path, below) : NULL;

    if (!list)
        return error == -ENOENT ? 0 : error;
    for (struct dirent *entry; (entry = readdir(list));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
    return efg_below_remove_folder(path, below);
}

const char *efg_below_explain(int error)
{
    return error == -ELOOP ? "it is a link, and in the folder of a run none is followed" : strerror(-error);
}
