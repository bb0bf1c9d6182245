/* SPDX-License-Identifier: BSD-3-Clause */
/* Stochastic gradients for a network of two layers, summed by a ring that is written by hand.
 *
 * usage: ringsum [EPOCHS]
 *
 * The main loop are the batches: two halves whose gradients are added up, one sum for each
 * layer, and an update. A sum is a ring: each part goes round once to be added, and once more
 * to be known. An epoch is 50 batches, a shuffle that rank 0 draws, a test, and at times a
 * checkpoint. */
#include "programs.h"

enum { INPUTS = 64, HIDDEN = 96, BATCH = 32, BATCHES = 50, SAMPLES = BATCHES * 2 * BATCH };
enum { FIRST = INPUTS * HIDDEN, WEIGHTS = FIRST + HIDDEN, CHECKPOINT = 4 };

static double inputs[SAMPLES][INPUTS], targets[SAMPLES], hidden[BATCH][HIDDEN];
static double weights[WEIGHTS], gradient[WEIGHTS], velocity[WEIGHTS];
static int order[SAMPLES];

static double forward(int sample, double *h)
{
    double out = 0;

    for (int i = 0; i < HIDDEN; i++) {
        double sum = 0;
        for (int k = 0; k < INPUTS; k++)
            sum += weights[i * INPUTS + k] * inputs[sample][k];
        h[i] = tanh(sum);
        out += weights[FIRST + i] * h[i];
    }
    return out;
}

static void backward(int sample, const double *h, double error)
{
    for (int i = 0; i < HIDDEN; i++) {
        double slope = error * weights[FIRST + i] * (1 - h[i] * h[i]);
        gradient[FIRST + i] += error * h[i];
        for (int k = 0; k < INPUTS; k++)
            gradient[i * INPUTS + k] += slope * inputs[sample][k];
    }
}

/* BATCH samples. */
SEPARATE static double half_of_batch(const int *samples)
{
    double loss = 0;

    for (int b = 0; b < BATCH; b++) {
        double error = forward(samples[b], hidden[b]) - targets[samples[b]];
        loss += error * error;
        backward(samples[b], hidden[b], error / (2 * BATCH * ranks));
    }
    return loss;
}

static int begin_of(int part, int n)
{
    return (int)((long)n * ((part + ranks) % ranks) / ranks);
}

static int size_of(int part, int n)
{
    part = (part + ranks) % ranks;
    return (int)((long)n * (part + 1) / ranks - (long)n * part / ranks);
}

static int pass_on(double *a, int n, int out, double *in)
{
    int size = size_of(out - 1, n);

    MPI_Sendrecv(a + begin_of(out, n), size_of(out, n), MPI_DOUBLE, (rank + 1) % ranks, 7, in, size,
                 MPI_DOUBLE, (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return size;
}

SEPARATE static void scatter_and_add(double *a, int n)
{
    double in[WEIGHTS];

    for (int k = 0; k < ranks - 1; k++) {
        int size = pass_on(a, n, rank - k, in);
        for (int i = 0; i < size; i++)
            a[begin_of(rank - k - 1, n) + i] += in[i];
    }
}

SEPARATE static void gather(double *a, int n)
{
    for (int k = 0; k < ranks - 1; k++)
        pass_on(a, n, rank - k + 1, a + begin_of(rank - k, n));
}

SEPARATE static void ring_sum(double *a, int n)
{
    scatter_and_add(a, n);
    gather(a, n);
}

static void update(double rate)
{
    for (int i = 0; i < WEIGHTS; i++) {
        velocity[i] = 0.9 * velocity[i] - rate * gradient[i];
        weights[i] += velocity[i];
    }
}

SEPARATE static double train_batch(int batch, double rate)
{
    double loss = 0;

    memset(gradient, 0, sizeof gradient);
    for (int half = 0; half < 2; half++)
        loss += half_of_batch(order + (2 * batch + half) * BATCH);
    ring_sum(gradient + FIRST, HIDDEN);
    ring_sum(gradient, FIRST);
    update(rate);
    return loss;
}

SEPARATE static void shuffle(uint64_t *state)
{
    for (int i = SAMPLES - 1; rank == 0 && i > 0; i--) {
        int j = (int)((i + 1) * draw(state)), other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
    MPI_Bcast(order, SAMPLES, MPI_INT, 0, MPI_COMM_WORLD);
}

SEPARATE static double test(void)
{
    double sum = 0;

    for (int i = 0; i < SAMPLES; i += 8) {
        double error = forward(i, hidden[0]) - targets[i];
        sum += error * error * 8 / SAMPLES;
    }
    return sum_of_all(sum, MPI_COMM_WORLD) / ranks;
}

/* What all ranks have must be the same. */
SEPARATE static void checkpoint(void)
{
    double all[WEIGHTS];

    MPI_Reduce(weights, all, WEIGHTS, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0 && memcmp(all, weights, sizeof all))
        MPI_Abort(MPI_COMM_WORLD, 3);
}

static void prepare(void)
{
    uint64_t mine = 90 + rank, same = 9;

    for (int i = 0; i < SAMPLES; i++) {
        order[i] = i;
        for (int k = 0; k < INPUTS; k++)
            inputs[i][k] = draw(&mine) - 0.5;
        targets[i] = sin(3 * inputs[i][0]) + inputs[i][1] * inputs[i][2];
    }
    for (int i = 0; i < WEIGHTS; i++)
        weights[i] = 0.3 * (draw(&same) - 0.5);
}

int main(int argc, char **argv)
{
    double error = 0;
    int batches = 0;
    uint64_t state = 5;

    start(&argc, &argv);
    int epochs = argument(argc, argv, 16);
    prepare();
    for (int epoch = 1; epoch <= epochs; epoch++) {
        shuffle(&state);
        for (int i = 0; i < BATCHES; i++, batches++)
            train_batch(i, 0.05 / epoch);
        error = test();
        if (epoch % CHECKPOINT == 0)
            checkpoint();
    }
    if (rank == 0)
        printf("%d epochs, error %.5f\n", epochs, error);
    return finish(batches, epochs);
}
