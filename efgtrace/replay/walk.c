/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns the calls of a rank, in their order, into actions. A visit of a site that was recorded does what the
 * recorded call did; another one, what the recorded call did that has its place in the piece that repeats.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

static void pass(struct efg_replay_walk *w, enum efg_replay_kind kind, uint64_t ns)
{
    if (ns)
        efg_replay_give(w, (struct efg_replay_action){.kind = kind, .ns = ns});
}

/* --- messages --- */

static uint32_t peer_of(const struct efg_replay_channel *c, bool is_send)
{
    return is_send ? c->to : c->from;
}

static void give_message(struct efg_replay_walk *w, enum efg_replay_kind kind,
                         const struct efg_replay_fact *f)
{
    const struct efg_replay_channel *c = &w->replay->channels[f->with];
    efg_replay_give(w, (struct efg_replay_action){.kind = kind,
                                                  .is_send = f->is_send,
                                                  .peer = peer_of(c, f->is_send),
                                                  .tag = c->tag,
                                                  .bytes = f->is_send ? f->bytes : c->most});
}

/* Whether one more has another end. */
static bool may_begin(struct efg_replay_walk *w, const struct efg_replay_fact *f)
{
    struct efg_replay_channel *c = &w->replay->channels[f->with];
    bool may = c->begun[f->is_send] < c->limit;
    c->begun[f->is_send] += w->is_count || may;
    if (may && !w->is_count)
        w->replay->sums.messages += f->is_send;
    return may;
}

static bool may_end(struct efg_replay_walk *w, const struct efg_replay_fact *f)
{
    struct efg_replay_channel *c = &w->replay->channels[f->with];
    bool may = c->ended[f->is_send] < c->begun[f->is_send];
    c->ended[f->is_send] += may;
    return may;
}

/* A message that the call both begins and ends, and nothing else. */
static bool is_blocking(const struct efg_replay_fact *f, uint64_t count)
{
    return count == 2 && f->does == EFG_DOES_BEGIN && f[1].does == EFG_DOES_END && f->with == f[1].with &&
           f->is_send == f[1].is_send;
}

static void do_blocking(struct efg_replay_walk *w, const struct efg_replay_fact *f)
{
    if (may_begin(w, f) && may_end(w, f))
        give_message(w, f->is_send ? EFG_REPLAY_SEND : EFG_REPLAY_RECEIVE, f);
}

static void do_fact(struct efg_replay_walk *w, const struct efg_replay_fact *f, uint8_t op, uint64_t bytes)
{
    switch (f->does) {
    case EFG_DOES_BEGIN:
        if (may_begin(w, f))
            give_message(w, f->is_send ? EFG_REPLAY_ISEND : EFG_REPLAY_IRECEIVE, f);
        break;
    case EFG_DOES_END:
        if (may_end(w, f))
            give_message(w, EFG_REPLAY_WAIT, f);
        break;
    case EFG_DOES_MEET:
        efg_replay_meet(w, f->with,
                        (struct efg_replay_meeting){
                            .op = op, .meeting = f->meeting, .is_open = f->is_open, .root = f->root},
                        bytes);
        break;
    case EFG_DOES_MEET_END:
        if (!w->is_count)
            efg_replay_meet_end(w, f->with);
    }
}

/* --- calls --- */

/* The recorded call that visit number VISIT of NODE is, or is like; NULL: there is none. */
static const struct efg_replay_call *like(const struct efg_replay_facts *f, uint32_t node, uint64_t visit)
{
    const struct efg_replay_segment *s = &f->segments[f->first_segment[node]],
                                    *end = &f->segments[f->first_segment[node + 1]];
    if (s == end)
        return NULL;
    while (s + 1 < end && s[1].visit <= visit)
        s++;
    if (visit >= s->visit && visit - s->visit < s->count)
        return &f->calls[f->list[s->first + visit - s->visit]];
    uint64_t away = visit >= s->visit ? (visit - s->visit) % s->period
                                      : s->period - 1 - (s->visit - visit - 1) % s->period;
    return &f->calls[f->list[s->first + away]];
}

static const struct efg_run_call *call_of(const struct efg_run *run, uint32_t id)
{
    for (uint32_t i = 0; i < run->common.names.call_count; i++)
        if (run->common.names.calls[i].id == id)
            return &run->common.names.calls[i];
    return NULL;
}

