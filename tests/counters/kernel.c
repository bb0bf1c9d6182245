/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Another kernel for perf_event_open: preloaded, by KERNEL in the environment.
 *
 *     pmu=N      a processor with N counters, of which each counts what task-clock counts
 *     forbid     as a container
 *     user       what the kernel does must not be counted
 *     files      there are none left
 *     none       a kernel without perf_event_open
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

typedef long system_call(long, ...);

static int hardware; /* counters of the present group */

static long fail(int error)
{
    errno = error;
    return -1;
}

static long open_event(system_call *next, struct perf_event_attr *wish, long a[5])
{
    const char *kernel = getenv("KERNEL");
    struct perf_event_attr other = *wish;

    if (!strcmp(kernel, "forbid"))
        return fail(EACCES);
    if (!strcmp(kernel, "files"))
        return fail(EMFILE);
    if (!strcmp(kernel, "none"))
        return fail(ENOSYS);
    if (!strcmp(kernel, "user") && !wish->exclude_kernel)
        return fail(EACCES);
    if (!strncmp(kernel, "pmu=", 4) && wish->type != PERF_TYPE_SOFTWARE) {
        hardware = (int)a[2] < 0 ? 0 : hardware;
        if (hardware >= atoi(kernel + 4))
            return fail(EINVAL);
        other.type = PERF_TYPE_SOFTWARE;
        other.config = PERF_COUNT_SW_TASK_CLOCK;
        hardware++;
    }
    return next(SYS_perf_event_open, &other, a[0], a[1], a[2], a[3]);
}

long syscall(long number, ...)
{
    system_call *next = (system_call *)dlsym(RTLD_NEXT, "syscall");
    long a[6];
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_perf_event_open && getenv("KERNEL"))
        return open_event(next, (struct perf_event_attr *)a[0], a + 1);
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
