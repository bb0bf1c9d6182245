/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels: which messages the logs of a job hold, and whether both of their ends are there.
 *
 * A channel is a communicator, a source, a destination, a tag and a window: on it, messages are
 * received in the order in which they were sent. A rank knows its own ends of its channels from
 * its logs. It learns the other ends of what it received from the ranks that sent it; or all
 * logs of a job go into one struct efg_channels.
 *
 * Sends that were cancelled do not count. All that is kept per channel is bounded, however
 * many messages went through it.
 *
 * Messages between nodes also tell how well the nodes' clocks agree while they are under way
 * (skew.h). Of each channel the first 64 messages are asked; in mode full, where nothing
 * is kept of single messages, none are, and clocks are as they were compared.
 */
#ifndef EFG_CHANNELS_H
#define EFG_CHANNELS_H

#include "buffer.h"
#include "core/map.h"
#include "log.h"
#include "runfile.h"
#include "skew.h"

struct efg_channel_key {
    uint64_t comm; /* hash of the communicator's identity, the same on all members */
    uint32_t source, destination; /* world ranks */
    uint32_t tag;
    uint32_t window; /* from 0, in the order of the log */
};

struct efg_transfer {      /* one end of a message */
    uint64_t posted, time; /* ns since 1970; a receive is posted before it is complete */
    uint64_t order;        /* of two that were posted at the same time: the place in the log */
    uint64_t bytes;
};

struct efg_channel_ends { /* all sends or all receives of a channel */
    uint64_t count;
    uint32_t kept, room;
    struct efg_transfer *first; /* the first ones, in the order of posting */
    struct efg_sync clock;      /* that their times are of: sync[0] of the logs */
    uint64_t doubt;             /* ns that it may be wrong by */
    uint64_t open;              /* sends under way when a log ended */
};

struct efg_channel {
    struct efg_channel_key key;
    struct efg_channel_ends sends, receives;
};

struct efg_channels_span { /* iterations [first, last) of a window; none: first = UINT64_MAX */
    uint64_t first, last;
};

struct efg_channels { /* all zero is an empty one */
    struct efg_channel *channels;
    uint32_t count, room;
    struct efg_map index; /* hash of the key -> number of the channel + 1 */
    struct efg_channels_span *windows;
    uint32_t window_count;
    struct efg_run_messages open; /* what is open at the edges; the other members are 0 */
    int is_full;                  /* all of the run was recorded */
    int failed;                   /* no memory; sticky */
};

void efg_channels_fini(struct efg_channels *c);

/* The channel of KEY, made if it is new; NULL without memory. Valid until the next one is made.
 */
struct efg_channel *efg_channels_find(struct efg_channels *c,
                                      const struct efg_channel_key *key);

/* Add what LOG holds; once for each log of a rank, or of all ranks. */
void efg_channels_add(struct efg_channels *c, const struct efg_log_view *log);

/* Sort the channels by their destination, for efg_channels_put. */
void efg_channels_sort(struct efg_channels *c);

/* Append the sends to the destination of channel *AT to OUT, and move *AT to the next
 * destination. Returns the destination. Precondition: sorted, *AT < c->count. Channels
 * with receives only put nothing: OUT may stay empty. */
uint32_t efg_channels_put(const struct efg_channels *c, uint32_t *at, struct efg_buffer *out);

/* Add the sends of another rank, as it put them. Returns 0, -EBADMSG or -ENOMEM. */
int efg_channels_get(struct efg_channels *c, const void *block, size_t size);

/* Match what RANK received with what was sent to it; UINT32_MAX: on all ranks. */
struct efg_run_messages efg_channels_match(const struct efg_channels *c, uint32_t rank);

/* Add to SKEW what the same messages tell of the clocks of different nodes. */
void efg_channels_gaps(const struct efg_channels *c, uint32_t rank, struct efg_skew *skew);

#endif
