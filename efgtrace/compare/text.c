/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The comparison as text: what differs, in words; the runs; their loops; their calls.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "cli/text.h"
#include "files/summary/summary.h"
#include "formats.h"

#define LEAST 1e-3 /* of the time: smaller differences are not worth a line */

/* --- numbers --- */

static const char *duration(char text[32], double ns)
{
    efg_format_ns(text, 32, ns > 0 ? (uint64_t)(ns + 0.5) : 0);
    return text;
}

/* With its sign. */
static const char *difference(char text[32], double ns)
{
    char size[32];
    efg_format_ns(size, sizeof size, (uint64_t)(fabs(ns) + 0.5));
    snprintf(text, 32, "%s%.30s", ns < 0 ? "-" : "+", size);
    return text;
}

static const char *amount(char text[32], double count)
{
    if (count == floor(count) && count < 1e6)
        snprintf(text, 32, "%.0f", count);
    else
        efg_format_count(text, 32, count);
    return text;
}

/* B / A, "-" where that says nothing. */
static const char *times(char text[32], double a, double b)
{
    if (a > 0 && b > 0)
        snprintf(text, 32, b / a < 10 ? "%.2f" : "%.0f", b / a);
    else
        snprintf(text, 32, "-");
    return text;
}

static const char *share(char text[32], double part, double whole)
{
    if (whole > 0)
        snprintf(text, 32, "%.1f%%", 100 * part / whole);
    else
        snprintf(text, 32, "-");
    return text;
}

/* --- in words --- */

static void name(const struct efg_comparison *c, const struct efg_difference *d, char *text, size_t size)
{
    int which = efg_comparison_side(c, d->node);
    const struct efg_model *side = &c->side[which];
    char label[256];
    efg_summary_node(&side->run, &side->merged.graph.nodes[which ? d->node.b : d->node.a], label,
                     sizeof label);
    snprintf(text, size, "%s%s", d->is_compute ? "computing before " : "", label);
}

static void put_whole(struct efg_buffer *out, const struct efg_comparison *c)
{
    char a[32], b[32], more[32];
    double ranks = efg_comparison_ranks(c), ratio = efg_comparison_time(c);
    efg_format_digits(more, sizeof more, ranks, 3);
    efg_summary_line(out, "B takes %s, A %s: %.2f times as long.", duration(b, c->time[1]),
                     duration(a, c->time[0]), ratio);
    if (ranks != 1 && ratio > 0)
        efg_summary_line(out,
                         "It has %sx the ranks: if the work is the same, it has %.2fx the speed; "
                         "scaling efficiency %.0f%%.",
                         more, 1 / ratio, 100 / ratio / ranks);
}

/* Of runs in which watching paused. */
static void put_watched(struct efg_buffer *out, const struct efg_comparison *c)
{
    char watched[32];
    for (int i = 0; i < 2; i++) {
        efg_format_percent(watched, sizeof watched, efg_summary_watched(&c->side[i].run));
        if (c->side[i].run.common.totals.paused)
            efg_summary_line(out, "%c was watched for %s of the time: its times are those of that part.",
                             'A' + i, watched);
    }
}

static void put_iteration(struct efg_buffer *out, const struct efg_comparison *c)
{
    char a[32], b[32];
    if (c->main_loop[0] != EFG_NONE && c->main_loop[1] != EFG_NONE && !c->is_same_loop)
        efg_summary_line(out, "The main loops of the two runs are not the same: their iterations "
                              "cannot be compared.");
    else if (c->iteration[0] > 0 && c->iteration[1] > 0)
        efg_summary_line(out, "An iteration of the main loop takes %s, in A %s: %.2f times as long.",
                         duration(b, c->iteration[1]), duration(a, c->iteration[0]),
                         c->iteration[1] / c->iteration[0]);
}

/* What the largest of the differences that go the same way as the whole is made of. */
static void put_largest(struct efg_buffer *out, const struct efg_comparison *c)
{
    double whole = c->time[1] - c->time[0];
    for (uint32_t i = 0; i < c->difference_count; i++) {
        const struct efg_difference *d = &c->differences[i];
        double part = d->time[1] - d->time[0];
        char what[300], size[32], line[400];
        if (part * whole <= 0 || fabs(part) < LEAST * c->time[0])
            continue;
        name(c, d, what, sizeof what);
        snprintf(line, sizeof line, "%s of the difference: %s%s", difference(size, part),
                 d->is_compute ? "" : "in ", what);
        efg_summary_wrap(out, "", line);
        return;
    }
}

