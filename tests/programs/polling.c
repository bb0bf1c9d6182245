/* Completion by polling: calls that find nothing, in numbers that differ from run to run.
 *
 * 1000 steps: Irecv from the left, compute (longer on some ranks than on others), Isend to the
 * right, Test until the receive is done, Testall until the send is done; then Isend to the
 * left, Iprobe until a message is there, Recv, Wait. True iterations: ITERATIONS (1000),
 * however many polls there were.
 *
 * programs.sh: steps=500 iterations=500 alike=no
 * (a loop in which the first poll finds the message has fewer events) */
#include "program.h"

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    int right = program_right(&p), left = program_left(&p), got, mine;
    MPI_Request receive, send;

    for (int step = 0; step < p.iterations; step++) {
        int done = 0;

        mine = p.rank + step;
        MPI_Irecv(&got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &receive);
        if (p.rank % 2 == step % 2)
            program_compute(&p);
        MPI_Isend(&mine, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &send);
        while (!done)
            MPI_Test(&receive, &done, MPI_STATUS_IGNORE);
        for (done = 0; !done;)
            MPI_Testall(1, &send, &done, MPI_STATUSES_IGNORE);
        program_expect(&p, got == left + step, "message tested for");

        MPI_Isend(&mine, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &send);
        for (done = 0; !done;)
            MPI_Iprobe(right, 2, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
        MPI_Recv(&got, 1, MPI_INT, right, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        program_expect(&p, got == right + step, "message probed for");
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
    return program_end(&p, "steps");
}
