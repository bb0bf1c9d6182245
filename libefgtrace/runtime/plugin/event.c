/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Describes calls to plug-ins:
 *
 *     enter    pre of each plug-in;  the tracer takes the time
 *     leave    the tracer takes the time;  node and iteration;  pos of each plug-in;  steps
 *
 * So what plug-ins do counts as done by the program between its calls. The event is added to the graph at
 * once, for its node to be known.
 */
#include "event.h"

#include "guard.h"
#include "runtime/base/clock.h"
#include "runtime/mpi/decode.h"
#include "runtime/process/job.h"
#include "runtime/stack/callpath.h"
#include "runtime/watch/events.h"
#include "progress.h"

_Static_assert(EFGTRACE_FILE_IO == (int)EFG_CLASS_FILE_IO && EFGTRACE_RMA == (int)EFG_CLASS_RMA &&
                   EFGTRACE_ALL2ONE == (int)EFG_CLASS_ALL2ONE,
               "kinds are the classes of calls");
_Static_assert(EFG_CALLS < 1000, "the header says so");

const struct efg_hooks *efg_plugins_next;

static uint64_t since_start(uint64_t ticks)
{
    return ticks > efg_job.start ? ticks - efg_job.start : 0;
}

/* --- a call --- */

static int32_t partner_of(int rank)
{
    return rank == MPI_PROC_NULL ? EFGTRACE_NOBODY : rank == MPI_ANY_SOURCE ? EFGTRACE_ANYBODY : rank;
}

static struct efgtrace_comm describe_comm(const struct efg_comm *comm)
{
    if (!comm)
        return (struct efgtrace_comm){.id = EFGTRACE_NONE};
    return (struct efgtrace_comm){comm->identity, comm->id, (uint32_t)comm->peers, (uint32_t)comm->rank};
}

/* What is between this rank and PARTNER, in one direction. */
static struct efgtrace_data describe_message(const struct efg_comm *comm, int partner, int tag)
{
    struct efgtrace_data data = {.partner = partner_of(partner),
                                 .tag = tag == MPI_ANY_TAG ? EFGTRACE_ANY_TAG : tag};

    data.world = data.partner;
    if (comm && data.partner >= 0 && data.partner < comm->peers)
        data.world = (int32_t)efg_comms_world_rank(comm, data.partner);
    return data;
}

#define NOTHING ((struct efgtrace_data){.partner = EFGTRACE_NO_PARTNER, .world = EFGTRACE_NO_PARTNER})

#define RECEIVING                                                                                       \
    (EFG_SHAPE_SET(RECV) | EFG_SHAPE_SET(RECV_INIT) | EFG_SHAPE_SET(IRECV) | EFG_SHAPE_SET(PROBE) |     \
     EFG_SHAPE_SET(IPROBE) | EFG_SHAPE_SET(MPROBE) | EFG_SHAPE_SET(IMPROBE) | EFG_SHAPE_SET(SENDRECV) | \
     EFG_SHAPE_SET(ISENDRECV))
#define ROOTED (1u << EFG_CLASS_ONE2ALL | 1u << EFG_CLASS_ALL2ONE)

/* Who is on the other side, as far as that is known of the handles. */
static void describe_partners(struct efgtrace_event *e, const struct efg_call *c, const struct efg_comm *comm)
{
    bool is_rooted = efg_shape_is_in(c, EFG_SHAPES_COLLECTIVE) && ROOTED >> e->kind & 1;

    e->comm = describe_comm(comm);
    e->sent = efg_shape_is_in(c, EFG_SHAPES_SENDING) ? describe_message(comm, c->peer, c->tag) : NOTHING;
    e->received = efg_shape_is_in(c, RECEIVING) ? describe_message(comm, c->rpeer, c->rtag) : NOTHING;
    e->root = is_rooted && c->root >= 0 ? c->root : EFGTRACE_NO_PARTNER;
    e->sent.count = c->counts ? 0 : c->count;
    e->received.count = c->rcounts ? 0 : c->rcount;
}

