/* SPDX-License-Identifier: BSD-3-Clause */
/* Snapshots of a simulation that are read again and decomposed: means, variances, and modes, which each
 * snapshot adds to.
 *
 * usage: snapshots [SNAPSHOTS]
 *
 * The main loop are the snapshots: one is read while the one before it is taken into the modes. Before,
 * all of them are made, in blocks of 20, and written with a few calls. */
#include "programs.h"
#include <unistd.h>

enum { CELLS = 6000, BLOCK = 20, MODES = 10, TOLD = 50 };

static float *block, buffers[2][CELLS];
static double modes[MODES][CELLS], mean[CELLS], square[CELLS], weights[MODES];
static MPI_File file;

static void open_file(void)
{
    char name[400] = "";
    const char *folder = getenv("TMPDIR");

    if (rank == 0)
        snprintf(name, sizeof name, "%s/snapshots.%ld", folder ? folder : "/tmp", (long)getpid());
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 3);
}

/* Blocks are of all ranks: the part of a rank is that of 20 snapshots. */
static MPI_Offset place_of(int snapshot)
{
    MPI_Offset blocks = (MPI_Offset)(snapshot / BLOCK) * ranks + rank;
    return (blocks * BLOCK + snapshot % BLOCK) * CELLS * sizeof(float);
}

static void make_block(int from)
{
    uint64_t seed = 31 * from + rank;

    for (int k = 0; k < BLOCK; k++)
        for (int c = 0; c < CELLS; c++) {
            double x = (c + rank * CELLS) * 1e-3, t = 0.1 * (from + k),
                   wave = sin(x - t) + 0.5 * sin(2 * x + 0.7 * t);
            block[k * CELLS + c] = wave + 0.05 * (draw(&seed) - 0.5);
        }
    MPI_File_write_at_all(file, place_of(from), block, BLOCK * CELLS, MPI_FLOAT, MPI_STATUS_IGNORE);
}

static void make_snapshots(int snapshots)
{
    block = malloc(sizeof(float) * BLOCK * CELLS);
    for (int from = 0; from < snapshots; from += BLOCK)
        make_block(from);
    free(block);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void take_moments(const float *now, int k)
{
    for (int c = 0; c < CELLS; c++) {
        double off = now[c] - mean[c];
        mean[c] += off / (k + 1);
        square[c] += off * (now[c] - mean[c]);
    }
}

static void normalise(double *mode)
{
    double sum = 0;

    for (int c = 0; c < CELLS; c++)
        sum += mode[c] * mode[c];
    sum = sqrt(sum_of_all(sum, MPI_COMM_WORLD));
    for (int c = 0; c < CELLS; c++)
        mode[c] /= sum + 1e-30;
}

/* The generalised Hebbian rule: each mode learns from what those before it leave. */
SEPARATE static void learn(const float *now, int k)
{
    static double rest[CELLS];
    double parts[MODES + 1] = {0}, rate = 1.0 / (k + 20); /* the last part is the whole */

    for (int c = 0; c < CELLS; c++) {
        rest[c] = now[c] - mean[c];
        parts[MODES] += rest[c] * rest[c];
    }
    for (int m = 0; m < MODES; m++)
        for (int c = 0; c < CELLS; c++)
            parts[m] += modes[m][c] * rest[c];
    MPI_Allreduce(MPI_IN_PLACE, parts, MODES + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int m = 0; m < MODES; m++) {
        for (int c = 0; c < CELLS; c++) {
            rest[c] -= parts[m] * modes[m][c];
            modes[m][c] += 20 * rate * parts[m] / (parts[MODES] + 1e-30) * rest[c];
        }
        weights[m] += rate * (parts[m] * parts[m] - weights[m]);
    }
}

static void orthogonalise(void)
{
    for (int m = 0; m < MODES; m++) {
        double parts[MODES] = {0};
        for (int o = 0; o < m; o++)
            for (int c = 0; c < CELLS; c++)
                parts[o] += modes[o][c] * modes[m][c];
        MPI_Allreduce(MPI_IN_PLACE, parts, MODES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int o = 0; o < m; o++)
            for (int c = 0; c < CELLS; c++)
                modes[m][c] -= parts[o] * modes[o][c];
        normalise(modes[m]);
    }
}

static void tell(int k)
{
    double variance = 0;

    for (int c = 0; c < CELLS; c++)
        variance += square[c] / (k + 1) / CELLS / ranks;
    variance = sum_of_all(variance, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d: variance %.5f, weight of the first %.4e\n", k + 1, variance, weights[0]);
}

int main(int argc, char **argv)
{
    MPI_Request request;

    start(&argc, &argv);
    int snapshots = argument(argc, argv, 400);
    uint64_t seed = 77 + rank;
    open_file();
    make_snapshots(snapshots);
    for (int k = 0; k < MODES * CELLS; k++)
        modes[k / CELLS][k % CELLS] = draw(&seed) - 0.5;
    orthogonalise();
    MPI_File_iread_at(file, place_of(0), buffers[0], CELLS, MPI_FLOAT, &request);
    for (int k = 0; k < snapshots; k++) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (k + 1 < snapshots)
            MPI_File_iread_at(file, place_of(k + 1), buffers[(k + 1) % 2], CELLS, MPI_FLOAT, &request);
        take_moments(buffers[k % 2], k);
        learn(buffers[k % 2], k);
        if (k % 10 == 9)
            orthogonalise();
        if (k % TOLD == TOLD - 1)
            tell(k);
    }
    MPI_File_close(&file);
    return finish(snapshots, 0);
}
