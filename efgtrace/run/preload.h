/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preload: how libefgtrace.so gets into a program, and what keeps it out.
 */
#ifndef EFG_PRELOAD_H
#define EFG_PRELOAD_H

#include <stddef.h>

/* Where libefgtrace.so is: what EFGTRACE_LIBRARY says, else beside the tool (build/), else in
 * the lib folder of its PREFIX. Returns 0, or -errno with MESSAGE filled. */
int efg_preload_find(char *library, size_t size, char *message, size_t room);

/* Put LIBRARY in front of LD_PRELOAD, and in front of it the runtime of AddressSanitizer, if
 * PROGRAM is linked with one or one is preloaded. Returns 0, or -errno with MESSAGE filled. */
int efg_preload_set(const char *library, const char *program, char *message, size_t room);

/* The same for libefgtrace-openmp.so, which is beside LIBRARY; before that. */
int efg_preload_openmp(const char *library, const char *program, char *message, size_t room);

/* Why a program, found as execvp finds it, loads no library before it starts:
 * "is statically linked"; NULL if it does, or if that cannot be known. */
const char *efg_preload_obstacle(const char *program);

#endif
