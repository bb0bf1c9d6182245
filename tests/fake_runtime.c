/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stands in for a runtime in tests/preload.sh: counts what the wrappers hand over,
 * and prints it on standard error, one line each, with the rank in front. Linked with
 * calls.c, for the names.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/calls/call.h"

static atomic_int entered[EFG_CALLS], left[EFG_CALLS];
static int rank;

static bool count_enter(struct efg_call *call)
{
    int flag;
    MPI_Comm copy;
    atomic_fetch_add(&entered[call->id], 1);
    /* MPI calls of the tracer itself must not come back to it. */
    PMPI_Initialized(&flag);
    if (call->id == EFG_CALL_Comm_split) {
        PMPI_Comm_dup(MPI_COMM_SELF, &copy);
        PMPI_Comm_free(&copy);
    }
    return 1;
}

static void count_leave(struct efg_call *call, int result)
{
    (void)result;
    atomic_fetch_add(&left[call->id], 1);
}

static bool prepare(const struct efg_front *front)
{
    (void)front;
    return getenv("FAKE_OFF") == NULL;
}

static const struct efg_hooks *start(const MPI_Comm *comm)
{
    (void)comm;
    static const struct efg_hooks hooks = {count_enter, count_leave};
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Barrier(MPI_COMM_WORLD); /* inside the wrapper of MPI_Init: not counted */
    return &hooks;
}

static void (*told)(void);

static int tell(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    told();
    return MPI_SUCCESS;
}

static void watch(void (*end)(void))
{
    int key;
    told = end;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, tell, &key, NULL);
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    PMPI_Comm_free_keyval(&key);
}

static void print_counts(void)
{
    for (int i = 1; i < EFG_CALLS; i++) {
        if (entered[i])
            dprintf(STDERR_FILENO, "[%d] %s %d\n", rank, efg_call_info[i].name, entered[i]);
        if (entered[i] != left[i])
            dprintf(STDERR_FILENO, "[%d] %s never left %d\n", rank, efg_call_info[i].name,
                    entered[i] - left[i]);
    }
}

static void finish(void)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    print_counts();
    dprintf(STDERR_FILENO, "[%d] finish\n", rank);
}

static void leave(void)
{
    print_counts();
    dprintf(STDERR_FILENO, "[%d] leave\n", rank);
}

static void control(int level, const char *name, const uintptr_t *frame)
{
    (void)frame;
    dprintf(STDERR_FILENO, "[%d] control %d %s\n", rank, level, name ? name : "(none)");
}

static void say(bool is_sure)
{
    (void)is_sure;
}

static void pin(void *put, void *get)
{
    (void)put, (void)get;
}

__attribute__((visibility("default"))) const struct efg_runtime efg_runtime = {
    .constants = {MPI_IN_PLACE, MPI_LOCK_EXCLUSIVE},
    .prepare = prepare,
    .say = say,
    .pin = pin,
    .start = start,
    .watch = watch,
    .finish = finish,
    .leave = leave,
    .control = control,
};
