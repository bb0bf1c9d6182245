/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles SIGBUS in guarded mappings. The handler goes through a list without a lock: what is in
 * it is never freed, but used again, and is guarded from when its start is there until it is
 * NULL.
 *
 * Invariant: the handler is set while something is guarded, and no longer, unless another one
 * has been set on top of it; that may call ours, so ours is then never set again.
 */
#define _GNU_SOURCE
#include "guard.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PART ((size_t)1 << 20) /* bytes that are mended at once */

struct range {
    struct range *next;
    char *start; /* atomic; NULL: free */
    size_t size; /* atomic */
    bool is_cut; /* atomic */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* what changes, but for is_cut */
static struct range *ranges;                             /* atomic */
static unsigned guarded;
static bool is_covered; /* another handler was set on top of ours */
static uintptr_t page;
static struct sigaction before;

/* --- in the handler --- */

static struct range *find(const char *address)
{
    struct range *r = __atomic_load_n(&ranges, __ATOMIC_ACQUIRE);

    for (; r; r = r->next) {
        const char *start = __atomic_load_n(&r->start, __ATOMIC_ACQUIRE);
        if (start && address >= start && address < start + __atomic_load_n(&r->size, __ATOMIC_RELAXED))
            return r;
    }
    return NULL;
}

/* Returns whether ADDRESS can be touched now. */
static bool mend(char *address)
{
    struct range *r = find(address);

    if (!r)
        return false;
    char *from = (char *)((uintptr_t)address & ~(page - 1));
    size_t left = r->size - (size_t)(from - r->start), size = left < PART ? left : PART;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
    if (mmap(from, size, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
        return false;
    __atomic_store_n(&r->is_cut, true, __ATOMIC_RELAXED);
    return true;
}

static void set_default(void)
{
    struct sigaction none = {.sa_handler = SIG_DFL};
    sigaction(SIGBUS, &none, NULL);
}

/* To whoever had it before. The kernel does the default when the same instruction is tried
 * again, or when the signal that is raised here comes, which is when the handler returns. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
    bool is_sent = info->si_code <= 0; /* by a process */

    if (!(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_IGN && is_sent)
        return;
    if (!(before.sa_flags & SA_SIGINFO) && (before.sa_handler == SIG_IGN || before.sa_handler == SIG_DFL)) {
        set_default();
        if (is_sent)
            raise(signal);
        return;
    }
    if (before.sa_flags & SA_RESETHAND)
        set_default();
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(signal, info, context);
    else
        before.sa_handler(signal);
}

static void handle(int signal, siginfo_t *info, void *context)
{
    int saved = errno, is_mended = info->si_code > 0 && mend(info->si_addr);

    errno = saved;
    if (!is_mended)
        pass_on(signal, info, context);
}

/* --- what is guarded --- */

static bool is_ours(const struct sigaction *action)
{
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == handle;
}

static void set_handler(void)
{
    page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (is_covered || sigaction(SIGBUS, NULL, &before) != 0)
        return;
    struct sigaction ours = {
        .sa_sigaction = handle,
        .sa_mask = before.sa_mask,
        .sa_flags = (before.sa_flags & ~SA_RESETHAND) | SA_SIGINFO | SA_ONSTACK,
    };
    sigaction(SIGBUS, &ours, NULL);
}

static void reset_handler(void)
{
    struct sigaction now;

    is_covered = is_covered || sigaction(SIGBUS, NULL, &now) != 0 || !is_ours(&now);
    if (!is_covered)
        sigaction(SIGBUS, &before, NULL);
}

/* A range that is not in use, new if need be; NULL without memory. */
static struct range *take_range(void)
{
    struct range *r = ranges;

    while (r && r->start)
        r = r->next;
    if (r)
        return r;
    r = calloc(1, sizeof *r);
    if (r) {
        r->next = ranges;
        __atomic_store_n(&ranges, r, __ATOMIC_RELEASE);
    }
    return r;
}

void efg_guard_add(void *start, size_t size)
{
    pthread_mutex_lock(&lock);
    struct range *r = take_range();
    if (r) {
        __atomic_store_n(&r->size, size, __ATOMIC_RELAXED);
        __atomic_store_n(&r->is_cut, false, __ATOMIC_RELAXED);
        __atomic_store_n(&r->start, start, __ATOMIC_RELEASE);
        if (guarded++ == 0)
            set_handler();
    }
    pthread_mutex_unlock(&lock);
}

bool efg_guard_is_cut(void *start)
{
    const struct range *r = find(start);
    return r && __atomic_load_n(&r->is_cut, __ATOMIC_RELAXED);
}

bool efg_guard_remove(void *start)
{
    bool was_cut = false;

    pthread_mutex_lock(&lock);
    struct range *r = find(start);
    if (r) {
        was_cut = __atomic_load_n(&r->is_cut, __ATOMIC_RELAXED);
        __atomic_store_n(&r->start, NULL, __ATOMIC_RELEASE);
        if (--guarded == 0)
            reset_handler();
    }
    pthread_mutex_unlock(&lock);
    return was_cut;
}
