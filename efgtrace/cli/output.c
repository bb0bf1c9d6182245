/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes what a command has made, to a file or to standard output. A file that cannot be written is
 * complained about at once; standard output, which is buffered, at the end of the program.
 */
#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "files/run/runfile.h"
#include "files/summary/summary.h"

static int lost; /* errno of the first write to standard output that failed */

static int complain(const char *command, const char *path, int error)
{
    fprintf(stderr, "efgtrace %s: cannot write %s: %s\n", command, path, strerror(error));
    return EFG_TOLD;
}

/* Lines that are too long for the terminal. */
static int put_fit(const struct efg_buffer *out, int width)
{
    struct efg_buffer fit = {0};
    efg_summary_fit(&fit, out, width);
    bool written = !fit.failed && fwrite(fit.data, 1, fit.size, stdout) == fit.size;
    efg_buffer_fini(&fit);
    return written ? 0 : efg_output_lose(errno);
}

int efg_output(const char *command, const struct efg_buffer *out, const char *path)
{
    int width = path ? 0 : efg_summary_width(STDOUT_FILENO);
    if (width)
        return put_fit(out, width);
    FILE *file = path ? fopen(path, "w") : stdout;
    bool written = file && fwrite(out->data, 1, out->size, file) == out->size;
    if (!path)
        return written ? 0 : efg_output_lose(errno);
    if (file && fclose(file))
        written = false;
    return written ? 0 : complain(command, path, errno);
}

int efg_output_anew(const char *command, const struct efg_buffer *out, const char *path)
{
    int error = efg_runfile_replace(path, 1, out);
    return error ? complain(command, path, -error) : 0;
}

int efg_output_lose(int error)
{
    if (!lost)
        lost = error;
    return -error;
}

int efg_output_end(void)
{
    if (fflush(stdout))
        efg_output_lose(errno);
    else if (ferror(stdout))
        efg_output_lose(EIO);
    if (lost)
        fprintf(stderr, "efgtrace: standard output cannot be written: %s\n", strerror(lost));
    return lost ? EFG_TOLD : 0;
}
