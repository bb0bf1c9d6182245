/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that never calls MPI_Init: two sessions, in each a communicator of all processes,
 * and in the first one a loop: a message around the ring and a sum. sessions [STEPS [HOW]]
 * HOW alone: the first communicator is of one process only, and what is done in it is not seen.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm all_processes(MPI_Session *session, const char *set, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session);
    MPI_Group_from_session_pset(*session, set, &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static void step(MPI_Comm comm, int rank, int size)
{
    int left = (rank + size - 1) % size, in = -1, sum = 0;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, left, 1, comm, MPI_STATUS_IGNORE);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (in != left || sum != size * (size - 1) / 2)
        MPI_Abort(comm, 1);
    usleep(500);
}

static void end(MPI_Session *session, MPI_Comm *comm)
{
    MPI_Comm_free(comm);
    MPI_Session_finalize(session);
}

int main(int argc, char **argv)
{
    int rank, size, steps = argc > 1 ? atoi(argv[1]) : 100;
    const char *how = argc > 2 ? argv[2] : "";
    MPI_Session one, other;
    MPI_Comm comm = all_processes(&one, strcmp(how, "alone") ? "mpi://WORLD" : "mpi://SELF", "one");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < steps; i++)
        step(comm, rank, size);
    MPI_Comm second = all_processes(&other, "mpi://WORLD", "other");
    MPI_Comm_rank(second, &rank);
    MPI_Barrier(second);
    end(&other, &second);
    end(&one, &comm);
    if (rank == 0)
        puts("ok");
    return 0;
}
