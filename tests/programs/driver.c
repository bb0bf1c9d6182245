/* A driver runs the solver three times.
 *
 * 3 times: Bcast of the input, then 1000 steps (Sendrecv, compute, Allreduce), then Gather of
 * the result. True iterations: the steps, 3 x ITERATIONS (3000); the outermost loop has only 3.
 *
 * programs.sh: steps=500 says=steps_in_each_of_3_runs iterations=1500 */
#include "program.h"

enum { RUNS = 3 };

static void solve(const struct program *p)
{
    for (int step = 0; step < p->iterations; step++) {
        program_ring(p, step);
        program_compute(p);
        program_sum(p);
    }
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 300);
    int *results = calloc((size_t)p.size, sizeof(int));

    for (int run = 0; run < RUNS; run++) {
        int input = p.rank == 0 ? run : -1;

        MPI_Bcast(&input, 1, MPI_INT, 0, MPI_COMM_WORLD);
        program_expect(&p, input == run, "input of the run");
        solve(&p);
        MPI_Gather(&input, 1, MPI_INT, results, 1, MPI_INT, 0, MPI_COMM_WORLD);
        program_expect(&p, p.rank != 0 || results[p.size - 1] == run, "result of the run");
    }
    free(results);
    return program_end(&p, "steps in each of 3 runs");
}
