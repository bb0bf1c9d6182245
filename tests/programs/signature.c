/* One call site, of which the signature makes one node or many.
 *
 * In each step, exchange() is called from a loop with different sizes, partners and
 * communicators in different user regions, and once from another line. What is told
 * apart by what is in tests/signature.sh. True iterations: ITERATIONS (1000).
 *
 * signature ITERATIONS MICROSECONDS REGIONS also makes a call in each of so many regions.
 *
 * programs.sh: steps=500 */
#include "program.h"

static MPI_Comm pair;
static char sent[4000], got[4000];

__attribute__((noinline)) static void exchange(MPI_Comm comm, int distance, int bytes)
{
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Sendrecv(sent, bytes, MPI_BYTE, (rank + distance) % size, 1, got, bytes, MPI_BYTE,
                 (rank + size - distance) % size, 1, comm, MPI_STATUS_IGNORE);
}

static void step(void)
{
    const struct {
        int level;
        const char *region; /* NULL: none, which is none of ours */
        int in_pair, distance, bytes;
    } plan[] = {
        {0, NULL, 0, 1, 100}, /* none */
        {1, "assembly", 0, 1, 100},  {0, NULL, 0, 1, 120},  {1, NULL, 0, 2, 1000}, {0, NULL, 1, 1, 100},
        {1, "solve", 0, 1, 100},     {0, NULL, 1, 1, 1000}, {-1, NULL, 0, 1, 100}, /* solve */
        {-1, "no such", 0, 1, 100},                                                /* solve */
        {-1, "solve", 0, 1, 100},                                                  /* assembly */
        {1, "solve", 0, 1, 100},                                                   /* solve */
        {-1, "assembly", 0, 1, 100},                                               /* none: solve was in it */
    };

    for (size_t i = 0; i < sizeof plan / sizeof *plan; i++) {
        if (plan[i].level)
            MPI_Pcontrol(plan[i].level, plan[i].region);
        exchange(plan[i].in_pair ? pair : MPI_COMM_WORLD, plan[i].distance, plan[i].bytes);
    }
    exchange(MPI_COMM_WORLD, 1, 100);
}

/* Partners that are no rank. */
static void odd_partners(const struct program *p)
{
    MPI_Send(sent, 1, MPI_BYTE, MPI_PROC_NULL, 2, MPI_COMM_WORLD);
    MPI_Send(sent, 1, MPI_BYTE, program_right(p), 2, MPI_COMM_WORLD);
    MPI_Recv(got, 1, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The same bytes as other elements, in one call, and in one whose own datatype means nothing. */
static void elements(void)
{
    MPI_Datatype block;

    MPI_Type_contiguous(5, MPI_DOUBLE, &block);
    MPI_Type_commit(&block);
    const struct {
        int count;
        MPI_Datatype type;
    } plan[] = {{5, MPI_DOUBLE}, {10, MPI_INT}, {10, MPI_DOUBLE}, {1, block}};
    for (size_t i = 0; i < sizeof plan / sizeof *plan; i++)
        MPI_Alltoall(sent, plan[i].count, plan[i].type, got, plan[i].count, plan[i].type, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, 10, MPI_INT, MPI_COMM_WORLD);
    MPI_Type_free(&block);
}

/* One call, for three buffers. */
static void buffers(void)
{
    char *const plan[] = {sent, got, sent, sent + 8};
    char all[8];

    for (size_t i = 0; i < sizeof plan / sizeof *plan; i++)
        MPI_Allreduce(plan[i], all, 8, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    int regions = argc > 3 ? atoi(argv[3]) : 0;
    char name[32];

    MPI_Comm_split(MPI_COMM_WORLD, p.rank / 2, 0, &pair);
    for (int i = 0; i < p.iterations; i++) {
        step();
        program_compute(&p);
    }
    odd_partners(&p);
    elements();
    buffers();
    for (int i = 0; i < regions; i++) {
        snprintf(name, sizeof name, "region number %d", i);
        MPI_Pcontrol(1, name);
        MPI_Barrier(MPI_COMM_SELF);
        MPI_Pcontrol(-1, name);
    }
    MPI_Comm_free(&pair);
    return program_end(&p, "steps");
}
