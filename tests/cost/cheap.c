/* Many calls that do next to nothing. Prints the CPU time of one, in ns: "each N". */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#define CALLS 2000000

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    int flag;

    MPI_Init(&argc, &argv);
    double begin = cpu();
    for (int i = 0; i < CALLS / 2; i++) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    printf("each %.0f\n", (cpu() - begin) / CALLS);
    MPI_Finalize();
    return 0;
}
