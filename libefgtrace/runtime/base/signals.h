/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals by which a write may end the process: SIGXFSZ when a file would grow beyond
 * RLIMIT_FSIZE, SIGPIPE when nobody reads the other end. While they are held, the write fails
 * instead, and its error is handled like any other.
 *
 * A program may have floating-point exceptions end it (feenableexcept). While signals are held or
 * deferred, what we calculate raises none, and leaves no flag behind.
 */
#ifndef EFG_SIGNALS_H
#define EFG_SIGNALS_H

#include <fenv.h>
#include <pthread.h>
#include <signal.h>

struct efg_signals {
    sigset_t before; /* blocked before */
    sigset_t held;   /* not blocked before, blocked now */
    int may_cancel;  /* whether pthread_cancel might end the thread */
    fenv_t floats;   /* which exceptions were on, and flags */
};

/* Hold them in this thread, from here on until they are released. */
void efg_signals_hold(struct efg_signals *signals);
void efg_signals_release(const struct efg_signals *signals);

/* Hold all signals that are sent to this thread: a handler of the application may jump out of the
 * place where it was called, which must not be in malloc, or where we hold a lock. Nor can
 * pthread_cancel end the thread there. Signals for the thread's own faults still come at once. */
void efg_signals_defer(struct efg_signals *signals);
void efg_signals_resume(const struct efg_signals *signals);

/* The same for as long as LOCK is held: who jumps out of a signal handler leaves no lock behind. */
void efg_signals_lock(struct efg_signals *signals, pthread_mutex_t *lock);
void efg_signals_unlock(const struct efg_signals *signals, pthread_mutex_t *lock);

#endif
