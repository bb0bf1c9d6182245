/* SPDX-License-Identifier: BSD-3-Clause */
/* Cholesky's factorisation of a sparse matrix of tiles, with look-ahead.
 *
 * usage: tiles [COLUMNS]
 *
 * The main loop are the columns of tiles, which go round the ranks: the owner updates and
 * factors the next column first and sends it, while all others still update theirs by the one
 * before. Which tiles are not zero is known before, so columns differ in size and in those
 * that need them. A rank that needs a column of none has nothing to receive. */
#include "programs.h"

enum { NB = 44, MOST_COLUMNS = 160, BAND = 26, BORDER = 6 };

struct column {
    int rows[MOST_COLUMNS], count;
    double (*tiles)[NB][NB];
};

static struct column columns[MOST_COLUMNS];
static int n, received;

static int owner(int k)
{
    return k % ranks;
}

/* A band, narrower in places, and a border that couples all. */
static int is_filled(int i, int k)
{
    return i - k <= BAND - 12 * (k / 16 % 2) || i >= n - BORDER;
}

static int place(const struct column *c, int row)
{
    for (int t = 0; t < c->count; t++)
        if (c->rows[t] == row)
            return t;
    return -1;
}

static void make_column(int k)
{
    struct column *c = &columns[k];

    for (int i = k; i < n; i++)
        if (is_filled(i, k))
            c->rows[c->count++] = i;
    c->tiles = calloc(c->count, sizeof *c->tiles);
    for (int t = 0; t < c->count && owner(k) == rank; t++)
        for (int i = 0; i < NB; i++)
            for (int j = 0; j < NB; j++)
                c->tiles[t][i][j] = c->rows[t] == k && i == j ? 300 : ((i * j + c->rows[t] + k) % 7) / 7.0;
    for (int i = 0; i < NB; i++) /* symmetric */
        for (int j = 0; j < i; j++)
            c->tiles[0][i][j] = c->tiles[0][j][i];
}

static void factor_tile(double a[NB][NB])
{
    for (int j = 0; j < NB; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < NB; i++)
                a[i][j] -= a[i][k] * a[j][k];
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < NB; i++)
            a[i][j] /= a[j][j];
    }
}

static void solve_tile(double l[NB][NB], double a[NB][NB])
{
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * l[j][k];
            a[i][j] /= l[j][j];
        }
}

static void update_tile(double a[NB][NB], double b[NB][NB], double c[NB][NB])
{
    for (int i = 0; i < NB; i++)
        for (int j = 0; j < NB; j++) {
            double sum = 0;
            for (int k = 0; k < NB; k++)
                sum += b[i][k] * c[j][k];
            a[i][j] -= sum;
        }
}

SEPARATE static void factor(int k)
{
    struct column *c = &columns[k];

    factor_tile(c->tiles[0]);
    for (int t = 1; t < c->count; t++)
        solve_tile(c->tiles[0], c->tiles[t]);
}

/* Column J by column K. */
SEPARATE static void update(int j, int k)
{
    struct column *to = &columns[j], *from = &columns[k];
    int first = place(from, j);

    for (int t = first; first >= 0 && t < from->count; t++) {
        int at = place(to, from->rows[t]);
        if (at >= 0)
            update_tile(to->tiles[at], from->tiles[t], from->tiles[first]);
    }
}

/* Whether rank R has a column that column K updates. */
static int needs(int r, int k)
{
    for (int t = 1; t < columns[k].count; t++)
        if (owner(columns[k].rows[t]) == r)
            return 1;
    return 0;
}

static void send_column(int k, MPI_Request *requests)
{
    for (int r = 0; r < ranks; r++)
        if (r != rank && needs(r, k))
            MPI_Isend(columns[k].tiles, columns[k].count * NB * NB, MPI_DOUBLE, r, k, MPI_COMM_WORLD,
                      &requests[r]);
}

SEPARATE static void begin_column(int k, MPI_Request *requests)
{
    for (int r = 0; r < ranks; r++)
        requests[r] = MPI_REQUEST_NULL;
    if (owner(k) == rank) {
        factor(k);
        send_column(k, requests);
    } else if (needs(rank, k)) {
        MPI_Irecv(columns[k].tiles, columns[k].count * NB * NB, MPI_DOUBLE, owner(k), k, MPI_COMM_WORLD,
                  &requests[rank]);
        received++;
    }
}

SEPARATE static void update_rest(int k)
{
    for (int j = k + 2; j < n; j++)
        if (owner(j) == rank)
            update(j, k);
}

SEPARATE static void factor_all(void)
{
    MPI_Request requests[2][MOST_RANKS];

    begin_column(0, requests[0]);
    for (int k = 0; k < n; k++) {
        MPI_Waitall(ranks, requests[k % 2], MPI_STATUSES_IGNORE);
        if (k + 1 < n) {
            if (owner(k + 1) == rank)
                update(k + 1, k);
            begin_column(k + 1, requests[(k + 1) % 2]);
        }
        update_rest(k);
    }
}

int main(int argc, char **argv)
{
    double mine = 0;

    start(&argc, &argv);
    n = argument(argc, argv, 160);
    if (n > MOST_COLUMNS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int k = 0; k < n; k++)
        make_column(k);
    MPI_Barrier(MPI_COMM_WORLD);
    factor_all();
    for (int k = rank; k < n; k += ranks)
        for (int i = 0; i < NB; i++)
            mine += 2 * log(columns[k].tiles[0][i][i]);
    double determinant = sum_of_all(mine, MPI_COMM_WORLD), all = sum_of_all(received, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d columns, sent %.0f times, determinant exp(%.4f)\n", n, all, determinant);
    return finish(n, 0);
}
