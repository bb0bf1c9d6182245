/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways to end: end [exit|abort|fork|chdir|atexit|after|jump] */
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf back;

static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    longjmp(back, 1);
}

static void finalize(void)
{
    MPI_Finalize();
}

/* Calls from deeper in the stack than the one that was jumped out of are found again after any
 * call from the same depth or above: here the same. */
static void jump_out(void)
{
    volatile int times = 0;
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    setjmp(back);
    if (times++ < 3)
        MPI_Send(NULL, 1, MPI_INT, 1000, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int flag = -1;
    if (!strcmp(how, "chdir") && chdir("/"))
        return 9;
    if (!strcmp(how, "atexit"))
        atexit(finalize);
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "fork")) {
        pid_t child = fork();
        if (child == 0)
            exit(0);
        waitpid(child, NULL, 0);
        MPI_Finalize();
    } else if (!strcmp(how, "abort")) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    } else if (!strcmp(how, "exit")) {
        exit(3);
    } else if (!strcmp(how, "atexit")) {
        exit(0);
    } else if (!strcmp(how, "jump")) {
        jump_out();
    } else {
        MPI_Finalize();
    }
    MPI_Finalized(&flag);
    printf("finalized %d\n", flag);
    return 0;
}
