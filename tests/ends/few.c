/* Few, long steps, in which a solver goes round: 12 times in the first one, ROUNDS times in the others.
 *
 * few STEPS SECONDS ROUNDS: a step is three exchanges with both neighbours, the solver's rounds of an
 * exchange and a sum, SECONDS of computing, and a broadcast. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size, got;

/* Asleep: there are more ranks than cores. */
static void compute(double seconds)
{
    usleep((useconds_t)(1e6 * seconds));
}

__attribute__((noinline)) static void exchange(int step)
{
    MPI_Sendrecv(&step, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

__attribute__((noinline)) static void solve(int step, int rounds)
{
    int sum;

    for (int round = 0; round < (step ? rounds : 12); round++) {
        compute(0.02);
        exchange(step);
        MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

__attribute__((noinline)) static void transport(int step)
{
    for (int species = 0; species < 3; species++)
        exchange(step);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 8;
    double seconds = argc > 2 ? atof(argv[2]) : 0.3;
    int rounds = argc > 3 ? atoi(argv[3]) : 2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int step = 0; step < steps; step++) {
        transport(step);
        solve(step, rounds);
        compute(seconds);
        MPI_Bcast(&got, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("step %d\n", got);
    return MPI_Finalize();
}
