/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that does something wrong: program NAME [return|handler], or without an argument
 * all names. Two ranks make 40 steps, each an exchange and a sum; after half of them it
 * happens, or before MPI_Init or after MPI_Finalize. Errors are fatal, or returned, or told to
 * a handler; what a call returns is printed, so that the output says what the program was told.
 *
 * What never comes back is ended by SIGALRM, which is then how the program ends.
 */
#include "wrong.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS 40
#define MEAN 8  /* seconds; for what may hang */
#define SOON 1  /* seconds; for what hangs */
#define LATE 20 /* for what should not */

int rank, size, other;

static const struct wrong *const tables[] = {wrong_arguments,   wrong_handles,     wrong_messages,
                                             wrong_completions, wrong_collectives, wrong_windows,
                                             wrong_files,       wrong_ends};
#define TABLES (sizeof tables / sizeof *tables)

void told(const char *name, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int class, length;
    if (code == MPI_SUCCESS)
        return;
    MPI_Error_class(code, &class);
    MPI_Error_string(class, text, &length);
    printf("rank %d: %s returns %s\n", rank, name, text);
}

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    told("the handler", *code);
}

static void choose_handler(const char *name)
{
    MPI_Errhandler own;
    if (strcmp(name, "fatal") == 0)
        return;
    if (strcmp(name, "return") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        return;
    }
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    MPI_Errhandler_free(&own);
}

static void step(void)
{
    int out = rank, in = -1, sum = 0;
    MPI_Sendrecv(&out, 1, MPI_INT, other, 1, &in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (in != other || sum != size * (size - 1) / 2)
        printf("rank %d: the step is wrong\n", rank);
    usleep(300);
}

static void happen(const struct wrong *wrong, enum wrong_when now)
{
    if (wrong->when != now)
        return;
    alarm(wrong->hangs == 0 ? LATE : wrong->hangs == 1 ? SOON : MEAN);
    wrong->happen();
}

static const struct wrong *find(const char *name)
{
    for (size_t i = 0; i < TABLES; i++)
        for (const struct wrong *wrong = tables[i]; wrong->name; wrong++)
            if (strcmp(wrong->name, name) == 0)
                return wrong;
    fprintf(stderr, "program: nothing wrong is called \"%s\"\n", name);
    exit(2);
}

static int list(void)
{
    for (size_t i = 0; i < TABLES; i++)
        for (const struct wrong *wrong = tables[i]; wrong->name; wrong++)
            puts(wrong->name);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return list();
    const struct wrong *wrong = find(argv[1]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(LATE);
    happen(wrong, BEFORE);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    other = size - 1 - rank;
    choose_handler(argc > 2 ? argv[2] : "fatal");
    for (int i = 0; i < STEPS; i++) {
        if (i == STEPS / 2)
            happen(wrong, WITHIN);
        step();
    }
    MPI_Finalize();
    happen(wrong, AFTER);
    printf("rank %d: ends\n", rank);
    return 0;
}
