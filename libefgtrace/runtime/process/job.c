/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names the files of this process in the output folder.
 */
#include "job.h"

#include <stdio.h>
#include <string.h>

#include "files/disk/fan.h"

struct efg_job efg_job;

void efg_job_path(uint32_t thread, const char *what, char path[EFG_PATH])
{
    char top[EFG_PATH];
    uint32_t rank = (uint32_t)efg_job.rank;

    snprintf(top, sizeof top, "%.4000s/%s", efg_job.folder, strcmp(what, EFG_JOB_PIECE) ? "logs" : "pieces");
    efg_fan_path(path, EFG_PATH, top, efg_fan_folder(rank, (uint32_t)efg_job.size), rank, thread, what);
}
