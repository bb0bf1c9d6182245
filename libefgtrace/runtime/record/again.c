/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Learns what a call means from what it has done: the facts, and by how much it has changed what is under
 * way. A signal handler may jump out of here: so a place is empty until all of it is there.
 */
#include "again.h"

#include <string.h>

#include "base/hot.h"
#include "core/graph/graph.h"

bool efg_again_define(struct efg_again_place *a, struct efg_recorder *r, const struct efg_call *c,
                      const struct efg_comm *comm)
{
    if (!efg_recorder_define_all(r, c, comm))
        return false;
    a->path = c->path;
    a->definitions = r->definitions;
    return true;
}

static bool is_lasting(int64_t count, MPI_Datatype type)
{
    return count <= 0 || efg_types_known(type) > 0;
}

static bool may_learn(const struct efg_call *c, const struct efg_comm *comm)
{
    return comm && !comm->is_foreign && c->rpeer != MPI_ANY_SOURCE && c->rtag != MPI_ANY_TAG && !c->counts &&
           !c->rcounts && !c->types && !c->rtypes && is_lasting(c->count, c->type) &&
           is_lasting(c->rcount, c->rtype);
}

/* What the call sends at once. */
static void learn_traffic(struct efg_again_place *a, struct efg_traffic *t, const struct efg_call *c,
                          const struct efg_facts *f)
{
    bool is_collective = c->shape == EFG_SHAPE_COLLECTIVE;
    bool is_send = efg_shape_is_in(c, EFG_SHAPE_SET(SEND) | EFG_SHAPE_SET(SENDRECV)) && c->peer >= 0;

    if (is_collective)
        efg_traffic_own(t, &a->run, EFG_TRAFFIC_COLLECTIVE, f->sent + f->received);
    else if (is_send)
        efg_traffic_own(t, &a->run, efg_comms_world_rank(f->comm, c->peer), f->sent);
    else
        efg_traffic_own(t, &a->run, EFG_TRAFFIC_NOTHING, 0);
}

EFG_HOT void efg_again_learn(struct efg_again *again, struct efg_recorder *r, const struct efg_call *c,
                             const struct efg_facts *f, struct efg_flight added)
{
    struct efg_again_place *a = &again->place[c->path % EFG_AGAIN];

    if (!may_learn(c, f->comm))
        return;
    again->facts[c->path % EFG_AGAIN] = *f;
    a->added = added;
    a->definitions = 0;
    a->event = (struct efg_event){.flags = f->flags,
                                  .is_start = efg_shape_is_in(c, EFG_SHAPES_STARTING),
                                  .bytes = f->sent + f->received}
                   .more;
    learn_traffic(a, r->traffic, c, f);
    memcpy((char *)a + sizeof a->id, (const char *)c + sizeof a->id, EFG_CALL_ARGUMENTS - sizeof a->id);
    __atomic_signal_fence(__ATOMIC_RELEASE);
    a->id = c->id;
}
