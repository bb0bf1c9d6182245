/* Three phases, each with a main loop of its own.
 *
 * ITERATIONS (500) steps of Sendrecv, compute, Allreduce; then as many of Alltoall, compute,
 * Bcast; then as many of compute, Reduce, Scatter. True iterations: ITERATIONS in each phase.
 *
 * programs.sh: steps=300 says=steps_in_each_of_3_phases window=maybe lacks=iterations */
#include "program.h"

enum { MOST = 64 }; /* ranks */

static void transpose(const struct program *p, int step)
{
    int mine[MOST], theirs[MOST], root = step;

    for (int r = 0; r < p->size; r++)
        mine[r] = p->rank * p->size + r;
    MPI_Alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < p->size; r++)
        program_expect(p, theirs[r] == r * p->size + p->rank, "transposed numbers");
    program_compute(p);
    MPI_Bcast(&root, 1, MPI_INT, 0, MPI_COMM_WORLD);
    program_expect(p, root == step, "number of the step");
}

static void reduce_and_scatter(const struct program *p, int step)
{
    int mine[MOST], sums[MOST] = {0}, got = -1;

    for (int r = 0; r < p->size; r++)
        mine[r] = step + r;
    program_compute(p);
    MPI_Reduce(mine, sums, p->size, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Scatter(sums, 1, MPI_INT, &got, 1, MPI_INT, 0, MPI_COMM_WORLD);
    program_expect(p, got == p->size * (step + p->rank), "scattered sum");
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 500, 1000);

    program_expect(&p, p.size <= MOST, "too many ranks");
    for (int step = 0; step < p.iterations; step++) {
        program_ring(&p, step);
        program_compute(&p);
        program_sum(&p);
    }
    for (int step = 0; step < p.iterations; step++)
        transpose(&p, step);
    for (int step = 0; step < p.iterations; step++)
        reduce_and_scatter(&p, step);
    return program_end(&p, "steps in each of 3 phases");
}
