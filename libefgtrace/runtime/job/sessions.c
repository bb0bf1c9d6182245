/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces programs that begin MPI with sessions. A communicator of all processes is made of the world
 * process set of MPI. That it has all of them, and that all are traced, is checked before it is used.
 */
#include "sessions.h"

#include <errno.h>

#include "base/launcher.h"
#include "runtime/calls/call.h" /* EFG_MPI_4 */
#include "runtime/census/board.h"
#include "runtime/process/job.h"
#include "runtime/process/notes.h"

#if EFG_MPI_4
/* A library of the ABI that it is built for may be older, and have none of these. */
#pragma weak PMPI_Session_init
#pragma weak PMPI_Session_finalize
#pragma weak PMPI_Group_from_session_pset
#pragma weak PMPI_Comm_create_from_group

static struct efg_job *const job = &efg_job;
static MPI_Session session = MPI_SESSION_NULL;

static MPI_Group group_of(const char *processes)
{
    MPI_Group group = MPI_GROUP_NULL;
    if (session == MPI_SESSION_NULL)
        PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    if (session != MPI_SESSION_NULL)
        PMPI_Group_from_session_pset(session, processes, &group);
    return group;
}

static MPI_Comm make(const char *processes, const char *tag)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group group = group_of(processes);
    if (group == MPI_GROUP_NULL)
        return MPI_COMM_NULL;
    PMPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    PMPI_Group_free(&group);
    return comm;
}

static bool is_world(MPI_Comm comm)
{
    int size = 0, all = -1;
    MPI_Group group = group_of("mpi://WORLD");
    if (group == MPI_GROUP_NULL)
        return false;
    PMPI_Group_size(group, &all);
    PMPI_Group_free(&group);
    PMPI_Comm_size(comm, &size);
    return size == all;
}

/* A session begins before it is known which processes make communicators together; so only
 * where all are traced. Without a board that is taken for granted. */
static bool are_all_here(int size)
{
    int count = 0;
    if (size == 1 || efg_board_own() == EFG_NOTICE_NONE)
        return true;
    for (int i = 0; i < size; i++)
        if (efg_board_read(i) != EFG_NOTICE_NONE && count++ == 0)
            job->rank = i;
    static bool is_said;
    if (count < size && job->rank == efg_launcher_rank() && !is_said) {
        is_said = true;
        efg_note("%d of %d ranks run without efgtrace, and the program starts MPI with "
                 "sessions: nothing is traced",
                 size - count, size);
    }
    return count == size;
}

/* Returns 0 if the members of COMM are all of the world, and traced. */
static int take_world(MPI_Comm comm)
{
    struct efg_census *here = &job->here;
    PMPI_Comm_size(comm, &here->count);
    job->is_of_sessions = is_world(comm) && are_all_here(here->count);
    if (!job->is_of_sessions)
        return -ENOTSUP;
    job->comm = make("mpi://WORLD", "efgtrace");
    job->self = make("mpi://SELF", "efgtrace, alone");
    if (job->comm == MPI_COMM_NULL || job->self == MPI_COMM_NULL)
        return -ENOTSUP;
    PMPI_Comm_rank(job->comm, &job->rank);
    job->size = here->count;
    *here = (struct efg_census){job->comm, job->rank, job->size, job->size, NULL};
    return 0;
}

int efg_sessions_begin(MPI_Comm comm)
{
    job->comm = job->self = MPI_COMM_NULL;
    if (take_world(comm) == 0)
        return 0;
    efg_sessions_end();
    return -ENOTSUP;
}

static void free_comm(MPI_Comm *comm)
{
    if (*comm != MPI_COMM_NULL)
        PMPI_Comm_free(comm);
}

void efg_sessions_end(void)
{
    if (job->is_of_sessions) {
        free_comm(&job->self);
        free_comm(&job->comm);
    }
    if (session != MPI_SESSION_NULL)
        PMPI_Session_finalize(&session);
}
#else
int efg_sessions_begin(MPI_Comm comm)
{
    (void)comm;
    return -ENOTSUP;
}

void efg_sessions_end(void)
{
}
#endif