/* Whose calls could not be known by the names of functions, and what was done about it. */
static void put_nameless(struct efg_buffer *out, const struct efg_comparison *c, int i)
{
    char line[500], why[300];
    if (!c->nameless[i] || !(c->matched.is_apart || (c->matched.placed && !c->nameless[!i])))
        return;
    if (*c->nameless[i])
        snprintf(why, sizeof why, "%c has few names of functions, as %.200s is stripped", 'A' + i,
                 c->nameless[i]);
    else
        snprintf(why, sizeof why, "%c has no names of functions, as symbols = off says", 'A' + i);
    if (!c->matched.is_apart) {
        snprintf(line, sizeof line, "%s: its calls are those at the same places of the modules in %c.", why,
                 'A' + !i);
        efg_summary_wrap(out, "", line);
        return;
    }
    snprintf(
        line, sizeof line,
        "%s: its calls cannot be matched with those of %c, and have rows of their own. Names are added%s by",
        why, 'A' + !i, *c->nameless[i] ? " from debug files" : "");
    efg_summary_wrap(out, "", line);
    efg_buffer_print(out, "    efgtrace symbols %s\n", c->side[i].run.output); /* to be copied */
}

void efg_compare_put_findings(struct efg_buffer *out, const struct efg_comparison *c)
{
    put_whole(out, c);
    put_watched(out, c);
    put_iteration(out, c);
    put_largest(out, c);
    for (int i = 0; i < 2; i++)
        put_nameless(out, c, i);
}

/* --- the runs --- */

static void put_row(struct efg_buffer *out, const char *what, const char *a, const char *b, const char *ratio)
{
    efg_summary_line(out, "%-26s %18s %18s %8s", what, a, b, ratio);
}

static void put_durations(struct efg_buffer *out, const char *what, const double ns[2])
{
    char a[32], b[32], ratio[32];
    put_row(out, what, ns[0] > 0 ? duration(a, ns[0]) : "-", ns[1] > 0 ? duration(b, ns[1]) : "-",
            times(ratio, ns[0], ns[1]));
}

static void put_amounts(struct efg_buffer *out, const char *what, double x, double y)
{
    char a[32], b[32], ratio[32];
    put_row(out, what, x > 0 ? amount(a, x) : "-", y > 0 ? amount(b, y) : "-", times(ratio, x, y));
}

static void put_shares(struct efg_buffer *out, const char *what, double x, double y)
{
    char a[32], b[32];
    put_row(out, what, share(a, x, 1), share(b, y, 1), "");
}

static void put_runs(struct efg_buffer *out, const struct efg_comparison *c)
{
    const struct efg_efficiency *e = c->efficiency;
    double compute[2] = {c->time[0] - c->mpi[0], c->time[1] - c->mpi[1]};
    put_row(out, "", "A", "B", "B / A");
    put_amounts(out, "ranks", c->side[0].run.size, c->side[1].run.size);
    put_durations(out, "time of a rank", c->time);
    put_durations(out, "in MPI", c->mpi);
    put_durations(out, "outside MPI", compute);
    put_amounts(out, "iterations watched", c->iterations[0], c->iterations[1]);
    put_durations(out, "one of them", c->iteration);
    put_durations(out, "all of the main loop", c->loop);
    put_shares(out, "parallel efficiency", e[0].parallel, e[1].parallel);
    put_shares(out, "load balance", e[0].balance, e[1].balance);
    put_shares(out, "communication efficiency", e[0].communication, e[1].communication);
}

/* --- loops --- */

