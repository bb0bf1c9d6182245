/* Persistent requests, a cancelled receive, a request that is freed while it is active.
 *
 * 1000 steps: Startall of a receive and a send, Start of a synchronous send to the right and of
 * its receive, Irecv of a message that never comes, compute, Waitall, Wait of each of the
 * others, Cancel of the Irecv and its Wait; an Isend that is freed at once, and its Recv. True
 * iterations: ITERATIONS (1000).
 *
 * programs.sh: steps=500 second=full iterations=500 */
#include "program.h"

enum { RECV, SEND, SRECV, SSEND, KINDS };

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    int right = program_right(&p), left = program_left(&p), mine = 0, got[3], never, cancelled;
    int freed[2]; /* by turns: the next step's messages prove that the last one has been
                     received */
    MPI_Request requests[KINDS], other;
    MPI_Status status;

    MPI_Recv_init(&got[0], 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[RECV]);
    MPI_Send_init(&mine, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[SEND]);
    MPI_Recv_init(&got[1], 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[SRECV]);
    MPI_Ssend_init(&mine, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[SSEND]);
    for (int step = 0; step < p.iterations; step++) {
        mine = p.rank + step;
        MPI_Startall(2, requests);
        MPI_Start(&requests[SRECV]);
        MPI_Start(&requests[SSEND]);
        MPI_Irecv(&never, 1, MPI_INT, left, 99, MPI_COMM_WORLD, &other);
        program_compute(&p);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Wait(&requests[SRECV], &status);
        MPI_Wait(&requests[SSEND], MPI_STATUS_IGNORE);
        program_expect(&p, got[0] == left + step && got[1] == got[0], "persistent messages");
        program_expect(&p, status.MPI_SOURCE == left && status.MPI_TAG == 2, "status");

        MPI_Cancel(&other);
        MPI_Wait(&other, &status);
        MPI_Test_cancelled(&status, &cancelled);
        program_expect(&p, cancelled, "cancelled receive");

        freed[step % 2] = mine;
        MPI_Isend(&freed[step % 2], 1, MPI_INT, left, 3, MPI_COMM_WORLD, &other);
        MPI_Request_free(&other);
        MPI_Recv(&got[2], 1, MPI_INT, right, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        program_expect(&p, got[2] == right + step, "message of the freed request");
    }
    for (int kind = 0; kind < KINDS; kind++)
        MPI_Request_free(&requests[kind]);
    return program_end(&p, "steps");
}
