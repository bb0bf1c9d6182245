/* Communicators that are freed while something is still to happen on them.
 *
 * 300 steps: a message to the right that is under way while its communicator is freed, one by
 * persistent requests that are started only then, one that was found by a probe, and
 * one from nobody; compute. True iterations: ITERATIONS (300).
 *
 * programs.sh: steps=300 iterations=300 lacks=messages full_lacks=messages */
#include "program.h"

static void check(const struct program *p, int got, int number)
{
    program_expect(p, got == number + program_left(p), "message");
}

static void under_way(const struct program *p, int number)
{
    int mine = number + p->rank, got = -1;
    MPI_Request requests[2];
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Irecv(&got, 1, MPI_INT, program_left(p), 1, comm, &requests[0]);
    MPI_Issend(&mine, 1, MPI_INT, program_right(p), 1, comm, &requests[1]);
    MPI_Comm_free(&comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(p, got, number);
}

static void not_started(const struct program *p, int number)
{
    int mine = number + p->rank, got = -1;
    MPI_Request requests[2];
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Recv_init(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm, &requests[0]);
    MPI_Send_init(&mine, 1, MPI_INT, program_right(p), 2, comm, &requests[1]);
    MPI_Comm_free(&comm);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    check(p, got, number);
}

static void found(const struct program *p, int number)
{
    int mine = number + p->rank, got = -1;
    MPI_Request request;
    MPI_Message message;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Isend(&mine, 1, MPI_INT, program_right(p), 3, comm, &request);
    MPI_Mprobe(MPI_ANY_SOURCE, 3, comm, &message, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(p, got, number);
}

static void from_nobody(const struct program *p)
{
    int got = 0;
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;

    MPI_Mprobe(MPI_PROC_NULL, 4, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(&got, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
    program_expect(p, status.MPI_SOURCE == MPI_PROC_NULL, "nobody");
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 300, 1000);

    for (int i = 0; i < p.iterations; i++) {
        under_way(&p, i);
        not_started(&p, i);
        found(&p, i);
        from_nobody(&p);
        program_compute(&p);
    }
    return program_end(&p, "steps");
}
