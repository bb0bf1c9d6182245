/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names the files of this process in the output folder.
 */
#include "job.h"

#include <stdio.h>

struct efg_job efg_job;

void efg_job_path(uint32_t thread, const char *what, char path[EFG_PATH])
{
    snprintf(path, EFG_PATH, "%.4000s/logs/%d.%u.%s", efg_job.folder, efg_job.rank, thread, what);
}
