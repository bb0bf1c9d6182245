/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the comparison share.
 *
 *     representative         figures and rows, from the sums
 *     representative_sums    sums, from the trace
 *     representative_judge   the sentence, from the rows
 */
#ifndef EFG_REPRESENTATIVE_PARTS_H
#define EFG_REPRESENTATIVE_PARTS_H

#include "recorded/recorded.h"
#include "recorded/sites.h"
#include "representative.h"

struct efg_representative_sums { /* of a sample */
    double time, calls, bytes;
};

struct efg_representative_work {
    struct efg_representative *r;
    const struct efg_run *run;
    struct efg_recorded recorded;
    struct efg_recorded_names names;
    struct efg_map index; /* key of an iteration -> how many were seen before it */
    char *is_wanted;      /* by index of the rank */
    uint64_t mine;        /* iterations of the present thread */
    /* the second pass */
    uint32_t items, samples;              /* nodes and loops; samples of each */
    struct efg_representative_sums *sums; /* [item * samples + sample] */
    double *duration, *count;             /* ns, iterations: by sample */
    struct efg_map nodes;                 /* call << 32 | path -> node */
    uint32_t overflow;                    /* the node, or EFG_NONE */
    char *hides;                          /* by node: 1 if its bytes are not known */
    int is_in;                            /* the rank is wanted */
    uint32_t rank;
    uint64_t thread_calls;            /* of the present thread, in iterations of another */
    struct efg_recorded_span *leader; /* iterations of this rank's first thread that has some */
    uint32_t leader_count, leader_room;
    int is_leader;      /* the present thread is it */
    uint32_t last_node; /* of the last call in the same iteration, EFG_NONE for none */
    uint64_t last_end, last_iteration;
};

/* First pass: which ranks recorded iterations, and how many. Second pass: the sums, with the
 * merged graph of these ranks. Both return 0; -ENOMEM; or 1 if the trace cannot be read, and
 * the sentence says why. */
int efg_representative_survey(struct efg_representative_work *w);
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