static void put_loop(struct efg_buffer *out, const struct efg_comparison *c, struct efg_pair pair)
{
    double time[2] = {0}, mpi[2] = {0}, count[2] = {0};
    uint32_t id[2] = {pair.a, pair.b}, depth = 0;
    bool is_main = false;
    char label[600] = "", text[7][32];
    for (int i = 0; i < 2; i++) {
        const struct efg_model *side = &c->side[i];
        if (id[i] == EFG_NONE)
            continue;
        const struct efg_loop *loop = &side->merged.tree.loops[id[i]];
        time[i] = (double)loop->time / (double)side->merged.rank_count;
        mpi[i] = (double)loop->mpi_time / (double)side->merged.rank_count;
        count[i] = (double)efg_merged_repetitions(&side->merged, id[i]);
        is_main |= id[i] == c->main_loop[i];
        if (i != efg_comparison_side(c, pair))
            continue;
        depth = loop->depth;
        efg_summary_loop_label(&side->run, &side->merged.graph, &side->merged.tree, id[i], label,
                               sizeof label);
    }
    efg_summary_line(out, "%9s %9s %9s %9s %6s %6s %6s %c%*s%s%s", amount(text[0], count[0]),
                     amount(text[1], count[1]), duration(text[2], time[0]), duration(text[3], time[1]),
                     times(text[4], time[0], time[1]), share(text[5], mpi[0], time[0]),
                     share(text[6], mpi[1], time[1]), is_main ? '*' : ' ',
                     1 + 2 * (int)(depth < 8 ? depth : 8), "", label,
                     pair.a == EFG_NONE   ? " [B only]"
                     : pair.b == EFG_NONE ? " [A only]"
                                          : "");
}

static void put_loops(struct efg_buffer *out, const struct efg_comparison *c, uint32_t most)
{
    uint32_t count = c->matched.loop_count;
    efg_summary_line(out, "  times A         B    time A         B  B / A  MPI A      B  loop");
    for (uint32_t i = 0; i < count && i < most; i++)
        put_loop(out, c, c->matched.loops[i]);
    efg_text_rest(out, count, most);
    if (!count)
        efg_summary_line(out, "There are none.");
}

/* --- calls --- */

static void put_difference(struct efg_buffer *out, const struct efg_comparison *c,
                           const struct efg_difference *d)
{
    char text[6][32], what[300];
    name(c, d, what, sizeof what);
    efg_summary_line(out, "%10s %9s %9s %6s %9s %9s  %s%s", difference(text[0], d->time[1] - d->time[0]),
                     duration(text[1], d->time[0]), duration(text[2], d->time[1]),
                     times(text[3], d->time[0], d->time[1]), amount(text[4], d->calls[0]),
                     amount(text[5], d->calls[1]), what,
                     d->node.a == EFG_NONE   ? " [B only]"
                     : d->node.b == EFG_NONE ? " [A only]"
                                             : "");
}

static void put_rest(struct efg_buffer *out, const struct efg_comparison *c)
{
    char text[3][32];
    efg_summary_line(out, "%10s %9s %9s %26s  %s", difference(text[0], c->rest[1] - c->rest[0]),
                     duration(text[1], c->rest[0]), duration(text[2], c->rest[1]), "",
                     "before the first call and after the last one");
}

static void put_differences(struct efg_buffer *out, const struct efg_comparison *c, uint32_t most)
{
    uint32_t shown = 0;
    efg_summary_line(out, "difference    time A         B  B / A   calls A         B  where");
    for (uint32_t i = 0; i < c->difference_count && shown < most; i++) {
        const struct efg_difference *d = &c->differences[i];
        if (most != UINT32_MAX && fabs(d->time[1] - d->time[0]) < LEAST * c->time[0])
            break;
        put_difference(out, c, d);
        shown++;
    }
    put_rest(out, c);
    if (shown < c->difference_count)
        efg_summary_line(out, "(%u more, smaller ones: --all shows them)", c->difference_count - shown);
}

/* --- all --- */

void efg_compare_put_text(struct efg_buffer *out, const struct efg_comparison *c, uint32_t most)
{
    for (int i = 0; i < 2; i++) {
        const struct efg_run *run = &c->side[i].run;
        efg_summary_line(out, "%c  %s: %s, %u rank%s", 'A' + i, run->output, run->command, run->size,
                         efg_plural(run->size));
    }
    efg_buffer_put(out, "\n", 1);
    efg_compare_put_findings(out, c);
    efg_text_title(out, "The runs");
    put_runs(out, c);
    efg_text_title(out, "Loops, times of a rank");
    put_loops(out, c, most);
    efg_text_title(out, "Calls and computation by the difference they make, times of a rank");
    put_differences(out, c, most);
}
