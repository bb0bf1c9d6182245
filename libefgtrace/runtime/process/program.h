/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Program: what this process runs, from its command line. It is called after its file; one that Python runs
 * after its script: halo.py rather than python3.
 */
#ifndef EFG_PROGRAM_H
#define EFG_PROGRAM_H

#include <stddef.h>

/* Its command line with spaces between the words, cut to 4095 bytes; to be freed. NULL without memory. */
char *efg_program_command(void);

/* Its name to NAME, cut to SIZE bytes, > 0. */
void efg_program_name(char *name, size_t size);

#endif
