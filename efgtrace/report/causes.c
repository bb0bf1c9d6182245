/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints what made ranks wait in the recorded iterations, and how efficient these are.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/text.h"
#include "files/summary/summary.h"
#include "waiting.h"

/* --- efficiency --- */

void efg_report_recorded_efficiency(struct efg_buffer *out, const struct efg_report_waiting *w)
{
    const struct efg_waits_efficiency *e = &w->waits.efficiency;
    char time[32];
    if (!e->time)
        return;
    efg_format_ns(time, sizeof time, e->time);
    efg_buffer_print(out, "\n parallel = load balance x serialisation x transfer       time\n");
    efg_summary_line(out, "%8.1f%% %12.1f%% %14.1f%% %9.1f%% %10s  from the first begin to the last end",
                     100 * e->parallel, 100 * e->balance, 100 * e->serialisation, 100 * e->transfer, time);
    efg_summary_line(out,
                     "(serialisation: what is lost to waiting even if messages need no time, as estimated.)");
}

static void put_iteration(struct efg_buffer *out, const struct efg_waits_iteration *it)
{
    struct efg_waits_shares shares = efg_waits_shares(it);
    char longest[32], waited[32];
    double all = (double)(it->sum.computation + it->sum.mpi);
    efg_format_ns(longest, sizeof longest, it->longest);
    efg_format_ns(waited, sizeof waited, efg_waits_waited(&it->sum));
    efg_summary_line(out, "%8.1f%% %12.1f%% %14.1f%% %9.1f%% %10s %9s %6.1f%%  %llu", 100 * shares.parallel,
                     100 * shares.balance, 100 * shares.serialisation, 100 * shares.transfer, longest, waited,
                     efg_percent((double)efg_waits_waited(&it->sum), all),
                     (unsigned long long)efg_recorded_key_number(it->key));
}

void efg_report_recorded_iterations(struct efg_buffer *out, const struct efg_report_waiting *w, uint32_t most)
{
    const struct efg_waits *waits = &w->waits;
    if (!waits->iteration_count)
        return;
    efg_buffer_print(out,
                     "\n parallel = load balance x serialisation x transfer    longest   waiting          "
                     "iteration\n");
    for (uint32_t i = 0; i < waits->iteration_count && i < most; i++)
        put_iteration(out, &waits->iterations[i]);
    efg_text_rest(out, waits->iteration_count, most);
}

/* --- causes --- */

struct row { /* a site, or what follows the last call, and a part of it */
    uint32_t site, part;
    double direct, all, most;
    uint64_t path;
    uint32_t location; /* that caused most of it */
};

static struct row *row_of(struct row *rows, const struct efg_waits *waits, uint32_t site, int part)
{
    return &rows[(size_t)EFG_PARTS * (site == EFG_NONE ? waits->site_count : site) + (size_t)part];
}

static void add_place(struct row *rows, const struct efg_waits *waits, const struct efg_waits_place *place)
{
    for (int part = 0; part < EFG_PARTS; part++) {
        struct row *row = row_of(rows, waits, place->site, part);
        double caused = efg_waits_caused(&place->cost, (enum efg_waits_part)part);
        *row = (struct row){place->site,
                            (uint32_t)part,
                            row->direct + place->cost.direct[part],
                            row->all + caused,
                            row->most < caused ? caused : row->most,
                            row->path + place->cost.path[part],
                            row->most < caused ? place->location : row->location};
    }
}

static int falling(double a, double b)
{
    return (a < b) - (a > b);
}

static int by_waiting(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int order = falling(x->all, y->all);
    order = order ? order : falling((double)x->path, (double)y->path);
    order = order ? order : falling(y->site, x->site);
    return order ? order : falling(y->part, x->part);
}

/* The most first: free them. *COUNT: those that have caused anything or are a share of the path that is seen.
 * NULL without memory. */
