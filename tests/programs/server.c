/* Ring exchanges, in which one iteration takes several times as long on one rank, and a server that has none.
 *
 * server [ITERATIONS [MICROSECONDS [WHICH [RANK [TIMES]]]]]: as slow, but the last rank takes what the others
 * send, two messages of each in an iteration, and answers the second one; it waits for nobody else. True
 * iterations: ITERATIONS (2000) on all ranks but the last.
 *
 * programs.sh: steps=500 window=maybe lacks=iterations */
#include "program.h"

enum { RESULT = 1, ASK, ANSWER, DONE };

__attribute__((noinline)) static void serve(const struct program *p)
{
    int told, active = p->size - 1;
    MPI_Status status;

    while (active > 0) {
        MPI_Recv(&told, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == ASK)
            MPI_Send(&told, 1, MPI_INT, status.MPI_SOURCE, ANSWER, MPI_COMM_WORLD);
        active -= status.MPI_TAG == DONE;
    }
}

static void ask(const struct program *p, int step)
{
    int got = -1;

    MPI_Send(&step, 1, MPI_INT, p->size - 1, RESULT, MPI_COMM_WORLD);
    MPI_Sendrecv(&step, 1, MPI_INT, p->size - 1, ASK, &got, 1, MPI_INT, p->size - 1, ANSWER, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    program_expect(p, got == step, "the answer is of another step");
}

static void exchange(const struct program *p, MPI_Comm ring, int step)
{
    int count = p->size - 1, left = (p->rank + count - 1) % count, right = (p->rank + 1) % count, got = -1;
    int one = 1, all = 0;

    MPI_Sendrecv(&step, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, ring, MPI_STATUS_IGNORE);
    program_expect(p, got == step, "the neighbour is in another step");
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, ring);
    program_expect(p, all == count, "the sum is wrong");
}

__attribute__((noinline)) static void work(const struct program *p, MPI_Comm ring, int argc, char **argv)
{
    int which = argc > 3 ? atoi(argv[3]) : p->iterations * 2 / 3, done = 0;
    int rank = argc > 4 ? atoi(argv[4]) : 1, times = argc > 5 ? atoi(argv[5]) : 3;

    for (int step = 0; step < p->iterations; step++) {
        for (int i = 0; i < (step == which && p->rank == rank ? times : 1); i++)
            program_compute(p);
        ask(p, step);
        exchange(p, ring, step);
    }
    MPI_Send(&done, 1, MPI_INT, p->size - 1, DONE, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 2000, 500);
    int is_server = p.rank == p.size - 1;
    MPI_Comm ring;

    MPI_Comm_split(MPI_COMM_WORLD, is_server, p.rank, &ring);
    if (is_server)
        serve(&p);
    else
        work(&p, ring, argc, argv);
    MPI_Comm_free(&ring);
    return program_end(&p, "steps");
}
