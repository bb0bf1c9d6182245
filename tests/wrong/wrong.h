/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrong programs: a table of what each does wrong, and what they share. The tables are of the
 * files beside this one; program.c makes programs of them.
 */
#ifndef WRONG_H
#define WRONG_H

#include <mpi.h>
#include <stdio.h>

/* WITHIN: in the main loop, after half of the steps, on all ranks. */
enum wrong_when { WITHIN, BEFORE, AFTER };

struct wrong {
    const char *name;
    void (*happen)(void);
    enum wrong_when when;
    int hangs; /* 1: it never comes back, and is ended soon; 2: may never come back */
};

/* Each ends with one without a name. */
extern const struct wrong wrong_arguments[], wrong_handles[], wrong_messages[],
    wrong_completions[], wrong_collectives[], wrong_windows[], wrong_files[], wrong_ends[];

extern int rank, size, other; /* the own rank, and that one of two which is not */

/* NAME has returned CODE: prints the class of its error, if it is one. */
void told(const char *name, int code);
#define TELL(name, ...) told("MPI_" #name, MPI_##name(__VA_ARGS__))

#endif
