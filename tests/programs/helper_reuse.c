/* A helper's call path is used in start-up too.
 *
 * One loop of 3 + 1000 rounds, each of which calls the helper (Sendrecv); the first 3 then read
 * their input (Bcast), the others compute and call Allreduce. True iterations: ITERATIONS
 * (1000); the helper, which heads the loop, is visited 3 times more.
 *
 * programs.sh: steps=500 iterations=500 */
#include "program.h"

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    int input = 7;

    for (int step = -3; step < p.iterations; step++) {
        program_ring(&p, step);
        if (step < 0) {
            MPI_Bcast(&input, 1, MPI_INT, 0, MPI_COMM_WORLD);
            continue;
        }
        program_compute(&p);
        program_sum(&p);
    }
    return program_end(&p, "steps");
}
