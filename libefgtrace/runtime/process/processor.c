/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linux says of each thread how long it stood in a run queue (/proc/PID/task/TID/schedstat, the second
 * number, proc(5)): ready to run, without a processor. Processor time alone does not tell: a rank that sleeps
 * has none either.
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

static uint64_t waited_by(int tasks, const char *thread)
{
    char path[300], text[64] = "", *second = text;

    snprintf(path, sizeof path, "%s/schedstat", thread);
    int file = openat(tasks, path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size > 0)
        strtoull(text, &second, 10); /* how long it ran */
    return strtoull(second, NULL, 10);
}

static uint64_t waited_by_all(void)
{
    _Alignas(struct dirent64) char entries[4096];
    int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    uint64_t waited = 0;

    for (ssize_t size; tasks >= 0 && (size = getdents64(tasks, entries, sizeof entries)) > 0;)
        for (ssize_t at = 0; at < size;) {
            const struct dirent64 *task = (const struct dirent64 *)(const void *)(entries + at);
            if (task->d_name[0] != '.')
                waited += waited_by(tasks, task->d_name);
            at += task->d_reclen;
        }
    if (tasks >= 0)
        close(tasks);
    return waited;
}

struct efg_run_processor efg_processor_now(void)
{
    struct rusage usage = {0};

    getrusage(RUSAGE_SELF, &usage);
    return (struct efg_run_processor){
        .used = 1000 * (1000000 * (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                        (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)),
        .waited = waited_by_all(),
        .switches = (uint64_t)usage.ru_nivcsw,
        .faults = (uint64_t)usage.ru_majflt,
        .peak = 1024 * (uint64_t)usage.ru_maxrss,
    };
}

struct efg_run_processor efg_processor_since(const struct efg_run_processor *begin)
{
    struct efg_run_processor now = efg_processor_now();

    return (struct efg_run_processor){
        .used = now.used - begin->used,
        .waited = now.waited > begin->waited ? now.waited - begin->waited : 0, /* a thread has ended */
        .switches = now.switches - begin->switches,
        .faults = now.faults - begin->faults,
        .peak = now.peak,
    };
}
