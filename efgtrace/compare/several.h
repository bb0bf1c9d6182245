/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several runs of one program side by side, by ranks and then by when they began: how the time and its
 * efficiency develop, and which calls take more of it the more ranks there are.
 */
#ifndef EFG_SEVERAL_H
#define EFG_SEVERAL_H

#include "comparison.h"

struct efg_several_run {
    const char *dir;
    uint32_t ranks;
    uint64_t start;   /* ns since 1970 */
    double time, mpi; /* ns of a rank */
    double watched;   /* percent of the time that these are of */
    double iteration,
        loop;          /* of the main loop: ns of one, as in the summary; of all, of a rank; 0 for none */
    bool is_same_loop; /* as that of the last run */
    const char *nameless; /* folder of the run that has no names of functions, this or the last one, so that
                             their calls could not be matched; NULL: they were */
    struct efg_efficiency efficiency;
};

struct efg_several_site { /* the calls of a call site of the last run, or the computation before them */
    uint32_t difference;  /* in `last` */
    double doubling;      /* how many times as long it takes with twice the ranks; 0: not known */
    double *time;         /* ns of a rank, by run; 0 where it is not there */
};

struct efg_several {
    struct efg_several_run *runs;
    uint32_t count;
    bool is_scaling;                /* their ranks differ */
    struct efg_comparison last;     /* the last run and itself: its names */
    struct efg_several_site *sites; /* falling time in the last run */
    uint32_t site_count;
    double *times; /* of all sites */
};

/* Read the COUNT runs in the folders DIR, two or more. Returns 0; else says on standard error what is
 * wrong, and returns EFG_TOLD. To be freed in any case. */
int efg_several_make(struct efg_several *several, char *const *dir, uint32_t count);
void efg_several_fini(struct efg_several *several);

/* Whether the last run takes more than LIMIT (0.05: 5%) longer than the median of the others with as many
 * ranks: an iteration of the main loop if they have the same one, else all of it. Then says so on standard
 * error; as it does if there is no other one, which counts as slower. */
bool efg_several_is_slower(const struct efg_several *several, double limit);

#endif
