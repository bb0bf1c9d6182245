/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The options of a command, from a table that says where their values go.
 */
#ifndef EFG_OPTIONS_H
#define EFG_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct efg_option { /* one of flag, text, number, choice is where its value goes */
    const char *name;
    char letter;       /* 0: it has none */
    bool *flag;        /* it takes no value: true */
    const char **text; /* any */
    uint64_t *number;  /* from LEAST on */
    uint64_t least;
    int *choice; /* one of the WORDS, "text json html", by its index */
    const char *words;
};

/* Take the OPTIONS of COMMAND, an array that ends with one without a name, from ARGV; answer
 * --help with the texts HELP, up to NULL. What is left, from argv[optind] on, are FOLDERS, 1 or 2
 * of them; 0: to be looked at by the command. Returns -1 to go on; else the exit code. */
int efg_options_take(const char *command, const struct efg_option *options,
                     const char *const *help, int folders, int argc, char **argv);

/* Print TEXT, of --help: on a terminal that is narrower, lines go on in the next one. */
void efg_options_help(const char *text);

/* What to write, the index of one of WORDS, and where: *FORMAT, -1 if it was not given, and *OUTPUT. The
 * format is then that of the extension of the file, or the first one if it has none. "-", standard
 * output, becomes NULL. Returns -1 to go on; else the exit code: no format has this extension. */
int efg_options_format(const char *command, const char *words, int *format, const char **output);

/* OUTPUT, NULL if it was not given, is for a folder or a database. Returns -1 to go on; else the exit code:
 * it is standard output. */
int efg_options_place(const char *command, const char *output);

/* Say that WORD, of the command line, is wrong: WHAT "WORD". Returns EFG_EXIT_USAGE. */
int efg_options_complain(const char *command, const char *what, const char *word);

/* Say that COUNT folders are wrong where one is wanted. Returns EFG_EXIT_USAGE. */
int efg_options_complain_folders(const char *command, int count);

#endif
