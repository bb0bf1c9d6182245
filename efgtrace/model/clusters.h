/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clusters: ranks that behave alike, and outliers. How a rank behaves is a vector: of each node of the
 * merged graph the time in its calls, the time that is computed before them, and how many there are.
 *
 * The distance of two ranks is the share of the time of a rank that one of them spends otherwise than the
 * other, or the share of the calls, whichever is larger: 0.1 if one computes in a tenth of its time while
 * the other one waits.
 *
 * Clusters are as few as suffice: the first one begins with the rank that is nearest to the mean, each
 * further one with the rank that is farthest from all those before it. How far that is becomes less and
 * less; clusters end where it drops to a third or less, from 5% or more. So two ranks of one cluster are
 * always nearer to where theirs began than to where another one did. Where nothing drops like that, all
 * ranks are one cluster: those that merely scatter, and those that change little by little.
 *
 * Source: Gonzalez, "Clustering to minimize the maximum intercluster distance", Theoretical Computer
 * Science 38 (1985): no clustering into as many parts has less than half of the largest distance.
 */
#ifndef EFG_CLUSTERS_H
#define EFG_CLUSTERS_H

#include <stdbool.h>

#include "merged.h"

#define EFG_CLUSTERS_MOST 32

enum efg_behaviour_part { EFG_INSIDE, EFG_BEFORE, EFG_CALLS, EFG_BEHAVIOUR_PARTS };

struct efg_behaviour {
    uint32_t ranks, nodes;
    float *values;      /* of each rank, of each part, of each node; ns or calls */
    double time, calls; /* twice the mean of a rank: what distances are shares of */
};

struct efg_cluster {
    uint32_t count;          /* ranks */
    uint32_t representative; /* the index of the one that is nearest to their mean */
    bool is_outlier;         /* one rank, or a tenth of all at most */
    double apart;            /* distance of its mean from that of the first cluster */
    double spread;           /* largest distance of one of its ranks from its mean */
    float *mean;             /* as of a rank in struct efg_behaviour */
};

struct efg_clusters {
    struct efg_behaviour behaviour; /* without values, once they are found */
    struct efg_cluster *items;      /* by falling size, then by their lowest ranks */
    uint32_t count;
    uint32_t *of_rank; /* by index: the cluster */
    double range;      /* the largest distance of a rank from the one that is nearest to the mean */
    uint32_t far;      /* index of that rank */
};

/* What makes a cluster another one than the first: BY more (ns or calls) in PART of NODE. */
struct efg_cluster_difference {
    enum efg_behaviour_part part;
    uint32_t node;
    double by, share; /* SHARE: of the time, or of the calls, 0 to 1 */
};

/* Room for RANKS ranks with NODES nodes, all zero. Returns 0 or -ENOMEM. */
int efg_behaviour_init(struct efg_behaviour *behaviour, uint32_t ranks, uint32_t nodes);
float *efg_behaviour_of(const struct efg_behaviour *behaviour, uint32_t rank, enum efg_behaviour_part part);

/* Find the clusters of the ranks that BEHAVE so, which is freed; of RANKS ranks, whose graph is MERGED,
 * with their parts. Return 0 or -ENOMEM. FINI in any case, also of what is all zero. */
int efg_clusters_find(struct efg_clusters *clusters, struct efg_behaviour *behave);
int efg_clusters_make(struct efg_clusters *clusters, uint32_t ranks, const struct efg_merged *merged);
void efg_clusters_fini(struct efg_clusters *clusters);

/* The MOST differences of cluster K that have the largest shares, 1% at least, into TO: how many. */
uint32_t efg_clusters_differences(const struct efg_clusters *clusters, uint32_t k,
                                  struct efg_cluster_difference *to, uint32_t most);

/* The ranks of RUN that are in cluster K; with EFG_NONE, those that are in outliers. Returns 0 or -ENOMEM. */
int efg_clusters_ranks(const struct efg_clusters *clusters, const struct efg_run *run, uint32_t k,
                       struct efg_ranklist *list);

#endif
