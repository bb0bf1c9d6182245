/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Switches to a stack of our own and back.
 */
#define _GNU_SOURCE /* pthread_getattr_np, MAP_FIXED_NOREPLACE */
#include "roomy.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define ENOUGH ((size_t)256 << 10) /* bytes that are left: no other one is needed */
#define ROOM ((size_t)1 << 20)     /* bytes of one that is ours: only those that are touched take memory */
#define NEAREST (16 * ROOM)        /* what grows into the room below it is not in the way */

/* Its upper end: what is needed to come back is not on the small stack. */
struct end {
    ucontext_t there, back;
    void (*work)(void *);
    void *context;
};

#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
OF_THREAD uintptr_t lowest, size; /* of the stack that the thread was made with; SIZE 0: not known yet */
OF_THREAD char *own;              /* that the thread is on, or NULL */

/* Once for each thread: for the first one of the process the C library reads a file. */
static void find_stack(void)
{
    pthread_attr_t attributes;
    void *stack = NULL;

    size = UINTPTR_MAX; /* if nobody knows, all is well */
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &stack, &size) == 0)
        lowest = (uintptr_t)stack;
    pthread_attr_destroy(&attributes);
}

/* On a stack that the program has allocated itself nobody knows how much is left. */
static bool has_enough(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);

    if (own && here - (uintptr_t)own < ROOM)
        return true;
    if (!size)
        find_stack();
    return here - lowest < size && here - lowest >= ENOUGH;
}

static struct end *end_of(char *stack)
{
    return (struct end *)(stack + ROOM) - 1;
}

static void begin(void)
{
    const struct end *end = end_of(own);

    end->work(end->context);
}

/* At AT, if nothing is there; NULL otherwise. A kernel that does not know the flag may have another place. */
static char *map_at(uintptr_t at)
{
    char *stack = mmap((void *)at, ROOM, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE, -1, 0);

    if (stack != MAP_FAILED && (uintptr_t)stack != at) {
        munmap(stack, ROOM);
        return NULL;
    }
    return stack != MAP_FAILED ? stack : NULL;
}

/* Below this one, where there is room. Its lowest page stops who needs even more. NULL without memory. */
static char *make_stack(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0) / ROOM * ROOM;
    int saved = errno;
    char *stack = NULL;

    for (uintptr_t below = NEAREST; !stack && below < here; below *= 2)
        stack = map_at(here - below);
    if (stack)
        mprotect(stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
    errno = saved;
    return stack;
}

static void switch_to(char *stack)
{
    struct end *end = end_of(stack);
    char *before = own;

    getcontext(&end->there);
    end->there.uc_stack.ss_sp = stack;
    end->there.uc_stack.ss_size = ROOM - sizeof *end;
    end->there.uc_link = &end->back;
    makecontext(&end->there, begin, 0);
    own = stack;
    swapcontext(&end->back, &end->there);
    own = before;
}

void efg_roomy(void (*work)(void *context), void *context)
{
    char *stack = has_enough() ? NULL : make_stack();

    if (!stack) {
        work(context);
        return;
    }
    *end_of(stack) = (struct end){.work = work, .context = context};
    switch_to(stack);
    munmap(stack, ROOM);
}
