/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of which it is known what counters count. Each of STEPS iterations, in the thread of main: 8
 * pages are touched for the first time between MPI_Barrier and MPI_Allreduce, and 2 ms of processor time are
 * spent between MPI_Allreduce and MPI_Reduce. With "threads" a second thread touches 3 pages between
 * MPI_Comm_dup and MPI_Comm_free; with "nested" an inner loop goes round three times, and touches 2 pages
 * between MPI_Scan and MPI_Bcast in each; with "fork" a child touches 100 pages between MPI_Barrier and
 * MPI_Allreduce, and becomes a program that lists its files; with "close" all files from 100 on are closed
 * half-way. With "earlier" another loop comes first, of half as much processor time in ten times as many
 * iterations, in each of which 1 page is touched between MPI_Scan and MPI_Bcast. Each rank says how long it
 * worked.
 *
 * usage: counted STEPS [threads] [nested] [fork] [close] [earlier]
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int steps;
static double worked; /* s of processor time, in the steps: beside a load somewhat more than asked for */

static void touch(int pages)
{
    size_t size = (size_t)getpagesize();
    volatile char *memory =
        mmap(NULL, (size_t)pages * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    madvise((void *)memory, (size_t)pages * size, MADV_NOHUGEPAGE);
    for (int i = 0; i < pages; i++)
        memory[(size_t)i * size] = 1;
    munmap((void *)memory, (size_t)pages * size);
}

static double processor_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void work(double seconds)
{
    double begin = processor_time();

    while (processor_time() < begin + seconds)
        ;
}

static void make_child(void)
{
    pid_t child = fork();

    if (child == 0) {
        touch(100);
        execlp("ls", "ls", "-l", "/proc/self/fd", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
}

static void *second(void *comm)
{
    for (int i = 0; i < steps; i++) {
        MPI_Comm copy;
        MPI_Comm_dup(*(MPI_Comm *)comm, &copy);
        touch(3);
        MPI_Comm_free(&copy);
    }
    return NULL;
}

__attribute__((noinline)) static void inner(void)
{
    for (int i = 0, one = 1, sum; i < 3; i++) {
        MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        touch(2);
        MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

__attribute__((noinline)) static void earlier(void)
{
    for (int i = 0, one = 1, sum; i < 10 * steps; i++) {
        MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        touch(1);
        MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
        work(0.0001);
    }
}

int main(int argc, char **argv)
{
    int has_threads = 0, is_nested = 0, has_child = 0, closes = 0, has_earlier = 0, level, one = 1, sum;
    MPI_Comm comm;
    pthread_t thread;

    for (int i = 2; i < argc; i++) {
        has_threads |= !strcmp(argv[i], "threads");
        is_nested |= !strcmp(argv[i], "nested");
        has_child |= !strcmp(argv[i], "fork");
        closes |= !strcmp(argv[i], "close");
        has_earlier |= !strcmp(argv[i], "earlier");
    }
    steps = atoi(argv[1]);
    MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    if (has_threads)
        pthread_create(&thread, NULL, second, &comm);
    if (has_earlier)
        earlier();
    for (int i = 0; i < steps; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        touch(8);
        if (has_child && i == steps / 2)
            make_child();
        for (int file = 100; closes && i == steps / 2 && file < 5000; file++)
            close(file);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        double begin = processor_time();
        work(0.002);
        worked += processor_time() - begin;
        if (is_nested)
            inner();
        MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    if (has_threads)
        pthread_join(thread, NULL);
    MPI_Comm_free(&comm);
    MPI_Comm_rank(MPI_COMM_WORLD, &level);
    fprintf(stderr, "rank %d worked %.0f ns\n", level, 1e9 * worked);
    MPI_Finalize();
    puts("done");
    return 0;
}
