/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Moves the files of this process, one after the other: first the pieces and what belongs to them, which are
 * small. A process that uses the folder has a mark in it, an empty file: others may yet save there.
 */
#include "keep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/disk/below.h"
#include "files/disk/fan.h"
#include "files/disk/local.h"
#include "files/log/log.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "threads.h"

#define MARK "rank."

static const struct efg_job *const job = &efg_job;

/* Returns 0, also if there is no such file, or -errno. */
static int keep_file(uint32_t thread, const char *what)
{
    char from[EFG_PATH], to[EFG_PATH];

    efg_job_path(thread, what, from);
    efg_job_last_path(thread, what, to);
    unsigned below_from = EFG_BELOW_OWN + efg_fan_below(from), below_to = EFG_BELOW_OWN + efg_fan_below(to);
    if (!efg_below_is_there(from, below_from))
        return 0;
    if (!efg_log_may_have(efg_below_size(from, below_from)))
        return -EFBIG;
    return efg_local_move(from, below_from, to, below_to);
}

uint32_t efg_keep_files(void)
{
    static const char *const kinds[] = {EFG_JOB_PIECE, EFG_JOB_ORDER, EFG_JOB_LOG};
    uint32_t left = 0, threads = __atomic_load_n(&efg_threads.count, __ATOMIC_RELAXED);
    int last = 0;

    for (uint32_t k = 0; job->local[0] && k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t i = 0; i < threads; i++) {
            int error = keep_file(i, kinds[k]);
            left += error != 0;
            last = error ? error : last;
        }
    if (left)
        efg_note("%u file%s cannot be moved to the folder of the output: %s; %s on host %s, in %.300s", left,
                 left > 1 ? "s" : "", strerror(-last), left > 1 ? "they stay" : "it stays", job->host,
                 job->local);
    return left;
}

/* --- the folder --- */

static void name_mark(char path[EFG_PATH])
{
    snprintf(path, EFG_PATH, "%.4000s/" MARK "%d", job->local, job->rank);
}

int efg_keep_begin(void)
{
    char path[EFG_PATH];

    name_mark(path);
    int file = efg_below_open(path, EFG_BELOW_OWN + 1, O_WRONLY | O_CREAT | O_EXCL);
    if (file >= 0)
        close(file);
    return file < 0 ? file : 0;
}

static bool is_used(void)
{
    DIR *list = efg_below_list(job->local, EFG_BELOW_OWN);
    bool is_used = !list;

    for (struct dirent *entry; list && !is_used && (entry = readdir(list));)
        is_used = strncmp(entry->d_name, MARK, strlen(MARK)) == 0;
    if (list)
        closedir(list);
    return is_used;
}

void efg_keep_end(void)
{
    static const char *const parts[] = {"logs", "pieces"};
    char path[EFG_PATH];

    if (!job->local[0])
        return;
    name_mark(path);
    efg_below_remove(path, EFG_BELOW_OWN + 1);
    if (is_used())
        return;
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%.4000s/%s", job->local, parts[i]);
        efg_below_remove_folder(path, EFG_BELOW_OWN + 1);
    }
    efg_below_remove_folder(job->local, EFG_BELOW_OWN);
}