/* What the nodes are as calls. */
struct kind {
    uint8_t op;
    bool is_message; /* of messages and requests: what it takes is said by others */
    uint64_t bytes;  /* of a visit */
};

static struct kind kind_of(const struct efg_run *run, const struct efg_node *node)
{
    const struct efg_run_call *call = call_of(run, node->signature.call);
    return (struct kind){.op = call ? efg_replay_op(call->name) : EFG_REPLAY_OTHER,
                         .is_message = call && call->class == EFG_CLASS_POINT2POINT,
                         .bytes = node->rhythm.visits ? node->bytes / node->rhythm.visits : 0};
}

static void take_time(struct efg_replay_walk *w, uint64_t ns, bool is_unknown)
{
    struct efg_replay_sums *sums = &w->replay->sums;
    if (!w->is_count && is_unknown) {
        sums->timed++;
        sums->timed_ns += ns;
    }
    pass(w, EFG_REPLAY_SLEEP, ns);
}

static void do_recorded(struct efg_replay_walk *w, const struct efg_replay_call *call,
                        const struct kind *kind, uint64_t ns)
{
    const struct efg_replay_fact *f = w->facts->facts + call->fact;
    uint64_t bytes = call->bytes == EFG_RECORDED_NONE ? kind->bytes : call->bytes;
    if (is_blocking(f, call->fact_count))
        do_blocking(w, f);
    else if (!call->fact_count && !kind->is_message)
        take_time(w, ns, false);
    else
        for (uint64_t i = 0; i < call->fact_count; i++)
            do_fact(w, &f[i], kind->op, bytes);
}

static void do_call(struct efg_replay_walk *w, const struct efg_node *node, const struct kind *kind,
                    const struct efg_replay_call *call, uint64_t ns)
{
    if (call)
        do_recorded(w, call, kind, ns);
    else if (node->flags & EFG_NODE_WORLD)
        efg_replay_meet(w, 0, (struct efg_replay_meeting){.op = kind->op, .root = EFG_NONE}, kind->bytes);
    else
        take_time(w, ns, true);
}

/* --- a rank --- */

/* What is under way when the run ends. */
static void drain(struct efg_replay_walk *w)
{
    for (uint64_t i = 0; i < w->facts->fact_count; i++) {
        struct efg_replay_fact f = w->facts->facts[i];
        f.does = EFG_DOES_END;
        while (w->facts->facts[i].does == EFG_DOES_BEGIN && may_end(w, &f))
            give_message(w, EFG_REPLAY_WAIT, &f);
    }
    while (w->open_count && !w->error)
        efg_replay_meet_end(w, w->open[0].group);
}

static int go(struct efg_replay_walk *w, const struct efg_run_sequence_thread *sequence, struct kind *kinds,
              uint64_t duration)
{
    const struct efg_graph *graph = &w->thread->graph;
    struct efg_rebuild rebuild;
    struct efg_rebuilt call;
    uint64_t now = 0;
    int error = efg_rebuild_init(&rebuild, w->thread, sequence);
    if (error)
        return error;
    for (uint32_t i = 0; i < graph->node_count; i++)
        kinds[i] = kind_of(w->replay->run, &graph->nodes[i]);
    while (!w->error && efg_rebuild_next(&rebuild, &call)) {
        const struct efg_replay_call *as = like(w->facts, call.node, w->visits[call.node]++);
        pass(w, EFG_REPLAY_COMPUTE, efg_replay_gap(w, &call, as, call.enter - now - call.polled));
        now = call.leave;
        do_call(w, &graph->nodes[call.node], &kinds[call.node], as, call.leave - call.enter);
        w->replay->sums.calls += !w->is_count;
    }
    drain(w);
    pass(w, EFG_REPLAY_COMPUTE, duration > now ? duration - now : 0);
    error = w->error ? w->error : rebuild.failed ? -EBADMSG : 0;
    efg_rebuild_fini(&rebuild);
    return error;
}

int efg_replay_walk(struct efg_replay_walk *w, const struct efg_run_sequence_thread *sequence,
                    uint64_t duration)
{
    size_t nodes = (size_t)w->thread->graph.node_count + 1;
    struct kind *kinds = calloc(nodes, sizeof *kinds);
    w->visits = calloc(nodes, sizeof *w->visits);
    int error = kinds && w->visits ? go(w, sequence, kinds, duration) : -ENOMEM;
    free(kinds);
    free(w->visits);
    free(w->open);
    return error;
}
