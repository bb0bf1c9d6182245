/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Channels: which messages the logs of a job hold, and whether both ends of them are there.
 *
 * A channel is a communicator, a source, a destination, a tag and a window: on it, messages are
 * received in the order in which they were sent. A rank knows its own ends of its channels from
 * its logs. It learns the other ends of what it received from the ranks that sent it; or all
 * logs of a job go into one struct efg_channels.
 *
 * Sends that were cancelled do not count. What is kept per message is less than what the logs
 * hold of it; in mode full nothing is, only counts.
 *
 * Each rank's window begins at its own time. So the first receives in it may belong to
 * sends before it, or its first sends were received before it: a positive or negative LEAD.
 * Messages between nodes also tell how well the nodes' clocks agree while they are under way
 * (skew.h), but a receive that seems earlier than its send may also be one that leads. Time
 * alone cannot tell which it is. So each log says at the beginning of each window what was
 * under way then, as far as its thread knows, and the sum over all logs proves which leads there are
 * (flight.h). Nothing about clocks is believed unless it is proven.
 *
 * Collectives are channels as well (EFG_FLIGHT_COLLECTIVE), except in efg_channels_match.
 *
 * A window has margins (files/log/trim.h). The destination, which knows both ends of a message, says to
 * the source which sends in a margin belong to what it has received inside: needs.c.
 */
#ifndef EFG_CHANNELS_H
#define EFG_CHANNELS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/map.h"
#include "core/graph/traffic.h"
#include "files/log/trim.h"
#include "files/run/runfile.h"
#include "flight.h"
#include "skew.h"
#include "strays.h"

struct efg_channel_key {
    uint64_t comm;                /* the communicator's identity, the same on all members */
    uint32_t source, destination; /* world ranks */
    uint32_t tag;
    uint32_t window; /* from 0, in the order of the log */
};

struct efg_transfer {      /* one end of a message */
    uint64_t posted, time; /* ns since 1970; a receive is posted before it is complete */
    uint64_t order;        /* of two that were posted at the same time: thread and place */
    uint64_t bytes : 61;
    bool is_margin : 1; /* it is, and its request is complete, in a margin, not inside of the window */
    bool is_before : 1; /* it counts as sent, or received, before the window: not in what is under way then */
    bool is_needed : 1; /* in a margin: the other end is inside */
};

/* The place in the log (efg_log_read) and the thread that it is of, in one word. */
static inline uint64_t efg_order(uint32_t thread, uint64_t place)
{
    return (uint64_t)thread << 40 | place;
}
static inline uint32_t efg_order_thread(uint64_t order)
{
    return (uint32_t)(order >> 40);
}
static inline uint64_t efg_order_place(uint64_t order)
{
    return order & ((UINT64_C(1) << 40) - 1);
}

struct efg_channel_ends { /* all sends or all receives of a channel */
    uint64_t count;
    uint32_t kept;            /* of these, none in mode full */
    uint32_t from, to;        /* [from, to) have other ends, as efg_channels_need finds out */
    struct efg_transfer *all; /* in the order of posting */
    uint32_t most;            /* so many were kept at once: there is room for them */
    struct efg_sync clock;    /* the clock of their times: sync[0] of the logs */
};

struct efg_channel {
    struct efg_channel_key key;
    struct efg_channel_ends sends, receives;
    uint32_t
        received; /* sends whose receives were before the window, as the destination says */
    int64_t base;    /* its lead, if nothing was under way when the windows began */
    uint64_t margin; /* how many of the sends are in one */
    uint64_t first;  /* time of the first end that the destination has in the window, ... */
    uint64_t last;   /* ... and of the last one that the source has; both where that was asked */
};

static inline bool efg_channel_is_collective(const struct efg_channel *channel)
{
    return (channel->key.tag & EFG_FLIGHT_COLLECTIVE) != 0;
}

/* Whether RANK receives; UINT32_MAX: whether any rank does. */
static inline bool efg_channel_is_of(const struct efg_channel *channel, uint32_t rank)
{
    return rank == UINT32_MAX || channel->key.destination == rank;
}

enum efg_ways { EFG_WAYS_ALL, EFG_WAYS_UP, EFG_WAYS_DOWN }; /* to higher, to lower ranks */

/* The rule by which the leads of a window were found (leads.c), the same on all ranks. */
struct efg_leads {
    bool is_proven;
    int32_t depth; /* the least lead, on the channels of WAYS: in messages, or in iterations */
    enum efg_ways ways;
    bool is_by_iteration;
    bool is_by_ends;     /* a message with a tag of its own leads by the end that is there, ... */
    bool is_over_sooner; /* ... but for those that were sent when their source's window was over */
    uint64_t slack; /* ns by which clocks of different nodes are wrong, at least */
    uint64_t doubt; /* not proven: messages that were under way, or received before they were
                       sent, beyond what times tell; at least as many, 1 or more */
};

struct efg_channels_window { /* iterations [first, last); none: first = UINT64_MAX */
    uint64_t first, last;
    uint64_t begin, end;      /* ns on the common time line */
    struct efg_flight flight; /* under way when it began, as the logs say */
    struct efg_flight rest;   /* of that, over all ranks, what no rule has explained so far */
    bool is_early;            /* more led by time alone than were under way */
    bool is_sought;           /* a rule is, with a number from LEAST to MOST */
    int64_t least, most;
    struct efg_leads leads;
};

