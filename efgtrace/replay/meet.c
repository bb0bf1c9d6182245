/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective operations. Members of a group do them in the same order, so the n-th one of each is the same
 * operation. When ranks are counted, all say how many bytes they have; then each knows what is given, and who
 * is the root if the trace does not say so: the one with most bytes, as it counts those of all others.
 *
 * Blocking ones of all ranks are actions, for which a simulator has algorithms; those that have none there,
 * such as MPI_Comm_split, are barriers. Others are messages:
 *
 *     all for all      in round k, each sends to the one 2^k further on, and hears from the one 2^k before
 *     one for all      a binomial tree from the root, and all for one the same upwards
 *     scan             from each to the next
 *
 * All rounds of a nonblocking one begin at once, and are waited for where it ends.
 *
 * Source: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization" (1988).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "parts.h"

static const struct {
    const char *name; /* behind MPI_ or MPI_I, in small letters */
    uint8_t op, meeting;
} table[] = {
    {"barrier", EFG_COLL_BARRIER, EFG_MEETING_BARRIER},
    {"bcast", EFG_COLL_BCAST, EFG_MEETING_ONE_TO_ALL},
    {"gather", EFG_COLL_GATHER, EFG_MEETING_ALL_TO_ONE},
    {"gatherv", EFG_COLL_GATHER, EFG_MEETING_ALL_TO_ONE},
    {"scatter", EFG_COLL_SCATTER, EFG_MEETING_ONE_TO_ALL},
    {"scatterv", EFG_COLL_SCATTER, EFG_MEETING_ONE_TO_ALL},
    {"reduce", EFG_COLL_REDUCE, EFG_MEETING_ALL_TO_ONE},
    {"allgather", EFG_COLL_ALLGATHER, EFG_MEETING_ALL},
    {"allgatherv", EFG_COLL_ALLGATHER, EFG_MEETING_ALL},
    {"alltoall", EFG_COLL_ALLTOALL, EFG_MEETING_ALL},
    {"alltoallv", EFG_COLL_ALLTOALL, EFG_MEETING_ALL},
    {"alltoallw", EFG_COLL_ALLTOALL, EFG_MEETING_ALL},
    {"allreduce", EFG_COLL_ALLREDUCE, EFG_MEETING_ALL},
    {"reduce_scatter", EFG_COLL_REDUCE_SCATTER, EFG_MEETING_ALL},
    {"reduce_scatter_block", EFG_COLL_REDUCE_SCATTER, EFG_MEETING_ALL},
    {"scan", EFG_COLL_SCAN, EFG_MEETING_SCAN},
    {"exscan", EFG_COLL_SCAN, EFG_MEETING_SCAN},
};
#define ROWS (sizeof table / sizeof *table)

uint8_t efg_replay_op(const char *name)
{
    const char *rest = strncmp(name, "MPI_", 4) ? name : name + 4;
    for (size_t i = 0; i < ROWS; i++)
        if (!strcasecmp(rest, table[i].name) || (*rest == 'I' && !strcasecmp(rest + 1, table[i].name)))
            return table[i].op;
    return EFG_REPLAY_OTHER;
}

static uint8_t meeting_of(uint8_t op)
{
    for (size_t i = 0; i < ROWS; i++)
        if (table[i].op == op)
            return table[i].meeting;
    return EFG_MEETING_BARRIER;
}

/* --- bytes --- */

/* What a rank gives in an operation of MEMBERS ranks, as struct efg_replay_action has it. It counts what it
 * gives and what it takes; a root, what it has to do with each member. */
static uint64_t bytes_of(const struct efg_replay_meeting *m, uint32_t members)
{
    switch (m->op) {
    case EFG_COLL_BCAST:
    case EFG_COLL_GATHER:
    case EFG_COLL_SCATTER:
    case EFG_COLL_REDUCE:
        return members > 1 ? (m->sum - m->most) / (members - 1) : 0;
    case EFG_COLL_ALLREDUCE:
    case EFG_COLL_SCAN:
        return m->sum / members / 2;
    case EFG_COLL_ALLGATHER:
    case EFG_COLL_ALLTOALL:
    case EFG_COLL_REDUCE_SCATTER:
        return m->sum / members / 2 / members;
    default:
        return 0;
    }
}

