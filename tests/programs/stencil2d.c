/* Heat on a periodic plane: the plain regular program.
 *
 * Start-up: Bcast, Cart_create. Then 1000 steps: 4 Irecv, 4 Isend, Waitall, compute, Allreduce
 * of the change. With a third argument the messages are those of MPI_COMM_WORLD, where ranks are
 * the same but have no coordinates. True iterations: ITERATIONS (1000); the pivot is any call of the step.
 *
 * programs.sh: steps=500 second=full iterations=500 graph=yes */
#include "program.h"
#include <math.h>
#include <string.h>

enum { N = 16, WIDTH = N + 2 }; /* a block with its halo */

static double field[WIDTH][WIDTH], next[WIDTH][WIDTH];
static MPI_Datatype column;

static void exchange(MPI_Comm cart, MPI_Comm comm)
{
    MPI_Request requests[8];
    int up, down, left, right;

    MPI_Cart_shift(cart, 0, 1, &up, &down);
    MPI_Cart_shift(cart, 1, 1, &left, &right);
    MPI_Irecv(&field[0][1], N, MPI_DOUBLE, up, 0, comm, &requests[0]);
    MPI_Irecv(&field[N + 1][1], N, MPI_DOUBLE, down, 1, comm, &requests[1]);
    MPI_Irecv(&field[1][0], 1, column, left, 2, comm, &requests[2]);
    MPI_Irecv(&field[1][N + 1], 1, column, right, 3, comm, &requests[3]);
    MPI_Isend(&field[N][1], N, MPI_DOUBLE, down, 0, comm, &requests[4]);
    MPI_Isend(&field[1][1], N, MPI_DOUBLE, up, 1, comm, &requests[5]);
    MPI_Isend(&field[1][N], 1, column, right, 2, comm, &requests[6]);
    MPI_Isend(&field[1][1], 1, column, left, 3, comm, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

/* Returns the sum of the changes; *heat is the sum of the new field. */
static double relax(double *heat)
{
    double change = 0;

    *heat = 0;
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
            next[i][j] = 0.25 * (field[i - 1][j] + field[i + 1][j] + field[i][j - 1] + field[i][j + 1]);
            change += fabs(next[i][j] - field[i][j]);
            *heat += next[i][j];
        }
    memcpy(field, next, sizeof(field));
    return change;
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 1000, 1000);
    int dims[2] = {0, 0}, periods[2] = {1, 1};
    double hot = 100, sums[2], totals[2] = {0, 0};
    MPI_Comm cart;

    MPI_Dims_create(p.size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    MPI_Type_vector(N, 1, WIDTH, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Bcast(&hot, 1, MPI_DOUBLE, 0, cart);
    field[1 + p.rank % N][1 + p.rank / N % N] = hot;
    for (int step = 0; step < p.iterations; step++) {
        exchange(cart, argc > 3 ? MPI_COMM_WORLD : cart);
        sums[0] = relax(&sums[1]);
        program_compute(&p);
        MPI_Allreduce(sums, totals, 2, MPI_DOUBLE, MPI_SUM, cart);
        program_expect(&p, fabs(totals[1] - hot * p.size) < 1e-6, "heat is not conserved");
    }
    MPI_Type_free(&column);
    MPI_Comm_free(&cart);
    return program_end(&p, "steps");
}
