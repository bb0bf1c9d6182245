/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Says at the end of a program that it never began MPI: whoever ran it with efgtrace waits for a trace.
 *
 * `efgtrace run` names the process that is to speak by its id, so that children are silent. So is a
 * program that had children: what it started may have been traced, as with a script or a launcher; and
 * what ends by _exit, as dash does: to stand in its way would be to do so in each shell of a job.
 * Many programs close standard error when they end, before we are called; so it is kept, under a high
 * number, until MPI begins. A program that closes all its files may open another one under that number,
 * so it is looked at before anything is written to it.
 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "idle.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/started.h"

#define HIGH 200 /* far from the numbers that programs get */

static int file = -1; /* standard error as it was */
static bool is_over; /* MPI has begun: the constructor of another library may do that before ours is called */
static struct stat kept;

static bool is_kept(void)
{
    struct stat now;

    return file >= 0 && fstat(file, &now) == 0 && now.st_dev == kept.st_dev && now.st_ino == kept.st_ino;
}

void efg_idle_over(void)
{
    if (is_kept())
        close(file);
    file = -1;
    is_over = true;
}

__attribute__((constructor)) static void begin(void)
{
    const char *started = getenv(EFG_STARTED);
    bool is_named = started && strtol(started, NULL, 10) == getpid();

    unsetenv(EFG_STARTED);
    if (is_over || !is_named || fstat(STDERR_FILENO, &kept) != 0)
        return;
    file = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, HIGH);
    pthread_atfork(NULL, NULL, efg_idle_over);
}

static bool had_children(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_CHILDREN, &usage) != 0 || usage.ru_maxrss > 0;
}

void efg_idle_end(void)
{
    if (is_kept() && !had_children())
        dprintf(file, "efgtrace: nothing was traced: %s ended without a call of MPI_Init\n",
                program_invocation_short_name);
}
