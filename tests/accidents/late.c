/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that knows nothing of MPI, and loads one that does: late LIBRARY. With LIBRARY
 * defined: that one. */
#ifdef LIBRARY
#include <mpi.h>
#include <stdio.h>

int work(void);
int work(void)
{
    int rank, sum = 0;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 200; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("ok late\n");
    return MPI_Finalize();
}
#else
#include <dlfcn.h>

int main(int argc, char **argv)
{
    void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
    int (*work)(void) = library ? (int (*)(void))dlsym(library, "work") : 0;
    return work ? work() : 8;
}
#endif
