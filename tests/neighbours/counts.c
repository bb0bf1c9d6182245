/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A profiler as mpiP is one: counts calls, and in MPI_Finalize brings the counts together by
 * calls of its own. Each rank says on standard error "neighbour[RANK] MPI_Send 5" and so on,
 * rank 0 also "neighbour counted N". With USE_NEXT it calls whoever is next for MPI_Send, as
 * those tools do that look functions up, else PMPI_Send.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>

#ifdef USE_NEXT
#define CALL(name) ((__typeof__(&MPI_##name))dlsym(RTLD_NEXT, "MPI_" #name))
#else
#define CALL(name) PMPI_##name
#endif

#define FUNCTIONS \
    X(Send)       \
    X(Recv)       \
    X(Isend)      \
    X(Irecv) X(Test) X(Wait) X(Waitall) X(Allreduce) X(Barrier) X(Comm_dup) X(Comm_free)

enum {
#define X(name) name,
    FUNCTIONS
#undef X
        FUNCTION_COUNT
};
static const char *const names[] = {
#define X(name) #name,
    FUNCTIONS
#undef X
};
static int count[FUNCTION_COUNT], began;

int MPI_Init(int *argc, char ***argv)
{
    began++;
    return CALL(Init)(argc, argv);
}

int MPI_Send(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    count[Send]++;
    return CALL(Send)(buffer, n, type, to, tag, comm);
}

int MPI_Recv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    count[Recv]++;
    return CALL(Recv)(buffer, n, type, from, tag, comm, status);
}

int MPI_Isend(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    count[Isend]++;
    return CALL(Isend)(buffer, n, type, to, tag, comm, request);
}

int MPI_Irecv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    count[Irecv]++;
    return CALL(Irecv)(buffer, n, type, from, tag, comm, request);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    count[Test]++;
    return CALL(Test)(request, flag, status);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    count[Wait]++;
    return CALL(Wait)(request, status);
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status *statuses)
{
    count[Waitall]++;
    return CALL(Waitall)(n, requests, statuses);
}

int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    count[Allreduce]++;
    return CALL(Allreduce)(in, out, n, type, op, comm);
}

int MPI_Barrier(MPI_Comm comm)
{
    count[Barrier]++;
    return CALL(Barrier)(comm);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy)
{
    count[Comm_dup]++;
    return CALL(Comm_dup)(comm, copy);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    count[Comm_free]++;
    return CALL(Comm_free)(comm);
}

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    fprintf(stderr, "neighbour: a session begins\n");
    return CALL(Session_init)(info, handler, session);
}

int MPI_Session_finalize(MPI_Session *session)
{
    fprintf(stderr, "neighbour: a session ends\n");
    return CALL(Session_finalize)(session);
}

int MPI_Comm_create_from_group(MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler,
                               MPI_Comm *comm)
{
    fprintf(stderr, "neighbour: a communicator is made of a group\n");
    return CALL(Comm_create_from_group)(group, tag, info, handler, comm);
}
#endif

int MPI_Pcontrol(const int level, ...)
{
    va_list more;
    va_start(more, level);
    const char *name = va_arg(more, const char *);
    double number = va_arg(more, double);
    fprintf(stderr, "neighbour was told %d, %s, %g, %d\n", level, name, number, va_arg(more, int));
    va_end(more);
    return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
    int rank, mine = 0, all = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        mine += count[i];
        if (count[i])
            fprintf(stderr, "neighbour[%d] MPI_%s %d\n", rank, names[i], count[i]);
    }
    CALL(Reduce)(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        fprintf(stderr, "neighbour counted %d, began %d\n", all, began);
    return CALL(Finalize)();
}
