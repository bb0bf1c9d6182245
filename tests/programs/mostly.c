/* A step that is one call mostly, in a function of its own; it meets the others in each 5th one, and in
 * each 4th one something is made of it. So the call comes right after itself in most steps, which is no
 * entry of the function that makes it.
 *
 * 1000 steps: Sendrecv around the ring; Barrier in each 5th; Allreduce in each 4th. True iterations:
 * ITERATIONS (1000); the machine code tells: Sendrecv comes once in each call of step.
 *
 * programs.sh: steps=500 iterations=500 */
#include "program.h"

__attribute__((noinline)) static void step(struct program *p, int number)
{
    program_compute(p);
    program_ring(p, number);
    if (number % 5 == 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

__attribute__((noinline)) static void analyse(struct program *p)
{
    for (int moment = 0; moment < 2; moment++)
        program_sum(p);
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);

    for (int number = 0; number < p.iterations; number++) {
        step(&p, number);
        if (number % 4 == 0)
            analyse(&p);
    }
    return program_end(&p, "steps");
}
