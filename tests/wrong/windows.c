/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided calls without the epoch they need, beyond the window, or on a window that is gone.
 */
#include "wrong.h"

static int one = 1, *memory;

static MPI_Win make(void)
{
    MPI_Win win;
    MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Errhandler handler;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
    if (handler == MPI_ERRORS_RETURN)
        MPI_Win_set_errhandler(win, handler);
    MPI_Errhandler_free(&handler);
    return win;
}

static void no_epoch(void)
{
    MPI_Win win = make();
    TELL(Put, &one, 1, MPI_INT, other, 0, 1, MPI_INT, win);
    TELL(Win_free, &win);
}

static void target_out_of_range(void)
{
    MPI_Win win = make();
    MPI_Win_fence(0, win);
    TELL(Put, &one, 1, MPI_INT, size + 1, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    TELL(Win_free, &win);
}

static void place_negative(void)
{
    MPI_Win win = make();
    MPI_Win_fence(0, win);
    TELL(Get, &one, 1, MPI_INT, other, -1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    TELL(Win_free, &win);
}

static void not_locked(void)
{
    MPI_Win win = make();
    TELL(Win_unlock, other, win);
    TELL(Win_free, &win);
}

static void locked_twice(void)
{
    MPI_Win win = make();
    TELL(Win_lock, MPI_LOCK_SHARED, other, 0, win);
    TELL(Win_lock, MPI_LOCK_SHARED, other, 0, win);
    TELL(Win_unlock, other, win);
    TELL(Win_free, &win);
}

static void not_started(void)
{
    MPI_Win win = make();
    TELL(Win_complete, win);
    TELL(Win_wait, win);
    TELL(Win_free, &win);
}

static void freed_while_locked(void)
{
    MPI_Win win = make();
    TELL(Win_lock, MPI_LOCK_SHARED, other, 0, win);
    TELL(Win_free, &win);
}

static void freed_twice(void)
{
    MPI_Win win = make();
    TELL(Win_free, &win);
    TELL(Win_free, &win);
}

static void none(void)
{
    TELL(Put, &one, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_WIN_NULL);
    TELL(Win_fence, 0, (MPI_Win)0);
}

static void type_none(void)
{
    MPI_Win win = make();
    MPI_Win_fence(0, win);
    TELL(Put, &one, 1, (MPI_Datatype)0, other, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    TELL(Win_free, &win);
}

static void op_wrong(void)
{
    MPI_Win win = make();
    MPI_Win_fence(0, win);
    TELL(Accumulate, &one, 1, MPI_INT, other, 0, 1, MPI_INT, MPI_OP_NULL, win);
    MPI_Win_fence(0, win);
    TELL(Win_free, &win);
}

static void fence_on_one(void)
{
    MPI_Win win = make();
    if (rank == 0)
        TELL(Win_fence, 0, win);
}

/* Who writes last is a matter of time. */
static void race(void)
{
    MPI_Win win = make();
    int mine = rank;
    MPI_Win_fence(0, win);
    TELL(Put, &mine, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        printf("rank 0: the last is %d\n", memory[0]);
    MPI_Win_free(&win);
}

const struct wrong wrong_windows[] = {
    {"put without an epoch", no_epoch, WITHIN, 2},
    {"target out of range", target_out_of_range, WITHIN, 0},
    {"place negative", place_negative, WITHIN, 0},
    {"unlock without a lock", not_locked, WITHIN, 0},
    {"locked twice", locked_twice, WITHIN, 2},
    {"complete without a start", not_started, WITHIN, 2},
    {"window freed while locked", freed_while_locked, WITHIN, 2},
    {"window freed twice", freed_twice, WITHIN, 0},
    {"window null", none, WITHIN, 0},
    {"put of no datatype", type_none, WITHIN, 0},
    {"accumulate without an operator", op_wrong, WITHIN, 0},
    {"fence on one rank", fence_on_one, WITHIN, 2},
    {"race of two puts", race, WITHIN, 0},
    {NULL, NULL, WITHIN, 0},
};
