/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code profiles: the order of the calls of a thread as a program (core/order/program.h), with mean
 * times, of ranks with the same graph.
 */
#ifndef EFG_PROFILE_H
#define EFG_PROFILE_H

#include "core/order/program.h"
#include "files/run/runfile.h"

struct efg_profile_style {
    bool is_terse;  /* no times, no computation between the calls */
    bool has_names; /* calls are named by their place in the source, not by numbers */
    uint32_t forms; /* of a loop, that are shown one by one */
};

struct efg_profile { /* of a thread of a group of ranks */
    const struct efg_run *run;
    const struct efg_ranklist *ranks;
    uint32_t thread;
    const struct efg_graph *graph;   /* counts and times summed over the ranks */
    const struct efg_run_loop *main; /* the main loop of the first of them */
    struct efg_looptree tree;
    struct efg_program program;
    uint32_t *site;     /* per node: the one that it counts as, itself but in first rounds: unite.c */
    uint32_t *number;   /* per node: its number among the sites of its function, from 1, in order
                           of first appearance */
    double *call;       /* per node: ns of a call of its site, with the polls before it that found nothing:
                           those of the spin that it ends */
    double *time;       /* per loop, and the whole: ns, of all ranks */
    double *iterations; /* per loop, and the whole: of all ranks */
};

/* Make PROFILE, whose run, ranks and graph are set, for the thread with the index THREAD.
 * Returns 0; or EFG_TOLD: standard error says why not. FINI in any case. */
int efg_profile_make(struct efg_profile *profile, uint32_t thread);
void efg_profile_fini(struct efg_profile *profile);

/* Say on standard error WHAT is wrong; NULL: there is no memory. Returns EFG_TOLD. */
int efg_profile_complain(const char *what);

/* Unite calls in first rounds with the others of their site, in the program and in sites. Returns 0, or
 * -ENOMEM. */
int efg_profile_unite(struct efg_profile *profile);

/* The function of NODE without "MPI_". */
const char *efg_profile_name(const struct efg_profile *profile, uint32_t node);

/* Sum up what is not shown of LOOP, which has more than MOST forms, as repetitions and times
 * before, per node and loop; to be freed. Returns 0, or -ENOMEM. */
struct efg_profile_rest {
    uint64_t iterations; /* how many are left out */
    struct efg_program_rest *of_node, *of_loop;
};
int efg_profile_rest(const struct efg_profile *profile, uint32_t loop, uint32_t most,
                     struct efg_profile_rest *rest);
void efg_profile_rest_fini(struct efg_profile_rest *rest);

/* Whether two items are the same calls, or iterations of the same loop, as often each time. */
bool efg_profile_is_same(const struct efg_program_item *a, const struct efg_program_item *b);

/* What comes at least twice in a row, from the first of COUNT items on: two items or more, such
 * as the body of an inner loop that is left too soon to be one of the loop tree. Returns how
 * many there are, 0 for none; BODY gets them, each summed over all TIMES that it comes, and has
 * room for COUNT / 2. */
uint32_t efg_profile_fold(const struct efg_program_item *items, uint32_t count,
                          struct efg_program_item *body, uint32_t *times);

/* How many of COUNT items, from the first one on, are call sites of one function, one after the
 * other: a program has many of these at its beginning and at its end. */
uint32_t efg_profile_row(const struct efg_profile *profile,
                         const struct efg_program_item *items, uint32_t count);

/* Each profile one after the other. */
void efg_profile_put_code(struct efg_buffer *out, const struct efg_profile *profile,
                          const struct efg_profile_style *style);
void efg_profile_put_text(struct efg_buffer *out, const struct efg_profile *profile,
                          const struct efg_profile_style *style);
void efg_profile_put_latex(struct efg_buffer *out, const struct efg_profile *profile,
                           const struct efg_profile_style *style);

/* All that there are as one document: BEGIN, then ADD each, then END, which frees it. */
struct cJSON;
struct cJSON *efg_profile_json_begin(const struct efg_run *run);
void efg_profile_json_add(struct cJSON *document, const struct efg_profile *profile);
void efg_profile_json_end(struct efg_buffer *out, struct cJSON *document);

extern const char efg_profile_json_help[]; /* the schema */

#endif
