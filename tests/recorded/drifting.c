/* Iterations that change late.
 *
 * ITERATIONS (800) steps: a message to the right, compute, Allreduce. In the last quarter the
 * message is four times as long, rank 0 computes for twice as long again, and the others wait for
 * it in a Barrier. A window in the first part does not stand for the run. */
#include "../programs/program.h"

enum { BYTES = 1024 };

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 800, 1000);
    static char mine[4 * BYTES], theirs[4 * BYTES];
    MPI_Request request;
    int right = program_right(&p), left = program_left(&p);

    for (int step = 0; step < p.iterations; step++) {
        int is_late = step >= p.iterations / 4 * 3, bytes = is_late ? 4 * BYTES : BYTES;
        MPI_Isend(mine, bytes, MPI_CHAR, right, 1, MPI_COMM_WORLD, &request);
        MPI_Recv(theirs, bytes, MPI_CHAR, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        program_compute(&p);
        for (int i = 0; i < 2 && is_late && p.rank == 0; i++)
            program_compute(&p);
        if (is_late)
            MPI_Barrier(MPI_COMM_WORLD);
        program_sum(&p);
    }
    return program_end(&p, "steps");
}
