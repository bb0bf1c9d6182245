/* Calls in an order that nothing predicts, other ones on each rank: the worst case for what keeps
 * the order of all calls.
 *
 * ITERATIONS (1000) times one of four collectives of a communicator of one rank, at random. */
#include "program.h"

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 0);
    unsigned state = 1 + (unsigned)p.rank;
    int own = p.rank, sum = 0;

    for (int i = 0; i < p.iterations; i++) {
        state = state * 1103515245u + 12345u;
        switch (state >> 16 & 3) {
        case 0: MPI_Barrier(MPI_COMM_SELF); break;
        case 1: MPI_Bcast(&own, 1, MPI_INT, 0, MPI_COMM_SELF); break;
        case 2: MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF); break;
        default: MPI_Reduce(&own, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_SELF);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return program_end(&p, "calls");
}
