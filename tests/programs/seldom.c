/* One call a step, and nothing else: but for a sum in each 25th step. It is the same call again and again,
 * and the step is the iteration, not what comes between two sums.
 *
 * 1000 steps: Sendrecv around the ring; Allreduce in each 25th. True iterations: ITERATIONS (1000); the
 * machine code tells: Sendrecv is in no loop within that of the steps.
 *
 * programs.sh: steps=500 iterations=500 */
#include "program.h"

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);

    for (int step = 0; step < p.iterations; step++) {
        program_compute(&p);
        program_ring(&p, step);
        if (step % 25 == 0)
            program_sum(&p);
    }
    return program_end(&p, "steps");
}
