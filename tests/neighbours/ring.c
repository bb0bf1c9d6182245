/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With HOST: a program that knows no MPI, and loads the other one as a library of its own.
 *
 * Ranks of MPI_COMM_WORLD pass numbers round in all the ways that the libraries of this folder
 * know of. Each rank prints what it has got to; a number that took another way is another one.
 *
 *   ring [STEPS] [MILLISECONDS that a step takes at least]
 */
#ifdef HOST
#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    int (*ring)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "ring") : 0;
    return ring ? ring(argc - 1, argv + 1) : 9;
}
#else
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef LIBRARY
#define main ring
#endif

static int rank, size, left, right;
static MPI_Comm copy;

static long mix(long sum, long number)
{
    return (sum * 31 + number) % 1000003;
}

/* One request is tested, the other waited for. */
static long pass_request(long sum)
{
    MPI_Request requests[2];
    long got = -1;
    int flag;
    MPI_Irecv(&got, 1, MPI_LONG, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&sum, 1, MPI_LONG, right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    return mix(sum, got + 2 * (requests[0] == MPI_REQUEST_NULL) + (requests[1] == MPI_REQUEST_NULL));
}

static long pass_requests(long sum)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    long got = -1;
    MPI_Irecv(&got, 1, MPI_LONG, left, 2, copy, &requests[0]);
    MPI_Isend(&sum, 1, MPI_LONG, right, 2, copy, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    return mix(sum, got + statuses[0].MPI_SOURCE);
}

static long pass(long sum)
{
    long got = -1;
    if (rank == 0)
        MPI_Send(&sum, 1, MPI_LONG, right, 3, MPI_COMM_WORLD);
    MPI_Recv(&got, 1, MPI_LONG, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0)
        MPI_Send(&sum, 1, MPI_LONG, right, 3, MPI_COMM_WORLD);
    return mix(sum, got);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 5;
    long sum, total = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    sum = rank + 1;
    MPI_Pcontrol(1, "ring", 0.5, 8);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < steps; i++) {
        sum = pass(pass_requests(pass_request(sum)));
        MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        sum = mix(sum, total);
        if (argc > 2)
            usleep((useconds_t)atoi(argv[2]) * 1000);
    }
    MPI_Comm_free(&copy);
    MPI_Pcontrol(-1, "ring", 1.5, 9);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("%d of %d: %ld\n", rank, size, sum);
    MPI_Finalize();
    return 0;
}
#endif
