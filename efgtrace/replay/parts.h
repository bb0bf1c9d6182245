/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the replay share.
 *
 *     learn.c    the trace -> facts: what each recorded call did
 *     align.c    where in the order of calls they are
 *     gaps.c     what was computed before each
 *     meet.c     collective operations: what all ranks say of each
 *     walk.c     the order of a rank -> actions
 *     replay.c   all ranks, twice: what they do is counted, then done
 */
#ifndef EFG_REPLAY_PARTS_H
#define EFG_REPLAY_PARTS_H

#include "base/map.h"
#include "files/otf2/table.h"
#include "files/run/rebuild.h"
#include "recorded/sites.h"
#include "replay.h"

/* --- facts --- */

enum efg_replay_does {
    EFG_DOES_BEGIN,    /* a message: channel is_send bytes */
    EFG_DOES_END,      /* a message */
    EFG_DOES_MEET,     /* a collective: group root is_open: it is nonblocking */
    EFG_DOES_MEET_END, /* a nonblocking one: group */
};

struct efg_replay_fact {
    uint64_t call; /* index, until they are sorted */
    uint32_t place; /* in the order of facts */
    uint8_t does, is_send, is_open, meeting;
    uint32_t with; /* channel or group */
    uint32_t root;
    uint64_t bytes;
};

struct efg_replay_call { /* a recorded one */
    uint32_t site;       /* of the rank: function and call path */
    uint32_t window;
    uint32_t node; /* EFG_NONE: not found in the order of calls */
    bool is_event, is_inside; /* one of the order: no poll that found nothing; in an iteration */
    uint64_t visit; /* of the node, from 0 */
    uint64_t begin, end; /* ns since the start of the trace */
    uint64_t gap;        /* ns from the call before, without polls; EFG_RECORDED_NONE: not known */
    uint32_t edge;       /* of the graph, that it has taken; EFG_NONE: not known */
    uint64_t bytes; /* EFG_RECORDED_NONE: not known */
    uint64_t fact, fact_count;
};

/* Recorded visits of a node that follow one another: LIST[first] is visit number VISIT. */
struct efg_replay_segment {
    uint64_t first, count, visit;
    uint64_t period; /* so many of the first ones come again, before and behind */
};

struct efg_replay_facts { /* of a rank */
    bool has_thread;
    uint32_t thread;
    struct efg_map sites; /* call << 32 | path -> number */
    uint64_t call_count, fact_count;
    struct efg_replay_call *calls;
    struct efg_replay_fact *facts;
    uint64_t *list; /* calls by node, then as they came */
    struct efg_replay_segment *segments; /* by node, then visit */
    uint32_t segment_count;
    uint32_t *first_segment; /* of each node, and one more */
    double *gaps, *stretch;  /* of each edge: ns when counted, and what makes them those of the graph */
};

struct efg_replay_channel {
    uint32_t from, to, tag;
    uint64_t most;            /* bytes of the largest message */
    uint64_t begun[2], ended[2]; /* of receives, of sends; while ranks are walked */
    uint64_t limit;              /* so many are replayed */
};

/* --- collective operations --- */

struct efg_replay_meeting { /* one operation, as all members have it */
    uint8_t op, meeting, is_open; /* op: enum efg_collective or EFG_REPLAY_OTHER */
    uint32_t root, most_rank;     /* EFG_NONE: not known */
    uint64_t sum, most; /* bytes of all; of the one that has most */
};
#define EFG_REPLAY_OTHER 255

struct efg_replay_group {
    uint32_t *members; /* world ranks, ascending */
    uint32_t count, size, same_as; /* SIZE: how many it should have; SAME_AS: index of the one to use */
    struct efg_replay_meeting *meetings;
    uint64_t meeting_count, limit; /* so many are replayed */
    uint64_t next; /* of the rank that is walked, WALKER */
    uint32_t walker;
    bool has_first;
};

/* The operation that the function NAME is, blocking or not; EFG_REPLAY_OTHER: another one. */
uint8_t efg_replay_op(const char *name);

struct efg_replay {
    const struct efg_run *run;
    const char *command;
    struct efg_replay_facts *facts; /* by index of the rank */
    struct efg_otf2_table channel_keys, tag_keys, group_keys;
    struct efg_replay_channel *channels;
    struct efg_replay_group *groups; /* the first one is all ranks */
    uint64_t start;                  /* ns since 1970, of the trace */
    struct efg_replay_sums sums;
};

/* --- a rank that is walked --- */

struct efg_replay_open {
    uint32_t group;
    uint64_t meeting;
};

struct efg_replay_walk {
    struct efg_replay *replay;
    struct efg_replay_facts *facts;
    const struct efg_run_thread *thread;
    uint32_t rank;
    bool is_count; /* nothing is done yet */
    uint64_t *visits; /* of nodes */
    struct efg_replay_open *open; /* nonblocking operations */
    uint32_t open_count;
    int (*give)(void *data, const struct efg_replay_action *action);
    void *data;
    int error;
};

static inline void efg_replay_give(struct efg_replay_walk *walk, struct efg_replay_action action)
{
    if (!walk->is_count && !walk->error)
        walk->error = walk->give(walk->data, &action);
}

/* Take part in the next operation of GROUP. */
void efg_replay_meet(struct efg_replay_walk *walk, uint32_t group, struct efg_replay_meeting as,
                     uint64_t bytes);
/* Wait for the oldest one that is open. */
void efg_replay_meet_end(struct efg_replay_walk *walk, uint32_t group);
/* All members were counted. */
void efg_replay_meet_close(struct efg_replay_walk *walk);

/* Learn from the trace. Returns 0, or EFG_TOLD. */
int efg_replay_learn(struct efg_replay *replay);

/* The number of the site of NODE; EFG_NONE if it was not recorded, or the graph does not tell paths apart. */
uint32_t efg_replay_site(const struct efg_replay_facts *facts, const struct efg_node *node);

/* Find the recorded calls of FACTS in the order of THREAD. START: ns since 1970 that times of the order count
 * from. Returns how many windows were not found, or -ENOMEM, -EBADMSG. */
int efg_replay_align(struct efg_replay *replay, struct efg_replay_facts *facts,
                     const struct efg_run_thread *thread, const struct efg_run_sequence_thread *sequence,
                     uint64_t start);

/* What is known of the time before recorded calls, which were found. Returns 0 or -ENOMEM. */
int efg_replay_fill_gaps(struct efg_replay_facts *facts, const struct efg_graph *graph);
/* ns before CALL, which is like the recorded call LIKE (NULL: like none), if MEAN is that of its edge. */
uint64_t efg_replay_gap(struct efg_replay_walk *walk, const struct efg_rebuilt *call,
                        const struct efg_replay_call *like, uint64_t mean);
/* All calls were counted. */
void efg_replay_end_gaps(struct efg_replay_facts *facts, const struct efg_graph *graph);

/* Go through the calls of a rank. Returns 0, or the error of GIVE, -ENOMEM, -EBADMSG. */
int efg_replay_walk(struct efg_replay_walk *walk, const struct efg_run_sequence_thread *sequence,
                    uint64_t duration);

#endif
