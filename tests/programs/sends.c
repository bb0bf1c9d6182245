/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every way to send a message, to many partners, in many sizes.
 *
 * 100 steps: Send, Bsend, Ssend, Rsend, Isend, Ibsend, Issend, Irsend, Sendrecv,
 * Sendrecv_replace, Start of a persistent send, Startall of three, one of each kind: each on
 * the world, on a reversed copy of it, among ranks of one parity, on an intercommunicator
 * between the parities and on MPI_COMM_SELF, around the ring of what there is; some with no
 * bytes, some of a derived type; and one to MPI_PROC_NULL. A Barrier; compute. True iterations:
 * ITERATIONS (100). Needs an even number of ranks.
 *
 * programs.sh: steps=200 iterations=200 */
#include "program.h"

enum { MOST = 1 << 16, TAG = 5 };

static char out[MOST], in[MOST], replaced[MOST];

struct ring { /* the partners on a communicator */
    MPI_Comm comm;
    int to, from;
};

static struct ring ring_of(MPI_Comm comm)
{
    int inter, rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &size);
    return (struct ring){comm, (rank + 1) % size, (rank + size - 1) % size};
}

static void send(int kind, const struct ring *r, int count, MPI_Datatype type, MPI_Request *request)
{
    int to = r->to;
    *request = MPI_REQUEST_NULL;
    switch (kind) {
    case 0:
        MPI_Send(out, count, type, to, TAG, r->comm);
        break;
    case 1:
        MPI_Bsend(out, count, type, to, TAG, r->comm);
        break;
    case 2:
        MPI_Ssend(out, count, type, to, TAG, r->comm);
        break;
    case 3:
        MPI_Rsend(out, count, type, to, TAG, r->comm);
        break;
    case 4:
        MPI_Isend(out, count, type, to, TAG, r->comm, request);
        break;
    case 5:
        MPI_Ibsend(out, count, type, to, TAG, r->comm, request);
        break;
    case 6:
        MPI_Issend(out, count, type, to, TAG, r->comm, request);
        break;
    default:
        MPI_Irsend(out, count, type, to, TAG, r->comm, request);
    }
}

/* A receive is posted before, so that no kind of send has to wait for it; before a ready send
 * the others have posted theirs, too. */
static void pass(int kind, const struct ring *r, int count, MPI_Datatype type)
{
    MPI_Request requests[2];
    MPI_Irecv(in, count, type, r->from, TAG, r->comm, &requests[0]);
    if (kind == 3 || kind == 7)
        MPI_Barrier(MPI_COMM_WORLD);
    send(kind, r, count, type, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void exchange(const struct ring *r, int bytes)
{
    MPI_Sendrecv(out, bytes, MPI_CHAR, r->to, TAG, in, bytes, MPI_CHAR, r->from, TAG, r->comm,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(replaced, bytes / 2, MPI_CHAR, r->to, TAG, r->from, TAG, r->comm, MPI_STATUS_IGNORE);
}

enum { KEPT = 8 }; /* persistent requests of a ring: four sends and their receives */

static void prepare(const struct ring *r, MPI_Request *kept)
{
    for (int i = 0; i < KEPT / 2; i++)
        MPI_Recv_init(in + 1000 * i, 1000, MPI_CHAR, r->from, TAG + 1, r->comm, &kept[i]);
    MPI_Send_init(out, 10, MPI_CHAR, r->to, TAG + 1, r->comm, &kept[4]);
    MPI_Bsend_init(out, 100, MPI_CHAR, r->to, TAG + 1, r->comm, &kept[5]);
    MPI_Ssend_init(out, 1000, MPI_CHAR, r->to, TAG + 1, r->comm, &kept[6]);
    MPI_Send_init(out, 0, MPI_CHAR, r->to, TAG + 1, r->comm, &kept[7]);
}

static void step(const struct ring *r, MPI_Request *kept, int number, MPI_Datatype pairs)
{
    for (int kind = 0; kind < 8; kind++)
        pass(kind, r, kind * number % 3 ? 1 << (kind + number % 8) : 0, MPI_CHAR);
    pass(0, r, 33, pairs);
    exchange(r, 200 + number);
    MPI_Startall(KEPT - 1, kept);
    MPI_Start(&kept[KEPT - 1]);
    MPI_Waitall(KEPT, kept, MPI_STATUSES_IGNORE);
    MPI_Send(out, 7, MPI_CHAR, MPI_PROC_NULL, TAG, r->comm);
}

int main(int argc, char **argv)
{
    enum { RINGS = 5 };
    static char attached[1 << 20];
    struct program p = program_init(argc, argv, 100, 1000);
    struct ring rings[RINGS];
    MPI_Request kept[RINGS][KEPT];
    MPI_Comm reversed, parity, inter;
    MPI_Datatype pairs;

    MPI_Buffer_attach(attached, sizeof attached);
    MPI_Type_vector(2, 1, 2, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    MPI_Comm_split(MPI_COMM_WORLD, 0, p.size - p.rank, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, p.rank % 2, p.rank, &parity);
    MPI_Intercomm_create(parity, 0, MPI_COMM_WORLD, 1 - p.rank % 2, TAG, &inter);
    MPI_Comm comms[RINGS] = {MPI_COMM_WORLD, reversed, parity, inter, MPI_COMM_SELF};
    for (int i = 0; i < RINGS; i++) {
        rings[i] = ring_of(comms[i]);
        prepare(&rings[i], kept[i]);
    }
    for (int i = 0; i < p.iterations; i++) {
        for (int k = 0; k < RINGS; k++)
            step(&rings[k], kept[k], i, pairs);
        MPI_Barrier(MPI_COMM_WORLD);
        program_compute(&p);
    }
    for (int i = 0; i < RINGS; i++)
        for (int k = 0; k < KEPT; k++)
            MPI_Request_free(&kept[i][k]);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&parity);
    MPI_Comm_free(&reversed);
    MPI_Type_free(&pairs);
    return program_end(&p, "steps");
}
