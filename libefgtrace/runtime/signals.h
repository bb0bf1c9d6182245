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
    sigset_t held; /* that were not blocked before */
};

/* Hold them in this thread, from here on until they are released. */
void efg_signals_hold(struct efg_signals *signals);
void efg_signals_release(const struct efg_signals *signals);

#endif
