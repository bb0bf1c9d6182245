/* Even ranks send and receive, odd ones receive and send, at call sites of their own in one loop: where the
 * ranks are one graph, it has two loops side by side. All compute the same.
 *
 *     pairwise [ITERATIONS [MICROSECONDS]]      of an even number of ranks */
#include "../programs/program.h"

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 500);
    int got = -1;

    for (int step = 0; step < p.iterations; step++) {
        if (p.rank % 2 == 0) {
            MPI_Send(&step, 1, MPI_INT, p.rank + 1, 1, MPI_COMM_WORLD);
            program_compute(&p);
            MPI_Recv(&got, 1, MPI_INT, p.rank + 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&got, 1, MPI_INT, p.rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            program_compute(&p);
            MPI_Send(&step, 1, MPI_INT, p.rank - 1, 2, MPI_COMM_WORLD);
        }
        program_expect(&p, got == step, "the partner is in another step");
    }
    return program_end(&p, "steps");
}
