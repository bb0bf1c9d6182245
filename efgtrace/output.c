/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int efg_output(const char *command, const struct efg_buffer *out, const char *path)
{
    FILE *file = path ? fopen(path, "w") : stdout;
    int written = file && fwrite(out->data, 1, out->size, file) == out->size;
    if (path && file && fclose(file))
        written = 0;
    if (!written)
        fprintf(stderr, "efgtrace %s: cannot write %s: %s\n", command,
                path ? path : "standard output", strerror(errno));
    return written ? 0 : -1;
}
