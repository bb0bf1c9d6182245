/* Completion by polling where one of the polls never finds anything.
 *
 * 300 steps: rank 0 computes, the others wait for it in spins: Irecv from the left; then, until the
 * receive is complete, Iprobe for a message that nobody sends, and Test; Isend to the right; Wait.
 * True iterations: ITERATIONS (300), however many polls there were.
 *
 * programs.sh: steps=300 iterations=300 alike=no
 * (a spin in which the first poll finds the message has fewer events) */
#include "program.h"

enum { NEVER = 77 };

/* A place of its own: its only call finds nothing all the time. */
static void look_for_others(const struct program *p)
{
    int found;

    MPI_Iprobe(MPI_ANY_SOURCE, NEVER, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    program_expect(p, !found, "nothing was sent");
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 300, 2000);
    int got = -1;

    for (int step = 0; step < p.iterations; step++) {
        MPI_Request receive, send;
        int done = 0;

        MPI_Irecv(&got, 1, MPI_INT, program_left(&p), 1, MPI_COMM_WORLD, &receive);
        if (p.rank == 0) {
            program_compute(&p);
            MPI_Isend(&step, 1, MPI_INT, program_right(&p), 1, MPI_COMM_WORLD, &send);
        }
        while (!done) {
            look_for_others(&p);
            MPI_Test(&receive, &done, MPI_STATUS_IGNORE);
        }
        program_expect(&p, got == step, "message tested for");
        if (p.rank)
            MPI_Isend(&step, 1, MPI_INT, program_right(&p), 1, MPI_COMM_WORLD, &send);
        MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
    return program_end(&p, "steps");
}
