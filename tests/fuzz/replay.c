/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Without a fuzzer: gives a target the files named, and those in folders named, one after the
 * other. Whatever is wrong ends it, so what it says last is the file that it was about.
 *
 *     fuzz_TARGET FILE|FOLDER...
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static FILE *out; /* where standard output was: targets keep what is printed */

static int replay(const char *path)
{
    struct stat facts;
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    int is_read = file && !fstat(fileno(file), &facts) && (bytes = malloc((size_t)facts.st_size + 1)) &&
                  fread(bytes, 1, (size_t)facts.st_size, file) == (size_t)facts.st_size;
    if (file)
        fclose(file);
    fprintf(out, "%s\n", path);
    fflush(out);
    if (is_read)
        LLVMFuzzerTestOneInput(bytes, (size_t)facts.st_size);
    free(bytes);
    return is_read ? 0 : 1;
}

static int replay_all(const char *path)
{
    char below[4096];
    int failed = 0;
    DIR *folder = opendir(path);
    if (!folder)
        return replay(path);
    for (struct dirent *entry; (entry = readdir(folder));) {
        snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.')
            failed |= replay_all(below);
    }
    closedir(folder);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    out = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "w");
    for (int i = 1; i < argc && out; i++)
        failed |= replay_all(argv[i]);
    return !out || failed;
}
