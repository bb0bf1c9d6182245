/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strays: ends of messages in the window whose other ends were before it.
 * Readers of a trace match the k-th receive of a channel with its k-th send; so a trace
 * leaves the strays out (files/otf2/messages.c), and its messages are right.
 */
#ifndef EFG_STRAYS_H
#define EFG_STRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "files/log/record.h"

struct efg_stray { /* the record that sends, receives, or posts a request for that */
    uint32_t rank, thread;
    uint64_t place; /* in the log, as efg_log_read counts: that of the next record */
};

struct efg_strays { /* all zero is an empty one */
    struct efg_stray *all;
    size_t count;
};

void efg_strays_fini(struct efg_strays *strays);

/* Add room for COUNT more, which the caller fills. Returns the first one; NULL without memory,
 * or if COUNT is 0. */
struct efg_stray *efg_strays_grow(struct efg_strays *strays, size_t count);

/* After all were added. */
void efg_strays_sort(struct efg_strays *strays);

/* Those of one log, in the order of their places; sorted. */
struct efg_strays efg_strays_of(const struct efg_strays *strays, uint32_t rank,
                                uint32_t thread);

/* While one log is read: those that are still to come, and the requests that others were made for. */
struct efg_strays_ahead {
    struct efg_strays next; /* efg_strays_of */
    struct efg_map requests;
    bool failed; /* no memory */
};

/* Whether R is a stray, or goes on with one that a request was made for; the next record is at PLACE. */
bool efg_strays_have(struct efg_strays_ahead *ahead, const struct efg_record *r, uint64_t place);
void efg_strays_ahead_fini(struct efg_strays_ahead *ahead);

#endif
