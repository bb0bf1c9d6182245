/* Two loops, of which ranks do not wait for one another in the first one, and call different functions in it:
 * each goes round it as fast as it can, a later rank more slowly. In the second one they are in step.
 *
 * apart STEPS: an iteration takes 0.2 to 0.26 ms */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, size, sent, got;

static void compute(long ns)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000l + now.tv_nsec - begin.tv_nsec < ns);
}

/* Each rank by other calls, so that no two have one in common. */
static inline __attribute__((always_inline)) void call(void)
{
    MPI_Request request;

    switch (rank) {
    case 0:
        MPI_Irecv(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
        MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Isend(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
        MPI_Recv(&got, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Sendrecv_replace(&got, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_SELF);
        break;
    default:
        MPI_Bcast(&got, 1, MPI_INT, 0, MPI_COMM_SELF);
        MPI_Allreduce(&sent, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    }
}

__attribute__((noinline)) static void alone(int steps)
{
    for (int step = 0; step < steps; step++) {
        compute(200000 + 20000 * rank);
        call();
    }
}

__attribute__((noinline)) static void together(int steps)
{
    for (int step = 0; step < steps; step++) {
        MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 7, &got, 1, MPI_INT, (rank + size - 1) % size, 7,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(200000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 3000;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    alone(steps);
    together(steps);
    if (rank == 0)
        printf("%d\n", got);
    return MPI_Finalize();
}
