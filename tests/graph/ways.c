/* Ranks come into the loops of prepare and shift on two ways, those of odd numbers and the others, 47
 * times and 141 times each; solve takes most of the time. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <time.h>

#define OWN static __attribute__((noinline))

static volatile int times = 3; /* no constant: its first round has no call paths of its own */

OWN void shift(int rank, int size)
{
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    for (int i = 0; i < times; i++)
        MPI_Sendrecv(NULL, 0, MPI_INT, next, 0, NULL, 0, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

OWN void prepare(int rank, int size)
{
    for (int i = 0; i < 47; i++) {
        if (rank % 2)
            MPI_Barrier(MPI_COMM_SELF);
        else
            MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_SELF);
        shift(rank, size);
    }
}

OWN void solve(void)
{
    struct timespec ms = {0, 1000000};
    for (int i = 0; i < 500; i++) {
        nanosleep(&ms, NULL);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    prepare(rank, size);
    solve();
    MPI_Finalize();
    return 0;
}
