/* Two phases, each a loop of a function that main calls by name.
 *
 * asked FIRST SECOND: so many iterations of each, of 2 ms. */
#include "program.h"

static void step(const struct program *p, int number)
{
    int left = (p->rank + p->size - 1) % p->size, right = (p->rank + 1) % p->size, got = -1;

    MPI_Sendrecv(&number, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    program_expect(p, got == number, "the neighbour is in another step");
    program_compute(p);
}

static __attribute__((noinline)) void first(const struct program *p, int count)
{
    for (int i = 0; i < count; i++) {
        step(p, i);
        program_sum(p);
    }
}

static __attribute__((noinline)) void second(const struct program *p, int count)
{
    for (int i = 0; i < count; i++) {
        program_sum(p);
        step(p, i);
    }
}

int main(int argc, char **argv)
{
    char *program[] = {argv[0], "1", "2000", NULL};
    struct program p = program_init(3, program, 1, 1000);

    first(&p, argc > 1 ? atoi(argv[1]) : 200);
    second(&p, argc > 2 ? atoi(argv[2]) : 800);
    return program_end(&p, "asked");
}
