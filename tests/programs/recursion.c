/* MPI calls at every depth of a recursion: one call site, many call paths.
 *
 * 300 steps: down a recursion of 1 to 12 levels (a different depth in each step, the same on
 * all ranks) with a Sendrecv before and an Allreduce after the descent on each level; then
 * compute. True iterations: ITERATIONS (300). Nodes: 24 with the call path, 2 with the call
 * site alone.
 *
 * programs.sh: steps=300 window=maybe */
#include "program.h"

enum { DEEPEST = 12 };

/* The sum of the levels; noinline and the work after the call keep one frame per level. */
__attribute__((noinline)) static int descend(const struct program *p, int depth)
{
    int sum = depth;

    program_ring(p, depth);
    if (depth > 1)
        sum += descend(p, depth - 1);
    program_sum(p);
    return sum;
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 300, 2000);

    for (int step = 0; step < p.iterations; step++) {
        int depth = 1 + step * 5 % DEEPEST;

        program_expect(&p, descend(&p, depth) == depth * (depth + 1) / 2, "sum of the levels");
        program_compute(&p);
    }
    return program_end(&p, "steps");
}
