/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a line of a source file.
 */
#include "source.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST (16 << 20) /* bytes of a file */

static bool is_named_as_source(const char *file)
{
    static const char *const suffixes[] = {"c",   "cc",  "cpp", "cxx", "C",   "cu",  "h",   "hh",
                                           "hpp", "hxx", "H",   "ipp", "tcc", "inl", "f",   "for",
                                           "f77", "f90", "f95", "f03", "f08", "F",   "F90", "F95",
                                           "F03", "F08", "inc", "py",  "pyx", "jl",  "rs"};
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (!strcmp(dot + 1, suffixes[i]))
            return true;
    return false;
}

static FILE *open_source(const char *file)
{
    struct stat facts;
    int fd = is_named_as_source(file) ? open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &facts) || !S_ISREG(facts.st_mode) || facts.st_size > LARGEST) {
        close(fd);
        return NULL;
    }
    return fdopen(fd, "r");
}

static void trim(char *text, size_t size, const char *line)
{
    size_t end = strlen(line);
    while (end && isspace((unsigned char)line[end - 1]))
        end--;
    while (isspace((unsigned char)*line) && end)
        line++, end--;
    snprintf(text, size, "%.*s", (int)end, line);
}

void efg_source_line(char *text, size_t size, const char *file, unsigned line)
{
    FILE *source = line ? open_source(file) : NULL;
    char *found = NULL;
    size_t room = 0;
    *text = '\0';
    for (unsigned i = 0; source && i < line; i++)
        if (getline(&found, &room, source) < 0)
            line = 0;
    if (source && line)
        trim(text, size, found);
    free(found);
    if (source)
        fclose(source);
}
