/* SPDX-License-Identifier: BSD-3-Clause */
/* A task farm: rank 0 hands out tasks of different length, the others work and come back.
 *
 * usage: farm [TASKS]
 *
 * The main loop are the tasks: those handed out on the master, on a worker its own, and how
 * many that are is different in each run. */
#include "programs.h"

enum { RESULT = 1, TASK, STOP, CELLS = 2000 };

struct task {
    int number, length;
};

static double cells[CELLS];

SEPARATE static double work(const struct task *t)
{
    double sum = 0;

    for (int i = 0; i < CELLS; i++)
        cells[i] = (i * (t->number + 1)) % 97 / 97.0;
    for (int round = 0; round < t->length; round++)
        for (int i = 1; i < CELLS - 1; i++)
            cells[i] = (cells[i - 1] + cells[i] + cells[i + 1]) / 3;
    for (int i = 0; i < CELLS; i++)
        sum += cells[i];
    return sum;
}

static struct task next_task(int number)
{
    uint64_t state = 77 * number + 5;
    draw(&state);
    return (struct task){number, 60 + (int)(500 * draw(&state) * draw(&state))};
}

static void give(int worker, int number)
{
    struct task t = next_task(number);
    MPI_Send(&t, 2, MPI_INT, worker, TASK, MPI_COMM_WORLD);
}

static int master(int tasks, double *results)
{
    int given = 0, done = 0;

    for (int worker = 1; worker < ranks && given < tasks; worker++)
        give(worker, given++);
    while (done < tasks) {
        double result[2];
        MPI_Status status;
        MPI_Recv(result, 2, MPI_DOUBLE, MPI_ANY_SOURCE, RESULT, MPI_COMM_WORLD, &status);
        results[(int)result[0]] = result[1];
        done++;
        if (given < tasks)
            give(status.MPI_SOURCE, given++);
    }
    for (int worker = 1; worker < ranks; worker++)
        MPI_Send(NULL, 0, MPI_INT, worker, STOP, MPI_COMM_WORLD);
    return done;
}

static int worker(void)
{
    int done = 0;

    for (;; done++) {
        struct task t = {0, 0};
        MPI_Status status;
        MPI_Recv(&t, 2, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == STOP)
            return done;
        double result[2] = {t.number, work(&t)};
        MPI_Send(result, 2, MPI_DOUBLE, 0, RESULT, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    int tasks = argument(argc, argv, 1500);
    double *results = calloc(tasks, sizeof(double)), sum = 0;
    MPI_Bcast(&tasks, 1, MPI_INT, 0, MPI_COMM_WORLD);
    int done = rank ? worker() : master(tasks, results);
    for (int i = 0; i < tasks; i++)
        sum += results[i];
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d tasks, sum %.6f\n", tasks, sum);
    return finish(done, 0);
}
