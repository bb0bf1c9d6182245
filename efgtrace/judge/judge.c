/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Judges in one sentence whether the recorded iterations represent the run. The sentence, by the rules of
 * the header.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "files/summary/summary.h"
#include "parts.h"

#define ROW_APART 0.05
#define COVERAGE_LEAST 0.5

void efg_representative_label(const struct efg_representative *r, const struct efg_run *run,
                              const struct efg_representative_row *row, char *text, size_t size)
{
    const struct efg_merged *m = r->merged;
    char label[600];
    if (row->kind == EFG_ROW_CALL) {
        efg_summary_node(run, &m->graph.nodes[row->id], text, size);
        return;
    }
    if (row->kind == EFG_ROW_COMPUTE) {
        snprintf(text, size, "computation between the calls");
        return;
    }
    efg_summary_loop_label(run, &m->graph, &m->tree, row->id, label, sizeof label);
    snprintf(text, size, "loop %s", label);
}

/* The first one with an impact of LEAST or more, of those that differ in their time or of all; calls and
 * computation before loops, which they are part of. */
static const struct efg_representative_row *find_worst(const struct efg_representative *r, bool differs,
                                                       double least)
{
    const struct efg_representative_row *worst = NULL;
    for (uint32_t i = 0; i < r->row_count; i++) {
        const struct efg_representative_row *row = &r->rows[i];
        if ((differs && !row->time.differs) || fabs(row->impact) < least)
            continue;
        if (!worst || (worst->kind == EFG_ROW_LOOP && row->kind != EFG_ROW_LOOP))
            worst = row;
    }
    return worst;
}

/* "takes 2.1 times as long", "takes 12% less time", of a figure that differs. */
static void put_factor(char *text, size_t size, const struct efg_figure *f)
{
    double factor = f->run > 0 ? f->recorded / f->run : INFINITY;
    if (!isfinite(factor))
        snprintf(text, size, "takes time in them only");
    else if (f->recorded <= 0)
        snprintf(text, size, "is in none of them");
    else if (factor >= 1.5)
        snprintf(text, size, "takes %.1f times as long in them", factor);
    else
        snprintf(text, size, "takes %.0f%% %s time in them", 100 * fabs(factor - 1),
                 factor > 1 ? "more" : "less");
}

static void put_row(char *text, size_t size, const struct efg_representative *r, const struct efg_run *run,
                    const struct efg_representative_row *row)
{
    char label[384], factor[64];
    efg_representative_label(r, run, row, label, sizeof label);
    put_factor(factor, sizeof factor, &row->time);
    snprintf(text, size, "%s %s, %.1f%% of an iteration instead of %.1f%%", label, factor,
             100 * row->time.recorded / r->time.recorded, 100 * row->share.run);
}

static void say_no(struct efg_representative *r, const struct efg_run *run, const char *why)
{
    const char *advice = efg_summary_advice(run);
    r->verdict = EFG_REPRESENTATIVE_NO;
    snprintf(r->sentence, sizeof r->sentence, "The recorded iterations do not stand for the run: %s.%s%s%s",
             why, *advice ? " " : "", advice, *advice ? "." : "");
}

/* An iteration takes more or less time, and what has most to do with it. */
static void say_slow(struct efg_representative *r, const struct efg_run *run)
{
    const struct efg_representative_row *worst = find_worst(r, true, ROW_APART);
    char why[640], factor[64], label[384] = "";
    put_factor(factor, sizeof factor, &r->each);
    if (worst)
        efg_representative_label(r, run, worst, label, sizeof label);
    snprintf(why, sizeof why, "an iteration %s%s%s", factor, worst ? ", most of it " : "", label);
    say_no(r, run, why);
}

/* Of all rows, whether it is more than chance or not: it is what the table below shows. */
static void put_most(char *text, size_t size, const struct efg_representative *r)
{
    const struct efg_representative_row *farthest = NULL;
    double apart = 0, share = 0;

    for (uint32_t i = 0; i < r->row_count; i++) {
        const struct efg_representative_row *row = &r->rows[i];
        double points = fabs(row->share.recorded - row->share.run);
        apart = fmax(apart, fabs(row->impact));
        if (points <= share)
            continue;
        share = points;
        farthest = row;
    }
    snprintf(text, size,
             "no call or loop differs by more than %.1f%% of that, nor its share of the time by more than "
             "%.1f points%s",
             fmax(0.1, ceil(1000 * apart) / 10), fmax(0.1, ceil(1000 * share) / 10),
             farthest && !farthest->share.differs ? ", which may be chance" : "");
}

static void say_yes(struct efg_representative *r)
{
    char some[32], all[32], most[192];

    put_most(most, sizeof most, r);
    efg_format_ns(some, sizeof some, (uint64_t)(r->each.recorded + 0.5));
    efg_format_ns(all, sizeof all, (uint64_t)(r->each.run + 0.5));
    snprintf(r->sentence, sizeof r->sentence,
             "The recorded iterations stand for the run: they take %s each, all of them %s "
             "(%+.1f%%), and %s.",
             some, all, 100 * (r->each.recorded / r->each.run - 1), most);
    r->verdict = EFG_REPRESENTATIVE_YES;
}

void efg_representative_say_unknown(struct efg_representative *r, const char *why)
{
    snprintf(r->sentence, sizeof r->sentence,
             "It is not known how well the recorded iterations stand for the run: %s.", why);
}

void efg_representative_judge(struct efg_representative *r, const struct efg_run *run)
{
    const struct efg_representative_row *worst = find_worst(r, true, ROW_APART);
    const struct efg_representative_row *unsure = find_worst(r, false, EFG_SUMMARY_APART);
    double apart = r->each.recorded / r->each.run - 1;
    char why[640], row[560];
    if (r->recorded < 3) {
        efg_representative_say_unknown(r, r->has_slow ? "but for slow ones, there are fewer than three"
                                                      : "there are fewer than three");
    } else if (r->each.differs && fabs(apart) > EFG_SUMMARY_APART) {
        say_slow(r, run);
    } else if (worst) {
        put_row(why, sizeof why, r, run, worst);
        say_no(r, run, why);
    } else if (r->coverage < COVERAGE_LEAST) {
        snprintf(why, sizeof why, "the loop that they are of takes %.0f%% of its time", 100 * r->coverage);
        say_no(r, run, why);
    } else if (fabs(apart) > EFG_SUMMARY_APART) {
        snprintf(why, sizeof why, "they take %.0f%% %s time than all, but differ from each other as much",
                 100 * fabs(apart), apart > 0 ? "more" : "less");
        efg_representative_say_unknown(r, why);
    } else if (unsure) {
        put_row(row, sizeof row, r, run, unsure);
        snprintf(why, sizeof why, "%s, but iterations differ from each other as much", row);
        efg_representative_say_unknown(r, why);
    } else {
        say_yes(r);
    }
}
