/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A line shows the counts that came out most often, each with how many of 100 runs had it:
 *
 *     recording     true right coarser finer wrong none  same  held      %  repl answers
 *     s08_driver_3  3000    80       0     0     0    0  all   0.35 s   12     0 3000
 */
#include "table.h"

#include <inttypes.h>
#include <string.h>

#define SHOWN 4 /* different counts */

static const char *const VERDICTS[] = {"right", "coarser", "finer", "wrong", "none"};
static const char *const SAME[] = {"no", "seeds", "all"};

/* ---- answers ---- */

struct counted {
    uint64_t iterations, function;
    uint32_t runs;
};

/* Counts of one function that differ by what is a matter of where a run ends are told apart
 * too: they are what they are. */
static uint32_t count_answers(const struct score *score, struct counted *list, uint32_t room)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < score->ranks * score->seeds; i++) {
        const struct feed_answer *a = &score->answers[i];
        uint32_t k = 0;
        while (k < count && (list[k].iterations != a->iterations || list[k].function != a->function))
            k++;
        if (k == room)
            continue;
        if (k == count)
            list[count++] = (struct counted){a->iterations, a->function, 0};
        list[k].runs++;
    }
    return count;
}

static uint32_t most_frequent(const struct counted *list, uint32_t count)
{
    uint32_t best = 0;

    for (uint32_t k = 1; k < count; k++)
        if (list[k].runs > list[best].runs)
            best = k;
    return best;
}

static void print_answers(FILE *out, const struct score *score)
{
    struct counted list[64];
    uint32_t runs = score->ranks * score->seeds;
    uint32_t count = count_answers(score, list, sizeof list / sizeof *list), shown = 0;

    for (; shown < SHOWN && shown < count; shown++) {
        struct counted *c = &list[most_frequent(list, count)];
        if (c->function)
            fprintf(out, " %" PRIu64, c->iterations);
        else
            fprintf(out, " none");
        if (c->runs < runs)
            fprintf(out, " (%.0f%%)", 100.0 * c->runs / runs);
        c->runs = 0;
    }
    fprintf(out, count > shown ? " ...\n" : "\n");
}

/* ---- text ---- */

void table_print_head(FILE *out)
{
    fprintf(out, "%-28s %7s", "recording", "true");
    for (int v = 0; v < SCORE_VERDICTS; v++)
        fprintf(out, " %7s", VERDICTS[v]);
    fprintf(out, "  %-5s %8s %4s %8s %4s %4s  %s\n", "same", "first s", "%", "held s", "%", "repl",
            "answers");
}

static void print_time(FILE *out, const struct score *score, score_time *time, score_time *share)
{
    fprintf(out, " %8.2f %4.0f", score_find_quantiles(score, 1, time).median,
            100 * score_find_quantiles(score, 1, share).median);
}

/* That of most ranks would say no more: where it is not the same on all, each has its own. */
static void print_truth(FILE *out, const struct score *score)
{
    uint64_t right = score->truths[0].right;

    for (uint32_t rank = 1; rank < score->ranks; rank++)
        if (score->truths[rank].right != right) {
            fprintf(out, "%7s", "own");
            return;
        }
    if (right)
        fprintf(out, "%7" PRIu64, right);
    else
        fprintf(out, "%7s", "?");
}

void table_print(FILE *out, const struct score *score)
{
    struct score_total total;

    score_add_up(&total, score, 1);
    fprintf(out, "%-28s ", score->name);
    print_truth(out, score);
    for (int v = 0; v < SCORE_VERDICTS; v++)
        fprintf(out, " %7" PRIu32, score->verdicts[v]);
    fprintf(out, "  %-5s", SAME[score->same]);
    print_time(out, score, score_first, score_first_share);
    print_time(out, score, score_held, score_held_share);
    fprintf(out, " %4" PRIu32 " ", total.most_replaced);
    print_answers(out, score);
    fflush(out);
}

static void print_quantiles(FILE *out, const char *what, struct score_quantiles time,
                            struct score_quantiles share)
{
    fprintf(out, "%-42s median %6.2f s, %3.0f%%   p90 %6.2f s, %3.0f%%\n", what, time.median,
            100 * share.median, time.p90, 100 * share.p90);
}

