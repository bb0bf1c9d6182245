/* Two loops, one after the other. Some iterations of the first one have many times the calls of all others,
 * as where a rank asks for a message until it is there; the second one makes few calls in a second.
 *
 * late FIRST LONG SECOND [SLOW [CALLS]]: FIRST iterations of 2 calls and 1 ms; from the middle on LONG of
 * them have four times the calls of the one before, and 50 more; if it is negative, on rank 0 only. Then
 * SECOND ones of 2 calls and 10 ms. The one after nine tenths of FIRST takes SLOW ms more, and makes CALLS
 * (default 50) meanwhile. Says how many ms the slowest one of FIRST took on any rank. */
#include "program.h"

static void step(const struct program *p, int number, int microseconds)
{
    program_ring(p, number);
    usleep((useconds_t)microseconds);
    program_sum(p);
}

__attribute__((noinline)) static void more(int calls, int milliseconds)
{
    int mine = 1, got = 0;

    for (int i = 0; i < calls; i++) {
        MPI_Sendrecv(&mine, 1, MPI_INT, 0, 2, &got, 1, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        usleep((useconds_t)(1000 * milliseconds / calls));
    }
}

/* Returns the ms of the slowest one. */
__attribute__((noinline)) static int first(const struct program *p, int count, int with_more, int slow,
                                           int calls)
{
    double slowest = 0, begun = MPI_Wtime();

    for (int i = 0, most = 2; i < count; i++) {
        step(p, i, 1000);
        if (i >= count / 2 && i < count / 2 + with_more)
            more(most = 4 * most + 50, 0);
        if (slow && i == count / 10 * 9)
            more(calls, slow);
        double now = MPI_Wtime();
        slowest = now - begun > slowest ? now - begun : slowest;
        begun = now;
    }
    return (int)(1000 * slowest);
}

__attribute__((noinline)) static void second(const struct program *p, int count)
{
    for (int i = 0; i < count; i++)
        step(p, i, 10000);
}

int main(int argc, char **argv)
{
    struct program p = program_init(1, argv, 0, 0);
    int number[] = {4000, 1, 300, 0, 50};

    for (int i = 1; i < argc && i <= 5; i++)
        number[i - 1] = atoi(argv[i]);
    if (number[1] < 0)
        number[1] = p.rank ? 0 : -number[1];
    int slowest = first(&p, number[0], number[1], number[3], number[4]), of_all = 0;
    second(&p, number[2]);
    MPI_Reduce(&slowest, &of_all, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    if (p.rank == 0)
        printf("slowest %d\n", of_all);
    return program_end(&p, "late");
}
