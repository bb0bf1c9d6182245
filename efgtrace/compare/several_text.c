/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several runs as text: a line for each; what grows with the ranks, in words and as a table; and what the
 * latest of runs with equally many ranks has changed.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "cli/text.h"
#include "files/summary/summary.h"
#include "formats.h"

#define SMALL 0.01 /* of the time of the last run: such call sites have no line */
#define SAME 0.05  /* in a doubling: no growth to speak of */

static const char *duration(char text[32], double ns)
{
    efg_format_ns(text, 32, ns > 0 ? (uint64_t)(ns + 0.5) : 0);
    return ns > 0 ? text : "-";
}

static void name(const struct efg_several *s, const struct efg_several_site *site, char *text, size_t size)
{
    const struct efg_difference *d = &s->last.differences[site->difference];
    const struct efg_model *model = &s->last.side[1];
    char label[600];
    efg_summary_node(&model->run, &model->merged.graph.nodes[d->node.b], label, sizeof label);
    snprintf(text, size, "%s%s", d->is_compute ? "computing before " : "", label);
}

static double speed_of(const struct efg_several *s, const struct efg_several_run *run)
{
    return run->time > 0 ? s->runs[0].time / run->time : 0;
}

/* --- the runs --- */

/* Scaling: useful time of all ranks of the first run / of this one. */
static double computation_of(const struct efg_several *s, const struct efg_several_run *run)
{
    const struct efg_several_run *first = &s->runs[0];
    double now = (run->time - run->mpi) * run->ranks;
    return now > 0 ? (first->time - first->mpi) * first->ranks / now : 0;
}

static void put_run(struct efg_buffer *out, const struct efg_several *s, const struct efg_several_run *run)
{
    const struct efg_efficiency *e = &run->efficiency;
    char time[32], iteration[32], loop[32];
    double speed = speed_of(s, run), computation = computation_of(s, run);
    efg_summary_line(out, "%6u %9s %6.2f %9s %9s %6.1f%% %6.1f%% %6.1f%% %6.1f%% %6.1f%%%s  %s", run->ranks,
                     duration(time, run->time), speed, duration(loop, run->loop),
                     duration(iteration, run->iteration), 100 * e->parallel * computation, 100 * e->parallel,
                     100 * e->balance, 100 * e->communication, 100 * computation,
                     run->is_same_loop ? " " : "!", run->dir);
}

static void put_nameless(struct efg_buffer *out, const struct efg_several *s)
{
    char line[PATH_MAX + 200];
    for (uint32_t i = 0; i < s->count; i++) {
        const struct efg_several_run *run = &s->runs[i];
        if (!run->nameless)
            continue;
        snprintf(line, sizeof line,
                 "The calls of %s cannot be matched with those of the last run, for want of names of "
                 "functions, which are added by",
                 run->dir);
        efg_summary_wrap(out, "", line);
        efg_buffer_print(out, "    efgtrace symbols %s\n", run->nameless); /* to be copied */
    }
}

static void put_runs(struct efg_buffer *out, const struct efg_several *s)
{
    bool has_other = false;
    efg_summary_line(
        out, " ranks      time  speed  the loop iteration  global parall. balance communi comput.   run");
    for (uint32_t i = 0; i < s->count; i++) {
        put_run(out, s, &s->runs[i]);
        has_other |= !s->runs[i].is_same_loop;
    }
    efg_summary_wrap(
        out, "",
        "(Times are those of a rank; the loop: all iterations of the main loop. Global efficiency = parallel "
        "efficiency x computation scaling; parallel efficiency = load balance x communication; speed and "
        "computation scaling are against the first run, if the work is the same.)");
    if (has_other)
        efg_summary_line(out, "(! another main loop than that of the last run, or none)");
    put_nameless(out, s);
    for (uint32_t i = 0; i < s->count; i++) {
        char watched[32];
        efg_format_percent(watched, sizeof watched, s->runs[i].watched);
        if (s->runs[i].watched < 100)
            efg_summary_line(out, "(%s was watched for %s of the time: its times are those of that part)",
                             s->runs[i].dir, watched);
    }
}

/* --- growth --- */

