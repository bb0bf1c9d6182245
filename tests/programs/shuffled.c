/* Calls come in shuffled order: the loop has no stable header, its graph is irreducible.
 *
 * 1000 steps: A, B and C (Sendrecv with the ranks 1, 2 and 3 away, each from its own call site)
 * in an order that a pseudo-random number of the step decides, the same on all ranks; then
 * compute. No collective. True iterations: ITERATIONS (1000); each of A, B, C is visited once
 * in each. Needs a number of ranks that 4 divides.
 *
 * programs.sh: steps=500 iterations=500 */
#include "program.h"

static const int ORDERS[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};

static void exchange(const struct program *p, int distance)
{
    int partner = p->rank ^ distance, got = -1;

    switch (distance) {
    case 1:
        MPI_Sendrecv(&p->rank, 1, MPI_INT, partner, 1, &got, 1, MPI_INT, partner, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Sendrecv(&p->rank, 1, MPI_INT, partner, 2, &got, 1, MPI_INT, partner, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Sendrecv(&p->rank, 1, MPI_INT, partner, 3, &got, 1, MPI_INT, partner, 3, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    program_expect(p, got == partner, "message of the partner");
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    unsigned random = 1;

    program_expect(&p, p.size % 4 == 0, "the number of ranks is no multiple of 4");
    for (int step = 0; step < p.iterations; step++) {
        random = random * 1103515245u + 12345u;
        for (int i = 0; i < 3; i++)
            exchange(&p, ORDERS[(random >> 16) % 6][i]);
        program_compute(&p);
    }
    return program_end(&p, "steps");
}
