/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded in front of the C library: counts the locks that efgtrace's libraries take and the
 * memory that they allocate, which the program asks for by locks_taken().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_int taken;

int locks_taken(void)
{
    return taken;
}

static void count(const void *caller)
{
    Dl_info module;
    if (dladdr(caller, &module) && module.dli_fname && strstr(module.dli_fname, "libefgtrace"))
        taken++;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static __typeof__(&pthread_mutex_lock) real;
    if (!real)
        real = REAL(pthread_mutex_lock);
    count(__builtin_return_address(0));
    return real(mutex);
}

void *malloc(size_t size)
{
    static __typeof__(&malloc) real;
    if (!real)
        real = REAL(malloc);
    count(__builtin_return_address(0));
    return real(size);
}

void *realloc(void *memory, size_t size)
{
    static __typeof__(&realloc) real;
    if (!real)
        real = REAL(realloc);
    count(__builtin_return_address(0));
    return real(memory, size);
}
