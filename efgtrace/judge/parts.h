/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the comparison share.
 *
 *     sums.c             sums, from the trace
 *     representative.c   figures and rows, from the sums
 *     judge.c            the sentence, from the rows
 */
#ifndef EFG_REPRESENTATIVE_PARTS_H
#define EFG_REPRESENTATIVE_PARTS_H

#include <stdbool.h>

#include "base/buffer.h"
#include "recorded/sites.h"
#include "representative.h"

struct efg_representative_sums { /* of a sample */
    double time, calls, bytes;
};

struct efg_representative_own {
    double time, count; /* ns, threads */
};

struct efg_representative_work {
    struct efg_representative *r;
    const struct efg_run *run;
    const struct efg_recorded *recorded;
    struct efg_recorded_names names;
    struct efg_map index; /* key of an iteration -> how many were seen before it */
    char *is_wanted;      /* by index of the rank */
    /* while the trace is read */
    struct efg_map pairs, numbers; /* of sites; of steps */
    struct efg_buffer steps;       /* struct step (sums.c) */
    struct efg_buffer durations;   /* double: ns, by iteration, of all threads */
    const struct efg_run_thread *speaker; /* NULL: there is none */
    double *of_window;         /* by window of it: how much an iteration counts */
    bool has_spread;           /* the others do not stand for the run */
    struct efg_buffer weights; /* double: by iteration */
    struct efg_buffer own;    /* struct efg_representative_own, by iteration: of threads that have it */
    bool has_slow, has_others, has_first; /* iterations that are left out */
    uint32_t phase;           /* of the main loop; 0: not known */
    struct efg_buffer leader; /* spans: iterations of this rank's first thread that has some */
    uint32_t rank;            /* its index; EFG_NONE: not in the run */
    bool is_leader;           /* the present thread is it */
    uint64_t mine;            /* iterations of the present thread */
    uint64_t thread_calls;    /* of the present thread, in iterations of another */
    uint32_t last_site;       /* of the last call in an iteration, EFG_NONE for none */
    uint64_t last_end, last_iteration;
    double polled; /* ns since then in polls that found nothing */
    /* with the graph */
    uint32_t items, samples;              /* nodes and loops; samples of each */
    struct efg_representative_sums *sums; /* [item * samples + sample] */
    double *duration, *count;             /* ns, iterations: by sample */
    double *own_time, *own_count;         /* ns, iterations of threads: by sample */
    uint32_t *node;                       /* by site, EFG_NONE for none */
    bool *is_compared;                    /* by loop: that of r->loop on other ranks, or that one */
    bool *hides;                          /* by node: whether its bytes are not known */
};

/* A thread has ended; the sums, with the merged graph. Both return 0 or -ENOMEM. */
int efg_representative_end_thread(struct efg_representative_work *w);
int efg_representative_add(struct efg_representative_work *w);
void efg_representative_work_fini(struct efg_representative_work *w);

/* The sums of ITEM in a sample: nodes, then loops. */
struct efg_representative_sums *
efg_representative_sums_of(const struct efg_representative_work *w, uint32_t item,
                           uint32_t sample);

/* The sentence where WHY makes it impossible to know. */
void efg_representative_say_unknown(struct efg_representative *r, const char *why);

/* Fill in verdict and sentence. */
void efg_representative_judge(struct efg_representative *r, const struct efg_run *run);

#endif
