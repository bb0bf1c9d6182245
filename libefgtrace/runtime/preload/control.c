/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Pcontrol(level, ...). What the arguments after the level mean is up to the application and
 * the libraries that listen: we expect the name of a region, and others after us may expect what
 * they have told their users. So a name is believed only if it looks like one, and everything
 * is passed on unchanged, as far as it fits into registers.
 */
#define _GNU_SOURCE /* dladdr */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "wrap.h"

/* The kernel reads the eight bytes at WORD, unless that is NULL, before it finds that the first
 * argument is wrong. */
static bool is_readable(const void *word)
{
    if (!word)
        return false;
    int saved = errno;
    bool readable = syscall(SYS_rt_sigprocmask, ~0, word, NULL, 8) == 0 || errno != EFAULT;
    errno = saved;
    return readable;
}

/*
 * Copies the name that an application may or may not have passed after the level:
 * MPI_Pcontrol(1) is common, and then there is nothing but what the register held. A name is
 * readable, ends, and is made of printable characters. Returns NAME or NULL.
 */
static const char *copy_name(char name[EFG_WRAP_NAME], const char *from)
{
    for (int i = 0; i < EFG_WRAP_NAME; i++) {
        const char *word = (const char *)((uintptr_t)(from + i) & ~(uintptr_t)7);
        if ((i == 0 || from + i == word) && !is_readable(word))
            return NULL;
        name[i] = from[i];
        if (!from[i])
            return i ? name : NULL;
        if (!isascii((unsigned char)from[i]) || !isprint((unsigned char)from[i]))
            return NULL;
    }
    return NULL;
}

/* The Fortran binding has no second argument. */
static bool is_fortran_binding(const void *caller)
{
    Dl_info module;
    const char *slash = dladdr(caller, &module) ? strrchr(module.dli_fname, '/') : NULL;
    return slash && strncmp(slash, "/libmpi_", 8) == 0;
}

/* What stands after the level: all that registers can hold, whatever it is. */
struct rest {
    const void *word[5];
    double number[8];
};

static void take_rest(struct rest *rest, va_list more)
{
    for (int i = 0; i < 5; i++)
        rest->word[i] = va_arg(more, const void *);
    for (int i = 0; i < 8; i++)
        rest->number[i] = va_arg(more, double);
}

static void listen(int level, const struct rest *rest, const void *caller, const uintptr_t *frame)
{
    char buffer[EFG_WRAP_NAME];
    bool may_have_name = (level == 1 || level == -1) && !is_fortran_binding(caller);
    efg_wrap_control(level, may_have_name ? copy_name(buffer, rest->word[0]) : NULL, frame);
}

static int call(int (*next)(const int, ...), int level, const struct rest *rest)
{
    const void *const *w = rest->word;
    const double *d = rest->number;
    return next(level, w[0], w[1], w[2], w[3], w[4], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]);
}

#define PCONTROL(prefix)                                                               \
    DEFINE(prefix, Pcontrol, (const int level, ...))                                   \
    {                                                                                  \
        __typeof__(&prefix##Pcontrol) next = NEXT(prefix, Pcontrol);                   \
        struct rest rest;                                                              \
        va_list more;                                                                  \
        va_start(more, level);                                                         \
        take_rest(&rest, more);                                                        \
        va_end(more);                                                                  \
        if (!efg_wrap_run() || efg_wrap_is_inside(__builtin_frame_address(0)))         \
            return call(next, level, &rest);                                           \
        efg_wrap_enter(__builtin_frame_address(0), NAMED_##prefix);                    \
        listen(level, &rest, __builtin_return_address(0), __builtin_frame_address(0)); \
        int result = call(next, level, &rest);                                         \
        efg_wrap_leave();                                                              \
        return result;                                                                 \
    }
PCONTROL(MPI_)
PCONTROL(PMPI_)