struct efg_channels_front { /* what goes before a window, if nothing there is needed */
    uint32_t thread, window;
    struct efg_flight flight, collectives; /* of all; of collectives only */
    struct efg_flight begin;               /* under way when its margin begins */
};

struct efg_channels { /* all zero is an empty one */
    struct efg_channel *channels;
    uint32_t count, room;
    struct efg_map index; /* hash of the key -> number of the channel + 1 */
    struct efg_channels_window *windows;
    uint32_t window_count;
    struct efg_leads leads; /* of all windows: whether all are proven, the most slack, all doubt */
    struct efg_run_messages open;   /* what is open at the edges; the other members are 0 */
    struct efg_run_messages gone;   /* ends without other ends that are not in the logs any more */
    bool (*is_here)(uint32_t rank); /* whether there are logs of RANK; NULL: of all */
    const struct efg_span *inside;  /* of windows, in ticks, ascending; NULL: all is */
    size_t inside_count;
    struct efg_channels_front *fronts; /* of each window of each log, one log after the other */
    uint32_t front_count;
    struct efg_traffic *traffic; /* that is to have counted what is sent in the next log; NULL: none is */
    bool has_margins; /* something is recorded in one */
    bool is_trimmed;  /* what is left of margins are other ends: pairs, from the first one on */
    bool is_full;                   /* all of the run was recorded */
    bool is_partial;                /* logs do not have the same number of windows, or none */
    bool failed;                    /* no memory; sticky */
};

void efg_channels_fini(struct efg_channels *c);

/* Nothing of the logs is known any more; where they are from stays, and so does the memory, for what is read
 * of them next. */
void efg_channels_empty(struct efg_channels *c);

/* Room for MORE ends. Returns 0 or -ENOMEM. */
int efg_channel_ends_grow(struct efg_channel_ends *ends, uint32_t more);

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

/* Find the leads of what RANK received (UINT32_MAX: on all ranks), of each window, and c->leads. JOIN adds
 * up the rests of COUNT windows over all ranks, on each of them, which must have as many; NULL where C
 * knows them all. Returns whether all are proven; the same on all ranks. None proven and a slack that is not
 * 0: clocks may be wrong. */
bool efg_channels_prove(struct efg_channels *c, uint32_t rank,
                        void (*join)(struct efg_channels_window *windows, uint32_t count));

/* Whether the leads of WINDOW are proven; of some window. */
static inline bool efg_channels_has_proven(const struct efg_channels *c, uint32_t window)
{
    return window < c->window_count && c->windows[window].leads.is_proven;
}
bool efg_channels_has_any_proven(const struct efg_channels *c);
/* Nothing is believed, of no window. */
void efg_channels_doubt(struct efg_channels *c);

/* The lead of a channel of which both ends are known: how many of its first receives belong to
 * sends before the window; if it is negative, how many of its first sends were received before
 * it. By time alone where that of the window is not proven. */
int64_t efg_channels_lead(const struct efg_channels *c, const struct efg_channel *channel);

/* How many of the first receives of a channel, of which both ends are known, were over before its first send
 * began, by one clock: their sends were before the window, be it proven or not. */
uint32_t efg_channels_early(const struct efg_channel *channel);

/* Negative leads that were proven, to their sources: as sort, put and get. */
void efg_channels_sort_back(struct efg_channels *c);
uint32_t efg_channels_put_back(const struct efg_channels *c, uint32_t *at,
                               struct efg_buffer *out);
int efg_channels_get_back(struct efg_channels *c, const void *block, size_t size);

/* Find which ends of what RANK received, or sent to itself, have other ends, and which of these are needed
 * in margins. */
void efg_channels_need(struct efg_channels *c, uint32_t rank);

/* The same of the sends, to their sources: as sort_back, put_back and get_back. */
uint32_t efg_channels_put_needs(const struct efg_channels *c, uint32_t *at, struct efg_buffer *out);
int efg_channels_get_needs(struct efg_channels *c, const void *block, size_t size);

/* What stays of the margins in the log of THREAD of RANK, and what goes inside: what has no other end, and
 * all messages of windows whose leads are not proven. If none are, nothing goes, and no other ends stay.
 * Returns 0 or -ENOMEM. */
int efg_channels_margins(const struct efg_channels *c, uint32_t rank, uint32_t thread,
                         struct efg_trim_margins *margins);
void efg_channels_margins_fini(struct efg_trim_margins *margins);

/* Match what RANK received with what was sent to it. */
struct efg_run_messages efg_channels_match(const struct efg_channels *c, uint32_t rank);

/* Add the ends of messages on RANK that lead, where it is proven, and else those that surely do. Sorted. */
void efg_channels_strays(const struct efg_channels *c, uint32_t rank,
                         struct efg_strays *strays);

/* How many receives from other nodes would be before their sends, were there no leads. */
uint64_t efg_channels_suspects(const struct efg_channels *c, uint32_t rank);

/* Add to SKEW what the same messages tell of the clocks of different nodes, in windows whose
 * leads are proven. */
void efg_channels_gaps(const struct efg_channels *c, uint32_t rank, struct efg_skew *skew);

#endif
