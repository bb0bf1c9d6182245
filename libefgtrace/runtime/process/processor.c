/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linux says of each thread how long it stood in a run queue (/proc/PID/task/TID/schedstat, the second
 * number, proc(5)): ready to run, without a processor. Processor time alone does not tell: a rank that sleeps
 * has none either. The first number is how long it ran, and tells how many threads compute; those of
 * libraries mostly sleep. Where N ran for the same time and others not at all, the square of the sum over the
 * sum of the squares is N (the inverse of the index of Simpson).
 *
 * This is asked in signal handlers, too: nothing here takes memory from the heap, as opendir would.
 */
#define _GNU_SOURCE /* getdents64 */
#include "processor.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct sums {
    uint64_t waited;
    double ran, squares;
};

static void add_thread(struct sums *sums, int tasks, const char *thread)
{
    char path[300], text[64] = "", *second = text;
    double ran = 0;

    snprintf(path, sizeof path, "%s/schedstat", thread);
    int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size > 0)
        ran = (double)strtoull(text, &second, 10);
    sums->ran += ran;
    sums->squares += ran * ran;
    sums->waited += strtoull(second, NULL, 10);
}

static struct sums add_threads(void)
{
    _Alignas(struct dirent64) char entries[4096];
    int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct sums sums = {0};

    for (ssize_t size; tasks >= 0 && (size = getdents64(tasks, entries, sizeof entries)) > 0;)
        for (ssize_t at = 0; at < size;) {
            const struct dirent64 *task = (const struct dirent64 *)(const void *)(entries + at);
            if (task->d_name[0] != '.')
                add_thread(&sums, tasks, task->d_name);
            at += task->d_reclen;
        }
    if (tasks >= 0)
        close(tasks);
    return sums;
}

struct efg_run_processor efg_processor_now(void)
{
    struct rusage usage = {0};
    struct sums sums = add_threads();

    getrusage(RUSAGE_SELF, &usage);
    return (struct efg_run_processor){
        .used = 1000 * (1000000 * (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                        (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)),
        .waited = sums.waited,
        .threads = sums.squares > 0 ? (uint32_t)(sums.ran * sums.ran / sums.squares + 0.5) : 0,
        .switches = (uint64_t)usage.ru_nivcsw,
        .faults = (uint64_t)usage.ru_majflt,
        .peak = 1024 * (uint64_t)usage.ru_maxrss,
    };
}

uint64_t efg_processor_waited(void)
{
    struct sums sums = {0};

    add_thread(&sums, AT_FDCWD, "/proc/thread-self");
    return sums.waited;
}

struct efg_run_processor efg_processor_since(const struct efg_run_processor *begin)
{
    struct efg_run_processor now = efg_processor_now();

    return (struct efg_run_processor){
        .used = now.used - begin->used,
        .threads = now.threads,
        .waited = now.waited > begin->waited ? now.waited - begin->waited : 0, /* a thread has ended */
        .switches = now.switches - begin->switches,
        .faults = now.faults - begin->faults,
        .peak = now.peak,
    };
}
