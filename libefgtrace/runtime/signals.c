/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel sends both to the thread that writes. One that is pending at the end was raised in
 * between, and is taken away; one that the application itself blocks is left to it.
 */
#define _POSIX_C_SOURCE 200809L
#include "runtime/signals.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

void efg_signals_hold(struct efg_signals *signals)
{
    sigset_t ours, before;

    sigemptyset(&ours);
    sigaddset(&ours, SIGXFSZ);
    sigaddset(&ours, SIGPIPE);
    signals->held = ours;
    pthread_sigmask(SIG_BLOCK, &ours, &before);
    if (sigismember(&before, SIGXFSZ))
        sigdelset(&signals->held, SIGXFSZ);
    if (sigismember(&before, SIGPIPE))
        sigdelset(&signals->held, SIGPIPE);
}

void efg_signals_release(const struct efg_signals *signals)
{
    const struct timespec now = {0};
    int saved = errno;

    while (sigtimedwait(&signals->held, NULL, &now) >= 0) {
    }
    pthread_sigmask(SIG_UNBLOCK, &signals->held, NULL);
    errno = saved;
}
