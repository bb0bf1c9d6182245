/* Messages to oneself and to nobody.
 *
 * 1000 steps: Sendrecv with oneself on the world, Sendrecv_replace on MPI_COMM_SELF, Isend and
 * Recv on a copy of MPI_COMM_SELF, Send and Recv with MPI_PROC_NULL, Allreduce on
 * MPI_COMM_SELF; compute. No rank ever waits for another one. True iterations: ITERATIONS
 * (1000).
 *
 * programs.sh: steps=500 iterations=500 */
#include "program.h"

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    MPI_Comm self;
    MPI_Request request;
    MPI_Status status;

    MPI_Comm_dup(MPI_COMM_SELF, &self);
    for (int step = 0; step < p.iterations; step++) {
        int got = -1, replaced = step, sum = -1;

        MPI_Sendrecv(&step, 1, MPI_INT, p.rank, 1, &got, 1, MPI_INT, p.rank, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        program_expect(&p, got == step, "Sendrecv with oneself");
        MPI_Sendrecv_replace(&replaced, 1, MPI_INT, 0, 2, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        program_expect(&p, replaced == step, "Sendrecv_replace with oneself");

        MPI_Isend(&replaced, 1, MPI_INT, 0, 3, self, &request);
        MPI_Recv(&got, 1, MPI_INT, 0, 3, self, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        program_expect(&p, got == step, "Recv from oneself");

        MPI_Send(&step, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD);
        MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 4, MPI_COMM_WORLD, &status);
        program_expect(&p, got == step && status.MPI_SOURCE == MPI_PROC_NULL, "Recv from nobody");

        MPI_Allreduce(&step, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        program_expect(&p, sum == step, "sum over oneself");
        program_compute(&p);
    }
    MPI_Comm_free(&self);
    return program_end(&p, "steps");
}
