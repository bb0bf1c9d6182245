/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Answers are the same if they name the same function and their counts are equal, as score.h
 * has it; the least and the greatest count of a set stand for all of it.
 */
#include "score.h"

#include <stdlib.h>

#define SECOND 1e9

static int is_equal(uint64_t a, uint64_t b)
{
    uint64_t more = a > b ? a : b, less = a > b ? b : a;

    return more - less <= 1 + more / 100;
}

static int is_coarser(const struct score_truth *truth, uint64_t iterations)
{
    for (int i = 0; i < SCORE_COARSER && truth->coarser[i]; i++)
        if (is_equal(truth->coarser[i], iterations))
            return 1;
    return 0;
}

enum score_verdict score_judge(const struct score_truth *truth, const struct feed_answer *answer)
{
    if (!answer->function)
        return SCORE_NONE;
    if (is_equal(truth->right, answer->iterations))
        return SCORE_RIGHT;
    if (is_coarser(truth, answer->iterations))
        return SCORE_COARSE;
    return answer->iterations > truth->right ? SCORE_FINER : SCORE_WRONG;
}

/* Of both ranks, which may be one. */
static int are_same(const struct score *score, uint32_t one, uint32_t other)
{
    const struct feed_answer *a = score->answers + one * score->seeds;
    const struct feed_answer *b = score->answers + other * score->seeds;
    uint64_t least = a->iterations, most = a->iterations;

    for (uint32_t i = 0; i < 2 * score->seeds; i++) {
        const struct feed_answer *answer = i < score->seeds ? a + i : b + i - score->seeds;
        if (answer->function != a->function)
            return 0;
        least = answer->iterations < least ? answer->iterations : least;
        most = answer->iterations > most ? answer->iterations : most;
    }
    return is_equal(least, most);
}

/* The first rank with the same truth. */
static uint32_t fellow(const struct score *score, uint32_t rank)
{
    uint32_t other = 0;

    while (score->truths[other].right != score->truths[rank].right)
        other++;
    return other;
}

static enum score_same find_same(const struct score *score)
{
    enum score_same same = SCORE_ALL_AGREE;

    for (uint32_t rank = 0; rank < score->ranks; rank++) {
        if (!are_same(score, rank, rank))
            return SCORE_DIFFER;
        if (!are_same(score, fellow(score, rank), rank))
            same = SCORE_BY_RANK;
    }
    return same;
}

void score_sum(struct score *score)
{
    for (uint32_t i = 0; i < score->ranks * score->seeds; i++) {
        const struct score_truth *truth = &score->truths[i / score->seeds];
        if (!truth->right)
            continue;
        score->judged++;
        score->verdicts[score_judge(truth, &score->answers[i])]++;
    }
    score->same = find_same(score);
}

uint32_t score_replaced(const struct feed_answer *answer)
{
    return answer->changes ? answer->changes - 1 : 0;
}

/* ---- times ---- */

double score_first(const struct feed_answer *answer)
{
    return (double)answer->first / SECOND;
}

double score_held(const struct feed_answer *answer)
{
    return (double)answer->held / SECOND;
}

double score_first_share(const struct feed_answer *answer)
{
    return (double)answer->first / (double)answer->end;
}

double score_held_share(const struct feed_answer *answer)
{
    return (double)answer->held / (double)answer->end;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint32_t runs_of(const struct score *scores, uint32_t count)
{
    uint32_t runs = 0;

    for (uint32_t i = 0; i < count; i++)
        runs += scores[i].ranks * scores[i].seeds;
    return runs;
}

struct score_quantiles score_find_quantiles(const struct score *scores, uint32_t count, score_time *time)
{
    uint32_t runs = runs_of(scores, count), n = 0;
    double *times = malloc((runs + 1) * sizeof *times);

    if (!times)
        abort();
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < scores[i].ranks * scores[i].seeds; k++)
            times[n++] = time(&scores[i].answers[k]);
    qsort(times, n, sizeof *times, compare);
    struct score_quantiles q = {n ? times[(n - 1) / 2] : 0, n ? times[(9 * n - 1) / 10] : 0};
    free(times);
    return q;
}

/* ---- all of them ---- */

static uint32_t most_replaced(const struct score *score)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < score->ranks * score->seeds; i++) {
        uint32_t replaced = score_replaced(&score->answers[i]);
        most = replaced > most ? replaced : most;
    }
    return most;
}

static void add(struct score_total *total, const struct score *score)
{
    uint32_t most = most_replaced(score), right = score->verdicts[SCORE_RIGHT];

    total->known += score->judged > 0;
    total->right += score->judged && right == score->judged;
    total->accepted += score->judged && right + score->verdicts[SCORE_COARSE] == score->judged;
    total->stable += score->same != SCORE_DIFFER;
    total->same += score->same == SCORE_ALL_AGREE;
    total->most_replaced = most > total->most_replaced ? most : total->most_replaced;
}

void score_add_up(struct score_total *total, const struct score *scores, uint32_t count)
{
    *total = (struct score_total){.recordings = count};
    for (uint32_t i = 0; i < count; i++)
        add(total, &scores[i]);
    total->first = score_find_quantiles(scores, count, score_first);
    total->held = score_find_quantiles(scores, count, score_held);
    total->first_share = score_find_quantiles(scores, count, score_first_share);
    total->held_share = score_find_quantiles(scores, count, score_held_share);
}
