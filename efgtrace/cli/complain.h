/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of a command, on standard error: each begins with "efgtrace COMMAND: ".
 */
#ifndef EFG_COMPLAIN_H
#define EFG_COMPLAIN_H

#include <errno.h>

/* What a function returns that has said on standard error what is wrong. */
#define EFG_TOLD (-ECANCELED)

/* Say WHAT is wrong. Returns EFG_TOLD. */
int efg_complain(const char *command, const char *what);

/* Say WHAT is wrong in the arguments, and where they are explained. Returns EFG_EXIT_USAGE. */
int efg_complain_usage(const char *command, const char *what);

#endif
