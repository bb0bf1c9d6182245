/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same words for the same mistakes: messages about usage are in one place for all commands.
 */
#include "complain.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

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
    return efg_complain_usage(command,
                              count ? "one DIR at a time" : "which run? DIR is missing");
}

/* Of letters in one word, the last of which has not been looked at, the word is not known. */
int efg_complain_option(const char *command, int option, char *const *argv)
{
    const char letter[] = {'-', (char)optopt, '\0'}, *word = argv[optind - 1];
    const char *what = "there is no option";
    if (option == ':')
        what = "a value is missing after";
    else if (optopt && strncmp(word, "--", 2) == 0 && strchr(word, '='))
        what = "no value goes with";
    else if (optopt)
        word = letter;
    fprintf(stderr, "efgtrace %s: %s \"%s\"; see `efgtrace %s --help`\n", command, what, word,
            command);
    return EFG_EXIT_USAGE;
}
