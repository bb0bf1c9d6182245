/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes what a command has made, as a whole.
 */
#ifndef EFG_OUTPUT_H
#define EFG_OUTPUT_H

#include "base/buffer.h"

/* What follows is a text: lines have room on the terminal, if that is what standard output is. */
void efg_output_for_people(void);

/* Write OUT to the file PATH, NULL for standard output, for COMMAND. Returns 0; else says on
 * standard error what is wrong, and returns EFG_TOLD; for standard output efg_output_end does this. */
int efg_output(const char *command, const struct efg_buffer *out, const char *path);

/* The same for a file that the user has not named, replacing an existing one: a link is not
 * followed. */
int efg_output_anew(const char *command, const struct efg_buffer *out, const char *path);

/* A write to standard output has failed with ERROR, an errno. Returns -ERROR. */
int efg_output_lose(int error);

/* At the end of each command: write what is left to standard output, and if any of it is lost,
 * report that once. Returns 0 or EFG_TOLD. */
int efg_output_end(void);

#endif
