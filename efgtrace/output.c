/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "files/runfile.h"

static int complain(const char *command, const char *path, int error)
{
    fprintf(stderr, "efgtrace %s: cannot write %s: %s\n", command, path, strerror(error));
    return -1;
}

int efg_output(const char *command, const struct efg_buffer *out, const char *path)
{
    FILE *file = path ? fopen(path, "w") : stdout;
    int written = file && fwrite(out->data, 1, out->size, file) == out->size;
    if (path && file && fclose(file))
        written = 0;
    return written ? 0 : complain(command, path ? path : "standard output", errno);
}

int efg_output_anew(const char *command, const struct efg_buffer *out, const char *path)
{
    int error = efg_runfile_replace(path, out);
    return error ? complain(command, path, -error) : 0;
}
