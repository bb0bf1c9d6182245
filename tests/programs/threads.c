/* MPI_THREAD_MULTIPLE: four threads on each rank, each with a communicator of its own.
 *
 * The main thread makes a copy of the world for each thread, then waits for them. Each thread
 * runs 300 steps: Isend and Irecv around the ring, compute, Waitall, Allreduce. True
 * iterations: ITERATIONS (300) on each thread; the main thread has no loop.
 *
 * programs.sh: steps=200 microseconds=5000 says=steps_on_each_of_4_threads
 * programs.sh: second=full window=maybe lacks=messages,collectives graph=yes */
#include "program.h"
#include <pthread.h>

enum { THREADS = 4 };

struct worker {
    const struct program *program;
    MPI_Comm comm;
    int number;
};

static void *run(void *argument)
{
    const struct worker *me = argument;
    const struct program *p = me->program;

    for (int step = 0; step < p->iterations; step++) {
        int mine = p->rank + me->number + step, got = -1, sum = 0;
        MPI_Request requests[2];

        MPI_Irecv(&got, 1, MPI_INT, program_left(p), 1, me->comm, &requests[0]);
        MPI_Isend(&mine, 1, MPI_INT, program_right(p), 1, me->comm, &requests[1]);
        program_compute(p);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        program_expect(p, got == program_left(p) + me->number + step, "message around the ring");
        MPI_Allreduce(&p->rank, &sum, 1, MPI_INT, MPI_SUM, me->comm);
        program_expect(p, sum == p->size * (p->size - 1) / 2, "sum over the ranks");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    struct program p;
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    p = program_arguments(argc, argv, 300, 1000);
    program_expect(&p, provided == MPI_THREAD_MULTIPLE, "no MPI_THREAD_MULTIPLE");
    for (int i = 0; i < THREADS; i++) {
        workers[i].program = &p;
        workers[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, run, &workers[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        MPI_Comm_free(&workers[i].comm);
    }
    return program_end(&p, "steps on each of 4 threads");
}
