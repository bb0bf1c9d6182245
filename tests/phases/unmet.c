/* Two loops, of which ranks begin the first one at different times: rank 1 has gone round it AHEAD times when
 * the others begin. Nothing in it tells anybody, so iterations of one number are that far apart, and messages
 * of one are in another iteration at their other end. In the second loop they use the same channels, in step.
 *
 * unmet AHEAD STEPS: an iteration takes 0.2 ms */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, size, self[1], sent[64], got[64];

static void compute(void)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000l + now.tv_nsec - begin.tv_nsec < 200000);
}

/* Of another length in each step, so that no message can be taken for the next one. */
static void exchange(int step)
{
    MPI_Sendrecv(sent, 1 + step % 64, MPI_INT, (rank + 1) % size, 7, got, 64, MPI_INT,
                 (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void alone(int begin, int steps)
{
    for (int step = begin; step < steps; step++) {
        MPI_Sendrecv_replace(self, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        compute();
        if (step >= 0)
            exchange(step);
    }
}

__attribute__((noinline)) static void together(int steps)
{
    for (int step = 0; step < steps; step++) {
        exchange(step);
        compute();
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int ahead = argc > 1 ? atoi(argv[1]) : 100, steps = argc > 2 ? atoi(argv[2]) : 1500;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    alone(rank == 1 ? -ahead : 0, steps);
    together(steps);
    if (rank == 0)
        printf("%d\n", got[0]);
    return MPI_Finalize();
}