void table_print_total(FILE *out, const struct score_total *total)
{
    fprintf(out, "\nright in all runs                          %3u of %u\n", total->right, total->known);
    fprintf(out, "right or coarser in all runs               %3u of %u\n", total->accepted, total->known);
    fprintf(out, "the same answer in all seeds               %3u of %u\n", total->stable, total->recordings);
    fprintf(out, "the same answer in all seeds and ranks     %3u of %u\n", total->same, total->recordings);
    print_quantiles(out, "a loop is accepted first after", total->first, total->first_share);
    print_quantiles(out, "the loop that holds is accepted after", total->held, total->held_share);
    fprintf(out, "replaced in a run, at most                 %3u\n", total->most_replaced);
}

/* ---- JSON ---- */

static cJSON *answer_json(const struct score *score, uint32_t i)
{
    const struct feed_answer *a = &score->answers[i];
    cJSON *object = cJSON_CreateObject();
    char function[17];

    snprintf(function, sizeof function, "%016" PRIx64, a->function);
    cJSON_AddNumberToObject(object, "rank", i / score->seeds);
    cJSON_AddNumberToObject(object, "seed", i % score->seeds);
    if (a->function)
        cJSON_AddStringToObject(object, "function", function);
    else
        cJSON_AddNullToObject(object, "function");
    cJSON_AddNumberToObject(object, "iterations", (double)a->iterations);
    cJSON_AddNumberToObject(object, "share", a->share);
    cJSON_AddNumberToObject(object, "first", (double)a->first);
    cJSON_AddNumberToObject(object, "held", (double)a->held);
    cJSON_AddNumberToObject(object, "end", (double)a->end);
    cJSON_AddNumberToObject(object, "replaced", score_replaced(a));
    return object;
}

static cJSON *truth_json(const struct score_truth *truth)
{
    cJSON *object = cJSON_CreateObject(), *coarser;

    cJSON_AddNumberToObject(object, "right", (double)truth->right);
    coarser = cJSON_AddArrayToObject(object, "coarser");
    for (int i = 0; i < SCORE_COARSER && truth->coarser[i]; i++)
        cJSON_AddItemToArray(coarser, cJSON_CreateNumber((double)truth->coarser[i]));
    return object;
}

cJSON *table_json(const struct score *score)
{
    cJSON *object = cJSON_CreateObject(), *truths, *answers;

    cJSON_AddStringToObject(object, "name", score->name);
    truths = cJSON_AddArrayToObject(object, "truths");
    for (uint32_t rank = 0; rank < score->ranks; rank++)
        cJSON_AddItemToArray(truths, truth_json(&score->truths[rank]));
    for (int v = 0; v < SCORE_VERDICTS; v++)
        cJSON_AddNumberToObject(object, VERDICTS[v], score->verdicts[v]);
    cJSON_AddStringToObject(object, "same", SAME[score->same]);
    cJSON_AddNumberToObject(object, "held", score_find_quantiles(score, 1, score_held).median);
    cJSON_AddNumberToObject(object, "held_share", score_find_quantiles(score, 1, score_held_share).median);
    answers = cJSON_AddArrayToObject(object, "answers");
    for (uint32_t i = 0; i < score->ranks * score->seeds; i++)
        cJSON_AddItemToArray(answers, answer_json(score, i));
    return object;
}

static void add_quantiles(cJSON *to, const char *name, struct score_quantiles q)
{
    cJSON *object = cJSON_AddObjectToObject(to, name);

    cJSON_AddNumberToObject(object, "median", q.median);
    cJSON_AddNumberToObject(object, "p90", q.p90);
}

cJSON *table_json_total(const struct score_total *total)
{
    cJSON *object = cJSON_CreateObject();

    cJSON_AddNumberToObject(object, "recordings", total->recordings);
    cJSON_AddNumberToObject(object, "known", total->known);
    cJSON_AddNumberToObject(object, "right", total->right);
    cJSON_AddNumberToObject(object, "right_or_coarser", total->accepted);
    cJSON_AddNumberToObject(object, "same_in_seeds", total->stable);
    cJSON_AddNumberToObject(object, "same", total->same);
    cJSON_AddNumberToObject(object, "most_replaced", total->most_replaced);
    add_quantiles(object, "first", total->first);
    add_quantiles(object, "first_share", total->first_share);
    add_quantiles(object, "held", total->held);
    add_quantiles(object, "held_share", total->held_share);
    return object;
}
