/* SPDX-License-Identifier: BSD-3-Clause */
/* Meets SIGTERM: term HOW. After a thousand rounds of two calls rank 0 says "there", and all
 * ranks
 *
 *     compute, sleep    for ever, without a call of MPI
 *     receive           what nobody sends
 *     call              MPI for ever
 *     malloc            are in the middle of it, with a lock held, when they send it to
 * themselves handled, ignored  had said so before MPI_Init, and send it to themselves: they end
 * with 3, or in order child             have a child that it ends, which says so, and end in
 * order asked             say whether it has its default action, and end in order */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 1000

/* --- malloc, in which a lock is held --- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), __libc_free(void *);
extern void *__libc_realloc(void *, size_t);
static volatile int is_armed, is_locked;
static void *volatile kept;

static void lock(void)
{
    while (is_locked)
        pause();
    if (!is_armed)
        return;
    is_locked = 1;
    raise(SIGTERM);
}

void *malloc(size_t size)
{
    lock();
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    lock();
    return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size)
{
    lock();
    return __libc_realloc(old, size);
}
void free(void *memory)
{
    lock();
    __libc_free(memory);
}

/* --- what the ranks do --- */

static void leave(int signal)
{
    (void)signal;
    _exit(3);
}

static void end_child(int rank)
{
    int status;
    pid_t child = fork();
    if (!child)
        for (;;)
            pause();
    kill(child, SIGTERM);
    waitpid(child, &status, 0);
    if (rank == 0)
        printf("child: signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static void ask(int rank)
{
    struct sigaction now;
    sigaction(SIGTERM, NULL, &now);
    if (rank == 0)
        puts(now.sa_handler == SIG_DFL ? "default" : "handled");
}

static void work(int rank, int size)
{
    int got;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Allreduce(&i, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv(&i, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 0)
        puts("there");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int rank, size, got;
    const char *how = argc > 1 ? argv[1] : "";

    if (!strcmp(how, "handled"))
        signal(SIGTERM, leave);
    if (!strcmp(how, "ignored"))
        signal(SIGTERM, SIG_IGN);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    work(rank, size);
    is_armed = !strcmp(how, "malloc");
    if (is_armed)
        kept = malloc(1);
    if (!strcmp(how, "compute"))
        for (volatile double x = 1;; x *= 1.0000001)
            ;
    while (!strcmp(how, "sleep"))
        pause();
    while (!strcmp(how, "call"))
        MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!strcmp(how, "receive"))
        MPI_Recv(&got, 1, MPI_INT, rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(how, "child"))
        end_child(rank);
    if (!strcmp(how, "asked"))
        ask(rank);
    if (!strcmp(how, "handled") || !strcmp(how, "ignored"))
        raise(SIGTERM);
    return MPI_Finalize();
}
