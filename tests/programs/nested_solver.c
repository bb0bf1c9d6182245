/* A time loop around an inner solver of varying trip count.
 *
 * 300 time steps: Bcast of the step width, 1 to 7 inner iterations (Sendrecv, compute,
 * Allreduce; how many is a pseudo-random number of the step, the same on all ranks), then a
 * Barrier. True iterations: ITERATIONS (300) time steps; 1200 or so inner ones are the finer
 * level.
 *
 * programs.sh: steps=300 says=bare window=maybe */
#include "program.h"

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 300, 700);
    unsigned random = 1;
    int inner = 0;

    for (int step = 0; step < p.iterations; step++) {
        int trips = p.rank == 0 ? (int)((random = random * 1103515245u + 12345u) >> 16) % 7 + 1 : 0;

        MPI_Bcast(&trips, 1, MPI_INT, 0, MPI_COMM_WORLD);
        program_expect(&p, trips >= 1 && trips <= 7, "number of inner iterations");
        for (int trip = 0; trip < trips; trip++) {
            program_ring(&p, trip);
            program_compute(&p);
            program_sum(&p);
        }
        inner += trips;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (p.rank == 0)
        printf("inner iterations: %d\n", inner);
    return program_end(&p, "time steps");
}
