/* Phases one after the other, each a loop of a function of its own.
 *
 * phases MICROSECONDS PHASE:ITERATIONS...: phase 0 to 19, all called at one place; of 20 and 21 both loops
 * are in main; 22 and 23 are phases 0 and 1, each called at a place of its own; 24, in relax, and 25, in
 * main, call one function that is a whole step. An iteration sends to the next rank, computes for
 * MICROSECONDS, and has a collective. */
#include <unistd.h>

#include "program.h"

static void step(const struct program *p, int number)
{
    int left = (p->rank + p->size - 1) % p->size, right = (p->rank + 1) % p->size, got = -1;

    MPI_Sendrecv(&number, 1, MPI_INT, right, 1, &got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    program_expect(p, got == number, "the neighbour is in another step");
    program_compute(p);
}

/* clang-format off */
#define PHASE(n)                                                                    \
    static __attribute__((noinline)) void phase_##n(const struct program *p, int count) \
    {                                                                               \
        for (int i = 0; i < count; i++) {                                           \
            step(p, i);                                                             \
            program_sum(p);                                                         \
        }                                                                           \
    }
PHASE(0) PHASE(1) PHASE(2) PHASE(3) PHASE(4) PHASE(5) PHASE(6) PHASE(7) PHASE(8) PHASE(9)
PHASE(10) PHASE(11) PHASE(12) PHASE(13) PHASE(14) PHASE(15) PHASE(16) PHASE(17) PHASE(18) PHASE(19)

static void (*const phases[])(const struct program *p, int count) = {
    phase_0, phase_1, phase_2, phase_3, phase_4, phase_5, phase_6, phase_7, phase_8, phase_9,
    phase_10, phase_11, phase_12, phase_13, phase_14, phase_15, phase_16, phase_17, phase_18, phase_19};
/* clang-format on */

static __attribute__((noinline)) void whole_step(const struct program *p, int number)
{
    step(p, number);
    program_sum(p);
}

static __attribute__((noinline)) void relax(const struct program *p, int count)
{
    for (int i = 0; i < count; i++)
        whole_step(p, i);
}

int main(int argc, char **argv)
{
    char *program[] = {argv[0], "1", argc > 1 ? argv[1] : "1000", NULL};
    struct program p = program_init(3, program, 1, 1000);

    for (int i = 2; i < argc; i++) {
        int number = 0, count = 0;
        sscanf(argv[i], "%d:%d", &number, &count);
        if (number < 20)
            phases[number](&p, count);
        if (number == 22)
            phase_0(&p, count);
        if (number == 23)
            phase_1(&p, count);
        if (number == 24)
            relax(&p, count);
        for (int k = 0; number == 25 && k < count; k++)
            whole_step(&p, k);
        for (int k = 0; number == 20 && k < count; k++) {
            step(&p, k);
            program_sum(&p);
        }
        for (int k = 0; number == 21 && k < count; k++) {
            program_sum(&p);
            step(&p, k);
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    return program_end(&p, "phases");
}
