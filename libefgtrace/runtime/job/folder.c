/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes texts into the output folder: whole, or not at all.
 */
#include "folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "files/disk/below.h"
#include "runtime/process/job.h"

void efg_folder_write(const char *name, const struct efg_buffer *text)
{
    char path[EFG_PATH];
    snprintf(path, sizeof path, "%.4000s/%s", efg_job.folder, name);
    int made = efg_below_open(path, EFG_BELOW_OWN + 1, O_WRONLY | O_CREAT | O_EXCL);
    FILE *file = made < 0 ? NULL : fdopen(made, "w");
    size_t written = file ? fwrite(text->data, 1, text->size, file) : 0;
    if (made >= 0 && !file)
        close(made);
    if (made >= 0 && ((file && fclose(file)) || written < text->size))
        efg_below_remove(path, EFG_BELOW_OWN + 1);
}
