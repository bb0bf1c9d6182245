/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles that are freed, freed twice, or never were what they are used as. */
#include "wrong.h"

static int one = 1, two[2];

static void comm_freed(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
    TELL(Send, &one, 1, MPI_INT, other, 2, comm);
}

static void comm_freed_copy(void)
{
    MPI_Comm comm, copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    copy = comm;
    MPI_Comm_free(&comm);
    TELL(Barrier, copy);
}

static void comm_freed_twice(void)
{
    MPI_Comm comm, copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    copy = comm;
    TELL(Comm_free, &comm);
    TELL(Comm_free, &comm);
    TELL(Comm_free, &copy);
}

static void world_freed(void)
{
    MPI_Comm world = MPI_COMM_WORLD;
    TELL(Comm_free, &world);
    world = MPI_COMM_WORLD;
    TELL(Comm_disconnect, &world);
}

static void type_freed(void)
{
    MPI_Datatype type, copy;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    copy = type;
    TELL(Type_free, &type);
    TELL(Send, two, 1, type, other, 2, MPI_COMM_WORLD);
    TELL(Type_free, &copy);
}

static void type_predefined_freed(void)
{
    MPI_Datatype type = MPI_INT;
    TELL(Type_free, &type);
}

static void op_predefined_freed(void)
{
    MPI_Op op = MPI_SUM;
    TELL(Op_free, &op);
}

static void op_freed(void)
{
    MPI_Op op = MPI_OP_NULL;
    TELL(Op_free, &op);
    TELL(Allreduce, &one, two, 1, MPI_INT, op, MPI_COMM_WORLD);
}

static void request_freed_twice(void)
{
    MPI_Request request;
    MPI_Recv_init(&one, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &request);
    TELL(Request_free, &request);
    TELL(Request_free, &request);
}

/* The copy may be of the next request already. */
static void request_completed_used(void)
{
    MPI_Request request, copy;
    MPI_Irecv(two, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &request);
    copy = request;
    MPI_Send(&one, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
    TELL(Wait, &request, MPI_STATUS_IGNORE);
    TELL(Wait, &copy, MPI_STATUS_IGNORE);
}

static void request_not_persistent_started(void)
{
    MPI_Request request;
    MPI_Irecv(two, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &request);
    TELL(Start, &request);
    MPI_Send(&one, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
    TELL(Wait, &request, MPI_STATUS_IGNORE);
}

static void request_started_twice(void)
{
    MPI_Request request;
    MPI_Recv_init(two, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &request);
    TELL(Start, &request);
    TELL(Start, &request);
    MPI_Send(&one, 1, MPI_INT, other, 2, MPI_COMM_WORLD);
    TELL(Wait, &request, MPI_STATUS_IGNORE);
    TELL(Request_free, &request);
}

static void request_null_started(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    TELL(Start, &request);
    TELL(Cancel, &request);
}

static void message_null(void)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    TELL(Mrecv, two, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

static void group_freed(void)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group_free(&group);
    TELL(Comm_create, MPI_COMM_WORLD, group, &comm);
}

static void intracomm_merged(void)
{
    MPI_Comm comm;
    TELL(Intercomm_merge, MPI_COMM_WORLD, 0, &comm);
}

/* Ranks make different ones, so that the numbers of the next one differ, too. */
static void comms_lost(void)
{
    MPI_Comm comm;
    for (int i = 0; i < 20; i++)
        MPI_Comm_dup(i % 2 ? MPI_COMM_SELF : MPI_COMM_WORLD, &comm);
    TELL(Barrier, comm);
}

const struct wrong wrong_handles[] = {
    {"communicator freed", comm_freed, WITHIN, 0},
    {"communicator freed, copy used", comm_freed_copy, WITHIN, 2},
    {"communicator freed twice", comm_freed_twice, WITHIN, 0},
    {"world freed", world_freed, WITHIN, 0},
    {"datatype freed", type_freed, WITHIN, 0},
    {"predefined datatype freed", type_predefined_freed, WITHIN, 0},
    {"predefined operator freed", op_predefined_freed, WITHIN, 0},
    {"operator freed", op_freed, WITHIN, 0},
    {"request freed twice", request_freed_twice, WITHIN, 0},
    {"request completed and used", request_completed_used, WITHIN, 0},
    {"request not persistent, started", request_not_persistent_started, WITHIN, 0},
    {"request started twice", request_started_twice, WITHIN, 2},
    {"request null started", request_null_started, WITHIN, 0},
    {"message null", message_null, WITHIN, 0},
    {"group freed", group_freed, WITHIN, 0},
    {"intracommunicator merged", intracomm_merged, WITHIN, 0},
    {"communicators never freed", comms_lost, WITHIN, 0},
    {NULL, NULL, WITHIN, 0},
};
