/* A pipeline: each rank runs ahead of the next one, 4 to 8 iterations, never less and never
 * more.
 *
 * Step k: Recv from the rank before (of what it sent in its step k + AHEAD), compute for a
 * random time, Issend to the rank behind by one of SLOTS requests, Wait of which comes first.
 * The first rank receives from, the last one sends to MPI_PROC_NULL. No collective. A tool that
 * makes the ranks wait for one another at a step stops this program for ever. True iterations:
 * ITERATIONS (1000), less AHEAD.
 *
 * Further arguments: SEED of the random times (1). */
#include "program.h"

enum { AHEAD = 4, SLOTS = 4 };

/* Up to twice the mean, and now and then as long as twenty steps. */
static void compute(const struct program *p, unsigned *state)
{
    unsigned mean = (unsigned)p->microseconds, chance = program_draw(state);
    unsigned time = mean ? program_draw(state) % (2 * mean) : 0;

    if (chance % 100 == 0)
        time += 20 * mean;
    if (time)
        usleep(time);
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    int before = p.rank ? p.rank - 1 : MPI_PROC_NULL;
    int behind = p.rank < p.size - 1 ? p.rank + 1 : MPI_PROC_NULL;
    int sent[SLOTS], got;
    MPI_Request requests[SLOTS];
    unsigned state = (argc > 3 ? (unsigned)atoi(argv[3]) : 1) * 7919u + (unsigned)p.rank;

    for (int slot = 0; slot < SLOTS; slot++)
        requests[slot] = MPI_REQUEST_NULL;
    for (int step = 0; step < p.iterations; step++) {
        if (step < p.iterations - AHEAD) {
            got = before == MPI_PROC_NULL ? step + AHEAD : -1;
            MPI_Recv(&got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            program_expect(&p, got == step + AHEAD, "message of the rank before");
        }
        compute(&p, &state);
        if (step >= AHEAD) {
            MPI_Wait(&requests[step % SLOTS], MPI_STATUS_IGNORE);
            sent[step % SLOTS] = step;
            MPI_Issend(&sent[step % SLOTS], 1, MPI_INT, behind, 1, MPI_COMM_WORLD,
                       &requests[step % SLOTS]);
        }
    }
    MPI_Waitall(SLOTS, requests, MPI_STATUSES_IGNORE);
    return program_end(&p, "steps");
}
