/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints whether the recorded iterations represent the run. Time comes first, as that is what an iteration
 * is looked at for: a line for each call and each loop. Calls and bytes mostly are the same, so only those
 * that are not have a line in a second table.
 */
#include <math.h>
#include <stdio.h>

#include "base/plural.h"
#include "cli/text.h"
#include "files/summary/summary.h"
#include "tables.h"

static char mark_of(const struct efg_figure *f)
{
    return f->differs ? '!' : ' ';
}

/* --- time --- */

static void put_mean(char *text, size_t size, const struct efg_figure *f)
{
    char run[32], recorded[32];
    efg_format_ns(run, sizeof run, (uint64_t)f->run);
    efg_format_ns(recorded, sizeof recorded, (uint64_t)f->recorded);
    if (f->is_known)
        snprintf(text, size, "%9s %9s +-%4.0f%% %c", run, recorded, efg_percent(f->error, f->recorded),
                 mark_of(f));
    else
        snprintf(text, size, "%9s %9s %7s", f->run > 0 ? run : "", "", "");
}

static void put_time(struct efg_buffer *out, const struct efg_representative *r, const struct efg_run *run,
                     const struct efg_representative_row *row)
{
    char label[384], mean[96];
    const struct efg_figure *share = &row->share;
    efg_representative_label(r, run, row, label, sizeof label);
    put_mean(mean, sizeof mean, &row->mean);
    efg_summary_line(out, "%6.1f%% %5.1f%% +-%4.1f %c %s  %s", 100 * share->run, 100 * share->recorded,
                     100 * share->error, mark_of(share), mean, label);
}

static void put_times(struct efg_buffer *out, const struct efg_representative *r, const struct efg_run *run,
                      uint32_t most)
{
    efg_summary_line(out, "  share of time           mean duration");
    efg_summary_line(out, "    run  recorded          run  recorded             in an iteration, "
                          "the worst first");
    for (uint32_t i = 0; i < r->row_count && i < most; i++)
        put_time(out, r, run, &r->rows[i]);
    efg_text_rest(out, r->row_count, most);
}

/* --- calls and bytes --- */

static bool has_other_calls(const struct efg_representative_row *row)
{
    return row->calls.differs || row->bytes.differs;
}

static void put_bytes(char *text, size_t size, const struct efg_figure *f)
{
    char run[32], recorded[32];
    efg_format_bytes(run, sizeof run, (uint64_t)f->run);
    efg_format_bytes(recorded, sizeof recorded, (uint64_t)f->recorded);
    snprintf(text, size, "%9s %9s %c", f->is_known ? run : "", f->is_known ? recorded : "", mark_of(f));
}

static void put_count(struct efg_buffer *out, const struct efg_representative *r, const struct efg_run *run,
                      const struct efg_representative_row *row)
{
    char label[384], bytes[96];
    efg_representative_label(r, run, row, label, sizeof label);
    put_bytes(bytes, sizeof bytes, &row->bytes);
    efg_summary_line(out, "%9.2f %9.2f +-%5.2f %c %s  %s", row->calls.run, row->calls.recorded,
                     row->calls.error, mark_of(&row->calls), bytes, label);
}

static void put_counts(struct efg_buffer *out, const struct efg_representative *r, const struct efg_run *run,
                       uint32_t most)
{
    uint32_t others = 0, shown = 0;
    for (uint32_t i = 0; i < r->row_count; i++)
        others += (uint32_t)has_other_calls(&r->rows[i]);
    if (!others) {
        efg_summary_line(out, "Calls in an iteration, and bytes of a call, are those of the run.");
        return;
    }
    efg_summary_line(out, "  calls in an iteration      bytes of a call");
    efg_summary_line(out, "      run  recorded              run  recorded    where these differ");
    for (uint32_t i = 0; i < r->row_count && shown < most; i++) {
        if (!has_other_calls(&r->rows[i]))
            continue;
        put_count(out, r, run, &r->rows[i]);
        shown++;
    }
    efg_text_rest(out, others, shown);
}

/* --- the whole --- */

static void put_explanation(struct efg_buffer *out, const struct efg_representative *r)
{
    char text[300];
    snprintf(text, sizeof text,
             "%llu iteration%s of %llu, on %llu rank%s; the loop takes %.1f%% of %s time. +- is the 95%% "
             "confidence interval with iterations as samples; ! is outside of it.",
             (unsigned long long)r->recorded, r->recorded == 1 ? "" : "s", (unsigned long long)r->iterations,
             (unsigned long long)r->ranks, r->ranks == 1 ? "" : "s", 100 * r->coverage,
             r->ranks == 1 ? "its" : "their");
    efg_summary_wrap(out, "", text);
    if (r->has_slow)
        efg_summary_line(
            out, "Iterations that were kept because they were slow, and those beside them, are left out.");
    if (r->has_first)
        efg_summary_line(
            out, "Iterations are spread over the run: those that were recorded besides are left out.");
    if (r->has_others)
        efg_summary_line(out, "Iterations of other phases than that of the main loop are left out.");
    if (r->threads)
        efg_summary_line(out, "%llu thread%s recorded no iterations of their own.",
                         (unsigned long long)r->threads, efg_plural(r->threads));
    if (r->strangers)
        efg_summary_line(out, "%llu recorded call%s in no node of the graph.",
                         (unsigned long long)r->strangers, r->strangers == 1 ? " is" : "s are");
}

void efg_report_representative(struct efg_buffer *out, const struct efg_representative *r,
                               const struct efg_run *run, uint32_t most)
{
    char accuracy[256];
    efg_summary_wrap(out, "", r->sentence);
    efg_summary_accuracy(accuracy, sizeof accuracy, &run->common.totals);
    if (*accuracy)
        efg_summary_wrap(out, "Accuracy: ", accuracy);
    if (!r->row_count)
        return;
    put_explanation(out, r);
    put_times(out, r, run, most);
    put_counts(out, r, run, most);
}
