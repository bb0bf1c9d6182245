/*
 * Fifteen programs, one after the other, each with a delay that is known: in each iteration a rank comes LATE
 * us later than the others, and they wait for it. Each rank prints what it has measured itself, without a
 * word to the others: the moments at which it left the barrier before, and came to the call in question, in
 * ns.
 *
 * usage: delays [ITERATIONS [LATE]]
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define LARGE (1 << 20) /* bytes: no library sends so many before the receive is posted */

#define MOST 100 /* iterations */

static int rank, size, iteration, late_us = 15000;
static uint64_t left[MOST], came[MOST];
static char data[LARGE], more[LARGE];
static MPI_Win win;
static MPI_Group partner; /* ranks 0 and 1: the other one */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void come(void)
{
    came[iteration] = now();
}

static __attribute__((noinline)) void compute(int us)
{
    for (uint64_t end = now() + 1000 * (uint64_t)us; now() < end;)
        ;
}

static void late(int who)
{
    if (rank == who)
        usleep((useconds_t)late_us);
    else
        compute(50);
}

/* --- one iteration of each --- */

static void late_sender(void)
{
    late(1);
    come();
    if (rank == 1)
        MPI_Send(data, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(data, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 waits for 1, which waits for 2. */
static void chain(void)
{
    late(2);
    come();
    if (rank < 2)
        MPI_Recv(data, 8, MPI_BYTE, rank + 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1 || rank == 2)
        MPI_Send(data, 8, MPI_BYTE, rank - 1, 1, MPI_COMM_WORLD);
}

static void late_receiver(void)
{
    late(1);
    come();
    if (rank == 0)
        MPI_Send(data, LARGE, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(data, LARGE, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void all(void)
{
    late(1);
    come();
    MPI_Allreduce(&rank, more, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void barrier(void)
{
    late(1);
    come();
    MPI_Barrier(MPI_COMM_WORLD);
}

static void broadcast(void)
{
    late(1);
    come();
    MPI_Bcast(data, 8, MPI_BYTE, 1, MPI_COMM_WORLD);
}

static void reduce(void)
{
    late(1);
    come();
    MPI_Reduce(&rank, more, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

/* The receive is posted early, the wait comes before the send. */
static void nonblocking(void)
{
    MPI_Request request;
    if (rank == 0)
        MPI_Irecv(data, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    late(1);
    come();
    if (rank == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(data, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
}

static void fence(void)
{
    late(1);
    come();
    MPI_Win_fence(0, win);
}

/* A function of its own: what is waited here was not put in. */
static __attribute__((noinline)) void wait_for_complete(void)
{
    MPI_Win_wait(win);
}

/* Rank 0 uses what rank 1 has of the window. */
static void late_post(void)
{
    late(1);
    come();
    if (rank == 0) {
        MPI_Win_start(partner, 0, win);
        MPI_Win_complete(win);
    }
    if (rank == 1) {
        MPI_Win_post(partner, 0, win);
        wait_for_complete();
    }
}

/* Rank 1 uses what rank 0 has. */
static void late_complete(void)
{
    if (rank == 0)
        MPI_Win_post(partner, 0, win);
    if (rank == 1)
        MPI_Win_start(partner, 0, win); /* may itself wait, for a rank 0 that has no processor */
    left[iteration] = now();
    late(1);
    come();
    if (rank == 1)
        MPI_Win_complete(win);
    if (rank == 0)
        MPI_Win_wait(win);
}

/* Rank 1 has the lock before the others go on. */
static __attribute__((noinline)) void hold(void)
{
    if (rank == 1)
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    left[iteration] = now();
}

static void lock(void)
{
    hold();
    late(1);
    come();
    if (rank == 0)
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    if (rank < 2)
        MPI_Win_unlock(0, win);
}

/* Another rank is late each time. */
static void rotating(void)
{
    late(iteration % size);
    come();
    MPI_Allreduce(&rank, more, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Rank 1 writes to a disk. */
static void writing(void)
{
    FILE *file = rank == 1 ? tmpfile() : NULL;
    for (uint64_t end = now() + 1000 * (uint64_t)late_us; file && now() < end;) {
        rewind(file);
        fwrite(data, 1, 4096, file);
        fflush(file);
        fdatasync(fileno(file));
    }
    if (file)
        fclose(file);
    come();
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 1 computes for longer, as on a core that is too slow. */
static void computing(void)
{
    compute(rank == 1 ? late_us : 50);
    come();
    MPI_Allreduce(&rank, more, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {
    {"late_sender", late_sender},
    {"chain", chain},
    {"late_receiver", late_receiver},
    {"all", all},
    {"barrier", barrier},
    {"broadcast", broadcast},
    {"reduce", reduce},
    {"fence", fence},
    {"late_post", late_post},
    {"late_complete", late_complete},
    {"lock", lock},
    {"nonblocking", nonblocking},
    {"rotating", rotating},
    {"writing", writing},
    {"computing", computing},
};

static void run(int program, int iterations)
{
    for (iteration = 0; iteration < iterations; iteration++) {
        MPI_Barrier(MPI_COMM_WORLD);
        left[iteration] = now();
        programs[program].run();
    }
    printf("%s %d", programs[program].name, rank);
    for (int i = 0; i < iterations; i++)
        printf(" %llu %llu", (unsigned long long)left[i], (unsigned long long)came[i]);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int iterations = argc > 1 ? atoi(argv[1]) : 12;
    late_us = argc > 2 ? atoi(argv[2]) : late_us;
    if (iterations < 1 || iterations > MOST)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, (int[]){rank == 0}, &partner);
    MPI_Win_create(data, sizeof data, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (size > 2 || programs[i].run != chain)
            run((int)i, iterations);
    MPI_Win_free(&win);
    MPI_Group_free(&partner);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
