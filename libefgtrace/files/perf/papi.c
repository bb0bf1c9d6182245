/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls libpapi, which need not be there when efgtrace is built: what is used of it has been the same since
 * PAPI 5, and is copied from its papi.h. It does not print unless PAPI_VERBOSE is in the environment, and
 * makes no handler of a signal for what is used here (it would for overflows and multiplexing).
 */
#define _GNU_SOURCE /* gettid */
#include "papi.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/nearest.h"

/* --- papi.h --- */

#define PAPI_OK 0
#define PAPI_EINVAL (-1)
#define PAPI_ENOEVNT (-7)
#define PAPI_ECNFLCT (-8)
#define PAPI_EPERM (-15)
#define PAPI_ECOUNT (-23)
#define PAPI_EMULPASS (-27)
#define PAPI_NULL (-1)
#define PAPI_LIB_VERSION 21
#define PAPI_DOM_USER 1
#define PAPI_DOM_KERNEL 2
#define PAPI_PRESET ((int)0x80000000)
#define PAPI_NATIVE 0x40000000
#define PAPI_ENUM_EVENTS 0
#define PAPI_ENUM_FIRST 1
#define NAME_SIZE 1024 /* of an event: far more than the PAPI_MAX_STR_LEN of any version */

typedef union papi_option PAPI_option_t;

#define FUNCTIONS(X)                                  \
    X(int, get_opt, (int option, PAPI_option_t *))    \
    X(int, library_init, (int version))               \
    X(int, thread_init, (unsigned long id(void)))     \
    X(int, register_thread, (void))                   \
    X(int, set_domain, (int domain))                  \
    X(int, create_eventset, (int *set))               \
    X(int, add_named_event, (int set, const char *))  \
    X(int, start, (int set))                          \
    X(int, read, (int set, long long *))              \
    X(int, stop, (int set, long long *))              \
    X(int, cleanup_eventset, (int set))               \
    X(int, destroy_eventset, (int *set))              \
    X(char *, strerror, (int))                        \
    X(int, event_name_to_code, (const char *, int *)) \
    X(int, event_code_to_name, (int, char *))         \
    X(int, num_components, (void))                    \
    X(int, enum_cmp_event, (int *, int how, int component))

static struct {
#define X(type, name, arguments) type(*name) arguments;
    FUNCTIONS(X)
#undef X
} papi_;

static const char *const sonames[] = {"libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0",
                                      "libpapi.so.6.0", "libpapi.so.5.7", "libpapi.so"};
#define SONAMES (sizeof sonames / sizeof *sonames)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char no_papi[EFG_PAPI_WHY]; /* why not; empty: it is there */
static bool is_user_only;

/* --- the library --- */

static bool is_used_by_program(void)
{
    for (size_t i = 0; i < SONAMES; i++) {
        void *library = dlopen(sonames[i], RTLD_NOLOAD | RTLD_LAZY);
        if (library)
            return dlclose(library) == 0;
    }
    return false;
}

