/* Five calls of MPI_Barrier in a row, each of its own call site; then one call site that no two
 * ranks visit equally often: rank r makes r + 1 calls of MPI_Allreduce. */
#include <mpi.h>

#define ONE MPI_Barrier(MPI_COMM_SELF)
#define FIVE ONE, ONE, ONE, ONE, ONE

int main(int argc, char **argv)
{
    int rank, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FIVE;
    for (int i = 0; i <= rank; i++)
        MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    MPI_Finalize();
    return 0;
}
