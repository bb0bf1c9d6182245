/* Two coupled codes on two halves of the world, each with a loop of its own.
 *
 * The lower half, ITERATIONS (1000) steps: Sendrecv around the half, compute, Allreduce of the
 * half. The upper half, half as many steps of twice the time: Irecv, Isend, Waitall around the
 * half, compute, Bcast in the half. Each 20th step of the lower one and 10th of the upper one:
 * Sendrecv with the rank of the same number in the other half. True iterations: ITERATIONS and
 * ITERATIONS / 2.
 *
 * programs.sh: steps=500 window=maybe lacks=messages,iterations,collectives */
#include "program.h"

enum { COUPLED = 20 };

static MPI_Comm half;
static int me, count; /* in the half */

static void lower_step(const struct program *p, int step)
{
    int mine = step + me, got = -1, sum = 0;

    MPI_Sendrecv(&mine, 1, MPI_INT, (me + 1) % count, 1, &got, 1, MPI_INT, (me + count - 1) % count, 1, half,
                 MPI_STATUS_IGNORE);
    program_expect(p, got == step + (me + count - 1) % count, "message around the lower half");
    program_compute(p);
    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, half);
    program_expect(p, sum == count * (count - 1) / 2, "sum over the lower half");
}

static void upper_step(const struct program *p, int step)
{
    int mine = step + me, got = -1, told = me ? -1 : step;
    MPI_Request requests[2];

    MPI_Irecv(&got, 1, MPI_INT, (me + 1) % count, 2, half, &requests[0]);
    MPI_Isend(&mine, 1, MPI_INT, (me + count - 1) % count, 2, half, &requests[1]);
    program_compute(p);
    program_compute(p);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    program_expect(p, got == step + (me + 1) % count, "message around the upper half");
    MPI_Bcast(&told, 1, MPI_INT, 0, half);
    program_expect(p, told == step, "broadcast in the upper half");
}

/* OTHER: the world rank of the partner. */
static void couple(const struct program *p, int other, int step)
{
    int mine = step + p->rank, got = -1;

    MPI_Sendrecv(&mine, 1, MPI_INT, other, 3, &got, 1, MPI_INT, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    program_expect(p, got == step + other, "message of the other half");
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    int lower = p.size / 2, is_upper = p.rank >= lower;
    int other = is_upper ? p.rank - lower : p.rank + lower;
    int is_coupled = other < (is_upper ? lower : p.size);

    MPI_Comm_split(MPI_COMM_WORLD, is_upper, p.rank, &half);
    MPI_Comm_rank(half, &me);
    MPI_Comm_size(half, &count);
    for (int step = 0; step < p.iterations; step++) {
        if (!is_upper)
            lower_step(&p, step);
        else if (step % 2 == 0)
            upper_step(&p, step);
        if (is_coupled && step % COUPLED == COUPLED - 1)
            couple(&p, other, step);
    }
    MPI_Comm_free(&half);
    return program_end(&p, "steps");
}
