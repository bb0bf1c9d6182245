/* Many call sites: 40 before the loop, which calls twelve functions with three each, and one behind it. */
#include <mpi.h>

#define BCAST(more) (MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD) + (more))
#define FIVE(more) BCAST(BCAST(BCAST(BCAST(BCAST(more)))))
#define WORK(name)                                                                \
    static __attribute__((noinline)) int name(int other)                          \
    {                                                                             \
        int mine = other, sum = 0;                                                \
        MPI_Send(&mine, 1, MPI_INT, other, 0, MPI_COMM_WORLD);                    \
        MPI_Recv(&mine, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); \
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);          \
        return sum;                                                               \
    }

WORK(work_1)
WORK(work_2)
WORK(work_3)
WORK(work_4)
WORK(work_5)
WORK(work_6)
WORK(work_7)
WORK(work_8)
WORK(work_9)
WORK(work_10)
WORK(work_11)
WORK(work_12)

int main(int argc, char **argv)
{
    int rank, value = 0, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sum += FIVE(FIVE(FIVE(FIVE(FIVE(FIVE(FIVE(FIVE(0))))))));
    for (int i = 0; i < 200; i++)
        sum += work_1(1 - rank) + work_2(1 - rank) + work_3(1 - rank) + work_4(1 - rank) + work_5(1 - rank) +
               work_6(1 - rank) + work_7(1 - rank) + work_8(1 - rank) + work_9(1 - rank) + work_10(1 - rank) +
               work_11(1 - rank) + work_12(1 - rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == 1;
}
