/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls functions of plug-ins, and goes on if they fail.
 *
 *     fault, abort      a handler of ours jumps back to where the function was called
 *     exception         finds the end of the stack there: the C++ library aborts, see above
 *     takes too long    late.c sends the thread a signal for this attempt, see above
 *     calls MPI         the wrappers count calls within calls; nothing is done about them
 *
 * Faults of the application itself go where they went before. What a plug-in had locked when it failed stays
 * locked, and what it has written to stays written.
 */
#define _GNU_SOURCE /* pthread_sigqueue */
#include "guard.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"

#define MANY (UINT64_C(1) << 40) /* calls of MPI that a function may make, to be counted */
#define LATE -1                  /* no signal: it took too long */

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define FAULTS (sizeof faults / sizeof *faults)

static struct sigaction before[FAULTS];
static struct efg_guard *guards; /* grows at its head; atomic */
static pid_t owner;              /* the process that has taken the signals */
static __thread struct efg_guard *own __attribute__((tls_model("initial-exec")));

/* --- guards --- */

struct efg_guard *efg_guards(void)
{
    return __atomic_load_n(&guards, __ATOMIC_ACQUIRE);
}

static struct efg_guard *add_guard(const struct efg_thread *thread)
{
    struct efg_guard *guard = calloc(1, sizeof *guard);

    if (!guard)
        return NULL;
    guard->thread = thread;
    guard->next = efg_guards();
    while (!__atomic_compare_exchange_n(&guards, &guard->next, guard, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
        ;
    return guard;
}

struct efg_guard *efg_guard_of(const struct efg_thread *thread)
{
    if (own)
        return own;
    struct efg_guard *guard = efg_guards();
    while (guard && guard->thread != thread)
        guard = guard->next;
    own = guard ? guard : add_guard(thread);
    if (own)
        own->self = pthread_self();
    return own;
}

/* --- signals --- */

/* Where the stack was when a signal came, as far as that is known. */
static uintptr_t stack_of(const void *context)
{
#if defined(__x86_64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.sp;
#else
    (void)context;
    return 0;
#endif
}

/* Whether the thread is in its attempt: a handler of the application may have jumped out of it. */
static bool is_inside(const struct efg_guard *guard, const void *context)
{
    const struct efg_attempt *attempt = guard ? guard->attempt : NULL;

    return attempt && stack_of(context) < (uintptr_t)attempt && attempt->number == guard->number;
}

/* The fault is not that of a plug-in. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
    size_t i = 0;

    while (faults[i] != signal)
        i++;
    if (before[i].sa_flags & SA_SIGINFO) {
        before[i].sa_sigaction(signal, info, context);
    } else if (before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN) {
        before[i].sa_handler(signal);
    } else {
        sigaction(signal, &before[i], NULL);
        if (info->si_code <= 0) /* sent: it does not come again by itself */
            raise(signal);
    }
}

static void handle(int signal, siginfo_t *info, void *context)
{
    bool is_ours = info->si_code == SI_QUEUE && info->si_pid == owner;
    bool is_meant = !is_ours || (own && (int)own->number == info->si_value.sival_int);

    if (is_meant && is_inside(own, context))
        siglongjmp(own->attempt->jump, is_ours ? LATE : signal);
    if (!is_ours)
        pass_on(signal, info, context);
}

void efg_guard_begin(void)
{
    const struct sigaction ours = {.sa_sigaction = handle,
                                   .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};

    owner = getpid();
    for (size_t i = 0; i < FAULTS; i++)
        sigaction(faults[i], &ours, &before[i]);
}

static bool is_taken(int signal)
{
    struct sigaction now;

    return sigaction(signal, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle;
}

void efg_guard_end(void)
{
    for (size_t i = 0; i < FAULTS; i++)
        if (is_taken(faults[i]))
            sigaction(faults[i], &before[i], NULL);
}

bool efg_guard_interrupt(const struct efg_guard *guard, uint64_t number)
{
    const union sigval meant = {.sival_int = (int)number};

    return is_taken(SIGABRT) && pthread_sigqueue(guard->self, SIGABRT, meant) == 0;
}

/* --- calls --- */

/* What else can be done is to jump back to run. */
static __attribute__((noinline)) void call_outermost(efg_plugin_call *call, const struct efg_plugin *plugin,
                                                     const void *data)
{
/* An exception is to be caught by the plug-in, or by nobody: for who unwinds the stack it ends here. */
#if defined(__x86_64__)
    __asm__ volatile(".cfi_undefined rip");
#elif defined(__aarch64__)
    __asm__ volatile(".cfi_undefined x30");
#endif
    call(plugin, data);
    __asm__ volatile(""); /* no tail call */
}

static void put_out(struct efg_guard *guard, struct efg_plugin *plugin, const char *why)
{
    if (!__atomic_exchange_n(&plugin->is_out, true, __ATOMIC_RELAXED))
        efg_note("plug-in %s %s in %s%s; it is not called any more", plugin->name, why, guard->moment,
                 guard->function);
}

bool efg_guard_is_left(void)
{
    if (!own || !own->attempt)
        return false;
    put_out(own, own->plugin, "ends the process");
    return true;
}

static void say_failed(struct efg_guard *guard, struct efg_plugin *plugin, int signal)
{
    char why[64];

    if (signal == LATE)
        snprintf(why, sizeof why, "took more than %llu s",
                 (unsigned long long)(plugin->patience / EFG_CLOCK_TICKS_PER_SECOND));
    else
        snprintf(why, sizeof why, "failed (%s)", strsignal(signal));
    put_out(guard, plugin, why);
}

/* Returns 0, or the signal by which it failed, or LATE. */
static __attribute__((noinline)) int attempt(struct efg_guard *guard, struct efg_plugin *plugin,
                                             efg_plugin_call *call, const void *data)
{
    struct efg_attempt here;

    here.number = ++guard->number;
    int failed = sigsetjmp(here.jump, 0);
    if (!failed) {
        __atomic_store_n(&guard->plugin, plugin, __ATOMIC_RELAXED);
        __atomic_store_n(&guard->attempt, &here, __ATOMIC_RELEASE);
        call_outermost(call, plugin, data);
    }
    __atomic_store_n(&guard->attempt, NULL, __ATOMIC_RELEASE);
    here.number = 0;
    return failed;
}

void efg_guard_call(struct efg_guard *guard, struct efg_plugin *plugin, const char *moment,
                    const char *function, efg_plugin_call *call, const void *data)
{
    int may_cancel;

    if (__atomic_load_n(&plugin->is_out, __ATOMIC_RELAXED))
        return;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &may_cancel);
    uint64_t *passing = &efg_job.passing()->calls, others = *passing;
    *passing = others + MANY;
    guard->moment = moment;
    guard->function = function;
    guard->since = efg_clock_ticks();
    int failed = attempt(guard, plugin, call, data);
    __atomic_fetch_add(&plugin->time, efg_clock_ticks() - guard->since, __ATOMIC_RELAXED);
    __atomic_fetch_add(&plugin->calls, 1, __ATOMIC_RELAXED);
    if (failed)
        say_failed(guard, plugin, failed);
    else if (*passing != others + MANY)
        put_out(guard, plugin, "calls MPI");
    *passing = others;
    pthread_setcancelstate(may_cancel, NULL);
}
