/* Every collective operation: blocking, nonblocking, of neighbours, in place.
 *
 * 100 steps: the 17 blocking collectives and, after each, its nonblocking form and Wait; the 5
 * of neighbours in both forms on a periodic Cartesian line; 6 in place; compute. True
 * iterations: ITERATIONS (100). Needs at least 3 ranks.
 *
 * programs.sh: steps=200 second=full window=maybe */
#include "program.h"

enum { MOST = 64 }; /* ranks */

static struct program p;
static int n, last; /* number of ranks, the last one */
static int send[MOST], recv[MOST];
static int ones[MOST], numbers[MOST]; /* counts and displacements of the vector forms */
static int bytes[MOST];               /* displacements in bytes */
static MPI_Datatype types[MOST];
static MPI_Comm world, line;

static void prepare(void)
{
    for (int r = 0; r < n; r++) {
        send[r] = 100 * p.rank + r;
        recv[r] = -1;
    }
}

static void expect(const char *what, const int *buffer, int value)
{
    program_expect(&p, buffer[0] == value, what);
}

/* Element r of recv is element `mine` of what rank r sent. */
static void expect_all(const char *what, int mine)
{
    for (int r = 0; r < n; r++)
        expect(what, &recv[r], 100 * r + mine);
}

static void expect_neighbours(const char *what, int from_left, int from_right)
{
    expect(what, &recv[0], 100 * program_left(&p) + from_left);
    expect(what, &recv[1], 100 * program_right(&p) + from_right);
}

/* The sum of element `element` of the first `ranks` ranks. */
static int sum(int ranks, int element)
{
    return 50 * ranks * (ranks - 1) + ranks * element;
}

#define BOTH(blocking, nonblocking, check, ...)    \
    do {                                           \
        MPI_Request request_;                      \
        prepare();                                 \
        MPI_##blocking(__VA_ARGS__);               \
        check;                                     \
        prepare();                                 \
        MPI_##nonblocking(__VA_ARGS__, &request_); \
        MPI_Wait(&request_, MPI_STATUS_IGNORE);    \
        check;                                     \
    } while (0)

static void rooted(void)
{
    int root = p.rank == 0;

    BOTH(Bcast, Ibcast, expect("Bcast", send, 100 * last), send, 1, MPI_INT, last, world);
    BOTH(Gather, Igather, if (root) expect_all("Gather", 0), send, 1, MPI_INT, recv, 1, MPI_INT, 0, world);
    BOTH(Gatherv, Igatherv, if (root) expect_all("Gatherv", 0), send, 1, MPI_INT, recv, ones, numbers,
         MPI_INT, 0, world);
    BOTH(Scatter, Iscatter, expect("Scatter", recv, 100 * last + p.rank), send, 1, MPI_INT, recv, 1, MPI_INT,
         last, world);
    BOTH(Scatterv, Iscatterv, expect("Scatterv", recv, 100 * last + p.rank), send, ones, numbers, MPI_INT,
         recv, 1, MPI_INT, last, world);
    BOTH(Reduce, Ireduce, if (root) expect("Reduce", recv, sum(n, 0)), send, recv, 1, MPI_INT, MPI_SUM, 0,
         world);
}

