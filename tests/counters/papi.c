/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A libpapi whose events are known, with as much of PAPI's interface as is used. Two of a set fit into the
 * processor; each counts ns of processor time of the thread, PAPI_TOT_INS twice as many. By PAPI in the
 * environment:
 *
 *     old        it cannot begin
 *     user       what the kernel does must not be counted
 *     forbid     nothing may be counted
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VERSION 0x07020100

static const struct {
    const char *name;
    int code, component, is_there;
} events[] = {{"PAPI_TOT_CYC", (int)0x80000001, 0, 1},  {"PAPI_TOT_INS", (int)0x80000002, 0, 1},
              {"PAPI_BR_INS", (int)0x80000003, 0, 1},   {"PAPI_L3_TCM", (int)0x80000004, 0, 0},
              {"some::NATIVE_EVENT", 0x40000001, 0, 1}, {"other:::THINGS", 0x40000002, 1, 1}};
#define EVENTS (int)(sizeof events / sizeof *events)

static int is_begun, domain = 1;
static __thread int is_registered, chosen[2], count, is_running;

static int is_kernel(const char *what)
{
    return !strcmp(getenv("PAPI") ? getenv("PAPI") : "", what);
}

static int find(const char *name, int code)
{
    for (int i = 0; i < EVENTS; i++)
        if (name ? !strcmp(events[i].name, name) : events[i].code == code)
            return i;
    return -1;
}

int PAPI_get_opt(int option, void *more)
{
    return option == 21 && !more ? VERSION : -1;
}

int PAPI_library_init(int version)
{
    is_begun = version == (VERSION & (int)0xffff0000) && !is_kernel("old");
    return is_begun ? version : -1;
}

int PAPI_thread_init(unsigned long id(void))
{
    return is_begun && id() ? 0 : -16;
}

int PAPI_register_thread(void)
{
    is_registered = is_begun;
    return is_begun ? 0 : -16;
}

int PAPI_set_domain(int wanted)
{
    domain = wanted;
    return 0;
}

int PAPI_create_eventset(int *set)
{
    count = 0;
    if (!is_registered || *set != -1)
        return -1;
    *set = 1;
    return 0;
}

int PAPI_add_named_event(int set, const char *name)
{
    int event = find(name, 0);

    if (set != 1 || is_running || event < 0 || !events[event].is_there)
        return -7;
    if (is_kernel("forbid") || (is_kernel("user") && domain != 1))
        return -15;
    if (count && events[chosen[0]].component != events[event].component)
        return -1;
    if (count == 2)
        return -8;
    chosen[count++] = event;
    return 0;
}

int PAPI_start(int set)
{
    is_running = set == 1 && count > 0;
    return is_running ? 0 : -1;
}

int PAPI_read(int set, long long *values)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    for (int i = 0; i < count; i++)
        values[i] = (now.tv_sec * 1000000000LL + now.tv_nsec) * (chosen[i] == 1 ? 2 : 1);
    return set == 1 && is_running ? 0 : -9;
}

int PAPI_stop(int set, long long *values)
{
    int result = PAPI_read(set, values);

    is_running = 0;
    return result;
}

int PAPI_cleanup_eventset(int set)
{
    return set == 1 && !is_running ? 0 : -10;
}

int PAPI_destroy_eventset(int *set)
{
    *set = -1;
    return 0;
}

char *PAPI_strerror(int error)
{
    return error == -1 ? "Invalid argument" : "Another error";
}

int PAPI_event_name_to_code(const char *name, int *code)
{
    int event = find(name, 0);

    *code = event < 0 ? 0 : events[event].code;
    return event < 0 || !is_registered ? -7 : 0;
}

int PAPI_event_code_to_name(int code, char *name)
{
    int event = find(NULL, code);

    if (event >= 0)
        strcpy(name, events[event].name);
    return event < 0 ? -7 : 0;
}

int PAPI_num_components(void)
{
    return 2;
}

/* The first one of a component has the kind of *CODE; those that follow have it, too. */
int PAPI_enum_cmp_event(int *code, int how, int component)
{
    int kind = *code & (int)0xc0000000;

    for (int i = how == 1 ? 0 : find(NULL, *code) + 1; i < EVENTS; i++)
        if ((events[i].code & (int)0xc0000000) == kind && events[i].component == component) {
            *code = events[i].code;
            return 0;
        }
    return -7;
}
