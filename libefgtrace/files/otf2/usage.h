/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What communicators, RMA windows and files take, in the calls that were recorded.
 */
#ifndef EFG_OTF2_USAGE_H
#define EFG_OTF2_USAGE_H

#include "parts.h"

struct efg_otf2_use {   /* of one of them, in one log */
    uint32_t reference; /* its definition: the how manieth of those that maps have */
    uint64_t calls, bytes, time;
};

struct efg_otf2_usage { /* of one log; all zero: before its first record */
    struct efg_otf2_use *uses;
    uint32_t count, references;
    struct efg_map index; /* item << 32 | id in the log -> in uses */
    struct efg_map sends; /* request -> communicator */
    bool has_iterations, in_iteration, in_call, failed;
    uint32_t of;           /* of the call that is under way: in uses */
    uint64_t bytes, since; /* since: ticks */
};

/* R, of the log that has CLOCK. */
void efg_otf2_usage_take(struct efg_otf2_usage *u, const struct efg_record *r,
                         const struct efg_log_clock *clock);
/* At the end of a scan. */
void efg_otf2_usage_put(const struct efg_otf2_usage *u, struct efg_buffer *out);
void efg_otf2_usage_fini(struct efg_otf2_usage *u);

/* Add what was put, from IN. Returns 0, -EBADMSG or -ENOMEM. */
int efg_otf2_usage_add(struct efg_otf2_unifier *u, const struct efg_otf2_log *log, struct efg_reader *in);

#endif
