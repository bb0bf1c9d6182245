/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints why ranks wait in the recorded iterations: what their time is made of; at which call sites they
 * wait, and make others wait; for whom.
 */
#include "waiting.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/plural.h"
#include "cli/text.h"
#include "files/summary/summary.h"

#define LITTLE 5 /* percent of the time: less waiting is not worth a finding */

int efg_report_waiting_begin(struct efg_report_waiting *w, const struct efg_run *run,
                             const struct efg_recorded *recorded)
{
    w->recorded = recorded;
    efg_waits_begin(&w->waits, recorded);
    return efg_recorded_names_init(&w->names, run);
}

void efg_report_waiting_end(struct efg_report_waiting *w, bool is_readable)
{
    if (!is_readable)
        snprintf(w->waits.missing, sizeof w->waits.missing, "%s", w->recorded->message);
    efg_waits_end(&w->waits);
}

void efg_report_waiting_fini(struct efg_report_waiting *w)
{
    efg_waits_fini(&w->waits);
    efg_recorded_names_fini(&w->names);
}

static double time_of(const struct efg_waits *waits)
{
    return (double)waits->all.computation + (double)waits->all.mpi;
}

/* --- what time is made of --- */

static void put_part(struct efg_buffer *out, const struct efg_waits *waits, uint64_t time, const char *head,
                     const char *name)
{
    char text[32];
    efg_format_ns(text, sizeof text, time);
    efg_summary_line(out, "%8.1f%% %10s  %s%s", efg_percent((double)time, time_of(waits)), text, head, name);
}

static void put_parts(struct efg_buffer *out, const struct efg_waits *waits)
{
    efg_buffer_print(out, "    share       time  of all ranks\n");
    put_part(out, waits, waits->all.computation, "computation", "");
    for (int kind = EFG_WAIT_NONE + 1; kind < EFG_WAITS; kind++)
        if (waits->all.waited[kind])
            put_part(out, waits, waits->all.waited[kind], "waiting: ", efg_wait_name((enum efg_wait)kind));
    put_part(out, waits, efg_waits_transfer(&waits->all), "the rest in MPI: transfer, software", "");
}

/* --- where --- */

struct row { /* a site */
    uint32_t site;
    uint64_t waited, caused;
};

static int by_both(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    uint64_t one = x->waited + x->caused, other = y->waited + y->caused;
    if (one != other)
        return one < other ? 1 : -1;
    return (x->site > y->site) - (x->site < y->site);
}

/* By its calls, and by the computation before them. */
static uint64_t caused_at(const struct efg_waits *waits, uint32_t site)
{
    double caused = 0;
    for (int part = 0; part < EFG_PARTS; part++)
        caused += efg_waits_caused(&waits->costs[site], (enum efg_waits_part)part);
    return (uint64_t)(caused + 0.5);
}

/* Sites where ranks wait, or make others wait, the most first: free them. *COUNT: how many. NULL without
 * memory. */
static struct row *sorted(const struct efg_waits *waits, uint32_t *count)
{
    struct row *rows = calloc((size_t)waits->site_count + 1, sizeof *rows);
    *count = 0;
    for (uint32_t i = 0; rows && i < waits->site_count; i++) {
        struct row row = {i, efg_waits_waited(&waits->sites[i]), caused_at(waits, i)};
        if (row.waited || row.caused)
            rows[(*count)++] = row;
    }
    if (rows)
        qsort(rows, *count, sizeof *rows, by_both);
    return rows;
}

/* The kind that it waits most for. */
static enum efg_wait main_kind(const struct efg_waits_sum *sum)
{
    int most = EFG_WAIT_NONE + 1;
    for (int kind = most; kind < EFG_WAITS; kind++)
        if (sum->waited[kind] > sum->waited[most])
            most = kind;
    return (enum efg_wait)most;
}

static void put_site(struct efg_buffer *out, const struct efg_report_waiting *w, const struct row *row)
{
    const struct efg_waits_sum *sum = &w->waits.sites[row->site];
    char label[384], waited[32], caused[32], mpi[32];
    efg_recorded_label(&w->names, &w->recorded->sites[row->site], label, sizeof label);
    efg_format_ns(waited, sizeof waited, row->waited);
    efg_format_ns(caused, sizeof caused, row->caused);
    efg_format_ns(mpi, sizeof mpi, sum->mpi);
    efg_summary_line(out, "%10s %6.1f%% %10s %10s  %-15s  %s", waited,
                     efg_percent((double)row->waited, (double)sum->mpi), mpi, caused,
                     row->waited ? efg_wait_name(main_kind(sum)) : "-", label);
}

