/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The model: all that is known of a run, made in one sweep over its ranks; text, JSON and pages
 * are made from it.
 */
#ifndef EFG_MODEL_H
#define EFG_MODEL_H

#include "by_rank.h"
#include "clusters.h"
#include "contexts.h"
#include "counted.h"
#include "heat.h"
#include "merged.h"
#include "ranks.h"
#include "sent.h"
#include "threaded.h"

enum efg_model_part { /* what there is besides the graph */
    EFG_MODEL_RANKS = 1,
    EFG_MODEL_SENT = 2,
    EFG_MODEL_CONTEXTS = 4,
    EFG_MODEL_TIMES = 8, /* by rank: in loops, and in contexts, if there are some */
    EFG_MODEL_HEAT = 16, /* by rank: of iterations */
    EFG_MODEL_CLUSTERS = 32, /* of ranks that behave alike */
};

struct efg_model {
    const char *command; /* that complains */
    struct efg_run run;
    struct efg_merged merged;          /* the graph of all ranks that are wanted */
    const char *has_recorded;          /* by index: ranks that recorded iterations; NULL: none */
    const struct efg_merged *recorded; /* their graph, by function and call path: MERGED or APART */
    struct efg_merged apart;
    struct efg_ranks ranks;       /* what each of them did */
    struct efg_counted counted;   /* what counters counted at its nodes and edges, with the ranks */
    struct efg_threaded threaded; /* parallel regions of OpenMP, with the ranks */
    struct efg_sent sent;         /* who sent how much to whom */
    struct efg_contexts contexts; /* the calling context tree */
    struct efg_heat heat;         /* the iterations of each rank */
    struct efg_by_rank by;        /* the time of each rank in loops and contexts */
    struct efg_clusters clusters; /* ranks that behave alike */
};

/* Open the run in DIR, for COMMAND; after it is set which ranks have recorded, read its ranks, or
 * those that are marked in IS_WANTED, by index (NULL: all), as far as PARTS, a set of enum
 * efg_model_part, need it, with signatures reduced to DIMENSIONS. Return 0; else say on standard
 * error what is wrong, and return EFG_TOLD. FINI in any case. */
int efg_model_open(struct efg_model *model, const char *command, const char *dir);
int efg_model_read(struct efg_model *model, const char *is_wanted, unsigned dimensions,
                   unsigned parts);
void efg_model_fini(struct efg_model *model);

#endif
