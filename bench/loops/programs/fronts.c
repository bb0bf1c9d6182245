/* SPDX-License-Identifier: BSD-3-Clause */
/* The response of a structure at many frequencies: for each of them a sparse matrix is factorised, by fronts
 * on the tree of a nested dissection, and solved.
 *
 * usage: fronts [FREQUENCIES]
 *
 * The main loop are the frequencies. A front is eliminated when its two children are; what is left of it goes
 * to the rank that has its parent. Ranks take what is ready, and else wait for whatever comes. */
#include "programs.h"
#include <complex.h>

enum { LEVELS = 6, FRONTS = 1 << LEVELS, PIVOTS = 14, LARGEST = PIVOTS * LEVELS, LEFT = 100, DOWN = 200 };

typedef double complex Number;

/* The matrix of a front, and its right-hand side in the last column. Rows: its own unknowns, then those
 * of its parent, of the parent of this, and so on. */
static Number *fronts[FRONTS], *sent[FRONTS], solution[FRONTS][LARGEST];
static int missing[FRONTS], ready[FRONTS], readies;
static MPI_Request requests[FRONTS];
static int sends;

static int level(int f)
{
    int l = 0;
    while (f >>= 1)
        l++;
    return l;
}

static int order(int f)
{
    return PIVOTS * (level(f) + 1);
}

/* The four subtrees of level 2 are the ranks'. */
static int owner(int f)
{
    while (level(f) < 2)
        f *= 2;
    return (f >> (level(f) - 2)) % 4;
}

static void make_fronts(void)
{
    for (int f = 1; f < FRONTS; f++)
        if (owner(f) == rank) {
            int n = order(f);
            fronts[f] = malloc(sizeof(Number) * n * (n + 1));
            sent[f] = malloc(sizeof(Number) * n * (n + 1));
        }
}

static void assemble(int f, double w)
{
    int n = order(f);
    uint64_t seed = 40 + f;

    memset(fronts[f], 0, sizeof(Number) * n * (n + 1));
    for (int i = 0; i < PIVOTS; i++)
        for (int j = i; j < n; j++) {
            Number value = -draw(&seed) * (1 + 0.02 * I) / n;
            if (i == j)
                value = 3 + draw(&seed) + 0.1 * I - w * w * (0.5 + 0.1 * draw(&seed));
            fronts[f][i * (n + 1) + j] = fronts[f][j * (n + 1) + i] = value;
        }
    fronts[f][n] = f % 7 == 0;
    missing[f] = 2 * f < FRONTS ? 2 : 0;
    if (!missing[f])
        ready[readies++] = f;
}

/* Adds what is left of a child to its parent. */
static void extend(int parent, const Number *left)
{
    int n = order(parent);

    for (int i = 0; i < n * (n + 1); i++)
        fronts[parent][i] += left[i];
    if (--missing[parent] == 0)
        ready[readies++] = parent;
}

SEPARATE static void eliminate(int f)
{
    int n = order(f);
    Number *a = fronts[f];

    for (int k = 0; k < PIVOTS; k++)
        for (int i = k + 1; i < n; i++) {
            Number factor = a[i * (n + 1) + k] / a[k * (n + 1) + k];
            for (int j = k; j <= n; j++)
                a[i * (n + 1) + j] -= factor * a[k * (n + 1) + j];
        }
}

static void pass_on(int f)
{
    int n = order(f), left = n - PIVOTS;

    if (f == 1)
        return;
    for (int i = 0; i < left; i++)
        memcpy(sent[f] + i * (left + 1), fronts[f] + (i + PIVOTS) * (n + 1) + PIVOTS,
               sizeof(Number) * (left + 1));
    if (owner(f / 2) == rank)
        extend(f / 2, sent[f]);
    else
        MPI_Isend(sent[f], left * (left + 1), MPI_C_DOUBLE_COMPLEX, owner(f / 2), LEFT + f, MPI_COMM_WORLD,
                  &requests[sends++]);
}

SEPARATE static void receive(void)
{
    static Number left[LARGEST * (LARGEST + 1)];
    MPI_Status status;

    MPI_Recv(left, LARGEST * (LARGEST + 1), MPI_C_DOUBLE_COMPLEX, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
             &status);
    extend((status.MPI_TAG - LEFT) / 2, left);
}

SEPARATE static void factorise(double w)
{
    int open = 0;

    readies = sends = 0;
    for (int f = FRONTS - 1; f > 0; f--)
        if (owner(f) == rank) {
            assemble(f, w);
            open++;
        }
    while (open > 0)
        if (readies > 0) {
            int f = ready[--readies];
            eliminate(f);
            pass_on(f);
            open--;
        } else {
            receive();
        }
    MPI_Waitall(sends, requests, MPI_STATUSES_IGNORE);
}

/* The unknowns of a front from those of its parent. */
static void substitute(int f)
{
    int n = order(f);

    for (int i = PIVOTS - 1; i >= 0; i--) {
        Number sum = fronts[f][i * (n + 1) + n];
        for (int j = i + 1; j < n; j++)
            sum -= fronts[f][i * (n + 1) + j] * solution[f][j];
        solution[f][i] = sum / fronts[f][i * (n + 1) + i];
    }
}

static void hand_down(int f, int child)
{
    if (owner(child) == rank)
        memcpy(solution[child] + PIVOTS, solution[f], sizeof(Number) * order(f));
    else
        MPI_Send(solution[f], order(f), MPI_C_DOUBLE_COMPLEX, owner(child), DOWN + child, MPI_COMM_WORLD);
}

SEPARATE static double solve(void)
{
    double sum = 0;

    for (int f = 1; f < FRONTS; f++) {
        if (owner(f) != rank)
            continue;
        if (f > 1 && owner(f / 2) != rank)
            MPI_Recv(solution[f] + PIVOTS, order(f / 2), MPI_C_DOUBLE_COMPLEX, owner(f / 2), DOWN + f,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        substitute(f);
        for (int child = 2 * f; child <= 2 * f + 1 && child < FRONTS; child++)
            hand_down(f, child);
        for (int i = 0; i < PIVOTS; i++)
            sum += cabs(solution[f][i]);
    }
    return sum_of_all(sum, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    double most = 0;

    start(&argc, &argv);
    int frequencies = argument(argc, argv, 70);
    if (ranks != 4)
        MPI_Abort(MPI_COMM_WORLD, 3);
    make_fronts();
    for (int k = 0; k < frequencies; k++) {
        factorise(0.02 * k);
        most = fmax(most, solve());
    }
    if (rank == 0)
        printf("%d frequencies, at most %.6g\n", frequencies, most);
    return finish(frequencies, 0);
}
