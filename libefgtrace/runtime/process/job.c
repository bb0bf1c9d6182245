/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names the files of this process in the output folder.
 */
#include "job.h"

#include <string.h>

#include "base/none.h"
#include "files/disk/fan.h"

struct efg_job efg_job;

static void name_file(const char *folder, uint32_t group, uint32_t thread, const char *what,
                      char path[EFG_PATH])
{
    const char *part = strcmp(what, EFG_JOB_PIECE) ? "/logs" : "/pieces";
    size_t length = strnlen(folder, EFG_JOB_LONGEST);

    memcpy(path, folder, length);
    strcpy(path + length, part);
    length += strlen(part);
    efg_fan_add(path + length, EFG_PATH - length, group, (uint32_t)efg_job.rank, thread, what);
}

void efg_job_last_path(uint32_t thread, const char *what, char path[EFG_PATH])
{
    name_file(efg_job.folder, efg_fan_folder((uint32_t)efg_job.rank, (uint32_t)efg_job.size), thread, what,
              path);
}

/* A node has few ranks. */
void efg_job_path(uint32_t thread, const char *what, char path[EFG_PATH])
{
    if (efg_job.local[0])
        name_file(efg_job.local, EFG_NONE, thread, what, path);
    else
        efg_job_last_path(thread, what, path);
}
