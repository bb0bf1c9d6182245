/* The calls of the last rank come in no order; those of the others are regular.
 *
 * 1000 steps of the others: Sendrecv around them, compute, Send to the last rank. It receives
 * all that in bursts: 1 to 16 messages of a random rank, by Recv, by Irecv and Wait, by Probe
 * and Recv, or by Mprobe and Mrecv, and is asleep for a random time. True iterations:
 * ITERATIONS (1000), none on the last rank. Needs two ranks.
 *
 * programs.sh: steps=500 window=maybe lacks=messages,iterations,collectives */
#include "program.h"

static unsigned state = 12345;

static int draw(int most)
{
    state = state * 1103515245u + 12345u;
    return (int)(state >> 16 & 0x7fff) % most;
}

static int receive(int source, int way)
{
    int got = -1;
    MPI_Request request;
    MPI_Message message;

    switch (way) {
    case 0:
        MPI_Irecv(&got, 1, MPI_INT, source, 2, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Probe(source, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&got, 1, MPI_INT, source, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Mprobe(source, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Recv(&got, 1, MPI_INT, source, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return got;
}

static void collect(const struct program *p)
{
    int left = (p->size - 1) * p->iterations;
    int *next = calloc((size_t)p->size, sizeof(*next));

    while (left > 0) {
        int source = draw(p->size - 1), way = draw(4);

        for (int burst = 1 + draw(16); burst > 0 && next[source] < p->iterations; burst--) {
            program_expect(p, receive(source, way) == next[source], "message in its turn");
            next[source]++;
            left--;
        }
        if (p->microseconds > 0 && draw(4) == 0)
            usleep((useconds_t)draw(8 * p->microseconds));
    }
    free(next);
}

static void work(const struct program *p)
{
    int others = p->size - 1, got;

    for (int step = 0; step < p->iterations; step++) {
        got = -1;
        MPI_Sendrecv(&step, 1, MPI_INT, (p->rank + 1) % others, 1, &got, 1, MPI_INT,
                     (p->rank + others - 1) % others, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        program_expect(p, got == step, "message around the ring");
        program_compute(p);
        MPI_Send(&step, 1, MPI_INT, others, 2, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);

    if (p.rank == p.size - 1)
        collect(&p);
    else
        work(&p);
    return program_end(&p, "steps");
}
