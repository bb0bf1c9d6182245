/* Steps alternate P C / Q C.
 *
 * 1000 steps: P (Sendrecv to the right) in even ones, Q (Sendrecv to the left) in odd ones,
 * then compute and C (Sendrecv across, no collective). True iterations: ITERATIONS (1000),
 * counted by C; P heads the outermost loop and is visited half as often.
 *
 * programs.sh: steps=500 iterations=500 */
#include "program.h"

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    int right = program_right(&p), left = program_left(&p);
    int across = p.size - 1 - p.rank, got = -1;

    for (int step = 0; step < p.iterations; step++) {
        if (step % 2 == 0) {
            MPI_Sendrecv(&p.rank, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            program_expect(&p, got == left, "message to the right");
        } else {
            MPI_Sendrecv(&p.rank, 1, MPI_INT, left, 2, &got, 1, MPI_INT, right, 2, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            program_expect(&p, got == right, "message to the left");
        }
        program_compute(&p);
        MPI_Sendrecv(&p.rank, 1, MPI_INT, across, 3, &got, 1, MPI_INT, across, 3, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        program_expect(&p, got == across, "message across");
    }
    return program_end(&p, "steps");
}
