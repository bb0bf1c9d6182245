/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Learns from the trace what each recorded call did: which messages it began and completed, in which
 * collective operations it took part. They come somewhere after their calls, with the number of these; at the
 * end of a rank they are sorted by call. In a call, what begins comes first, then operations, then what ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/complain.h"
#include "parts.h"

struct learning {
    struct efg_replay *replay;
    struct efg_recorded recorded;
    struct efg_recorded_names names;
    struct efg_replay_facts *at; /* NULL: a thread that is not replayed */
    uint32_t rank;
};

static uint64_t key_of(const struct efg_signature *s)
{
    return (uint64_t)s->call << 32 | s->path;
}

uint32_t efg_replay_site(const struct efg_replay_facts *facts, const struct efg_node *node)
{
    uint64_t *site = efg_map_find(&facts->sites, key_of(&node->signature));
    return site ? (uint32_t)*site : EFG_NONE;
}

/* --- channels and groups --- */

static uint32_t channel_of(struct efg_replay *r, const struct efg_recorded_message *m)
{
    const uint32_t key[] = {m->from, m->to, m->comm, m->tag};
    uint32_t count = r->channel_keys.count, tag = efg_otf2_intern(&r->tag_keys, key + 2, 2 * sizeof *key),
             at = efg_otf2_intern(&r->channel_keys, key, sizeof key);
    if (at == EFG_NONE || tag == EFG_NONE ||
        (at == count && efg_array_grow(&r->channels, at, 1, sizeof *r->channels)))
        return EFG_NONE;
    if (at == count)
        r->channels[at] = (struct efg_replay_channel){.from = m->from, .to = m->to, .tag = tag};
    if (m->bytes > r->channels[at].most)
        r->channels[at].most = m->bytes;
    return at;
}

static int add_member(struct efg_replay_group *group, uint32_t rank)
{
    if (group->count && group->members[group->count - 1] == rank)
        return 0;
    if (efg_array_grow(&group->members, group->count, 1, sizeof rank))
        return -ENOMEM;
    group->members[group->count++] = rank;
    return 0;
}

/* A member of the GROUP is the rank that is read: ranks come in their order. */
static uint32_t group_of(struct efg_replay *r, const struct efg_recorded_collective *c, uint32_t rank)
{
    const uint32_t key[] = {c->context, (uint32_t)c->is_window};
    uint32_t count = r->group_keys.count, at = efg_otf2_intern(&r->group_keys, key, sizeof key);
    if (at == EFG_NONE || (at == count && efg_array_grow(&r->groups, at, 1, sizeof *r->groups)))
        return EFG_NONE;
    if (at == count)
        r->groups[at] = (struct efg_replay_group){
            .size = c->size, .same_as = at, .walker = EFG_NONE, .limit = UINT64_MAX};
    return add_member(&r->groups[at], rank) ? EFG_NONE : at;
}

/* --- facts --- */

static int add_fact(struct learning *l, uint64_t call, struct efg_replay_fact fact)
{
    struct efg_replay_facts *f = l->at;
    if (call == EFG_RECORDED_NONE)
        return 0;
    if (fact.with == EFG_NONE || efg_array_grow(&f->facts, f->fact_count, 1, sizeof fact))
        return -ENOMEM;
    fact.call = call;
    fact.place = (uint32_t)f->fact_count;
    f->facts[f->fact_count++] = fact;
    return 0;
}

static int add_message(struct learning *l, const struct efg_recorded_message *m)
{
    struct efg_replay_fact fact = {.does = EFG_DOES_BEGIN,
                                   .is_send = m->is_send != 0,
                                   .with = channel_of(l->replay, m),
                                   .bytes = m->bytes};
    int error = add_fact(l, m->begun, fact);
    fact.does = EFG_DOES_END;
    return error ? error : add_fact(l, m->done, fact);
}

static int add_collective(struct learning *l, const struct efg_recorded_collective *c)
{
    struct efg_replay_fact fact = {.does = EFG_DOES_MEET,
                                   .is_open = c->begun != c->done,
                                   .meeting = (uint8_t)c->meeting,
                                   .with = group_of(l->replay, c, l->rank),
                                   .root = c->meeting == EFG_MEETING_SCAN ? EFG_NONE : c->root};
    int error = add_fact(l, c->begun, fact);
    fact.does = EFG_DOES_MEET_END;
    return error || !fact.is_open ? error : add_fact(l, c->done, fact);
}

