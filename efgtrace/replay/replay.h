/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replay: the whole run as actions of its ranks, which a simulator can do again on another machine.
 *
 * The run file has the order of all calls and the times between them, the trace has the messages of some
 * iterations. Together they are the run: a call of the whole run does what the recorded call of the same node
 * did. If that was recorded k times in a row, its visits before and behind do the same again, one after the
 * other; what is recorded is exact. So a run in mode full is replayed as it was.
 *
 * Calls of a node that was not recorded take the time that they took; collective operations of all ranks are
 * replayed all the same, as bytes of all ranks say who was the root. What would have no other end is left
 * out: of each channel as many messages are sent as are received, the first ones.
 */
#ifndef EFG_REPLAY_H
#define EFG_REPLAY_H

#include <stdbool.h>

#include "files/run/runfile.h"

enum efg_replay_kind {
    EFG_REPLAY_COMPUTE, /* ns: between two calls */
    EFG_REPLAY_SLEEP,   /* ns: in a call that is not replayed */
    EFG_REPLAY_SEND,    /* peer tag bytes */
    EFG_REPLAY_RECEIVE, /* the same; at most so many bytes */
    EFG_REPLAY_ISEND,
    EFG_REPLAY_IRECEIVE,
    EFG_REPLAY_WAIT,       /* is_send peer tag: for the oldest of these ISEND or IRECEIVE */
    EFG_REPLAY_COLLECTIVE, /* op root bytes: of all ranks */
};

struct efg_replay_action {
    enum efg_replay_kind kind;
    bool is_send;
    uint32_t peer, tag;     /* a world rank; tags tell communicators apart, too */
    enum efg_collective op; /* variants are one: Gatherv is a gather, Exscan a scan */
    uint32_t root;
    uint64_t bytes; /* of a collective: what a rank gives, to each other one if all give to all */
    uint64_t ns;
};

struct efg_replay_sums { /* over all ranks */
    uint64_t calls, messages, collectives; /* COLLECTIVES: as often as ranks took part */
    uint64_t timed, timed_ns;              /* calls that take the time that they took */
    uint64_t left_out;                     /* sends and receives that would have no other end */
    uint64_t apart;   /* collectives that would have been others on other ranks */
    uint64_t not_found; /* windows that were not found in the order: nothing is known from them */
    uint64_t lost;    /* calls that the order lacks */
    uint64_t threads; /* calls of threads besides the main one of each rank */
    uint64_t end;     /* ns: the longest rank */
    uint64_t time;          /* ns of all ranks */
    uint64_t used, starved; /* ns that their threads had a processor; were ready to run and had none */
};

/* What is known of a run, from all its ranks: parts.h. */
struct efg_replay;

/* Read RUN, which stays, for COMMAND. Returns NULL after saying on standard error what is wrong. */
struct efg_replay *efg_replay_open(const struct efg_run *run, const char *command);
void efg_replay_close(struct efg_replay *replay);

/* Give each action of the rank with this INDEX to GIVE, with DATA, until that fails. Returns 0, what GIVE has
 * returned, or EFG_TOLD. Each rank once. */
int efg_replay_rank(struct efg_replay *replay, uint32_t index,
                    int (*give)(void *data, const struct efg_replay_action *action), void *data);

/* Of the ranks that were read, at the end. */
const struct efg_replay_sums *efg_replay_sums(const struct efg_replay *replay);

#endif
