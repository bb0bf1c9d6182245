/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The folders of the spool:
 *
 *     SPOOL / user / year / month / day / application.[job.]time-process
 *
 * All may write to SPOOL, which is sticky; what is below it is its user's alone. So nobody else can put a
 * link there, but for the folder of the user: that one is used only if it is the user's. The last name is
 * looked up first: mostly all others are there, and shared file systems do not like what is in vain.
 */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files/disk/below.h"
#include "runtime/process/job.h"
#include "runtime/process/program.h"

#define NAMES 5     /* below the spool */
#define MOST 1000   /* NAME, NAME.2, ... */
#define PATTERN 200 /* bytes of one */

static struct efg_job *const job = &efg_job;

/* --- programs --- */

static bool fits(const char *pattern, const char *file, const char *name)
{
    return fnmatch(pattern, strchr(pattern, '/') ? file : name, 0) == 0;
}

bool efg_spool_excludes(const char *patterns)
{
    char file[4096] = "", name[256], pattern[PATTERN];
    bool does = false;

    if (readlink("/proc/self/exe", file, sizeof file - 1) < 0)
        *file = '\0';
    efg_program_name(name, sizeof name);
    for (patterns += strspn(patterns, ", \t"); *patterns && !does; patterns += strspn(patterns, ", \t")) {
        size_t length = strcspn(patterns, ", \t");
        snprintf(pattern, sizeof pattern, "%.*s", (int)length, patterns);
        does = length < sizeof pattern && fits(pattern, file, name);
        patterns += length;
    }
    return does;
}

/* --- folders --- */

/* A name that may be that of a folder, or the number of the user. */
static void name_user(char *name, size_t size)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.@";
    const char *told = getenv("LOGNAME") ? getenv("LOGNAME") : getenv("USER");

    if (told && *told && *told != '.' && strlen(told) < size && told[strspn(told, good)] == '\0')
        snprintf(name, size, "%s", told);
    else
        snprintf(name, size, "%u", (unsigned)geteuid());
}

/* The folder of the user, in PATH, is no link and belongs to the user. Returns 0 or -errno. */
static int check_owner(const char *path)
{
    struct stat facts;
    int folder = efg_below_hold(path, 1);

    if (folder < 0)
        return folder;
    int error = fstat(folder, &facts) ? -errno : facts.st_uid == geteuid() ? 0 : -EPERM;
    close(folder);
    return error;
}

/* PATH, of which the last BELOW names are below the spool, with those above it that are missing. */
static int make(char *path, unsigned below)
{
    int error = efg_below_make_private(path, below);
    if (error != -ENOENT || below == 1)
        return error;
    char *slash = strrchr(path, '/');
    *slash = '\0';
    error = make(path, below - 1);
    *slash = '/';
    return error && error != -EEXIST ? error : efg_below_make_private(path, below);
}

static int make_user(const char *user)
{
    char path[EFG_PATH];

    snprintf(path, sizeof path, "%s/%s", job->conf.spool, user);
    int error = check_owner(path);
    return error == -ENOENT ? efg_below_make_private(path, 1) : error;
}

static void name_record(const char *user, char *path, size_t size)
{
    const char *id = getenv("SLURM_JOB_ID");
    char day[32], now[32];
    time_t seconds = time(NULL);
    struct tm local;

    localtime_r(&seconds, &local);
    strftime(day, sizeof day, "%Y/%m/%d", &local);
    strftime(now, sizeof now, "%H%M%S", &local);
    snprintf(path, size, "%.3000s/%s/%s/%.200s.%.64s%s%s-%d", job->conf.spool, user, day, job->application,
             id ? id : "", id && *id ? "." : "", now, (int)getpid());
}

int efg_spool_make(const char *maker)
{
    char wanted[4000], user[64];

    name_user(user, sizeof user);
    int error = make_user(user);
    if (error)
        return error;
    if (*maker)
        snprintf(wanted, sizeof wanted, "%.3900s.spawned", maker);
    else
        name_record(user, wanted, sizeof wanted);
    error = -EEXIST;
    for (int i = 1; i <= MOST && error == -EEXIST; i++) {
        if (i == 1)
            snprintf(job->folder, sizeof job->folder, "%s", wanted);
        else
            snprintf(job->folder, sizeof job->folder, "%s.%d", wanted, i);
        error = make(job->folder, NAMES);
    }
    return error;
}
