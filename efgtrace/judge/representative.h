/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well the recorded iterations stand for the run: each call, each loop and the computation
 * between calls, in the trace (recorded.h) and in the graph of the whole run (merged.h).
 *
 * What is compared. In the run: the outermost loop around the main loop, whose iterations are
 * counted by the pivot, and what ranks without that loop have in its place, at call sites of
 * their own. In the trace: what lies in recorded iterations, but for those of other phases, those that were
 * kept because they were slow, and those beside them. Where iterations are spread, only they count, each
 * window as much as the iterations that it stands for (efg_run_weigh). Ranks that recorded none are left out
 * of both; a thread that has none is cut at those of the first thread of its rank that has some. Calls are
 * the same if function and call path are. Polls that found nothing are no calls, but their time is that of
 * their function and call path. The time of a loop is defined in looptree.h.
 *
 * How long an iteration takes on a rank, in the mean, is what the summary says, in the run (of all
 * iterations since the main loop was known) and in the trace.
 *
 *     share   time / time of the iterations      calls   calls / iterations, of all ranks
 *     mean    time / calls                       bytes   bytes / calls, where a call says them
 *
 * A loop is called when its header is.
 *
 * Confidence. Calls in an iteration depend on each other, and ranks wait for each other, so
 * samples are the sums of an iteration over all its calls and ranks, taken as independent. If there
 * are more than EFG_SAMPLES_MOST iterations, equal numbers of consecutive ones make up a sample.
 * Each figure is a ratio R = X / Y of two sums over n samples x, y; its 95% confidence interval
 * is
 *
 *     R +- t(0.975, n - 1) sqrt(sum (x - R y)^2 / (n (n - 1))) / mean y
 *
 * where n counts samples whose y is not 0: what came once is no evidence of what it takes, and has no figure.
 * A figure differs if that of the run lies outside this interval, and by enough to matter: 2% of the
 * larger one; for calls, one call in all that was recorded; for shares, 0.2% of the time.
 *
 * The sentence. Below 3 samples the answer is not known. The recorded iterations do not stand for
 * the run if one of these holds; the first that does is reported:
 *   - an iteration takes 10% more or less time in them, and that is outside of its interval;
 *   - a call, the computation or a loop takes more or less time in an iteration, outside of its
 *     interval, by at least 5% of the time of an iteration of the run; the one with the most;
 *   - the loop takes less than half of the time of its ranks: the rest was not recorded.
 * Nor is the answer known if an iteration takes 10% more or less time, but inside a wide interval; or
 * if one of these rows does, by 10% of the time of an iteration of the run.
 *
 * Source: Cochran, "Sampling Techniques" (1977), on ratio estimators.
 */
#ifndef EFG_REPRESENTATIVE_H
#define EFG_REPRESENTATIVE_H

#include <stdbool.h>

#include "model/merged.h"
#include "recorded/recorded.h"

#define EFG_SAMPLES_MOST 100

struct efg_figure {
    double run, recorded;
    double error; /* half of the interval */
    bool is_known, differs;
};

enum efg_representative_kind { EFG_ROW_CALL, EFG_ROW_LOOP, EFG_ROW_COMPUTE };

struct efg_representative_row {
    uint32_t kind;                  /* enum efg_representative_kind */
    uint32_t id;                    /* node or loop of the merged graph */
    struct efg_figure time;         /* ns in an iteration, all ranks */
    struct efg_figure share;        /* 0 to 1 */
    struct efg_figure mean;         /* ns; not of the computation */
    struct efg_figure calls, bytes; /* calls: not of the computation; bytes: of calls only */
    double impact; /* (time recorded - time of the run) / an iteration of the run */
};

enum efg_representative_verdict {
    EFG_REPRESENTATIVE_UNKNOWN,
    EFG_REPRESENTATIVE_YES,
    EFG_REPRESENTATIVE_NO
};

struct efg_representative {
    const struct efg_merged *merged; /* of the ranks that recorded iterations */
    uint32_t loop;                 /* of it: what is compared; EFG_NONE: nothing is */
    uint64_t recorded, iterations; /* recorded, of the run */
    uint64_t ranks, threads;       /* threads: that recorded none, on these ranks or others */
    uint64_t strangers;            /* recorded calls that are not in the graph */
    double coverage;               /* share of the time of its ranks that the loop takes */
    bool has_others;               /* iterations of other phases were left out */
    bool has_slow;                 /* slow iterations, and those beside them, were left out */
    bool has_first;                /* others are spread: those that are not were left out */
    struct efg_figure each;        /* ns of an iteration, the mean over the ranks: that of the summary */
    struct efg_figure time;        /* ns of an iteration, all ranks */
    struct efg_representative_row *rows; /* those with figures that differ first, by impact */
    uint32_t row_count;
    uint32_t verdict; /* enum efg_representative_verdict */
    char sentence[768];
    struct efg_representative_work *work; /* parts.h */
};

/* Begin to compare RUN with its trace; take an item of the trace, which is RECORDED and stays
 * open; the trace has been read, or is not readable, which is what the sentence says then. Return
 * 0 or -ENOMEM. FINI in any case, also of what is all zero. */
int efg_representative_begin(struct efg_representative *r, const struct efg_run *run,
                             const struct efg_recorded *recorded);
int efg_representative_take(struct efg_representative *r, const struct efg_recorded_item *item);
int efg_representative_read(struct efg_representative *r, bool is_readable);

/* Compare what was read with MERGED, the graph of the ranks that recorded iterations, whose
 * signatures are function and call path (NULL: there are none). Returns 0 or -ENOMEM. */
int efg_representative_end(struct efg_representative *r, const struct efg_merged *merged);
void efg_representative_fini(struct efg_representative *r);

/* By index of the rank: 1 if it recorded iterations. NULL if none did. */
const char *efg_representative_ranks(const struct efg_representative *r);

/* "MPI_Send  solver.c:120 exchange", "in solve, from MPI_Send ...". */
void efg_representative_label(const struct efg_representative *r, const struct efg_run *run,
                              const struct efg_representative_row *row, char *text,
                              size_t size);

#endif
