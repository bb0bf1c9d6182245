/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals by which a write may end the process: SIGXFSZ where a file would grow beyond
 * RLIMIT_FSIZE, SIGPIPE where nobody reads what is said. While they are held, the write fails
 * instead, and its error is met as any other.
 */
#ifndef EFG_SIGNALS_H
#define EFG_SIGNALS_H

#include <signal.h>

struct efg_signals {
    sigset_t before; /* what was blocked */
    sigset_t held;   /* what was not, and is now */
    int may_cancel;  /* whether pthread_cancel might end the thread */
};

/* Hold them in this thread, from here on until they are released. */
void efg_signals_hold(struct efg_signals *signals);
void efg_signals_release(const struct efg_signals *signals);

/* Let all signals wait that somebody sends to this thread: a handler of the application may
 * jump out of where it was called, and that is not to be the middle of malloc, or where we hold
 * a lock. Nor does pthread_cancel end it there. Those that say what the thread itself does wrong come at once. */
void efg_signals_defer(struct efg_signals *signals);
void efg_signals_resume(const struct efg_signals *signals);

#endif
