/* One-sided communication, each way of synchronising in turn.
 *
 * 200 steps: Put between fences; Put to the right with Post, Start, Complete, Wait; Put, Get,
 * Accumulate, Get_accumulate with Lock, Flush, Unlock; Rput, Rget, Fetch_and_op,
 * Compare_and_swap with Lock_all, Flush_local_all, Unlock_all; compute, Barrier.
 * True iterations: ITERATIONS (200).
 *
 * programs.sh: steps=200 window=maybe graph=yes */
#include "program.h"

enum { FENCE, PSCW, PUT, SUM, RPUT, COUNTER, SWAP, SLOTS };

static int *memory;
static MPI_Win window;

static void fence(const struct program *p, int number)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Put(&number, 1, MPI_INT, program_right(p), FENCE, 1, MPI_INT, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    program_expect(p, memory[FENCE] == number, "Put between fences");
}

static void post_start(const struct program *p, MPI_Group left, MPI_Group right, int number)
{
    MPI_Win_post(left, 0, window);
    MPI_Win_start(right, 0, window);
    MPI_Put(&number, 1, MPI_INT, program_right(p), PSCW, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    program_expect(p, memory[PSCW] == number, "Put between Start and Complete");
}

static void lock(const struct program *p, int number)
{
    int right = program_right(p), one = 1, put, before;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
    MPI_Put(&number, 1, MPI_INT, right, PUT, 1, MPI_INT, window);
    MPI_Win_flush(right, window);
    MPI_Get(&put, 1, MPI_INT, right, PUT, 1, MPI_INT, window);
    MPI_Accumulate(&one, 1, MPI_INT, right, SUM, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush_local(right, window);
    MPI_Get_accumulate(&one, 1, MPI_INT, &before, 1, MPI_INT, right, SUM, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(right, window);
    program_expect(p, put == number && before == 2 * number + 1, "Get and Get_accumulate");
}

static void lock_all(const struct program *p, int number)
{
    int right = program_right(p), one = 1, put = -1, counted, swapped, after = number + 1;
    MPI_Request request;

    MPI_Win_lock_all(0, window);
    MPI_Rput(&number, 1, MPI_INT, right, RPUT, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(window);
    MPI_Rget(&put, 1, MPI_INT, right, RPUT, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Fetch_and_op(&one, &counted, MPI_INT, 0, COUNTER, MPI_SUM, window);
    MPI_Compare_and_swap(&after, &number, &swapped, MPI_INT, right, SWAP, window);
    MPI_Win_flush_local_all(window);
    MPI_Win_unlock_all(window);
    program_expect(p, put == number && swapped == number, "Rget and Compare_and_swap");
    program_expect(p, counted >= p->size * number && counted < p->size * (number + 1), "Fetch_and_op");
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 200, 3000);
    int left = program_left(&p), right = program_right(&p);
    MPI_Group world, left_one, right_one;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &left_one);
    MPI_Group_incl(world, 1, &right, &right_one);
    MPI_Win_allocate(SLOTS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (int slot = 0; slot < SLOTS; slot++)
        memory[slot] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < p.iterations; step++) {
        fence(&p, step);
        post_start(&p, left_one, right_one, step);
        lock(&p, step);
        lock_all(&p, step);
        program_compute(&p);
        MPI_Barrier(MPI_COMM_WORLD); /* nobody counts for the next step before all have for this one */
    }
    MPI_Win_free(&window);
    MPI_Group_free(&left_one);
    MPI_Group_free(&right_one);
    MPI_Group_free(&world);
    return program_end(&p, "steps");
}
