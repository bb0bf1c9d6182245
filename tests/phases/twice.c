/* A function with a loop that is called twice, from two places.
 *
 * twice FIRST SECOND: iterations, of 1 ms */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static double sum;

static void compute(void)
{
    struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}

__attribute__((noinline)) static void solve(int iterations)
{
    double mine = 1;

    for (int i = 0; i < iterations; i++) {
        compute();
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(&mine, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    solve(atoi(argv[1]));
    MPI_Barrier(MPI_COMM_WORLD);
    solve(atoi(argv[2]));
    return MPI_Finalize();
}
