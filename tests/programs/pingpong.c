/* Messages to and fro between each rank of the lower half and one of the upper: times that are
 * hardly longer than a message takes.
 *
 * 1000 steps: 10 times Send and Recv, then Allreduce. True iterations: ITERATIONS (1000); with
 * an odd number of ranks the last one only sums up.
 *
 * programs.sh: steps=500 iterations=500 */
#include "program.h"

#define ROUNDS 10

static void play(const struct program *p, int partner, int number)
{
    int ball = number;

    for (int round = 0; round < ROUNDS; round++) {
        if (p->rank < partner) {
            MPI_Send(&ball, 1, MPI_INT, partner, round, MPI_COMM_WORLD);
            MPI_Recv(&ball, 1, MPI_INT, partner, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&ball, 1, MPI_INT, partner, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&ball, 1, MPI_INT, partner, round, MPI_COMM_WORLD);
        }
        program_expect(p, ball == number, "the ball came back");
    }
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    int half = p.size / 2;

    for (int step = 0; step < p.iterations; step++) {
        if (p.rank < 2 * half)
            play(&p, (p.rank + half) % (2 * half), step);
        program_compute(&p);
        program_sum(&p);
    }
    return program_end(&p, "steps");
}
