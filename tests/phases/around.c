/* A loop around another one, in one function, or with -DAPART in two. The first of STEPS steps has 60
 * rounds of 10 ms, which look like the main loop while there is nothing else; the others have two rounds
 * of 1 ms each.
 *
 * around STEPS: a round is a sum and an exchange with both neighbours, a step ends with a broadcast. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int size, left, right;

#ifdef APART
static __attribute__((noinline)) int solve(int step)
#else
static inline __attribute__((always_inline)) int solve(int step)
#endif
{
    int sum = 0, got = 0;

    for (int round = 0; round < (step ? 2 : 60); round++) {
        usleep(step ? 1000 : 10000);
        MPI_Sendrecv(&step, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    return sum;
}

int main(int argc, char **argv)
{
    int rank, steps = argc > 1 ? atoi(argv[1]) : 400, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (int step = 0; step < steps; step++) {
        sum = solve(step);
        MPI_Bcast(&sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("sum %d\n", sum);
    return MPI_Finalize();
}
