/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The program that is about to be started.
 */
#ifndef EFG_EXECUTABLE_H
#define EFG_EXECUTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Open the file that execvp would start as PROGRAM, to be read; -1 if there is none. */
int efg_executable_open(const char *program);

/* The runtime of AddressSanitizer that PROGRAM, or the interpreter of that script, is linked
 * with, to NAME as it is named there; "" for none. */
void efg_executable_asan(const char *program, char *name, size_t size);

/* Whether LIBRARY, a file or its name, is such a runtime. */
bool efg_executable_is_asan(const char *library);

#endif
