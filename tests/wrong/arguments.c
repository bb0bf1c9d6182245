/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments that cannot be right: ranks, tags, counts, pointers, handles that are none. */
#include "wrong.h"

static int one = 1, two[2];

static void rank_too_large(void)
{
    TELL(Send, &one, 1, MPI_INT, size, 2, MPI_COMM_WORLD);
    TELL(Recv, &one, 1, MPI_INT, size + 4, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void rank_negative(void)
{
    TELL(Sendrecv, &one, 1, MPI_INT, -7, 2, two, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_to_any_source(void)
{
    TELL(Send, &one, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD);
}

static void tag_negative(void)
{
    TELL(Send, &one, 1, MPI_INT, other, -5, MPI_COMM_WORLD);
}

static void tag_any_in_send(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    TELL(Isend, &one, 1, MPI_INT, other, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    TELL(Wait, &request, MPI_STATUS_IGNORE);
}

static void count_negative(void)
{
    TELL(Send, &one, -1, MPI_INT, other, 2, MPI_COMM_WORLD);
    TELL(Bcast, &one, -1, MPI_INT, 0, MPI_COMM_WORLD);
}

static void buffer_null(void)
{
    TELL(Send, NULL, 4, MPI_INT, other, 2, MPI_COMM_WORLD);
}

static void buffers_the_same(void)
{
    TELL(Allreduce, &one, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void type_null(void)
{
    TELL(Send, &one, 1, MPI_DATATYPE_NULL, other, 2, MPI_COMM_WORLD);
    TELL(Allreduce, &one, two, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD);
}

static void type_none(void)
{
    TELL(Send, &one, 1, (MPI_Datatype)0, other, 2, MPI_COMM_WORLD);
}

static void type_none_in_sum(void)
{
    TELL(Allreduce, &one, two, 1, (MPI_Datatype)0, MPI_SUM, MPI_COMM_WORLD);
}

static void type_not_committed(void)
{
    MPI_Datatype type;
    MPI_Type_contiguous(2, MPI_INT, &type);
    TELL(Send, two, 1, type, other, 2, MPI_COMM_WORLD);
    MPI_Type_free(&type);
}

static void types_of_alltoallw(void)
{
    int counts[2] = {1, 1}, places[2] = {0, 0};
    MPI_Datatype types[2] = {MPI_INT, (MPI_Datatype)0};
    TELL(Alltoallw, &one, counts, places, types, two, counts, places, types, MPI_COMM_WORLD);
}

static void comm_null(void)
{
    TELL(Send, &one, 1, MPI_INT, other, 2, MPI_COMM_NULL);
    TELL(Barrier, MPI_COMM_NULL);
}

static void comm_none(void)
{
    TELL(Send, &one, 1, MPI_INT, other, 2, (MPI_Comm)0);
    TELL(Barrier, (MPI_Comm)0);
}

static void op_null(void)
{
    TELL(Allreduce, &one, two, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD);
}

static void op_not_for_type(void)
{
    double some = 1, all;
    TELL(Allreduce, &some, &all, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);
    TELL(Allreduce, &one, two, 1, MPI_INT, MPI_MAXLOC, MPI_COMM_WORLD);
}

static void root_out_of_range(void)
{
    TELL(Bcast, &one, 1, MPI_INT, size, MPI_COMM_WORLD);
    TELL(Reduce, &one, two, 1, MPI_INT, MPI_SUM, -9, MPI_COMM_WORLD);
}

static void pointers_null(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    TELL(Test, &request, NULL, MPI_STATUS_IGNORE);
    TELL(Waitall, 2, NULL, MPI_STATUSES_IGNORE);
    TELL(Waitany, 1, &request, NULL, MPI_STATUS_IGNORE);
    TELL(Testsome, 1, &request, NULL, two, MPI_STATUSES_IGNORE);
    TELL(Comm_free, NULL);
    TELL(Startall, 2, NULL);
}

static void flag_null(void)
{
    TELL(Iprobe, other, 2, MPI_COMM_WORLD, NULL, MPI_STATUS_IGNORE);
}

static void request_pointer_null(void)
{
    TELL(Irecv, &one, 1, MPI_INT, other, 2, MPI_COMM_WORLD, NULL);
}

static void newcomm_null(void)
{
    TELL(Comm_dup, MPI_COMM_WORLD, NULL);
}

static void counts_null(void)
{
    TELL(Allgatherv, &one, 1, MPI_INT, two, NULL, NULL, MPI_INT, MPI_COMM_WORLD);
}

static void request_count_negative(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    TELL(Waitall, -3, &request, MPI_STATUSES_IGNORE);
    TELL(Testall, -3, &request, two, MPI_STATUSES_IGNORE);
}

static void grid_too_large(void)
{
    int dims[2] = {5, 7}, periods[2] = {0, 0};
    MPI_Comm grid;
    TELL(Cart_create, MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
}

static void color_negative(void)
{
    MPI_Comm part;
    TELL(Comm_split, MPI_COMM_WORLD, -4, 0, &part);
}

const struct wrong wrong_arguments[] = {
    {"rank too large", rank_too_large, WITHIN, 0},
    {"rank negative", rank_negative, WITHIN, 0},
    {"send to any source", send_to_any_source, WITHIN, 0},
    {"tag negative", tag_negative, WITHIN, 0},
    {"any tag in send", tag_any_in_send, WITHIN, 0},
    {"count negative", count_negative, WITHIN, 0},
    {"buffer null", buffer_null, WITHIN, 0},
    {"buffers the same", buffers_the_same, WITHIN, 0},
    {"datatype null", type_null, WITHIN, 0},
    {"datatype none", type_none, WITHIN, 0},
    {"datatype none in a sum", type_none_in_sum, WITHIN, 0},
    {"datatype not committed", type_not_committed, WITHIN, 0},
    {"datatypes of alltoallw", types_of_alltoallw, WITHIN, 0},
    {"communicator null", comm_null, WITHIN, 0},
    {"communicator none", comm_none, WITHIN, 0},
    {"operator null", op_null, WITHIN, 0},
    {"operator not for the type", op_not_for_type, WITHIN, 0},
    {"root out of range", root_out_of_range, WITHIN, 0},
    {"pointers null", pointers_null, WITHIN, 0},
    {"flag null", flag_null, WITHIN, 0},
    {"request pointer null", request_pointer_null, WITHIN, 0},
    {"new communicator null", newcomm_null, WITHIN, 0},
    {"counts null", counts_null, WITHIN, 0},
    {"number of requests negative", request_count_negative, WITHIN, 0},
    {"grid too large", grid_too_large, WITHIN, 0},
    {"color negative", color_negative, WITHIN, 0},
    {NULL, NULL, WITHIN, 0},
};