static struct row *sorted(const struct efg_waits *waits, uint32_t *count)
{
    size_t all = EFG_PARTS * ((size_t)waits->site_count + 1);
    struct row *rows = calloc(all, sizeof *rows);
    for (uint32_t i = 0; rows && i < waits->place_count; i++)
        add_place(rows, waits, &waits->places[i]);
    if (rows)
        qsort(rows, all, sizeof *rows, by_waiting);
    *count = 0;
    while (rows && *count < all &&
           (rows[*count].all >= 1 || efg_percent((double)rows[*count].path, (double)waits->path) >= 0.05))
        ++*count;
    return rows;
}

static void name_part(const struct efg_report_waiting *w, uint32_t site, uint32_t part, char *text,
                      size_t size)
{
    char label[384] = "";
    if (site != EFG_NONE)
        efg_recorded_label(&w->names, &w->recorded->sites[site], label, sizeof label);
    if (site == EFG_NONE)
        snprintf(text, size, "computation after the last call");
    else
        snprintf(text, size, "%s%s", part == EFG_PART_MPI ? "" : "computation before ", label);
}

static void put_row(struct efg_buffer *out, const struct efg_report_waiting *w, const struct row *row)
{
    const struct efg_waits *waits = &w->waits;
    char time[32], rank[32] = "", text[420];
    efg_format_ns(time, sizeof time, (uint64_t)row->all);
    if (row->all >= 1)
        snprintf(rank, sizeof rank, "%3.0f%% %5u", efg_percent(row->most, row->all),
                 waits->locations[row->location].rank);
    name_part(w, row->site, row->part, text, sizeof text);
    efg_summary_line(out, "%10s %6.1f%% %5.0f%%  %10s %6.1f%%  %s", time,
                     efg_percent(row->all, waits->caused + waits->unknown),
                     efg_percent(row->direct, row->all), rank,
                     efg_percent((double)row->path, (double)waits->path), text);
}

void efg_report_causes(struct efg_buffer *out, const struct efg_report_waiting *w, uint32_t most)
{
    const struct efg_waits *waits = &w->waits;
    uint32_t count;
    char text[32];
    struct row *rows = sorted(waits, &count);
    out->failed |= !rows;
    efg_buffer_print(out, "\n    caused   share direct  most, rank    path  by\n");
    for (uint32_t i = 0; rows && i < count && i < most; i++)
        put_row(out, w, &rows[i]);
    efg_text_rest(out, count, most);
    efg_format_ns(text, sizeof text, (uint64_t)waits->unknown);
    if (waits->unknown >= 1)
        efg_summary_line(out, "%10s %6.1f%%  whose cause is not known", text,
                         efg_percent(waits->unknown, waits->caused + waits->unknown));
    efg_summary_line(
        out, "(waiting of others; direct: not passed on by others. Path: share of the critical path.)");
    free(rows);
}

/* --- for the finding --- */

struct culprit { /* a rank; of its places, the one that caused most */
    double all, most;
    uint32_t rank, site, part;
};

static void judge(struct culprit *c, const struct efg_waits_place *place)
{
    for (int part = 0; part < EFG_PARTS; part++) {
        double caused = efg_waits_caused(&place->cost, (enum efg_waits_part)part);
        c->all += caused;
        if (caused > c->most) {
            c->most = caused;
            c->site = place->site;
            c->part = (uint32_t)part;
        }
    }
}

/* Places are by location, and these by rank. */
void efg_report_say_cause(struct efg_buffer *out, const struct efg_report_waiting *w)
{
    const struct efg_waits *waits = &w->waits;
    struct culprit worst = {0}, c = {0};
    char text[420];
    for (uint32_t i = 0; i < waits->place_count; i++) {
        uint32_t rank = waits->locations[waits->places[i].location].rank;
        if (rank != c.rank)
            c = (struct culprit){.rank = rank};
        judge(&c, &waits->places[i]);
        if (c.all > worst.all)
            worst = c;
    }
    if (worst.all < 1)
        return;
    name_part(w, worst.site, worst.part, text, sizeof text);
    efg_buffer_print(out, " Rank %u causes %.0f%% of it, most by %s.", worst.rank,
                     efg_percent(worst.all, waits->caused + waits->unknown), text);
}
