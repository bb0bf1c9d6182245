/* What the test programs share: arguments, a step's worth of computing, a message around the
 * ring, and a verdict.
 *
 * Each program is called as NAME [ITERATIONS [MICROSECONDS]]; an iteration computes for so many
 * microseconds (asleep, so that four ranks share two cores without disturbing each other). Rank
 * 0 ends with the line "ok NAME: ..."; wrong data ends the job with exit code 1.
 *
 * With PROGRAM_DELAYS=SEED in the environment the ranks are late at random: each for itself,
 * once in some fifty computations, by up to fifty times their length. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct program {
    int rank, size;
    int iterations;
    int microseconds;
    const char *name;
};

/* For programs that call MPI_Init themselves; the two numbers are the defaults. */
static inline struct program program_arguments(int argc, char **argv, int iterations,
                                               int microseconds)
{
    struct program p;

    p.iterations = argc > 1 ? atoi(argv[1]) : iterations;
    p.microseconds = argc > 2 ? atoi(argv[2]) : microseconds;
    p.name = argv[0];
    for (const char *c = argv[0]; *c; c++)
        if (*c == '/')
            p.name = c + 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.size);
    return p;
}

static inline struct program program_init(int argc, char **argv, int iterations,
                                          int microseconds)
{
    MPI_Init(&argc, &argv);
    return program_arguments(argc, argv, iterations, microseconds);
}

static inline unsigned program_draw(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16 & 0x7fff;
}

/* How many times as long this computation takes. */
static inline int program_delay(const struct program *p)
{
    static unsigned state;
    const char *seed = getenv("PROGRAM_DELAYS");

    if (!seed)
        return 1;
    if (!state)
        state = 1 + (unsigned)atoi(seed) * 7919u + (unsigned)p->rank * 104729u;
    return program_draw(&state) % 50 ? 1 : 1 + (int)(program_draw(&state) % 50);
}

static inline void program_compute(const struct program *p)
{
    if (p->microseconds > 0)
        usleep((useconds_t)(p->microseconds * program_delay(p)));
}

static inline void program_expect(const struct program *p, int fine, const char *what)
{
    if (fine)
        return;
    fprintf(stderr, "FAIL %s: rank %d: %s\n", p->name, p->rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static inline int program_right(const struct program *p)
{
    return (p->rank + 1) % p->size;
}

static inline int program_left(const struct program *p)
{
    return (p->rank + p->size - 1) % p->size;
}

/* Passes a number on to the right and checks the one from the left: one call of MPI_Sendrecv.
 */
static inline void program_ring(const struct program *p, int number)
{
    int mine = number + p->rank, got = -1;

    MPI_Sendrecv(&mine, 1, MPI_INT, program_right(p), 1, &got, 1, MPI_INT, program_left(p), 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    program_expect(p, got == number + program_left(p), "message around the ring");
}

/* One call of MPI_Allreduce, on the world. */
static inline void program_sum(const struct program *p)
{
    int sum = 0;

    MPI_Allreduce(&p->rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    program_expect(p, sum == p->size * (p->size - 1) / 2, "sum over the ranks");
}

/* Returns what main returns. */
static inline int program_end(const struct program *p, const char *what)
{
    if (p->rank == 0)
        printf("ok %s: %d %s\n", p->name, p->iterations, what);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}

#endif