static void put_sites(struct efg_buffer *out, const struct efg_report_waiting *w, uint32_t most)
{
    uint32_t count;
    struct row *rows = sorted(&w->waits, &count);
    out->failed |= !rows;
    efg_buffer_print(out, "\n   waiting   share     in MPI     caused  mostly           at\n");
    for (uint32_t i = 0; rows && i < count && i < most; i++)
        put_site(out, w, &rows[i]);
    efg_text_rest(out, count, most);
    efg_buffer_print(out,
                     "(share: of the time in MPI. Caused: waiting of others, by computation before, too.)\n");
    free(rows);
}

/* --- for whom --- */

static void name_rank(char *text, size_t size, uint32_t rank)
{
    if (rank == EFG_NONE)
        snprintf(text, size, "unknown");
    else
        snprintf(text, size, "rank %u", rank);
}

static void put_pair(struct efg_buffer *out, const struct efg_waits_pair *pair, double all)
{
    char other[32], time[32];
    name_rank(other, sizeof other, pair->other);
    efg_format_ns(time, sizeof time, pair->time);
    efg_summary_line(out, "%10s %6.1f%% %10" PRIu64 "  rank %u for %s", time,
                     efg_percent((double)pair->time, all), pair->count, pair->waiter, other);
}

static void put_pairs(struct efg_buffer *out, const struct efg_waits *waits, uint32_t most)
{
    efg_buffer_print(out, "\n   waiting   share      times  who waits for whom\n");
    for (uint32_t i = 0; i < waits->pair_count && i < most; i++)
        put_pair(out, &waits->pairs[i], (double)efg_waits_waited(&waits->all));
    efg_text_rest(out, waits->pair_count, most);
}

/* --- all --- */

static void put_left_out(struct efg_buffer *out, const struct efg_waits *waits)
{
    if (waits->alone)
        efg_summary_line(out, "%" PRIu64 " end%s of messages %s no other end in the trace.", waits->alone,
                         efg_plural(waits->alone), waits->alone == 1 ? "has" : "have");
    if (waits->unmatched)
        efg_summary_line(out, "%" PRIu64 " call%s of collectives %s not matched with others.",
                         waits->unmatched, efg_plural(waits->unmatched),
                         waits->unmatched == 1 ? "is" : "are");
    if (waits->epochs_alone)
        efg_summary_line(out, "%" PRIu64 " epochs of RMA windows have no other side in the trace.",
                         waits->epochs_alone);
}

void efg_report_waiting(struct efg_buffer *out, const struct efg_report_waiting *w, uint32_t most)
{
    const struct efg_waits *waits = &w->waits;
    char text[600];
    if (*waits->missing || !(time_of(waits) > 0)) {
        snprintf(text, sizeof text, "Not known: %s.",
                 *waits->missing ? waits->missing : "nothing was recorded");
        efg_summary_wrap(out, "", text);
        return;
    }
    put_parts(out, waits);
    efg_report_recorded_efficiency(out, w);
    efg_report_recorded_iterations(out, w, most);
    if (efg_waits_waited(&waits->all)) {
        put_sites(out, w, most);
        put_pairs(out, waits, most);
        efg_report_causes(out, w, most);
    }
    put_left_out(out, waits);
}

/* --- the finding --- */

static uint32_t most_waited(const struct efg_waits *waits)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < waits->site_count; i++)
        if (efg_waits_waited(&waits->sites[i]) > efg_waits_waited(&waits->sites[most]))
            most = i;
    return most;
}

void efg_report_say_waiting(struct efg_buffer *out, const struct efg_report_waiting *w)
{
    const struct efg_waits *waits = &w->waits;
    uint64_t waited = efg_waits_waited(&waits->all);
    double share = efg_percent((double)waited, time_of(waits));
    char label[384], other[32];
    if (*waits->missing || share < LITTLE)
        return;
    uint32_t site = most_waited(waits);
    const struct efg_waits_sum *sum = &waits->sites[site];
    *other = '\0';
    if (waits->pairs->other != EFG_NONE)
        snprintf(other, sizeof other, ", for rank %u", waits->pairs->other);
    efg_recorded_label(&w->names, &w->recorded->sites[site], label, sizeof label);
    efg_buffer_print(out,
                     "In the recorded iterations the ranks wait for %.1f%% of the time, %.0f%% "
                     "of that at %s (%s); rank %u waits longest%s.",
                     share, efg_percent((double)efg_waits_waited(sum), (double)waited), label,
                     efg_wait_name(main_kind(sum)), waits->pairs->waiter, other);
    efg_report_say_cause(out, w);
    efg_buffer_print(out, "\n");
}
