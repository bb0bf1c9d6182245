/* Messages are handled in the order in which they come, which differs from run to run.
 *
 * 1000 steps: an Irecv and an Isend for each other rank, compute, Waitany until all receives
 * are done (even steps) or Waitsome (odd ones), a Send of the answer as each comes, a Recv of
 * each answer, Waitall of the sends. True iterations: ITERATIONS (1000). No collective.
 *
 * programs.sh: steps=1000 second=full iterations=1000 */
#include "program.h"

enum { MOST = 64 }; /* ranks */

static void answer(const struct program *p, int source, int got, int step)
{
    program_expect(p, got == source + step, "message");
    MPI_Send(&got, 1, MPI_INT, source, 2, MPI_COMM_WORLD);
}

static void handle_all(const struct program *p, MPI_Request *requests, const int *got, int step)
{
    int others = p->size - 1, done = 0, index, count, indices[MOST];

    while (done < others) {
        if (step % 2 == 0) {
            MPI_Waitany(p->size, requests, &index, MPI_STATUS_IGNORE);
            answer(p, index, got[index], step);
            done++;
            continue;
        }
        MPI_Waitsome(p->size, requests, &count, indices, MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; i++)
            answer(p, indices[i], got[indices[i]], step);
        done += count;
    }
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    MPI_Request receives[MOST], sends[MOST];
    int got[MOST], mine, back;

    program_expect(&p, p.size <= MOST, "too many ranks");
    for (int step = 0; step < p.iterations; step++) {
        mine = p.rank + step;
        for (int r = 0; r < p.size; r++) {
            receives[r] = sends[r] = MPI_REQUEST_NULL;
            if (r == p.rank)
                continue;
            MPI_Irecv(&got[r], 1, MPI_INT, r, 1, MPI_COMM_WORLD, &receives[r]);
            MPI_Isend(&mine, 1, MPI_INT, r, 1, MPI_COMM_WORLD, &sends[r]);
        }
        program_compute(&p);
        handle_all(&p, receives, got, step);
        for (int r = 0; r < p.size - 1; r++) {
            MPI_Recv(&back, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            program_expect(&p, back == mine, "answer");
        }
        MPI_Waitall(p.size, sends, MPI_STATUSES_IGNORE);
    }
    return program_end(&p, "steps");
}
