/* Calls that are like the one before from the same place, but for one argument.
 *
 * Each step, all from one place each: a message around the ring in three sizes, with two tags, to
 * MPI_PROC_NULL and to the right; three of a datatype that is made for each, of another size (MPI gives it
 * the handle of the one that was freed); one on a communicator that is made for it, in which the ranks are
 * in another order in each step; one by MPI_Send or MPI_Ssend; Bcast from each root; Allreduce in place and
 * not; compute. True iterations: ITERATIONS (1000).
 *
 * programs.sh: steps=100 iterations=100 */
#include "program.h"

enum { MOST = 64, MOST_ITEMS = 4 };

static int out[MOST_ITEMS * MOST], in[MOST_ITEMS * MOST];

/* There is room for more than is sent. */
static void exchange(MPI_Comm comm, int right, int left, int count, MPI_Datatype type, int tag)
{
    MPI_Sendrecv(out, count, type, right, tag, in, MOST_ITEMS, type, left, tag, comm, MPI_STATUS_IGNORE);
}

static void in_turn(const struct program *p, int step)
{
    int left = program_left(p), right = program_right(p);

    for (int i = 0; i < 6; i++)
        exchange(MPI_COMM_WORLD, right, left, 1 << i % 3, i < 3 ? MPI_INT : MPI_DOUBLE, step % 2);
    for (int i = 0; i < 2; i++)
        exchange(MPI_COMM_WORLD, i ? right : MPI_PROC_NULL, i ? left : MPI_PROC_NULL, 1, MPI_INT, 2);
}

static void with_types(const struct program *p, int step)
{
    MPI_Datatype type;

    for (int i = 0; i < 3; i++) {
        MPI_Type_contiguous(1 + (step + 7 * i) % MOST, MPI_INT, &type);
        MPI_Type_commit(&type);
        exchange(MPI_COMM_WORLD, program_right(p), program_left(p), 1, type, 3);
        MPI_Type_free(&type);
    }
}

static void on_a_communicator(const struct program *p, int step)
{
    MPI_Comm comm;
    int rank;

    MPI_Comm_split(MPI_COMM_WORLD, 0, (p->rank + step) % p->size * (step % 2 ? 1 : -1), &comm);
    MPI_Comm_rank(comm, &rank);
    exchange(comm, (rank + 1) % p->size, (rank + p->size - 1) % p->size, 1, MPI_INT, 4);
    MPI_Comm_free(&comm);
}

static void by_either_function(const struct program *p)
{
    static int (*const send[])(const void *, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send, MPI_Ssend};
    MPI_Request request;

    for (int i = 0; i < 4; i++) {
        MPI_Irecv(in, 1 + i, MPI_INT, program_left(p), 5, MPI_COMM_WORLD, &request);
        send[i % 2](out, 1 + i, MPI_INT, program_right(p), 5, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void together(const struct program *p)
{
    for (int root = 0; root < p->size; root++)
        MPI_Bcast(in, 1, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        MPI_Allreduce(i ? MPI_IN_PLACE : out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);

    for (int step = 0; step < p.iterations; step++) {
        in_turn(&p, step);
        with_types(&p, step);
        on_a_communicator(&p, step);
        by_either_function(&p);
        together(&p);
        program_compute(&p);
    }
    return program_end(&p, "steps");
}
