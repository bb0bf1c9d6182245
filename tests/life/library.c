/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that begins and ends MPI for a program. LIBRARY says when, one word or several:
 *
 *     init        its constructor calls MPI_Init; without, main does
 *     atexit      it ends MPI by atexit, as the constructor says after MPI_Init; without, by its destructor
 *     earlier     the same, said before MPI_Init
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void serve(void)
{
}

static int wants(const char *word)
{
    const char *words = getenv("LIBRARY");
    return words && strstr(words, word);
}

static void end(void)
{
    int sum = 0, one = 1, is_over;

    MPI_Finalized(&is_over);
    if (is_over)
        return;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    printf("%d ranks ended\n", sum);
    fflush(stdout);
}

__attribute__((constructor)) static void begin(void)
{
    if (wants("earlier"))
        atexit(end);
    if (wants("init"))
        MPI_Init(NULL, NULL);
    if (wants("atexit"))
        atexit(end);
}

__attribute__((destructor)) static void end_at_last(void)
{
    if (!wants("earlier") && !wants("atexit"))
        end();
}
