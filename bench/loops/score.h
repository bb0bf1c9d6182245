/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Score: answers beside the truth. Counts are equal if they differ by 1% and one at most: the
 * first or the last iteration may not be whole.
 */
#ifndef LOOPS_SCORE_H
#define LOOPS_SCORE_H

#include <stdint.h>

#include "feed.h"

#define SCORE_NAME 64
#define SCORE_COARSER 4

struct score_truth {                 /* of a rank */
    uint64_t right;                  /* iterations of the main loop; 0: not known */
    uint64_t coarser[SCORE_COARSER]; /* of loops around it that do as well; 0 ends them */
};

enum score_verdict {
    SCORE_RIGHT,
    SCORE_COARSE, /* one of truth.coarser */
    SCORE_FINER,  /* more than right */
    SCORE_WRONG,  /* fewer, and none of truth.coarser */
    SCORE_NONE,   /* no loop was accepted */
    SCORE_VERDICTS,
};

enum score_same {
    SCORE_DIFFER,    /* seeds of a rank give different answers */
    SCORE_BY_RANK,   /* each rank gives one answer, and not all the same one */
    SCORE_ALL_AGREE, /* all seeds give the same answer, on all ranks that have the same truth */
};

/* What became of one recording. */
struct score {
    char name[SCORE_NAME];
    uint32_t ranks, seeds;
    struct score_truth *truths;  /* of each rank */
    struct feed_answer *answers; /* [rank * seeds + seed] */
    uint32_t judged;             /* answers of ranks whose truth is known */
    uint32_t verdicts[SCORE_VERDICTS];
    enum score_same same;
};

enum score_verdict score_judge(const struct score_truth *truth,
                               const struct feed_answer *answer);

/* Fills judged, verdicts and same from the answers. */
void score_sum(struct score *score);

/* Of times: the median, and what nine of ten are not above. */
struct score_quantiles {
    double median, p90;
};

/* What all recordings add up to. Times are of all runs: of each recording, rank and seed. */
struct score_total {
    uint32_t recordings;
    uint32_t known;           /* with a truth */
    uint32_t right, accepted; /* of those: right in all runs; right or coarser in all */
    uint32_t stable, same;    /* of all: the same answer in all seeds; and on all ranks, too */
    uint32_t most_replaced;   /* in any run: how often the loop was replaced */
    struct score_quantiles first, held;             /* s */
    struct score_quantiles first_share, held_share; /* of the run, 0 to 1 */
};

void score_add_up(struct score_total *total, const struct score *scores, uint32_t count);

/* A time of an answer, in s or as a share of the run. */
typedef double score_time(const struct feed_answer *answer);
score_time score_first, score_held, score_first_share, score_held_share;

/* Of COUNT scores. */
struct score_quantiles score_find_quantiles(const struct score *scores, uint32_t count,
                                            score_time *time);

/* How often the accepted loop was replaced. */
uint32_t score_replaced(const struct feed_answer *answer);

#endif
