/* Rank 0 hands out tasks, the others work: the ranks have different graphs.
 *
 * Rank 0, for each task: Recv of a result from any rank, Send of the next task to it. A worker:
 * Recv of a task, compute, Send of the result. True iterations: ITERATIONS (3000) tasks and one
 * first request per worker on rank 0; a share of them on each worker, different in each run.
 *
 * programs.sh: steps=1500 says=tasks window=maybe lacks=messages,iterations,collectives */
#include "program.h"

enum { STOP = -1 };

static void hand_out(const struct program *p)
{
    int active = p->size - 1, next = 0, result, task;
    long sum = 0, tasks = p->iterations;
    MPI_Status status;

    while (active > 0) {
        MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        sum += result;
        task = next < p->iterations ? next++ : STOP;
        active -= task == STOP;
        MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
    }
    program_expect(p, sum == tasks * (tasks - 1), "sum of the results");
}

static void work(const struct program *p)
{
    int result = 0, task;

    for (;;) {
        MPI_Send(&result, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&task, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (task == STOP)
            return;
        program_compute(p);
        result = 2 * task;
    }
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 3000, 1000);

    if (p.rank == 0)
        hand_out(&p);
    else
        work(&p);
    return program_end(&p, "tasks");
}