/* --- messages --- */

struct member {
    struct efg_replay_walk *walk;
    const struct efg_replay_group *group;
    uint32_t at, tag; /* AT: which one it is */
    uint64_t bytes;
};

static void send(const struct member *m, uint32_t to, enum efg_replay_kind kind)
{
    efg_replay_give(m->walk, (struct efg_replay_action){.kind = kind,
                                                        .is_send = true,
                                                        .peer = m->group->members[to % m->group->count],
                                                        .tag = m->tag,
                                                        .bytes = m->bytes});
}

static void receive(const struct member *m, uint32_t from, enum efg_replay_kind kind)
{
    efg_replay_give(m->walk, (struct efg_replay_action){.kind = kind,
                                                        .peer = m->group->members[from % m->group->count],
                                                        .tag = m->tag,
                                                        .bytes = m->bytes});
}

/* All that a nonblocking one has begun, or waits for if IS_END. */
static void do_at_once(const struct member *m, bool is_end)
{
    uint32_t count = m->group->count;
    for (uint32_t step = 1; step < count; step *= 2) {
        receive(m, m->at + count - step, is_end ? EFG_REPLAY_WAIT : EFG_REPLAY_IRECEIVE);
        send(m, m->at + step, is_end ? EFG_REPLAY_WAIT : EFG_REPLAY_ISEND);
    }
}

static void do_rounds(const struct member *m)
{
    uint32_t count = m->group->count;
    for (uint32_t step = 1; step < count; step *= 2) {
        send(m, m->at + step, EFG_REPLAY_ISEND);
        receive(m, m->at + count - step, EFG_REPLAY_RECEIVE);
        send(m, m->at + step, EFG_REPLAY_WAIT);
    }
}

/* Number AT counted from the root: its children are AT + 1, 2, 4 ... as far as its lowest bit. */
static void do_tree(const struct member *m, uint32_t root, bool is_upwards)
{
    uint32_t count = m->group->count, own = (m->at + count - root) % count, bit = 1;
    if (is_upwards)
        for (; bit < count && !(own & bit); bit *= 2)
            if (own + bit < count)
                receive(m, m->at + bit, EFG_REPLAY_RECEIVE);
    while (bit < count && !(own & bit))
        bit *= 2;
    if (own && is_upwards)
        send(m, m->at + count - bit, EFG_REPLAY_SEND);
    else if (own)
        receive(m, m->at + count - bit, EFG_REPLAY_RECEIVE);
    if (!is_upwards)
        while (bit /= 2)
            if (own + bit < count)
                send(m, m->at + bit, EFG_REPLAY_SEND);
}

static void do_scan(const struct member *m)
{
    if (m->at)
        receive(m, m->at - 1, EFG_REPLAY_RECEIVE);
    if (m->at + 1 < m->group->count)
        send(m, m->at + 1, EFG_REPLAY_SEND);
}

/* What is given to all at once goes around in rounds. */
static uint64_t bytes_of_round(const struct efg_replay_meeting *as, uint32_t members)
{
    uint64_t bytes = bytes_of(as, members), rounds = 0;
    for (uint32_t step = 1; step < members; step *= 2)
        rounds++;
    if (as->op == EFG_COLL_ALLGATHER || as->op == EFG_COLL_ALLTOALL || as->op == EFG_COLL_REDUCE_SCATTER)
        return rounds ? bytes * members / rounds : 0;
    return bytes;
}

static uint32_t member_of(const struct efg_replay_group *g, uint32_t rank)
{
    uint32_t low = 0, high = g->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->members[middle] < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->count && g->members[low] == rank ? low : 0;
}

static struct member member(struct efg_replay_walk *w, uint32_t group, const struct efg_replay_meeting *as)
{
    struct efg_replay_group *g = &w->replay->groups[group];
    return (struct member){.walk = w,
                           .group = g,
                           .at = member_of(g, w->rank),
                           .tag = w->replay->tag_keys.count + group,
                           .bytes = bytes_of_round(as, g->count)};
}

