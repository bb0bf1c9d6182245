/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels: which messages the logs of a job hold, and whether both of their ends are there.
 *
 * A channel is a communicator, a source, a destination, a tag and a window: on it, messages are
 * received in the order in which they were sent. A rank knows its own ends of its channels from
 * its logs. It learns the other ends of what it received from the ranks that sent it; or all
 * logs of a job go into one struct efg_channels.
 *
 * Sends that were cancelled do not count. What is kept per message is less than what the logs
 * hold of it; in mode full nothing is, only counts.
 *
 * Messages between nodes also tell how well the nodes' clocks agree while they are under way
 * (skew.h). But a receive that seems earlier than its send may also belong to a send before the
 * window: a LEAD. Which it is, time alone cannot tell. So each log says at the beginning of
 * each window what was under way then, as far as its thread knows, and their sum proves which
 * leads there are (core/flight.h). Nothing is believed of clocks that is not proven.
 *
 * Collectives are channels as well (EFG_FLIGHT_COLLECTIVE), but for efg_channels_match.
 */
#ifndef EFG_CHANNELS_H
#define EFG_CHANNELS_H

#include "buffer.h"
#include "core/flight.h"
#include "core/map.h"
#include "log.h"
#include "runfile.h"
#include "skew.h"

struct efg_channel_key {
    uint64_t comm;                /* the communicator's identity, the same on all members */
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
    uint32_t kept;            /* of these, none in mode full */
    struct efg_transfer *all; /* in the order of posting */
    struct efg_sync clock;    /* that their times are of: sync[0] of the logs */
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
    struct efg_flight flight;     /* under way when the windows began, as the logs say */
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

/* How many receives from other nodes would be before their sends, were there no leads. */
uint64_t efg_channels_suspects(const struct efg_channels *c, uint32_t rank);

/* By how many ns clocks of different nodes have to be wrong, at least, for no more messages to
 * lead than were under way: *SLACK. JOIN adds up over all ranks, on each of them; NULL where
 * C knows them all. Returns 1 if it is proven that just the messages lead that do with that, 0
 * if nothing is proven; the same on all ranks. 1 and a SLACK of 0: messages prove no clock
 * wrong. */
int efg_channels_slack(const struct efg_channels *c, uint32_t rank,
                       void (*join)(struct efg_flight *flight), uint64_t *slack);

/* Add to SKEW what the same messages tell of the clocks of different nodes, with a SLACK that
 * was proven. */
void efg_channels_gaps(const struct efg_channels *c, uint32_t rank, uint64_t slack,
                       struct efg_skew *skew);

#endif
