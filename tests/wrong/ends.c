/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls before MPI_Init and after MPI_Finalize, and ranks that go their own way to the end. */
#include "wrong.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int one = 1;

static void nothing(void)
{
}

static void send(void)
{
    TELL(Send, &one, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
}

static void ask(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

static void finalize(void)
{
    MPI_Finalize();
}

static void init(void)
{
    TELL(Init, NULL, NULL);
}

static void free_after(void)
{
    MPI_Comm comm = MPI_COMM_SELF;
    MPI_Comm_free(&comm);
}

static void exit_on_one(void)
{
    if (rank == 1)
        exit(3);
}

static void fail_after(void)
{
    usleep(200000); /* both are there */
    if (rank == 1)
        exit(5);
}

static void finalize_on_one(void)
{
    if (rank == 1) {
        MPI_Finalize();
        pause();
    }
}

static void abort_on_one(void)
{
    if (rank == 1)
        MPI_Abort(MPI_COMM_SELF, 9);
}

static void abort_on_all(void)
{
    MPI_Abort(MPI_COMM_WORLD, 11);
}

static void leave(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    told("the handler that leaves", *code);
    exit(13);
}

static void exit_in_handler(void)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Send(&one, 1, MPI_INT, size, 2, MPI_COMM_WORLD);
}

static void *send_to_self(void *nothing)
{
    int got;
    TELL(Sendrecv, &one, 1, MPI_INT, 0, 2, &got, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return nothing;
}

/* MPI_Init allows one thread only; this is another one, though not at the same time. */
static void thread(void)
{
    pthread_t other_thread;
    pthread_create(&other_thread, NULL, send_to_self, NULL);
    pthread_join(other_thread, NULL);
}

static void overrun(void)
{
    volatile char *nowhere = (volatile char *)16;
    if (rank == 1)
        MPI_Recv((void *)nowhere, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Send(&one, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
}

static void spawn(const char *command, int processes, MPI_Info info)
{
    MPI_Comm children;
    TELL(Comm_spawn, command, MPI_ARGV_NULL, processes, info, 0, MPI_COMM_SELF, &children,
         MPI_ERRCODES_IGNORE);
}

static void spawn_nothing(void)
{
    spawn("/nowhere/nothing", 1, MPI_INFO_NULL);
}

static void spawn_none(void)
{
    spawn("/bin/true", -1, MPI_INFO_NULL);
}

static void spawn_without_command(void)
{
    spawn(NULL, 1, MPI_INFO_NULL);
}

static void spawn_freed_info(void)
{
    MPI_Info info, copy;
    MPI_Info_create(&info);
    copy = info;
    MPI_Info_free(&info);
    spawn("/bin/true", 1, copy);
}

const struct wrong wrong_ends[] = {
    {"spawn what is not there", spawn_nothing, WITHIN, 2},
    {"spawn less than nothing", spawn_none, WITHIN, 0},
    {"spawn without a command", spawn_without_command, WITHIN, 0},
    {"spawn with a freed info", spawn_freed_info, WITHIN, 2},
    {"nothing", nothing, WITHIN, 0},
    {"send before the beginning", send, BEFORE, 0},
    {"rank before the beginning", ask, BEFORE, 0},
    {"end before the beginning", finalize, BEFORE, 0},
    {"begin twice", init, WITHIN, 0},
    {"send after the end", send, AFTER, 0},
    {"end twice", finalize, AFTER, 0},
    {"begin after the end", init, AFTER, 0},
    {"free after the end", free_after, AFTER, 0},
    {"one rank exits", exit_on_one, WITHIN, 0},
    {"one rank fails after the end", fail_after, AFTER, 0},
    {"one rank ends early", finalize_on_one, WITHIN, 1},
    {"one rank aborts", abort_on_one, WITHIN, 0},
    {"all ranks abort", abort_on_all, WITHIN, 0},
    {"handler exits", exit_in_handler, WITHIN, 0},
    {"another thread", thread, WITHIN, 0},
    {"receive to nowhere", overrun, WITHIN, 2},
    {NULL, NULL, WITHIN, 0},
};
