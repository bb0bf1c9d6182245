/* Time steps of a loop that calls one function, which calls one function: what a step does is further in.
 *
 * 500 steps: Sendrecv around the ring, compute, Allreduce of the world. True iterations: ITERATIONS (500), of
 * integrate. With a third argument, that many steps before.
 *
 * programs.sh: steps=500 iterations=500 */
#include "program.h"

#define APART __attribute__((noinline))
#define STAY __asm__ volatile("") /* what is called is not jumped to */

APART static void exchange(const struct program *p, int step)
{
    int mine = step + p->rank, got = -1;

    MPI_Sendrecv(&mine, 1, MPI_INT, (p->rank + 1) % p->size, 1, &got, 1, MPI_INT,
                 (p->rank + p->size - 1) % p->size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    program_expect(p, got == step + (p->rank + p->size - 1) % p->size, "message around the ring");
    STAY;
}

APART static void reduce(const struct program *p)
{
    int sum = 0;

    MPI_Allreduce(&p->rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    program_expect(p, sum == p->size * (p->size - 1) / 2, "sum over the ranks");
    STAY;
}

APART static void update(const struct program *p, int step)
{
    exchange(p, step);
    program_compute(p);
    reduce(p);
    STAY;
}

APART static void advance(const struct program *p, int step)
{
    update(p, step);
    STAY;
}

APART static void integrate(const struct program *p, int steps)
{
    for (int step = 0; step < steps; step++)
        advance(p, step);
    STAY;
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 500, 1000);

    if (argc > 3)
        integrate(&p, atoi(argv[3]));
    integrate(&p, p.iterations);
    return program_end(&p, "steps");
}
