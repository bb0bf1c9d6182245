/* Every way to look for a message before it is received, from any source.
 *
 * 500 steps, a message to the right in each of five ways: Probe and Recv, Iprobe until it is
 * there and Recv, Mprobe and Mrecv, Improbe until it is there and Imrecv and Wait, and Recv
 * with any tag; a probe of MPI_PROC_NULL; compute. The length of the messages varies. True
 * iterations: ITERATIONS (500), in spite of Iprobe and Improbe that found nothing.
 *
 * programs.sh: steps=500 iterations=500 window=maybe */
#include "program.h"

enum { MOST = 32 };

static int got[MOST];

static void check(const struct program *p, int tag, const MPI_Status *status, int received)
{
    int length;

    MPI_Get_count(status, MPI_INT, &length);
    program_expect(p, status->MPI_SOURCE == program_left(p) && status->MPI_TAG == tag, "status");
    if (received)
        program_expect(p, got[0] == length && got[length - 1] == length, "message");
}

static void receive(const struct program *p, int tag)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    int found = 0;

    switch (tag) {
    case 1:
        MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        check(p, tag, &status, 0);
        MPI_Recv(got, MOST, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD, &status);
        break;
    case 2:
        while (!found)
            MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &status);
        check(p, tag, &status, 0);
        MPI_Recv(got, MOST, MPI_INT, status.MPI_SOURCE, tag, MPI_COMM_WORLD, &status);
        break;
    case 3:
        MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, &status);
        check(p, tag, &status, 0);
        MPI_Mrecv(got, MOST, MPI_INT, &message, &status);
        break;
    case 4:
        while (!found)
            MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &found, &message, &status);
        check(p, tag, &status, 0);
        MPI_Imrecv(got, MOST, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
        break;
    default:
        MPI_Recv(got, MOST, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    }
    check(p, tag, &status, 1);
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 500, 1000);
    int mine[MOST], found;
    MPI_Status status;
    MPI_Request send;

    for (int step = 0; step < p.iterations; step++) {
        int length = 1 + step % MOST;

        for (int i = 0; i < length; i++)
            mine[i] = length;
        for (int tag = 1; tag <= 5; tag++) {
            MPI_Isend(mine, length, MPI_INT, program_right(&p), tag, MPI_COMM_WORLD, &send);
            receive(&p, tag);
            MPI_Wait(&send, MPI_STATUS_IGNORE);
        }
        MPI_Iprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &found, &status);
        program_expect(&p, found && status.MPI_SOURCE == MPI_PROC_NULL, "probe of nobody");
        program_compute(&p);
    }
    return program_end(&p, "steps");
}