static int add_call(struct learning *l, const struct efg_recorded_call *c)
{
    struct efg_replay_facts *f = l->at;
    struct efg_node node;
    efg_recorded_node(&l->names, &l->recorded.sites[c->site], &node);
    uint64_t site = efg_map_number(&f->sites, key_of(&node.signature));
    if (site == UINT64_MAX || efg_array_grow(&f->calls, f->call_count, 1, sizeof *f->calls))
        return -ENOMEM;
    f->calls[f->call_count++] =
        (struct efg_replay_call){.site = (uint32_t)site,
                                 .window = c->window,
                                 .node = EFG_NONE,
                                 .is_event = !c->polls,
                                 .is_inside = c->iteration != EFG_RECORDED_NONE,
                                 .begin = c->begin,
                                 .end = c->end,
                                 .gap = EFG_RECORDED_NONE,
                                 .edge = EFG_NONE,
                                 .bytes = c->bytes_kind == EFG_BYTES_KNOWN ? c->bytes : EFG_RECORDED_NONE};
    return 0;
}

/* --- the end of a rank --- */

static int by_call(const void *a, const void *b)
{
    const struct efg_replay_fact *x = a, *y = b;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    bool is_end[] = {x->does == EFG_DOES_END || x->does == EFG_DOES_MEET_END,
                     y->does == EFG_DOES_END || y->does == EFG_DOES_MEET_END};
    if (is_end[0] != is_end[1])
        return is_end[0] ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

static void end_rank(struct efg_replay_facts *f)
{
    if (f->fact_count)
        qsort(f->facts, f->fact_count, sizeof *f->facts, by_call);
    for (uint64_t i = f->fact_count; i-- > 0;)
        if (f->facts[i].call < f->call_count) {
            f->calls[f->facts[i].call].fact = i;
            f->calls[f->facts[i].call].fact_count++;
        }
}

static void begin_location(struct learning *l, uint32_t rank, uint32_t thread)
{
    uint32_t index = efg_run_index(l->replay->run, rank);
    struct efg_replay_facts *f = index == EFG_NONE ? NULL : &l->replay->facts[index];
    if (l->at)
        end_rank(l->at);
    l->rank = rank;
    l->at = f && f->has_thread && f->thread == thread ? f : NULL;
}

static int take(void *data, const struct efg_recorded_item *item)
{
    struct learning *l = data;
    if (item->kind == EFG_RECORDED_LOCATION)
        begin_location(l, item->location.rank, item->location.thread);
    if (!l->at)
        return 0;
    switch (item->kind) {
    case EFG_RECORDED_CALL:
        return add_call(l, &item->call);
    case EFG_RECORDED_MESSAGE:
        return add_message(l, &item->message);
    case EFG_RECORDED_COLLECTIVE:
        return add_collective(l, &item->collective);
    }
    return 0;
}

/* All members of A, of which the trace may lack some, are in B. */
static bool is_part(const struct efg_replay_group *a, const struct efg_replay_group *b)
{
    uint32_t i = 0;
    for (uint32_t k = 0; k < b->count && i < a->count; k++)
        i += a->members[i] == b->members[k];
    return i == a->count && a->size == b->size;
}

/* Groups with the same members are the same one: programs make communicators again and again. Where the trace
 * lacks members, those of another group of this size. */
static int unite_groups(struct efg_replay *r)
{
    struct efg_otf2_table sets = {0};
    for (uint32_t i = 0; i < r->group_keys.count; i++) {
        struct efg_replay_group *g = &r->groups[i];
        if (g->count < g->size)
            continue;
        uint32_t count = sets.count, set = efg_otf2_intern(&sets, g->members, g->count * sizeof *g->members);
        if (set == count)
            sets.rows[set].value = i;
        g->same_as = set == EFG_NONE ? i : (uint32_t)sets.rows[set].value;
    }
    for (uint32_t i = 0; i < r->group_keys.count; i++) {
        struct efg_replay_group *g = &r->groups[i];
        for (uint32_t k = 0; g->count < g->size && g->same_as == i && k < sets.count; k++)
            if (is_part(g, &r->groups[sets.rows[k].value]))
                g->same_as = (uint32_t)sets.rows[k].value;
    }
    int error = sets.failed ? -ENOMEM : 0;
    efg_otf2_table_fini(&sets);
    return error;
}

/* The first group: no context of the trace has its key. */
static int add_world(struct efg_replay *r)
{
    struct efg_recorded_collective all = {.context = EFG_NONE, .is_window = 2, .size = r->run->size};
    int error = 0;
    for (uint32_t i = 0; i < r->run->size && !error; i++)
        error = group_of(r, &all, i) == EFG_NONE ? -ENOMEM : 0;
    return error;
}

int efg_replay_learn(struct efg_replay *r)
{
    struct learning l = {.replay = r};
    int error = efg_recorded_names_init(&l.names, r->run);
    if (!error)
        error = add_world(r);
    if (!error)
        error = efg_recorded_all(&l.recorded, r->run, take, &l);
    if (!error && l.at)
        end_rank(l.at);
    if (!error)
        error = unite_groups(r);
    r->start = l.recorded.start;
    if (error)
        error =
            efg_complain(r->command, error == -EBADMSG ? l.recorded.message : "no memory for the messages");
    efg_recorded_close(&l.recorded);
    efg_recorded_names_fini(&l.names);
    return error;
}