static void do_messages(struct efg_replay_walk *w, uint32_t group, const struct efg_replay_meeting *as,
                        uint32_t root)
{
    struct member m = member(w, group, as);
    switch (as->meeting) {
    case EFG_MEETING_ONE_TO_ALL:
    case EFG_MEETING_ALL_TO_ONE:
        do_tree(&m, member_of(m.group, root), as->meeting == EFG_MEETING_ALL_TO_ONE);
        break;
    case EFG_MEETING_SCAN:
        do_scan(&m);
        break;
    default:
        do_rounds(&m);
    }
}

/* --- what all say of an operation --- */

static void learn(struct efg_replay_walk *w, struct efg_replay_group *g, const struct efg_replay_meeting *as,
                  uint64_t bytes)
{
    if (!g->has_first) {
        if (efg_array_grow(&g->meetings, g->meeting_count, 1, sizeof *g->meetings)) {
            w->error = -ENOMEM;
            return;
        }
        g->meetings[g->meeting_count++] = *as;
    }
    uint64_t at = g->next++;
    if (at >= g->meeting_count || at >= g->limit)
        return;
    struct efg_replay_meeting *m = &g->meetings[at];
    if (m->op != as->op || m->is_open != as->is_open || m->meeting != as->meeting) {
        g->limit = at;
        return;
    }
    if (m->root == EFG_NONE)
        m->root = as->root;
    if (m->most_rank == EFG_NONE || bytes > m->most) {
        m->most = bytes;
        m->most_rank = w->rank;
    }
    m->sum += bytes;
}

static void meet(struct efg_replay_walk *w, uint32_t group, const struct efg_replay_meeting *m)
{
    struct efg_replay_group *g = &w->replay->groups[group];
    uint32_t root = m->root == EFG_NONE ? m->most_rank : m->root;
    if (m->is_open) {
        struct member own = member(w, group, m);
        do_at_once(&own, false);
        if (efg_array_grow(&w->open, w->open_count, 1, sizeof *w->open))
            w->error = -ENOMEM;
        else
            w->open[w->open_count++] = (struct efg_replay_open){group, g->next - 1};
    } else if (group) {
        do_messages(w, group, m, root);
    } else {
        w->replay->sums.collectives++;
        efg_replay_give(w,
                        (struct efg_replay_action){.kind = EFG_REPLAY_COLLECTIVE,
                                                   .op = m->op == EFG_REPLAY_OTHER ? EFG_COLL_BARRIER : m->op,
                                                   .root = root,
                                                   .bytes = bytes_of(m, g->count)});
    }
}

void efg_replay_meet(struct efg_replay_walk *w, uint32_t number, struct efg_replay_meeting as, uint64_t bytes)
{
    uint32_t group = w->replay->groups[number].same_as;
    struct efg_replay_group *g = &w->replay->groups[group];
    if (g->walker != w->rank) {
        g->walker = w->rank;
        g->next = 0;
    }
    if (as.op != EFG_REPLAY_OTHER)
        as.meeting = meeting_of(as.op);
    as.most_rank = EFG_NONE;
    if (w->is_count) {
        learn(w, g, &as, bytes);
    } else if (g->next++ < g->limit) {
        meet(w, group, &g->meetings[g->next - 1]);
    } else {
        w->replay->sums.apart++;
    }
}

void efg_replay_meet_end(struct efg_replay_walk *w, uint32_t number)
{
    uint32_t group = w->replay->groups[number].same_as;
    for (uint32_t i = 0; i < w->open_count; i++) {
        struct efg_replay_open open = w->open[i];
        if (open.group != group)
            continue;
        struct member own = member(w, group, &w->replay->groups[group].meetings[open.meeting]);
        do_at_once(&own, true);
        memmove(w->open + i, w->open + i + 1, (--w->open_count - i) * sizeof *w->open);
        return;
    }
}

/* A rank has told all; groups of which a member is missing have none. */
void efg_replay_meet_close(struct efg_replay_walk *w)
{
    struct efg_replay *r = w->replay;
    for (uint32_t i = 0; i < r->group_keys.count; i++) {
        struct efg_replay_group *g = &r->groups[i];
        uint64_t own = g->walker == w->rank ? g->next : 0;
        if (g->same_as != i || (g->count && g->members[member_of(g, w->rank)] != w->rank))
            continue;
        if (own < g->limit)
            g->limit = own;
        if (g->count < g->size)
            g->limit = 0;
        g->has_first = true;
    }
}
