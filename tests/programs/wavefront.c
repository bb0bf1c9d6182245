/* A pipeline: each rank runs ahead of the next one, 4 to 8 iterations, never less and never
 * more.
 *
 * Step k: Recv from the rank before (of what it sent in its step k + AHEAD), compute for a
 * random time, Issend to the rank behind by one of SLOTS requests, Wait of which comes first.
 * The first rank receives from, the last one sends to MPI_PROC_NULL. No collective. A tool that
 * makes the ranks wait for one another at a step stops this program for ever. True iterations:
 * ITERATIONS (1000), less AHEAD.
 *
 * Further arguments: SEED of the random times (1), and one of
 *
 *     sized       the message of step k has k + 1 numbers
 *     crossing    the last rank gets a message from the one before it at the end, that was sent
 *                 at the beginning
 *
 * programs.sh: steps=500 iterations=500 matched=0.3 */
#include "program.h"

#include <string.h>

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
    int(*sent)[p.iterations + AHEAD] = calloc(SLOTS, sizeof *sent);
    int *got = calloc((size_t)p.iterations + AHEAD, sizeof *got);
    int is_sized = argc > 4 && strcmp(argv[4], "sized") == 0;
    int is_crossing = argc > 4 && strcmp(argv[4], "crossing") == 0;
    MPI_Request requests[SLOTS];
    unsigned state = (argc > 3 ? (unsigned)atoi(argv[3]) : 1) * 7919u + (unsigned)p.rank;

    for (int slot = 0; slot < SLOTS; slot++)
        requests[slot] = MPI_REQUEST_NULL;
    if (is_crossing && behind == p.size - 1)
        MPI_Send(got, 1, MPI_INT, behind, 2, MPI_COMM_WORLD);
    for (int step = 0; step < p.iterations; step++) {
        if (step < p.iterations - AHEAD) {
            *got = before == MPI_PROC_NULL ? step + AHEAD : -1;
            MPI_Recv(got, is_sized ? step + AHEAD + 1 : 1, MPI_INT, before, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            program_expect(&p, *got == step + AHEAD, "message of the rank before");
        }
        compute(&p, &state);
        if (step >= AHEAD) {
            MPI_Wait(&requests[step % SLOTS], MPI_STATUS_IGNORE);
            sent[step % SLOTS][0] = step;
            MPI_Issend(sent[step % SLOTS], is_sized ? step + 1 : 1, MPI_INT, behind, 1, MPI_COMM_WORLD,
                       &requests[step % SLOTS]);
        }
    }
    MPI_Waitall(SLOTS, requests, MPI_STATUSES_IGNORE);
    if (is_crossing && behind == MPI_PROC_NULL)
        MPI_Recv(got, 1, MPI_INT, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(sent);
    free(got);
    return program_end(&p, "steps");
}