static void put_growth(struct efg_buffer *out, const struct efg_several *s, uint32_t most)
{
    uint32_t last = s->count - 1, shown = 0, left = 0;
    char what[700], first[32], time[32], factor[32];
    efg_summary_line(out, "  times as long      time      time  share   of the last run");
    efg_summary_line(out, "if ranks double     first      last");
    for (uint32_t i = 0; i < s->site_count; i++) {
        const struct efg_several_site *site = &s->sites[i];
        if (site->time[last] < SMALL * s->runs[last].time || shown == most) {
            left += site->time[last] > 0;
            continue;
        }
        name(s, site, what, sizeof what);
        snprintf(factor, sizeof factor, site->doubling > 0 ? "%.2f" : "-", site->doubling);
        efg_summary_line(out, "%15s %9s %9s %5.1f%%   %s", factor, duration(first, site->time[0]),
                         duration(time, site->time[last]), efg_percent(site->time[last], s->runs[last].time),
                         what);
        shown++;
    }
    if (left)
        efg_summary_line(out, "(%u more, with less time)", left);
}

/* --- in words --- */

/* By what it takes more than with half the ranks: a factor of what takes little may be any number. */
static const struct efg_several_site *find_growing(const struct efg_several *s)
{
    const struct efg_several_site *found = NULL;
    double most = 0;
    for (uint32_t i = 0; i < s->site_count; i++) {
        double more = s->sites[i].time[s->count - 1] * (1 - 1 / s->sites[i].doubling);
        if (s->sites[i].doubling > 1 + SAME && more > most) {
            most = more;
            found = &s->sites[i];
        }
    }
    return found && most > SMALL * s->runs[s->count - 1].time ? found : NULL;
}

static void put_scaling(struct efg_buffer *out, const struct efg_several *s)
{
    const struct efg_several_run *first = &s->runs[0], *last = &s->runs[s->count - 1];
    const struct efg_several_site *growing = find_growing(s);
    double speed = speed_of(s, last), ranks = (double)last->ranks / first->ranks;
    char line[1000], what[700], now[32], then[32];
    snprintf(line, sizeof line,
             "%u ranks have %.2f times the speed of %u, if the work is the same: scaling "
             "efficiency %.0f%%.",
             last->ranks, speed, first->ranks, 100 * speed / ranks);
    efg_summary_wrap(out, "", line);
    if (!growing) {
        efg_summary_line(out, "No call takes much more time the more ranks there are.");
        return;
    }
    name(s, growing, what, sizeof what);
    double time = growing->time[s->count - 1];
    snprintf(line, sizeof line,
             "What grows most with the ranks: %s. With twice the ranks it takes %.2f times as long; on %u it "
             "would be "
             "%s instead of %s.",
             what, growing->doubling, 2 * last->ranks, duration(then, time * growing->doubling),
             duration(now, time));
    efg_summary_wrap(out, "", line);
}

static void put_history(struct efg_buffer *out, const struct efg_several *s)
{
    const struct efg_several_run *last = &s->runs[s->count - 1], *before = last - 1;
    char line[500], now[32], then[32];
    bool is_loop = last->iteration > 0 && before->is_same_loop && before->iteration > 0;
    double x = is_loop ? before->iteration : before->time, y = is_loop ? last->iteration : last->time;
    snprintf(line, sizeof line, "In the last run %s takes %s, in the one before %s (%+.1f%%).",
             is_loop ? "an iteration of the main loop" : "a rank", duration(now, y), duration(then, x),
             efg_percent(y - x, x));
    efg_summary_wrap(out, "", line);
    efg_buffer_print(out, "What made the difference: efgtrace compare %s %s\n", before->dir, last->dir);
}

void efg_several_put_text(struct efg_buffer *out, const struct efg_several *s, uint32_t most)
{
    if (s->is_scaling)
        put_scaling(out, s);
    else
        put_history(out, s);
    efg_text_title(out, s->is_scaling ? "The runs, by their ranks" : "The runs, as they began");
    put_runs(out, s);
    if (!s->is_scaling)
        return;
    efg_text_title(out, "What takes more time with more ranks, and what less");
    put_growth(out, s, most);
}
