/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Holds back the signals by which a write may end the process. The kernel sends both to the thread that
 * writes. One that is pending at the end was raised in between, and is taken away; one that the
 * application itself blocks is left to it.
 */
#define _POSIX_C_SOURCE 200809L
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

void efg_signals_hold(struct efg_signals *signals)
{
    sigset_t ours;

    feholdexcept(&signals->floats);
    sigemptyset(&ours);
    sigaddset(&ours, SIGXFSZ);
    sigaddset(&ours, SIGPIPE);
    signals->held = ours;
    pthread_sigmask(SIG_BLOCK, &ours, &signals->before);
    if (sigismember(&signals->before, SIGXFSZ))
        sigdelset(&signals->held, SIGXFSZ);
    if (sigismember(&signals->before, SIGPIPE))
        sigdelset(&signals->held, SIGPIPE);
}

void efg_signals_release(const struct efg_signals *signals)
{
    const struct timespec now = {0};
    int saved = errno;

    while (sigtimedwait(&signals->held, NULL, &now) >= 0) {
    }
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    fesetenv(&signals->floats);
    errno = saved;
}

void efg_signals_defer(struct efg_signals *signals)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigset_t others;

    feholdexcept(&signals->floats);
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&others, own[i]);
    pthread_sigmask(SIG_BLOCK, &others, &signals->before);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &signals->may_cancel);
}

void efg_signals_resume(const struct efg_signals *signals)
{
    pthread_setcancelstate(signals->may_cancel, NULL);
    fesetenv(&signals->floats);
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}

void efg_signals_lock(struct efg_signals *signals, pthread_mutex_t *lock)
{
    efg_signals_defer(signals);
    pthread_mutex_lock(lock);
}

void efg_signals_unlock(const struct efg_signals *signals, pthread_mutex_t *lock)
{
    pthread_mutex_unlock(lock);
    efg_signals_resume(signals);
}
