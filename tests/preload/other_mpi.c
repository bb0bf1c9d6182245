/* SPDX-License-Identifier: BSD-3-Clause */
/* With LIBRARY: an MPI library that says VERSION of itself. Without: a program that calls it. */
#ifdef LIBRARY
#ifdef VERSION
#include <string.h>
int PMPI_Get_library_version(char *version, int *length)
{
    *length = strlen(strcpy(version, VERSION));
    return 0;
}
#endif
int MPI_Init(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}
int MPI_Finalize(void)
{
    return 0;
}
int MPI_Barrier(int comm)
{
    return comm == 0x44000000 ? 0 : 5;
}
int PMPI_Init(int *argc, char ***argv) __attribute__((alias("MPI_Init")));
int PMPI_Finalize(void) __attribute__((alias("MPI_Finalize")));
int PMPI_Barrier(int comm) __attribute__((alias("MPI_Barrier")));
#else
int MPI_Init(int *, char ***);
int MPI_Barrier(int);
int MPI_Finalize(void);
int main(void)
{
    MPI_Init(0, 0);
    int result = MPI_Barrier(0x44000000);
    MPI_Finalize();
    return result ? result : 4;
}
#endif
