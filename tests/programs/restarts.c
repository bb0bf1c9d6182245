/* Starts of an iteration that goes on until it has converged, as in a clustering; loops in one function, of
 * which the inner one calls one function only.
 *
 * 10 starts: Bcast, then about ITERATIONS (500) / 10 iterations, more in later starts: Sendrecv around the
 * ring, compute, Allreduce of the world. Each 5th iteration calls back twice: Allreduce. True iterations:
 * ITERATIONS, in 10 starts; in the iterations no loop.
 *
 * programs.sh: steps=500 iterations=500 graph=yes */
#include "program.h"

enum { STARTS = 10, CALLS_BACK = 5 };

static void iterate(const struct program *p, int number)
{
    int mine = number + p->rank, got = -1, sum = 0;

    MPI_Sendrecv(&mine, 1, MPI_INT, (p->rank + 1) % p->size, 1, &got, 1, MPI_INT,
                 (p->rank + p->size - 1) % p->size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    program_expect(p, got == number + (p->rank + p->size - 1) % p->size, "message around the ring");
    program_compute(p);
    MPI_Allreduce(&p->rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    program_expect(p, sum == p->size * (p->size - 1) / 2, "sum over the ranks");
}

static void report(const struct program *p, int number)
{
    int most = -1;

    if (number % CALLS_BACK)
        return;
    MPI_Allreduce(&number, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    program_expect(p, most == number, "number of the iteration");
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 500, 1000);
    void (*volatile callbacks[])(const struct program *, int) = {report, report};
    int done = 0;

    for (int start = 0; start < STARTS; start++) {
        int told = p.rank ? -1 : start;
        MPI_Bcast(&told, 1, MPI_INT, 0, MPI_COMM_WORLD);
        program_expect(&p, told == start, "broadcast");
        for (int k = 0; k < p.iterations / STARTS + 2 * start - STARTS + 1; k++) {
            iterate(&p, done);
            for (int i = 0; i < 2; i++)
                callbacks[i](&p, done);
            done++;
        }
    }
    program_expect(&p, done == p.iterations, "number of iterations");
    return program_end(&p, "steps");
}
