/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first rank of each node makes its folder, and the first rank of all writes where they are. The names
 * differ between jobs and between nodes, whatever they have in common.
 */
#include "scratch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/hash.h"
#include "files/disk/below.h"
#include "files/disk/local.h"
#include "folder.h"
#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"
#include "runtime/watch/keep.h"
#include "tree.h"

#define LEAST ((uint64_t)1 << 20) /* bytes on the disk for a rank: a log begins with as many */

static struct efg_job *const job = &efg_job;

static bool is_wanted(void)
{
    return job->conf.local[0] && !efg_conf_is_brief(&job->conf);
}

static bool is_leader(void)
{
    return job->nodes.leaders != MPI_COMM_NULL;
}

/* --- the folder of a node --- */

static void name_part(char path[EFG_PATH], const char *part)
{
    snprintf(path, EFG_PATH, "%.4000s/%s", job->local, part);
}

/* Its absolute name; no other job has it. Returns 0 or -errno. */
static int name_folder(void)
{
    char here[4096] = "";
    const char *slash = strrchr(job->folder, '/');
    uint64_t mark =
        efg_hash_bytes(efg_hash_mix((uint64_t)getpid(), efg_clock_realtime()), job->host, strlen(job->host));

    if (job->conf.local[0] != '/' && !getcwd(here, sizeof here))
        return -errno;
    int length = snprintf(job->local, sizeof job->local, "%s%s%s/%.200s-%08x", here, *here ? "/" : "",
                          job->conf.local, slash ? slash + 1 : job->folder, (unsigned)(mark ^ mark >> 32));
    return length < EFG_JOB_LONGEST ? 0 : -ENAMETOOLONG;
}

static int check_room(void)
{
    struct statvfs disk;
    int ranks = 1;

    PMPI_Comm_size(job->nodes.node, &ranks);
    if (statvfs(job->local, &disk) != 0)
        return -errno;
    return (uint64_t)disk.f_bavail * disk.f_frsize < (uint64_t)ranks * LEAST ? -ENOSPC : 0;
}

static int make_folder(void)
{
    char path[EFG_PATH];
    int error = name_folder();

    if (!error)
        error = efg_below_make_private(job->local, EFG_BELOW_OWN);
    if (error)
        return error;
    error = check_room();
    name_part(path, "logs");
    if (!error)
        error = efg_below_make_folder(path, EFG_BELOW_OWN + 1);
    name_part(path, "pieces");
    if (!error)
        error = efg_below_make_folder(path, EFG_BELOW_OWN + 1);
    if (error)
        efg_keep_end();
    return error;
}

static void note(const char *who, int error)
{
    efg_note("local = %.200s: %s on host %s: %s; %s has its logs in the folder of the output",
             job->conf.local, "cannot be used", job->host, strerror(-error), who);
}

/* All ranks of the node learn its name; a rank that does not see it goes without. */
static void share_folder(void)
{
    char path[EFG_PATH];
    int error = is_leader() && job->folder[0] ? make_folder() : 0;

    if (error) {
        note("this node", error);
        job->local[0] = '\0';
    }
    efg_nodes_share(&job->nodes, job->local, sizeof job->local);
    if (!job->local[0])
        return;
    name_part(path, "logs");
    error = efg_below_check_writable(path, EFG_BELOW_OWN + 1);
    if (!error)
        error = efg_keep_begin();
    if (error) {
        note("this rank", error);
        job->local[0] = '\0';
    }
}

/* --- all nodes --- */

static void put_lines(struct efg_buffer *out, const struct efg_blocks *lines)
{
    for (int i = 0; i < lines->count; i++) {
        size_t size;
        const void *line = efg_blocks_get(lines, i, &size);
        if (size && !out->size)
            efg_local_put_head(out);
        efg_buffer_put(out, line, size);
    }
}

/* On leaders. */
static void tell_where(void)
{
    struct efg_buffer line = {0}, text = {0};

    if (job->local[0])
        efg_local_put(&line, job->host, job->local);
    struct efg_blocks lines = efg_tree_gather(job->nodes.leaders, &line);
    put_lines(&text, &lines);
    if (efg_job_is_first() && text.size && !text.failed)
        efg_folder_write(EFG_LOCAL, &text);
    efg_blocks_fini(&lines);
    efg_buffer_fini(&line);
    efg_buffer_fini(&text);
}

void efg_scratch_begin(void)
{
    if (!is_wanted())
        return;
    share_folder();
    if (is_leader())
        tell_where();
}

void efg_scratch_end(void)
{
    char path[EFG_PATH];
    uint32_t left = 0, all = 0;

    if (!is_wanted())
        return;
    left = efg_keep_files();
    efg_keep_end();
    PMPI_Reduce(&left, &all, 1, MPI_UINT32_T, MPI_SUM, 0, job->comm);
    snprintf(path, sizeof path, "%.4000s/" EFG_LOCAL, job->folder);
    if (efg_job_is_first() && !all)
        efg_below_remove(path, EFG_BELOW_OWN + 1);
}

void efg_scratch_leave(void)
{
    efg_keep_files();
    efg_keep_end();
}
