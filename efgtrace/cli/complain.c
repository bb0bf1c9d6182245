/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Says how a command was used wrongly. The same words for the same mistakes: messages about usage are in
 * one place for all commands.
 */
#include "complain.h"

#include <stdio.h>

#include "commands.h"

int efg_complain(const char *command, const char *what)
{
    fprintf(stderr, "efgtrace %s: %s\n", command, what);
    return EFG_TOLD;
}

int efg_complain_usage(const char *command, const char *what)
{
    fprintf(stderr, "efgtrace %s: %s; see `efgtrace %s --help`\n", command, what, command);
    return EFG_EXIT_USAGE;
}
