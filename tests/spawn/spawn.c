/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that spawns others: spawn [TIMES [HOW [PROGRAM]]]. HOW is "plain", by rank 1 of
 * two; "info", with an environment of its own; or "multiple", two programs in one call. PROGRAM
 * is what is spawned, itself if none is given: two processes that make 30 steps among
 * themselves, and 30 exchanges with those that spawned them. All say what they have got.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS 30

static int rank, size;

static int sum_up(void)
{
    int total = 0;
    for (int i = 0; i < STEPS; i++) {
        int sum = 0;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        total += sum;
    }
    return total;
}

/* Rank by rank with those on the other side, as far as there are such. */
static int exchange(MPI_Comm others)
{
    int count, total = 0;
    MPI_Comm_remote_size(others, &count);
    for (int i = 0; i < STEPS && rank < count; i++) {
        int out = rank + i, in = 0;
        MPI_Sendrecv(&out, 1, MPI_INT, rank, 1, &in, 1, MPI_INT, rank, 1, others, MPI_STATUS_IGNORE);
        total += in;
    }
    return total;
}

/* On a communicator of both sides: to and from all, whoever comes first. */
static int among_all(MPI_Comm others)
{
    MPI_Comm all, parent;
    int own, count, total = 0, in[64], out = rank + 1;
    MPI_Request requests[128];
    MPI_Comm_get_parent(&parent);
    MPI_Intercomm_merge(others, parent != MPI_COMM_NULL, &all);
    MPI_Comm_rank(all, &own);
    MPI_Comm_size(all, &count);
    for (int i = 1; i < count && count <= 64; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all, &requests[2 * i - 2]);
        MPI_Isend(&out, 1, MPI_INT, (own + i) % count, i, all, &requests[2 * i - 1]);
    }
    MPI_Waitall(2 * (count - 1), requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i < count; i++)
        total += in[i];
    MPI_Comm_free(&all);
    return total;
}

/* Rank by rank, with the same requests five times, and one that is found first; on a copy. */
static int persistent(MPI_Comm others)
{
    MPI_Comm copy;
    MPI_Request requests[2];
    MPI_Message message;
    int out = rank + 1, in, total = 0;
    MPI_Comm_dup(others, &copy);
    MPI_Send_init(&out, 1, MPI_INT, rank, 3, copy, &requests[0]);
    MPI_Recv_init(&in, 1, MPI_INT, rank, 3, copy, &requests[1]);
    for (int i = 0; i < 4; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        total += in;
    }
    MPI_Start(&requests[0]);
    MPI_Mprobe(MPI_ANY_SOURCE, 3, copy, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Comm_free(&copy);
    return total + in;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "none";
}

static void say(const char *who, int sum, int got)
{
    printf("%s %d of %d: sum %d, got %d, OWN %s\n", who, rank, size, sum, got, variable("OWN"));
    fflush(stdout);
}

static MPI_Comm spawn(const char *how, char *program)
{
    MPI_Comm children;
    MPI_Info infos[2];
    int is_multiple = strcmp(how, "multiple") == 0, root = strcmp(how, "plain") == 0 ? size - 1 : 0;
    for (int i = 0; i < 2; i++)
        MPI_Info_create(&infos[i]);
    MPI_Info_set(infos[0], "env", "OWN=1");
    if (is_multiple)
        MPI_Comm_spawn_multiple(2, (char *[]){program, program}, MPI_ARGVS_NULL, (int[]){1, 1}, infos, root,
                                MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    else
        MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, strcmp(how, "info") ? MPI_INFO_NULL : infos[0], root,
                       MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    for (int i = 0; i < 2; i++)
        MPI_Info_free(&infos[i]);
    return children;
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1;
    const char *how = argc > 2 ? argv[2] : "plain";
    char self[4096];
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    if (parent != MPI_COMM_NULL) {
        int sum = sum_up(), got = exchange(parent);
        say("child", sum, got + among_all(parent) + persistent(parent));
        MPI_Comm_disconnect(&parent);
        times = 0;
    }
    for (int i = 0; i < times; i++) {
        int sum = sum_up();
        MPI_Comm children = spawn(how, argc > 3 ? argv[3] : self);
        int got = exchange(children);
        say("parent", sum, got + among_all(children) + persistent(children));
        MPI_Comm_disconnect(&children);
    }
    MPI_Finalize();
    return 0;
}
