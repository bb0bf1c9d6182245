/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI-IO, where Open MPI calls MPI from inside. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, values[4] = {0}, got[4] = {0};
    MPI_File file;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++)
        values[i] = rank * 4 + i;
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, rank * 16, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, values, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_read_at_all(file, 0, got, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, 0, got, 4, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read(file, got, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_ordered(file, values, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    printf("%d read %d %d\n", rank, got[0], got[3]);
    return MPI_Finalize();
}
