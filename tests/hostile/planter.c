/* SPDX-License-Identifier: BSD-3-Clause */
/* After MPI_Init, each NAME in the FOLDER makes way for a link to the TARGET; "." is the folder
 * itself. Then the job goes on as ever; with "leave" for the FOLDER it ends without MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void plant(const char *folder, const char *name, const char *target)
{
    char path[4096], aside[4200];
    snprintf(path, sizeof path, name[0] == '.' ? "%s" : "%s/%s", folder, name);
    snprintf(aside, sizeof aside, "%s.aside", path);
    rename(path, aside);
    if (symlink(target, path))
        perror(path);
}

int main(int argc, char **argv) /* FOLDER NAME TARGET..., or leave */
{
    int rank, leaves = !strcmp(argv[1], "leave");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 2; i + 1 < argc && rank == 0; i += 2)
        plant(argv[1], argv[i], argv[i + 1]);
    for (int i = 0; i < 400; i++) {
        MPI_Allreduce(MPI_IN_PLACE, &(int){1}, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        usleep(100);
    }
    if (leaves)
        exit(0);
    if (rank == 0)
        puts("ok");
    return MPI_Finalize();
}
