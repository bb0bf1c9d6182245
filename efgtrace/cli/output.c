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

static int lost;     /* errno of the first write to standard output that failed */
static int terminal; /* columns of the terminal that a text is for; 0: none */

static int complain(const char *command, const char *path, int error)
{
    fprintf(stderr, "efgtrace %s: cannot write %s: %s\n", command, path, strerror(error));
    return EFG_TOLD;
}

void efg_output_for_people(void)
{
    terminal = efg_summary_width(STDOUT_FILENO);
    efg_summary_narrow(terminal);
}

int efg_output(const char *command, const struct efg_buffer *out, const char *path)
{
    struct efg_buffer fit = {0};
    FILE *file = path ? fopen(path, "w") : stdout;
    if (terminal && !path) {
        efg_summary_fit(&fit, out, terminal);
        out = &fit;
    }
    bool written = !out->failed && file && fwrite(out->data, 1, out->size, file) == out->size;
    efg_buffer_fini(&fit);
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
