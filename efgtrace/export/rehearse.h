/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whether a time-independent trace can be replayed to its end: all ranks do their actions as far as they can,
 * without any time. A receive, or the wait for one, needs its message; a send needs nothing, but that of a
 * large message needs the receive; a wait is for the oldest request of its two ranks and tag; an operation of
 * all ranks needs all of them. So it is in SimGrid 3.32.
 */
#ifndef EFG_REHEARSE_H
#define EFG_REHEARSE_H

#include <stddef.h>
#include <stdint.h>

/* Do what is in the files DIR/rank-0.txt to DIR/rank-<SIZE - 1>.txt. Returns 0; -EDEADLK with a MESSAGE that
 * says who waits for what; -EBADMSG for a line that is no action, -ENOMEM, or -errno of reading. */
int efg_rehearse(const char *dir, uint32_t size, char *message, size_t room);

#endif
