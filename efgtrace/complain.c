/* SPDX-License-Identifier: BSD-3-Clause */
#include "complain.h"

#include <stdio.h>

#include "commands.h"

int efg_complain(const char *command, const char *what)
{
    fprintf(stderr, "efgtrace %s: %s\n", command, what);
    return -1;
}

int efg_complain_usage(const char *command, const char *what)
{
    fprintf(stderr, "efgtrace %s: %s; see `efgtrace %s --help`\n", command, what, command);
    return EFG_EXIT_USAGE;
}

int efg_complain_folders(const char *command, int count)
{
    return efg_complain_usage(command, count ? "name one folder only"
                                             : "which folder? Name the one that the run wrote");
}

int efg_complain_option(const char *command, int option)
{
    return efg_complain_usage(command,
                              option == ':' ? "a value is missing" : "there is no such option");
}
