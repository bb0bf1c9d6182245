/* Ring exchanges in which one iteration takes several times as long on one rank.
 *
 * slow [ITERATIONS [MICROSECONDS [WHICH [RANK [TIMES]]]]]: in iteration WHICH, from 0 (default: two thirds
 * of the run), RANK (1) computes TIMES (3) as long as in the others. Each has 2 Irecv, 2 Isend and Waitall
 * with both neighbours, computes, and has an Allreduce. True iterations: ITERATIONS (2000); the pivot is any
 * call.
 *
 * programs.sh: steps=500 iterations=500 graph=yes */
#include "program.h"

static void exchange(const struct program *p, int step)
{
    int left = (p->rank + p->size - 1) % p->size, right = (p->rank + 1) % p->size;
    int sent = step, got[2] = {-1, -1};
    MPI_Request requests[4];

    MPI_Irecv(&got[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&sent, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&sent, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    program_expect(p, got[0] == step && got[1] == step, "the neighbours are in another step");
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 2000, 500);
    int which = argc > 3 ? atoi(argv[3]) : p.iterations * 2 / 3;
    int rank = (argc > 4 ? atoi(argv[4]) : 1) % p.size, times = argc > 5 ? atoi(argv[5]) : 3;

    for (int step = 0; step < p.iterations; step++) {
        int one = 1, all = 0;
        exchange(&p, step);
        for (int i = 0; i < (step == which && p.rank == rank ? times : 1); i++)
            program_compute(&p);
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        program_expect(&p, all == p.size, "the sum is wrong");
    }
    return program_end(&p, "steps");
}