static void *load(void)
{
    void *library = NULL;

    for (size_t i = 0; i < SONAMES && !library; i++)
        library = dlopen(sonames[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        snprintf(no_papi, sizeof no_papi,
                 "libpapi cannot be loaded (%.70s): install it, or name its folder in %s", dlerror(),
                 "LD_LIBRARY_PATH");
    return library;
}

static bool find_functions(void *library)
{
#define X(type, name, arguments)                                                                             \
    papi_.name = (type(*) arguments)dlsym(library, "PAPI_" #name);                                           \
    if (!papi_.name) {                                                                                       \
        snprintf(no_papi, sizeof no_papi, "libpapi has no PAPI_%s: another version of it is needed", #name); \
        return false;                                                                                        \
    }
    FUNCTIONS(X)
#undef X
    return true;
}

static unsigned long thread_id(void)
{
    return (unsigned long)syscall(SYS_gettid);
}

/* It wants to be told its own version, without the last two parts. */
static void begin_library(void)
{
    int version = papi_.get_opt(PAPI_LIB_VERSION, NULL) & (int)0xffff0000;
    int result = papi_.library_init(version);

    if (result != version)
        snprintf(no_papi, sizeof no_papi, "libpapi cannot begin: %s: papi_avail may say more",
                 papi_.strerror(result));
    else if ((result = papi_.thread_init(thread_id)) != PAPI_OK)
        snprintf(no_papi, sizeof no_papi, "libpapi knows no threads: %s: another version of it is needed",
                 papi_.strerror(result));
    else
        is_user_only = papi_.set_domain(PAPI_DOM_USER | PAPI_DOM_KERNEL) != PAPI_OK;
}

static void begin(void)
{
    void *library = NULL;

    if (is_used_by_program())
        snprintf(no_papi, sizeof no_papi,
                 "the program uses PAPI itself, which counts for one at a time: ask for %s",
                 "counters of perf list");
    else
        library = load();
    if (library && find_functions(library))
        begin_library();
}

/* --- why not --- */

static void offer_all(struct efg_nearest *nearest, char names[2][NAME_SIZE], int code, int component)
{
    int how = PAPI_ENUM_FIRST;

    for (; papi_.enum_cmp_event(&code, how, component) == PAPI_OK; how = PAPI_ENUM_EVENTS) {
        if (papi_.event_code_to_name(code, names[0]) != PAPI_OK)
            continue;
        const char *best = nearest->best;
        efg_nearest_offer(nearest, names[0]);
        if (nearest->best != best)
            nearest->best = strcpy(names[1], names[0]);
    }
}

/* There is no event of this NAME. */
static void explain_unknown(const char *name, char why[EFG_PAPI_WHY])
{
    static char names[2][NAME_SIZE]; /* one thread asks for what is not there: the first one */
    struct efg_nearest nearest = {.word = name};

    offer_all(&nearest, names, PAPI_PRESET, 0);
    for (int c = 0; c < papi_.num_components(); c++)
        offer_all(&nearest, names, PAPI_NATIVE, c);
    if (nearest.best)
        snprintf(why, EFG_PAPI_WHY, "PAPI has no event of this name: did you mean %.64s", nearest.best);
    else
        snprintf(why, EFG_PAPI_WHY,
                 "PAPI has no event of this name: papi_avail and papi_native_avail list them");
}

/* RESULT is what PAPI said to an event that it knows. Returns -errno. */
static int explain(const struct efg_papi *papi, int result, char why[EFG_PAPI_WHY])
{
    *why = '\0';
    switch (result) {
    case PAPI_ENOEVNT:
        return -ENOENT;
    case PAPI_EPERM:
        return -EACCES;
    case PAPI_ECNFLCT:
    case PAPI_ECOUNT:
    case PAPI_EMULPASS:
        snprintf(why, EFG_PAPI_WHY,
                 "the processor cannot count it besides the others: ask for fewer at a time");
        return -EBUSY;
    case PAPI_EINVAL:
        if (papi->count) {
            snprintf(why, EFG_PAPI_WHY,
                     "PAPI counts what one of its components has, and this is of another one: %s",
                     "ask for it alone");
            return -EINVAL;
        }
        break;
    }
    snprintf(why, EFG_PAPI_WHY, "PAPI: %.60s: papi_command_line may say more", papi_.strerror(result));
    return -EIO;
}

/* --- a set --- */

/* Programs that this one executes do not have its files. */
static void close_on_exec(void)
{
    DIR *files = opendir("/proc/self/fd");

    for (struct dirent *file; files && (file = readdir(files));) {
        char link[32] = "";
        if (readlinkat(dirfd(files), file->d_name, link, sizeof link - 1) > 0 &&
            strcmp(link, "anon_inode:[perf_event]") == 0)
            fcntl(atoi(file->d_name), F_SETFD, FD_CLOEXEC);
    }
    if (files)
        closedir(files);
}

static int add(struct efg_papi *papi, const char *name)
{
    int result = papi->count ? PAPI_OK : papi_.create_eventset(&papi->set);

    if (result == PAPI_OK)
        result = papi_.add_named_event(papi->set, name);
    if (result != PAPI_OK && !papi->count)
        papi_.destroy_eventset(&papi->set);
    return result;
}

int efg_papi_add(struct efg_papi *papi, const char *name, char why[EFG_PAPI_WHY])
{
    int code;

    pthread_once(&once, begin);
    if (*no_papi) {
        snprintf(why, EFG_PAPI_WHY, "%s", no_papi);
        return -ENOSYS;
    }
    int result =
        papi_.register_thread(); /* else some functions of it crash in other threads than the first */
    if (result != PAPI_OK)
        return explain(papi, result, why);
    if (papi_.event_name_to_code(name, &code) != PAPI_OK) {
        explain_unknown(name, why);
        return -ENOKEY;
    }
    if (!papi->count)
        papi->set = PAPI_NULL;
    result = add(papi, name);
    if (result == PAPI_EPERM && !papi->count && !is_user_only && papi_.set_domain(PAPI_DOM_USER) == PAPI_OK) {
        is_user_only = true;
        result = add(papi, name);
    }
    if (result != PAPI_OK)
        return explain(papi, result, why);
    papi->count++;
    return 0;
}

int efg_papi_start(struct efg_papi *papi, char why[EFG_PAPI_WHY])
{
    int result = papi_.start(papi->set);

    close_on_exec();
    if (result == PAPI_OK)
        return 0;
    int error = explain(papi, result, why);
    efg_papi_close(papi);
    return error;
}

void efg_papi_close(struct efg_papi *papi)
{
    long long last[64];

    if (!papi->count)
        return;
    papi_.stop(papi->set, last);
    papi_.cleanup_eventset(papi->set);
    papi_.destroy_eventset(&papi->set);
    papi->count = 0;
}

int efg_papi_read(const struct efg_papi *papi, uint64_t *values)
{
    int saved = errno, result = papi_.read(papi->set, (long long *)values);

    errno = saved;
    return result == PAPI_OK ? 0 : -EBADF;
}

bool efg_papi_is_user_only(void)
{
    return is_user_only;
}
