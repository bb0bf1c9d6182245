/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens and reads groups of counters. One that is refused is tried again without what the kernel does for the
 * thread, which needs less permission; but what only happens in the kernel would always be 0 then.
 */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include "perf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIGH 1024 /* where our files are: a program counts on low numbers, and closes or selects them */
#define CLOSE \
    10000       /* ns, or counts: readings of the same counter one after the other are not farther apart */
#define TRIES 8 /* to read pages: the thread may lose its processor each time */

static unsigned taken; /* files of this process; atomic */

static uint64_t limit_of_files(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

/* For one more file; what is not used of that is to be given back. */
static bool has_room(void)
{
    return __atomic_add_fetch(&taken, 1, __ATOMIC_RELAXED) <= limit_of_files() / 4;
}

static void give_room(void)
{
    __atomic_sub_fetch(&taken, 1, __ATOMIC_RELAXED);
}

static bool is_of_papi(const struct efg_counter *counter)
{
    return counter->type == EFG_COUNTER_PAPI;
}

static unsigned count_of_kernel(const struct efg_perf *perf)
{
    return perf->list.count - perf->papi.count;
}

/* --- one counter --- */

static int lift(int file)
{
    uint64_t limit = limit_of_files();
    int high = fcntl(file, F_DUPFD_CLOEXEC, limit >= 2 * HIGH ? HIGH : (int)(limit / 2));

    if (high < 0)
        return file;
    close(file);
    return high;
}

static int open_file(const struct efg_counter *counter, int group, bool is_user_only)
{
    struct perf_event_attr wish = {
        .type = counter->type,
        .size = sizeof wish,
        .config = counter->config,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = group < 0, /* the leader, and so all of them, until they are complete */
        .exclude_kernel = is_user_only,
        .exclude_hv = is_user_only,
    };
    long file = syscall(SYS_perf_event_open, &wish, 0, -1, group, PERF_FLAG_FD_CLOEXEC);

    return file < 0 ? -errno : (int)file;
}

static bool is_forbidden(int error)
{
    return error == -EACCES || error == -EPERM;
}

/* Into the group of PERF. Returns its file or -errno. */
static int open_counter(struct efg_perf *perf, const struct efg_counter *counter)
{
    int group = perf->list.count ? perf->file[0] : -1; /* those of PAPI come later */
    int file = open_file(counter, group, perf->is_user_only);

    if (is_forbidden(file) && !perf->is_user_only && !counter->is_of_kernel) {
        file = open_file(counter, group, true);
        if (file >= 0 && strcmp(counter->name, "task-clock") != 0)
            perf->is_user_only = true;
    } else if (file >= 0 && perf->is_user_only && counter->is_of_kernel) {
        close(file);
        file = -EACCES;
    }
    return file < 0 ? file : lift(file);
}

/* --- why not --- */

static int paranoid(void)
{
    char text[16] = "";
    int file = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return -1;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    return size > 0 ? atoi(text) : -1;
}

static void explain_forbidden(char *why, size_t size, bool is_of_kernel)
{
    int level = paranoid(), wanted = is_of_kernel ? 1 : 2;

    if (level > wanted)
        snprintf(why, size,
                 "kernel.perf_event_paranoid is %d, which forbids it: %d or less, or CAP_PERFMON, allows it",
                 level, wanted);
    else
        snprintf(why, size,
                 "perf_event_open is forbidden, as in many containers: allow it in the seccomp profile");
}

static void explain(char *why, size_t size, const struct efg_counter *counter, int error)
{
    bool is_hardware = efg_counter_is_hardware(counter);
    bool has_pmu = access("/sys/bus/event_source/devices/cpu", F_OK) == 0;

    if (is_forbidden(error))
        explain_forbidden(why, size, counter->is_of_kernel);
    else if (error == -ENOSYS)
        snprintf(why, size, "this kernel has no perf_event_open");
    else if (error == -EMFILE || error == -ENFILE)
        snprintf(why, size, "the process may not open so many files: see ulimit -n");
    else if (is_hardware && (error == -ENOENT || error == -EOPNOTSUPP || error == -ENODEV) && !has_pmu)
        snprintf(why, size, "no PMU (to a virtual machine, its host must offer one)");
    else if (error == -ENOENT || error == -EOPNOTSUPP || error == -ENODEV)
        snprintf(why, size, "this processor or kernel does not have it: %s shows what there is",
                 is_of_papi(counter) ? "papi_avail" : "perf list");
    else
        snprintf(why, size, "%s", strerror(-error));
}

/* One that would be there alone does not fit into the group. */
static bool is_one_too_many(const struct efg_perf *perf, const struct efg_counter *counter, int error)
{
    if (!perf->list.count || !efg_counter_is_hardware(counter) || is_forbidden(error))
        return false;
    int alone = open_file(counter, -1, perf->is_user_only);
    if (alone >= 0)
        close(alone);
    return alone >= 0;
}

static void refuse(struct efg_perf_refused *refused, const struct efg_perf *perf, uint8_t id, int error)
{
    const struct efg_counter *counter = efg_counter(id);
    unsigned n = refused->count++;

    refused->id[n] = id;
    if (is_one_too_many(perf, counter, error))
        snprintf(refused->why[n], sizeof refused->why[n],
                 "the processor cannot count it besides the others: ask for fewer at a time");
    else
        explain(refused->why[n], sizeof refused->why[n], counter, error);
}

void efg_perf_explain(const struct efg_perf_refused *refused, void say(const char *names, const char *why))
{
    for (unsigned i = 0; i < refused->count; i++) {
        struct efg_counter_list same = {0};
        char names[1 + EFG_COUNTERS * EFG_COUNTER_NAME];
        bool is_said = false;
        for (unsigned k = 0; k < refused->count; k++) {
            if (strcmp(refused->why[i], refused->why[k]) != 0)
                continue;
            is_said = is_said || k < i;
            same.id[same.count++] = refused->id[k];
        }
        efg_counters_show(&same, names, sizeof names);
        if (!is_said)
            say(names, refused->why[i]);
    }
}

/* --- those of PAPI --- */

/* Returns 0 or -errno; WHY as efg_papi_add. */
static int open_of_papi(struct efg_perf *perf, const char *name, char why[EFG_PAPI_WHY])
{
    *why = '\0';
    return has_room() ? efg_papi_add(&perf->papi, name, why) : -EMFILE;
}

static void refuse_of_papi(struct efg_perf_refused *refused, uint8_t id, int error, const char *why)
{
    unsigned n = refused->count++;

    refused->id[n] = id;
    if (*why)
        snprintf(refused->why[n], sizeof refused->why[n], "%s", why);
    else
        explain(refused->why[n], sizeof refused->why[n], efg_counter(id), error);
}

static void start_papi(struct efg_perf *perf, struct efg_perf_refused *refused)
{
    unsigned count = perf->papi.count;
    char why[EFG_PAPI_WHY];
    int error = count ? efg_papi_start(&perf->papi, why) : 0;

    perf->is_user_only |= count && efg_papi_is_user_only();
    for (; error && count; count--) {
        refuse_of_papi(refused, perf->list.id[--perf->list.count], error, why);
        give_room();
    }
}

/* --- readings --- */

static int read_by_call(struct efg_perf *perf, unsigned count, struct efg_perf_reading *reading)
{
    uint64_t words[3 + EFG_COUNTERS];
    size_t size = (3 + count) * sizeof *words;

    efg_pages_before(&perf->pages);
    if (read(perf->file[0], words, size) != (ssize_t)size || words[0] != count)
        return -EBADF;
    efg_pages_after(&perf->pages, words + 3);
    reading->enabled = words[1];
    reading->running = words[2];
    memcpy(reading->value, words + 3, count * sizeof *words);
    return 0;
}

static int read_of_kernel(struct efg_perf *perf, unsigned count, struct efg_perf_reading *reading)
{
    reading->is_by_call = !efg_pages_read(&perf->pages, reading->value);
    if (reading->is_by_call)
        return read_by_call(perf, count, reading);
    reading->enabled = perf->pages.page[0]->time_enabled;
    reading->running = perf->pages.page[0]->time_running;
    return 0;
}

int efg_perf_read(struct efg_perf *perf, struct efg_perf_reading *reading)
{
    unsigned count = count_of_kernel(perf);
    int error = count ? read_of_kernel(perf, count, reading) : 0;

    if (error || !perf->papi.count)
        return error;
    reading->is_by_call = true;
    return efg_papi_read(&perf->papi, reading->value + count);
}

/* Whether each of the COUNT values of PAGE is between those of two system calls around it. */
static bool is_between(const struct efg_perf_reading *before, const struct efg_perf_reading *page,
                       const struct efg_perf_reading *after, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (page->value[k] + CLOSE < before->value[k] || page->value[k] > after->value[k] + CLOSE)
            return false;
    return true;
}

/* Whether pages say what system calls do; if there is no telling, they do not. */
static bool is_right(struct efg_perf *perf, unsigned count)
{
    struct efg_perf_reading before, page, after;

    for (int i = 0; i < TRIES; i++) {
        if (read_by_call(perf, count, &before) != 0)
            return false;
        bool is_known = efg_pages_read(&perf->pages, page.value);
        if (read_by_call(perf, count, &after) != 0)
            return false;
        if (is_known)
            return is_between(&before, &page, &after, count);
    }
    return false;
}

void efg_perf_leave_pages(struct efg_perf *perf)
{
    efg_pages_close(&perf->pages);
}

/* --- all of them --- */

static void open_of_kernel(struct efg_perf *perf, uint8_t id, struct efg_perf_refused *refused)
{
    int file = has_room() ? open_counter(perf, efg_counter(id)) : -EMFILE;

    if (file < 0) {
        give_room();
        refuse(refused, perf, id, file);
        return;
    }
    perf->list.id[perf->list.count] = id;
    perf->file[perf->list.count++] = file;
}

static void open_all_of_papi(struct efg_perf *perf, const struct efg_counter_list *wanted,
                             struct efg_perf_refused *refused)
{
    char why[EFG_PAPI_WHY];

    for (unsigned i = 0; i < wanted->count; i++) {
        const struct efg_counter *counter = efg_counter(wanted->id[i]);
        if (!is_of_papi(counter))
            continue;
        int error = open_of_papi(perf, counter->name, why);
        if (!error) {
            perf->list.id[perf->list.count++] = wanted->id[i];
            continue;
        }
        give_room();
        refuse_of_papi(refused, wanted->id[i], error, why);
    }
    start_papi(perf, refused);
}

static void open_pages(struct efg_perf *perf)
{
    unsigned count = perf->list.count;

    efg_pages_open(&perf->pages, &perf->list, count, perf->file);
    if (perf->pages.count && !is_right(perf, count))
        efg_pages_close(&perf->pages);
}

unsigned efg_perf_open(struct efg_perf *perf, const struct efg_counter_list *wanted,
                       struct efg_perf_refused *refused)
{
    *perf = (struct efg_perf){0};
    *refused = (struct efg_perf_refused){0};
    for (unsigned i = 0; i < wanted->count; i++)
        if (!is_of_papi(efg_counter(wanted->id[i])))
            open_of_kernel(perf, wanted->id[i], refused);
    /* Where the leader counts already, a kernel may let those that come later begin at the next switch. */
    if (perf->list.count) {
        ioctl(perf->file[0], PERF_EVENT_IOC_ENABLE, 0);
        open_pages(perf);
    }
    open_all_of_papi(perf, wanted, refused);
    return perf->list.count;
}

void efg_perf_close(struct efg_perf *perf)
{
    efg_pages_close(&perf->pages);
    for (unsigned i = count_of_kernel(perf); i-- > 0;)
        close(perf->file[i]);
    efg_papi_close(&perf->papi);
    __atomic_sub_fetch(&taken, perf->list.count, __ATOMIC_RELAXED);
    perf->list.count = 0;
}
