/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A command line of Python: options, then a script, -m MODULE or -c TEXT. mpi4py is a module that runs the
 * script behind it in the same way.
 */
#define _GNU_SOURCE
#include "program.h"

#include <errno.h> /* program_invocation_short_name */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND 4096

/* The words of the command line, each with a zero behind it, to TEXT. Returns how many bytes. */
static size_t read_words(char text[COMMAND])
{
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, text, COMMAND - 1) : -1;

    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = '\0';
    return size > 0 ? (size_t)size : 0;
}

char *efg_program_command(void)
{
    char text[COMMAND];
    size_t size = read_words(text);

    for (size_t i = 0; i + 1 < size; i++)
        text[i] = text[i] ? text[i] : ' ';
    return strdup(text);
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* The word behind WORD, up to END. */
static const char *next(const char *word, const char *end)
{
    word += strlen(word) + 1;
    return word < end ? word : end;
}

/* The letter of the option WORD if it is one with a value (c, m, W, X), or '\0'; and that *VALUE, in the same
 * word or the next. */
static char option_of(const char *word, const char *end, const char **value)
{
    size_t letters = strcspn(word, "cmWX");
    char letter = word[1] == '-' ? '\0' : word[letters];

    *value = letter && !word[letters + 1] ? next(word, end) : word + letters + 1;
    return letter;
}

static bool is_long_with_value(const char *word)
{
    return strcmp(word, "--check-hash-based-pycs") == 0;
}

/* The script in the words from WORD on, behind the interpreter; NULL: there is none. */
static const char *script_of(const char *word, const char *end)
{
    const char *value;

    for (; word < end && word[0] == '-' && word[1]; word = next(word, end)) {
        char letter = option_of(word, end, &value);
        if (letter == 'c' || ((letter || is_long_with_value(word)) && value >= end))
            return NULL;
        if (letter == 'm' && strcmp(value, "mpi4py") != 0)
            return value;
        if (is_long_with_value(word) || (letter && value == next(word, end)))
            word = next(word, end);
    }
    return word < end && word[0] != '-' ? word : NULL;
}

void efg_program_name(char *name, size_t size)
{
    char text[COMMAND];
    const char *end = text + read_words(text);
    bool is_python = strncmp(program_invocation_short_name, "python", 6) == 0;
    const char *script = is_python ? script_of(next(text, end), end) : NULL;

    snprintf(name, size, "%s", base_of(script ? script : program_invocation_short_name));
}
