/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the preloaded library knows of the runtime. The program may begin and end MPI on a small stack: so
 * that is done where there is room (runtime/base/roomy.h).
 */
#include <mpi.h>
#include <stdlib.h>

#include "finish.h"
#include "runtime/base/roomy.h"
#include "runtime/census/board.h"
#include "runtime/hybrid/hybrid.h"
#include "runtime/stack/left.h"
#include "runtime/watch/threads.h"
#include "runtime/watch/tracer.h"
#include "start.h"

struct preparation {
    const struct efg_front *front;
    bool is_done;
};

static void do_prepare(void *context)
{
    struct preparation *p = context;

    p->is_done = efg_start_prepare(p->front);
}

static bool prepare(const struct efg_front *front)
{
    struct preparation p = {.front = front};

    efg_roomy(do_prepare, &p);
    return p.is_done;
}

struct beginning {
    const MPI_Comm *comm;
    const struct efg_hooks *hooks;
};

static void do_start(void *context)
{
    struct beginning *b = context;

    b->hooks = efg_start_run(b->comm);
}

static const struct efg_hooks *start(const MPI_Comm *comm)
{
    struct beginning b = {.comm = comm};

    efg_roomy(do_start, &b);
    return b.hooks;
}

static void do_say(void *is_sure)
{
    efg_board_say(*(bool *)is_sure ? EFG_NOTICE_SURE : EFG_NOTICE_PERHAPS);
}

static void say(bool is_sure)
{
    efg_roomy(do_say, &is_sure);
}

static void do_pin(void *functions)
{
    void **of = functions;

    efg_board_pin(of[0], of[1]);
}

static void pin(void *put, void *get)
{
    void *functions[] = {put, get};

    efg_roomy(do_pin, functions);
}

static void do_finish(void *nothing)
{
    (void)nothing;
    efg_finish_run();
}

static void finish(void)
{
    efg_roomy(do_finish, NULL);
}

static void do_leave(void *nothing)
{
    (void)nothing;
    efg_finish_leave();
}

static void leave(void)
{
    efg_roomy(do_leave, NULL);
}

static void (*told)(void);

static int tell(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    told();
    return MPI_SUCCESS;
}

/* Attributes of MPI_COMM_SELF are the first that MPI takes down, and all else works then. */
static void watch(void (*end)(void))
{
    int key;

    told = end;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell, &key, NULL) != MPI_SUCCESS)
        return;
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    PMPI_Comm_free_keyval(&key); /* when the attribute has gone */
}

/* What the tracer calls itself is within the call that it is at work for. */
static bool is_left(const void *frame, const void *code)
{
    bool is_at_work = efg_self && __atomic_load_n(&efg_self->is_inside, __ATOMIC_RELAXED);

    return !is_at_work && efg_left(frame, code);
}

__attribute__((visibility("default"))) extern const struct efg_runtime efg_runtime;
const struct efg_runtime efg_runtime = {
    .constants = {.in_place = MPI_IN_PLACE,
                  .lock_exclusive = MPI_LOCK_EXCLUSIVE,
                  .request_size = sizeof(MPI_Request),
                  .status_ignore = MPI_STATUS_IGNORE,
                  .statuses_ignore = MPI_STATUSES_IGNORE},
    .prepare = prepare,
    .say = say,
    .pin = pin,
    .start = start,
    .watch = watch,
    .finish = finish,
    .leave = leave,
    .control = efg_tracer_control,
    .region = efg_tracer_region,
    .record = efg_tracer_record,
    .openmp = efg_hybrid_tell,
    .is_left = is_left,
};
