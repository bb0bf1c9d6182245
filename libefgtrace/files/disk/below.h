/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Below: what is in the output folder. The user names that folder, and may do so through a link; but
 * others who can write to it could put a link there that leads to somebody else's files. So the last
 * BELOW names of a PATH are looked up one by one, each in the folder before it, which is
 * kept open meanwhile, and none of them may be a link:
 *
 *     DIR/run.efg        1 below DIR
 *     DIR/logs/0.0.log   2
 *
 * With BELOW 0 a path is opened in the usual way. A job has made its DIR itself, and counts
 * that name, too (EFG_BELOW_OWN): so a link that replaces it is not followed, either.
 *
 * What is made here is writable by its owner only, whatever the umask. Each function
 * returns a descriptor or 0, or -errno; -ELOOP if there is a link.
 */
#ifndef EFG_BELOW_H
#define EFG_BELOW_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#define EFG_BELOW_OWN 1

/* Open the file PATH with these FLAGS of open(2). Never waits for the other end of a pipe. */
int efg_below_open(const char *path, unsigned below, int flags);

/* The folder PATH, for functions that take a folder and a name; not for reading. */
int efg_below_hold(const char *path, unsigned below);

/* What is in the folder PATH; NULL and errno. */
DIR *efg_below_list(const char *path, unsigned below);

/* Whether there is anything with the name PATH, a link or not. */
bool efg_below_is_there(const char *path, unsigned below);

/* Bytes of the file PATH; 0 if there is none. */
uint64_t efg_below_size(const char *path, unsigned below);

int efg_below_make_folder(const char *path, unsigned below);
int efg_below_make_private(const char *path, unsigned below); /* others cannot come into it */
/* For a link, removes the link itself, not its target. */
int efg_below_remove(const char *path, unsigned below);
int efg_below_remove_folder(const char *path, unsigned below); /* which is empty */
/* Empty it and remove it; 0 if there was none. */
int efg_below_remove_all(const char *path, unsigned below);

/* Returns 0 if this process may make files in the folder PATH, else -errno. */
int efg_below_check_writable(const char *path, unsigned below);
/* Take the right to write to the folder PATH from all but its owner. */
int efg_below_protect(const char *path, unsigned below);

/* As rename(2), with FROM and TO. */
int efg_below_rename(const char *from, unsigned below_from, const char *to, unsigned below_to);

/* What ERROR, an -errno, means, in words. */
const char *efg_below_explain(int error);

#endif
