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
        say("child", sum_up(), exchange(parent));
        MPI_Comm_disconnect(&parent);
        times = 0;
    }
    for (int i = 0; i < times; i++) {
        int sum = sum_up();
        MPI_Comm children = spawn(how, argc > 3 ? argv[3] : self);
        say("parent", sum, exchange(children));
        MPI_Comm_disconnect(&children);
    }
    MPI_Finalize();
    return 0;
}
