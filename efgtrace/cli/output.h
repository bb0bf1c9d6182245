/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a command has made, written as a whole.
 */
#ifndef EFG_OUTPUT_H
#define EFG_OUTPUT_H

#include "base/buffer.h"

/* Write OUT to the file PATH, NULL for standard output, for COMMAND. Returns 0; else says on
 * standard error what is wrong, and returns -1; of standard output efg_output_end does. */
int efg_output(const char *command, const struct efg_buffer *out, const char *path);

/* The same for a file that nobody has named, in place of what is there: a link is not followed.
 */
int efg_output_anew(const char *command, const struct efg_buffer *out, const char *path);

/* A write to standard output has failed with ERROR, an errno. Returns -1. */
int efg_output_lose(int error);

/* At the end of each command: write what is left to standard output, and if any of it is lost,
 * say so, once. Returns 0 or -1. */
int efg_output_end(void);

#endif
