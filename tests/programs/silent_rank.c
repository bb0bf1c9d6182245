/* The last rank makes no MPI call while the others have their loop.
 *
 * Start: Comm_split. 1000 steps of the others: Sendrecv around them, compute, Allreduce of
 * them; the last rank only computes. End: Allreduce of the world. True iterations: ITERATIONS
 * (1000), none on the last rank. Needs two ranks.
 *
 * programs.sh: steps=500 window=maybe lacks=messages,iterations,collectives */
#include "program.h"

static void work(const struct program *p, MPI_Comm comm)
{
    int me, count, got, sum, mine;

    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &count);
    for (int step = 0; step < p->iterations; step++) {
        mine = step + me;
        got = sum = -1;
        MPI_Sendrecv(&mine, 1, MPI_INT, (me + 1) % count, 1, &got, 1, MPI_INT, (me + count - 1) % count, 1,
                     comm, MPI_STATUS_IGNORE);
        program_expect(p, got == step + (me + count - 1) % count, "message around the ring");
        program_compute(p);
        MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
        program_expect(p, sum == count * (count - 1) / 2, "sum over the ring");
    }
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    int is_silent = p.rank == p.size - 1;
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, is_silent, p.rank, &comm);
    if (is_silent)
        for (int step = 0; step < p.iterations; step++)
            program_compute(&p);
    else
        work(&p, comm);
    program_sum(&p);
    MPI_Comm_free(&comm);
    return program_end(&p, "steps");
}
