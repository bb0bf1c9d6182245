/* SPDX-License-Identifier: BSD-3-Clause */
/* Training of a small network: gradients are summed while those before them are computed.
 *
 * usage: training [EPOCHS]
 *
 * The main loop are the batches. An epoch is 60 of them, and then a validation, in which there
 * is only the way forward; in the end of it the rate of learning is told to all. */
#include "programs.h"

enum { LAYERS = 4, WIDTH = 40, BATCH = 64, BATCHES = 60, CHECKS = 8 };

static double weights[LAYERS][WIDTH][WIDTH], gradient[LAYERS][WIDTH][WIDTH];
static double values[LAYERS + 1][BATCH][WIDTH], errors[LAYERS + 1][BATCH][WIDTH];

static void load(uint64_t *state)
{
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < WIDTH; i++)
            values[0][b][i] = draw(state) - 0.5;
}

SEPARATE static void forward(int l)
{
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < WIDTH; i++) {
            double sum = 0;
            for (int j = 0; j < WIDTH; j++)
                sum += weights[l][i][j] * values[l][b][j];
            values[l + 1][b][i] = tanh(sum);
        }
}

SEPARATE static void backward(int l)
{
    memset(gradient[l], 0, sizeof gradient[l]);
    memset(errors[l], 0, sizeof errors[l]);
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < WIDTH; i++) {
            double slope = 1 - values[l + 1][b][i] * values[l + 1][b][i];
            double e = errors[l + 1][b][i] * slope / BATCH;
            for (int j = 0; j < WIDTH; j++) {
                gradient[l][i][j] += e * values[l][b][j];
                errors[l][b][j] += e * weights[l][i][j];
            }
        }
}

/* What is to be learned: the sum of two inputs. */
static double loss(void)
{
    double sum = 0;

    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < WIDTH; i++) {
            double e = values[LAYERS][b][i] - 0.5 * (values[0][b][i] + values[0][b][(i + 1) % WIDTH]);
            errors[LAYERS][b][i] = BATCH * e;
            sum += e * e / (BATCH * WIDTH);
        }
    return sum;
}

static double run_forward(uint64_t *state)
{
    load(state);
    for (int l = 0; l < LAYERS; l++)
        forward(l);
    return loss();
}

static void update(int l, double rate)
{
    for (int i = 0; i < WIDTH; i++)
        for (int j = 0; j < WIDTH; j++)
            weights[l][i][j] -= rate / ranks * gradient[l][i][j];
}

SEPARATE static double train_batch(uint64_t *state, double rate)
{
    MPI_Request requests[LAYERS];
    double now = run_forward(state);

    for (int l = LAYERS - 1; l >= 0; l--) {
        backward(l);
        MPI_Iallreduce(MPI_IN_PLACE, gradient[l], WIDTH * WIDTH, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                       &requests[l]);
    }
    MPI_Waitall(LAYERS, requests, MPI_STATUSES_IGNORE);
    for (int l = 0; l < LAYERS; l++)
        update(l, rate);
    return now;
}

SEPARATE static double validate(void)
{
    uint64_t state = 5000 + rank;
    double sum = 0;

    for (int i = 0; i < CHECKS; i++)
        sum += sum_of_all(run_forward(&state), MPI_COMM_WORLD);
    return sum / CHECKS / ranks;
}

int main(int argc, char **argv)
{
    double rate = 0.3, before = INFINITY, now = 0;
    int batches = 0;

    start(&argc, &argv);
    uint64_t state = 60 + rank, same = 1;
    int epochs = argument(argc, argv, 14);
    for (double *w = weights[0][0]; w < weights[0][0] + LAYERS * WIDTH * WIDTH; w++)
        *w = 0.4 * (draw(&same) - 0.5);
    MPI_Bcast(weights, LAYERS * WIDTH * WIDTH, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int epoch = 0; epoch < epochs; epoch++) {
        for (int i = 0; i < BATCHES; i++, batches++)
            train_batch(&state, rate);
        now = validate();
        rate = now > 0.999 * before ? rate / 2 : rate;
        before = now;
        MPI_Bcast(&rate, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d epochs, loss %.5f\n", epochs, now);
    return finish(batches, epochs);
}
