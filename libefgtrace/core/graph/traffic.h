/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic: what a thread sends, by partner and by size, over the whole run and within windows.
 *
 *     message -> run: a count of messages of this size to this partner, one after the other or
 *                     nearly so
 *     run ends -> sums: of the partner, of the size
 *
 * A program sends messages of few sizes to few partners, so a message nearly always
 * belongs to a run: then counting it takes ten instructions and one cache line. Runs are in a
 * table where each pair (partner, size) has one slot; another pair in the same slot
 * ends the run.
 *
 * Memory is fixed: EFG_TRAFFIC_PARTNERS partners, or as many as there are ranks; messages to
 * further ones are counted together.
 */
#ifndef EFG_TRAFFIC_H
#define EFG_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EFG_TRAFFIC_PARTNERS 1024
#define EFG_TRAFFIC_RUNS 256
#define EFG_TRAFFIC_SIZES 64 /* size 0: no bytes; size s: [2^(s-1), 2^s) bytes */

/* Partners that are not one rank of the job: collectives have none, and messages to further
 * ranks, or to those of another job, are counted together. */
#define EFG_TRAFFIC_COLLECTIVE (UINT32_MAX - 1)
#define EFG_TRAFFIC_OTHERS UINT32_MAX
#define EFG_TRAFFIC_NOTHING (UINT32_MAX - 2) /* partner of runs that are in no sum */

struct efg_traffic_run {
    uint64_t bytes; /* of each */
    uint64_t count;
    uint32_t partner;
};

struct efg_traffic_amount {
    uint64_t count, bytes;
};

/* What was sent to a partner, or in messages of a size. */
struct efg_traffic_item {
    uint32_t key; /* world rank or EFG_TRAFFIC_OTHERS; size */
    struct efg_traffic_amount all, recorded;
};

struct efg_traffic_sum {
    struct efg_traffic_amount all;
    struct efg_traffic_amount recorded; /* in windows before the last one */
    struct efg_traffic_amount window;   /* in the last one; while it is open: ALL as it began */
    uint32_t key;
};

enum efg_traffic_window { EFG_TRAFFIC_NONE, EFG_TRAFFIC_OPEN, EFG_TRAFFIC_CLOSED };

struct efg_traffic {
    struct efg_traffic_run run[EFG_TRAFFIC_RUNS];
    char *own; /* the first run of others, see efg_traffic_lend */
    size_t own_stride;
    uint32_t own_count;
    enum efg_traffic_window window; /* the last one */
    uint32_t count, room;           /* sums */
    uint32_t mask;
    uint16_t *number;            /* of a partner's sum, by hash, open addressing; 0: free */
    struct efg_traffic_sum *sum; /* by sizes, of sends and of collectives; others; partners */
};

/* For a job of RANKS ranks. NULL without memory. */
struct efg_traffic *efg_traffic_new(uint32_t ranks);
void efg_traffic_free(struct efg_traffic *traffic);
/* Bytes held. */
uint64_t efg_traffic_memory(const struct efg_traffic *traffic);

/* The same as efg_traffic_add, for when RUN is of another pair. */
void efg_traffic_turn(struct efg_traffic *traffic, struct efg_traffic_run *run,
                      uint32_t partner, uint64_t bytes);

/* The run that a message of BYTES to PARTNER belongs to, or that it ends. */
static inline struct efg_traffic_run *efg_traffic_run(struct efg_traffic *t, uint32_t partner,
                                                      uint64_t bytes)
{
    return &t->run[((uint32_t)bytes + partner) * 0x9e3779b1u >> 24];
}

static inline bool efg_traffic_is_of(const struct efg_traffic_run *run, uint32_t partner, uint64_t bytes)
{
    return run->partner == partner && run->bytes == bytes;
}

/* Count a message of BYTES to PARTNER, a world rank, or one of those above. */
static inline void efg_traffic_add(struct efg_traffic *t, uint32_t partner, uint64_t bytes)
{
    struct efg_traffic_run *run = efg_traffic_run(t, partner, bytes);

    if (__builtin_expect(efg_traffic_is_of(run, partner, bytes), 1))
        run->count++;
    else
        efg_traffic_turn(t, run, partner, bytes);
}
_Static_assert(EFG_TRAFFIC_RUNS == 1 << (32 - 24), "a place is what the shift leaves");

/* Who knows that it sends the same again has a run itself: COUNT of them, all zero, from OWN on, STRIDE bytes
 * from one to the next. They last as long as TRAFFIC. */
void efg_traffic_lend(struct efg_traffic *traffic, struct efg_traffic_run *own, size_t stride,
                      uint32_t count);
/* From now on RUN, one of these, is of messages of BYTES to PARTNER: whoever has it raises its count. */
void efg_traffic_own(struct efg_traffic *traffic, struct efg_traffic_run *run, uint32_t partner,
                     uint64_t bytes);

/* What is sent from now on is within a window; the window has ended; the last window, ended or
 * not, is discarded. */
void efg_traffic_begin(struct efg_traffic *traffic);
void efg_traffic_end(struct efg_traffic *traffic);
void efg_traffic_discard(struct efg_traffic *traffic);

/* In place of what was sent within windows: count it again, as it is in the trace. */
void efg_traffic_recount(struct efg_traffic *traffic);
void efg_traffic_record(struct efg_traffic *traffic, uint32_t partner, uint64_t bytes);

/* Put what was counted so far, ascending by key and without empty items, in ITEMS, which has room
 * for efg_traffic_most of them. Each returns how many there are. */
uint32_t efg_traffic_most(const struct efg_traffic *traffic);
uint32_t efg_traffic_partners(struct efg_traffic *traffic, struct efg_traffic_item *items);
uint32_t efg_traffic_sends(struct efg_traffic *traffic, struct efg_traffic_item *items);
uint32_t efg_traffic_collectives(struct efg_traffic *traffic, struct efg_traffic_item *items);

/* Add the amounts of MORE to those of TO. */
void efg_traffic_item_add(struct efg_traffic_item *to, const struct efg_traffic_item *more);

/* The size class of BYTES: 0 for none, else one more than their logarithm to base 2. */
static inline uint32_t efg_traffic_size(uint64_t bytes)
{
    uint32_t size = bytes ? 64 - (uint32_t)__builtin_clzll(bytes) : 0;
    return size < EFG_TRAFFIC_SIZES ? size : EFG_TRAFFIC_SIZES - 1;
}

#endif
