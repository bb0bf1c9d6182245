/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of scripts. A frame of a call path is a module and an offset in it; for one of a Python function,
 * the module is that function and the offset a line. Such a module has a name that no file has:
 *
 *     python:Solver.step:41:/home/me/halo.py       function, its first line, file
 */
#ifndef EFG_SCRIPT_H
#define EFG_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EFG_SCRIPT_NAME 2560 /* bytes of a name, at most */

/* The name of the module for FUNCTION, which begins at FIRST_LINE of FILE, to NAME; cut to SIZE bytes. */
void efg_script_name(char *name, size_t size, const char *function, uint32_t first_line, const char *file);

/* A hash of NAME that agrees between ranks: the folder that the file is in does not matter. */
uint64_t efg_script_hash(const char *name);

/* Whether NAME is of a function of a script. */
bool efg_script_is(const char *name);

/* What NAME says, if it is one: its FUNCTION, cut to SIZE bytes, FIRST_LINE and FILE, which is in NAME. */
bool efg_script_read(const char *name, char *function, size_t size, uint32_t *first_line, const char **file);

#endif
