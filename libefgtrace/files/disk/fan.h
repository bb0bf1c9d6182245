/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fan: the names of files of which each rank has some, as logs and pieces. File systems get slow where many
 * files are in one folder; so those of a job of more than EFG_FAN_MOST ranks are spread over folders of
 * EFG_FAN_RANKS ranks each, which have the number of their first rank:
 *
 *     DIR/logs/300.0.log          a job of 500 ranks
 *     DIR/logs/256/300.0.log      a job of 501
 *
 * Here DIR/logs is TOP; BELOW is how many names of it are ours (below.h). A thread's number follows that of
 * its rank. Readers take what they find, in either place.
 */
#ifndef EFG_FAN_H
#define EFG_FAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EFG_FAN_MOST 500
#define EFG_FAN_RANKS 256

/* Before a process names or makes any. For tests, the environment variable EFG_TEST_FAN is the number of
 * ranks of a folder, and of a job that needs none. */
void efg_fan_begin(void);

/* The folder in which the files of RANK are, in a job of RANKS; EFG_NONE: they are in TOP itself. */
uint32_t efg_fan_folder(uint32_t rank, uint32_t ranks);

/* The name of a file. ENDING: "log". */
void efg_fan_path(char *path, size_t size, const char *top, uint32_t folder, uint32_t rank, uint32_t thread,
                  const char *ending);

/* The same at the END of TOP, where SIZE bytes are left. */
void efg_fan_add(char *end, size_t size, uint32_t folder, uint32_t rank, uint32_t thread, const char *ending);

/* How many names at the end of PATH, which efg_fan_path has made, are ours: with that of TOP. */
unsigned efg_fan_below(const char *path);

/* Whether NAME is that of a rank's file with this ENDING: then of which RANK and THREAD. */
bool efg_fan_ends(const char *name, const char *ending, uint32_t *rank, uint32_t *thread);

/* Make TOP, and the folders in it for a job of RANKS. Returns 0 or -errno. */
int efg_fan_make(const char *top, unsigned below, uint32_t ranks);

/* Remove them, if there is nothing in them. */
void efg_fan_remove(const char *top, unsigned below, uint32_t ranks);

/* Call VISIT with the name of each file, and the FOLDER that it is in, until it returns another value than 0.
 * Returns that, or 0, or -errno if TOP cannot be read. */
typedef int efg_fan_visit(void *context, uint32_t folder, const char *name);
int efg_fan_list(const char *top, unsigned below, efg_fan_visit *visit, void *context);

#endif