static void all_to_all(void)
{
    BOTH(Barrier, Ibarrier, (void)0, world);
    BOTH(Allgather, Iallgather, expect_all("Allgather", 0), send, 1, MPI_INT, recv, 1, MPI_INT, world);
    BOTH(Allgatherv, Iallgatherv, expect_all("Allgatherv", 0), send, 1, MPI_INT, recv, ones, numbers, MPI_INT,
         world);
    BOTH(Alltoall, Ialltoall, expect_all("Alltoall", p.rank), send, 1, MPI_INT, recv, 1, MPI_INT, world);
    BOTH(Alltoallv, Ialltoallv, expect_all("Alltoallv", p.rank), send, ones, numbers, MPI_INT, recv, ones,
         numbers, MPI_INT, world);
    BOTH(Alltoallw, Ialltoallw, expect_all("Alltoallw", p.rank), send, ones, bytes, types, recv, ones, bytes,
         types, world);
    BOTH(Allreduce, Iallreduce, expect("Allreduce", recv, sum(n, 0)), send, recv, 1, MPI_INT, MPI_SUM, world);
    BOTH(Reduce_scatter, Ireduce_scatter, expect("Reduce_scatter", recv, sum(n, p.rank)), send, recv, ones,
         MPI_INT, MPI_SUM, world);
    BOTH(Reduce_scatter_block, Ireduce_scatter_block, expect("block", recv, sum(n, p.rank)), send, recv, 1,
         MPI_INT, MPI_SUM, world);
    BOTH(Scan, Iscan, expect("Scan", recv, sum(p.rank + 1, 0)), send, recv, 1, MPI_INT, MPI_SUM, world);
    BOTH(Exscan, Iexscan, if (p.rank > 0) expect("Exscan", recv, sum(p.rank, 0)), send, recv, 1, MPI_INT,
         MPI_SUM, world);
}

static void neighbours(void)
{
    MPI_Aint offsets[2] = {0, sizeof(int)};

    BOTH(Neighbor_allgather, Ineighbor_allgather, expect_neighbours("neighbours' allgather", 0, 0), send, 1,
         MPI_INT, recv, 1, MPI_INT, line);
    BOTH(Neighbor_allgatherv, Ineighbor_allgatherv, expect_neighbours("allgatherv", 0, 0), send, 1, MPI_INT,
         recv, ones, numbers, MPI_INT, line);
    BOTH(Neighbor_alltoall, Ineighbor_alltoall, expect_neighbours("neighbours' alltoall", 1, 0), send, 1,
         MPI_INT, recv, 1, MPI_INT, line);
    BOTH(Neighbor_alltoallv, Ineighbor_alltoallv, expect_neighbours("alltoallv", 1, 0), send, ones, numbers,
         MPI_INT, recv, ones, numbers, MPI_INT, line);
    BOTH(Neighbor_alltoallw, Ineighbor_alltoallw, expect_neighbours("alltoallw", 1, 0), send, ones, offsets,
         types, recv, ones, offsets, types, line);
}

static void in_place(void)
{
    int root = p.rank == 0;

    prepare();
    MPI_Allreduce(MPI_IN_PLACE, send, 1, MPI_INT, MPI_SUM, world);
    expect("Allreduce in place", send, sum(n, 0));
    prepare();
    MPI_Reduce(root ? MPI_IN_PLACE : send, send, 1, MPI_INT, MPI_SUM, 0, world);
    expect("Reduce in place", send, root ? sum(n, 0) : 100 * p.rank);
    prepare();
    recv[p.rank] = send[0];
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv, 1, MPI_INT, world);
    expect_all("Allgather in place", 0);
    prepare();
    recv[p.rank] = send[0];
    MPI_Gather(root ? MPI_IN_PLACE : send, 1, MPI_INT, recv, 1, MPI_INT, 0, world);
    if (root)
        expect_all("Gather in place", 0);
    prepare();
    MPI_Scatter(send, 1, MPI_INT, root ? MPI_IN_PLACE : recv, 1, MPI_INT, 0, world);
    expect("Scatter in place", root ? send : recv, p.rank);
    prepare();
    MPI_Scan(MPI_IN_PLACE, send, 1, MPI_INT, MPI_SUM, world);
    expect("Scan in place", send, sum(p.rank + 1, 0));
}

int main(int argc, char **argv)
{
    int periodic = 1;

    p = program_init(argc, argv, 100, 3000);
    n = p.size;
    last = n - 1;
    program_expect(&p, n >= 3 && n <= MOST, "number of ranks");
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n, &periodic, 0, &line);
    for (int r = 0; r < n; r++) {
        ones[r] = 1;
        numbers[r] = r;
        bytes[r] = r * (int)sizeof(int);
        types[r] = MPI_INT;
    }
    for (int step = 0; step < p.iterations; step++) {
        rooted();
        all_to_all();
        neighbours();
        in_place();
        program_compute(&p);
    }
    MPI_Comm_free(&line);
    MPI_Comm_free(&world);
    return program_end(&p, "steps");
}
