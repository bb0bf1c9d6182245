/* Long steps of a function that was called before, by each rank with another number of steps. So ranks have
 * visited the calls of the loop differently often when it begins, and what they record before they agree has
 * other numbers than it has afterwards.
 *
 * earlier STEPS SECONDS: a step is an exchange with both neighbours and SECONDS of computing; a barrier comes
 * in each third one. */
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

__attribute__((noinline)) static void run(int steps, double seconds, int distance)
{
    for (int step = 0; step < steps; step++) {
        MPI_Sendrecv(&step, 1, MPI_INT, (rank + distance) % size, 0, &got, 1, MPI_INT,
                     (rank + size - distance) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(seconds);
        if (distance && step % 3 == 1)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 16;
    double seconds = argc > 2 ? atof(argv[2]) : 0.2;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (volatile int call = 0; call < 2; call++) /* both calls have one call path */
        run(call ? steps : rank + 1, call ? seconds : 0, call);
    if (rank == 0)
        printf("step %d\n", got);
    return MPI_Finalize();
}