static void describe(struct efgtrace_event *e, struct efg_thread *t, const struct efg_call *c)
{
    *e = (struct efgtrace_event){
        .function = efg_call_info[c->id].name,
        .call = c->id,
        .kind = efg_call_info[c->id].class,
        .thread = t->number,
        .iteration = efg_progress_iteration(),
        .node = EFGTRACE_NONE,
        .enter = since_start(efg_clock_ticks()),
    };
    e->path = efg_callpath_find(c->frame, &e->path_hash);
    describe_partners(e, c, c->comm ? efg_comms_known(c->comm) : NULL);
    e->sent.type_size = c->type ? efg_types_known(c->type) : 0;
    e->received.type_size = c->rtype ? efg_types_known(c->rtype) : 0;
}

/* MPI has accepted it, or not. */
static void describe_result(struct efgtrace_event *e, struct efg_thread *t, const struct efg_call *c,
                            int result, bool is_followed)
{
    struct efg_facts facts = efg_decode(c, result);

    describe_partners(e, c, facts.comm);
    e->sent.bytes = facts.sent;
    e->received.bytes = facts.received;
    e->is_blank = facts.is_poll;
    e->result = result;
    if (result == MPI_SUCCESS) {
        e->sent.type_size = c->count ? efg_types_size(c->type) : 0;
        e->received.type_size = c->rcount ? efg_types_size(c->rtype) : 0;
    }
    if (!is_followed)
        return;
    e->enter = since_start(c->enter);
    e->is_watched = !t->is_pausing;
    e->node = facts.is_poll ? t->graph.polled : t->graph.current;
    e->node_hash = e->node == EFG_NONE ? 0 : t->graph.nodes[e->node].hash;
}

uint32_t efg_plugins_frames(const struct efgtrace_event *event, struct efgtrace_frame *frames, uint32_t most)
{
    struct efg_path path = event->path ? efg_callpath_get(event->path) : (struct efg_path){0};

    for (uint32_t i = 0; i < path.depth && i < most; i++)
        frames[i] = (struct efgtrace_frame){efg_callpath_module(path.frames[i].module),
                                            efg_frame_place(path.frames[i].offset)};
    return path.depth;
}

/* --- telling --- */

static void call_pre(const struct efg_plugin *plugin, const void *event)
{
    plugin->is->pre(event);
}

static void call_pos(const struct efg_plugin *plugin, const void *event)
{
    plugin->is->pos(event);
}

static void tell_pre(struct efg_guard *g)
{
    for (unsigned i = 0; i < efg_plugins.count; i++) {
        struct efg_plugin *plugin = &efg_plugins.list[i];
        if (plugin->is->pre && plugin->kinds >> g->event.kind & 1)
            efg_guard_call(g, plugin, "pre of ", g->event.function, call_pre, &g->event);
    }
}

static void tell_pos(struct efg_guard *g)
{
    for (unsigned i = 0; i < efg_plugins.count; i++) {
        struct efg_plugin *plugin = &efg_plugins.list[i];
        if (plugin->is->pos && plugin->kinds >> g->event.kind & 1)
            efg_guard_call(g, plugin, "pos of ", g->event.function, call_pos, &g->event);
    }
}

/* --- the hooks --- */

/* Returns false if all is over. */
static bool begin_work(struct efg_thread *t)
{
    efg_thread_begin_work(t);
    if (!efg_threads_are_over())
        return true;
    efg_thread_end_work(t);
    return false;
}

bool efg_plugins_enter(struct efg_call *call)
{
    struct efg_thread *t = efg_self ? efg_self : efg_threads_self();
    struct efg_guard *g = t ? efg_guard_of(t) : NULL;

    if (!g || !begin_work(t))
        return false;
    describe(&g->event, t, call);
    efg_thread_end_work(t);
    tell_pre(g);
    g->is_followed = efg_plugins_next->enter(call);
    return true;
}

void efg_plugins_leave(struct efg_call *call, int result)
{
    struct efg_thread *t = efg_self;
    struct efg_guard *g = efg_guard_of(t);
    uint64_t leave = efg_clock_ticks();

    if (g->is_followed)
        efg_plugins_next->leave(call, result);
    if (!begin_work(t))
        return;
    if (g->is_followed)
        efg_events_add(t, leave, false);
    describe_result(&g->event, t, call, result, g->is_followed);
    struct efg_progress steps = efg_progress_look(t);
    g->event.leave = since_start(leave);
    g->event.iteration = efg_progress_iteration();
    efg_thread_end_work(t);
    tell_pos(g);
    efg_progress_tell(g, &steps);
}
