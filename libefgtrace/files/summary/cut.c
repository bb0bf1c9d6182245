/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the summary says of the cut that a window makes through the job: whether all
 * ranks recorded the same iterations, and how many of the messages have both of their ends in
 * the trace. Both were counted in the logs, which are what the trace is made of.
 *
 * That all ranks have the same iterations is said only if all that is known of it agrees:
 * numbers and times at the edges, the drift that the ranks watched for, and the messages.
 */
#include "summary.h"

#include <stdio.h>
#include <string.h>

#include "base/plural.h"

#define ENOUGH 0.95 /* of the messages with both ends */
#define NAMED 2     /* windows of one kind */

bool efg_summary_is_aligned(const struct efg_run_cut *cut)
{
    return cut->first_least == cut->first_most && cut->last_least == cut->last_most;
}

/* --- what is missing --- */

static uint64_t messages_of(const struct efg_run_messages *m)
{
    return m->sends + m->receives - m->matched;
}

/* "99.8%"; "100%" only if PART is the WHOLE. */
static void print_share(char *text, size_t size, uint64_t part, uint64_t whole)
{
    double percent = efg_percent((double)part, (double)whole);
    if (part == whole)
        snprintf(text, size, "100%%");
    else /* 99.96 is not yet 100 */
        snprintf(text, size, "%.1f%%", percent > 99.9 ? 99.9 : percent);
}

static bool are_few_matched(const struct efg_run *run)
{
    const struct efg_run_messages *m = &run->messages;
    return run->is_checked && !m->unknown && (double)m->matched < ENOUGH * (double)messages_of(m);
}

/* ns of an iteration, on average. */
static uint64_t iteration_of(const struct efg_run_cut *cut)
{
    uint64_t count = cut->last_least - cut->first_least;
    if (cut->last_least <= cut->first_least || cut->end_most <= cut->begin_most)
        return 0;
    return (cut->end_most - cut->begin_most) / count;
}

/* ns between the first and the last rank that begins it, if that is more than an iteration
 * takes; else 0. */
static uint64_t apart_of(const struct efg_run_cut *cut)
{
    uint64_t apart = cut->begin_most - cut->begin_least;
    return cut->begin_most > cut->begin_least && apart > iteration_of(cut) ? apart : 0;
}

static bool is_any_apart(const struct efg_run *run)
{
    for (uint32_t i = 0; i < run->cut_count; i++)
        if (run->cuts[i].ranks && apart_of(&run->cuts[i]))
            return true;
    return false;
}

static bool is_any_uneven(const struct efg_run *run)
{
    for (uint32_t i = 0; i < run->cut_count; i++)
        if (run->cuts[i].ranks && !efg_summary_is_aligned(&run->cuts[i]))
            return true;
    return false;
}

/* Most of those that are not matched are of windows that have no messages in the trace. */
static bool are_most_unproven(const struct efg_run *run)
{
    const struct efg_run_messages *m = &run->messages;
    return 2 * m->unproven > m->sends + m->receives - 2 * m->matched;
}

static const char *reason(const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    if (are_most_unproven(run))
        return "in some window it is not known which ends belong together";
    if (totals->drifted)
        return "ranks counted the iterations differently";
    if (totals->alone || totals->disagreed || is_any_uneven(run))
        return "ranks recorded other iterations than the rest";
    if (totals->with_window < totals->ranks)
        return "ranks are missing in the trace";
    if (is_any_apart(run))
        return "ranks are more than an iteration apart, so messages cross the window's edges";
    return "they cross iterations: sent in one, received in another";
}

void efg_summary_warning(struct efg_buffer *out, const struct efg_run *run)
{
    char share[16];
    if (!are_few_matched(run))
        return;
    print_share(share, sizeof share, run->messages.matched, messages_of(&run->messages));
    efg_summary_tell(out, "Warning      only %s of the recorded messages have both ends", share);
    efg_summary_tell(out, "             %s", reason(run));
}

/* --- the same iterations? --- */

static void put_uneven(struct efg_buffer *out, const struct efg_run_cut *cut)
{
    char begin[48], end[48];
    efg_format_range(begin, sizeof begin, cut->first_least, cut->first_most);
    efg_format_range(end, sizeof end, cut->last_least ? cut->last_least - 1 : 0,
                     cut->last_most ? cut->last_most - 1 : 0);
    efg_summary_tell(out, "             not the same iterations on all ranks: they begin at %s, end at %s",
                     begin, end);
}

/* A rank whose numbers are others would have messages without their other end. */
static bool are_all_matched(const struct efg_run *run)
{
    const struct efg_run_messages *m = &run->messages;
    return run->is_checked && m->matched && m->matched == messages_of(m);
}

/* The window that CUT goes through, as one rank has it; NULL: it has other ones. */
static const struct efg_run_window *window_of(const struct efg_run *run, const struct efg_run_cut *cut)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    return thread && thread->window_count == run->cut_count ? &thread->windows[cut - run->cuts] : NULL;
}

static bool is_out_of_step(const struct efg_run *run, const struct efg_run_cut *cut)
{
    const struct efg_run_window *window = window_of(run, cut);
    return window && window->is_apart;
}

/* Nothing speaks against it. Ranks that are more than an iteration apart may only be ahead of the others. */
static bool is_sure(const struct efg_run *run, const struct efg_run_cut *cut)
{
    const struct efg_totals *totals = &run->common.totals;
    return !totals->drifted && !totals->alone && !totals->disagreed && !are_few_matched(run) &&
           !run->messages.unknown && !is_out_of_step(run, cut) && (!apart_of(cut) || are_all_matched(run));
}

static bool is_like(const struct efg_run *run, const struct efg_run_cut *a, const struct efg_run_cut *b)
{
    return a->ranks == b->ranks && efg_summary_is_aligned(a) == efg_summary_is_aligned(b) &&
           is_out_of_step(run, a) == is_out_of_step(run, b);
}

/* "number 12 to 21", "40 to 49 of phase 2": the iterations of CUT. Those of another phase than that of the
 * main loop have numbers of their own. */
static size_t name_window(char *text, size_t size, const struct efg_run *run, const struct efg_run_cut *cut)
{
    const struct efg_run_window *window = window_of(run, cut);
    size_t used = efg_format_range(text, size, cut->first_least, cut->last_least ? cut->last_least - 1 : 0);

    if (window && window->first == cut->first_least && window->phase &&
        !efg_run_is_main(efg_run_rank_thread(&run->speaker), window))
        used += (size_t)snprintf(text + used, size - used, " of phase %u", window->phase);
    return used;
}

/* " (number 12 to 21, 40 to 49, 1 more)": the windows like CUT, if there are others, too. */
static void name_windows(char *text, size_t size, const struct efg_run *run, const struct efg_run_cut *cut)
{
    uint32_t alike = 0, others = 0;
    size_t used = 0;
    for (const struct efg_run_cut *one = run->cuts; one < run->cuts + run->cut_count; one++) {
        others += one->ranks && !is_like(run, one, cut);
        if (!is_like(run, one, cut) || ++alike > NAMED)
            continue;
        used += (size_t)snprintf(text + used, size - used, "%s", used ? ", " : " (number ");
        used += name_window(text + used, size - used, run, one);
    }
    if (alike > NAMED)
        used += (size_t)snprintf(text + used, size - used, ", %u more", alike - NAMED);
    if (others)
        snprintf(text + used, size - used, ")");
    else
        text[0] = '\0';
}

static void put_even(struct efg_buffer *out, const struct efg_run *run, const struct efg_run_cut *cut)
{
    char ranks[64], windows[192];
    unsigned long long all = run->common.totals.ranks;
    if (all < 2)
        return;
    if (cut->ranks < all)
        snprintf(ranks, sizeof ranks, "%u of %llu ranks", cut->ranks, all);
    else
        snprintf(ranks, sizeof ranks, "all %u ranks", cut->ranks);
    name_windows(windows, sizeof windows, run, cut);
    efg_summary_tell(out, "             %s on %s%s",
                     cut->ranks > 1 && is_sure(run, cut) ? "the same iterations"
                                                         : "iterations of these numbers",
                     ranks, windows);
    if (is_out_of_step(run, cut))
        efg_summary_tell(out, "             ranks do not wait for one another there: their numbers count "
                              "from one moment on");
}

static void put_apart(struct efg_buffer *out, const struct efg_run *run, const struct efg_run_cut *cut)
{
    char apart[32], iteration[32], window[96] = "the window";
    bool is_one = cut->last_least == cut->first_least + 1;
    if (!apart_of(cut))
        return;
    efg_format_ns(apart, sizeof apart, apart_of(cut));
    efg_format_ns(iteration, sizeof iteration, iteration_of(cut));
    if (run->cut_count > 1)
        name_window(window + snprintf(window, sizeof window, is_one ? "iteration " : "iterations "),
                    sizeof window - 11, run, cut);
    efg_summary_tell(out, "             ranks begin %s up to %s apart; %s %s", window, apart,
                     run->cut_count <= 1 ? "an iteration takes"
                     : is_one            ? "it takes"
                                         : "one of these takes",
                     iteration);
}

/* "rank 3", "2 ranks, rank 3 the first," */
static void name_ranks(char *text, size_t size, uint64_t count, uint64_t first)
{
    if (count == 1)
        snprintf(text, size, "rank %llu", (unsigned long long)first);
    else
        snprintf(text, size, "%llu ranks, rank %llu the first,", (unsigned long long)count,
                 (unsigned long long)first);
}

static void put_ranks(struct efg_buffer *out, uint64_t count, uint64_t first, const char *what)
{
    char ranks[80];
    if (!count)
        return;
    name_ranks(ranks, sizeof ranks, count, first);
    efg_summary_tell(out, "             %s %s", ranks, what);
}

static void put_missing(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_totals *totals = &run->common.totals;
    bool is_one = totals->followers == 1;
    put_ranks(out, totals->followers, totals->follower_first,
              is_one ? "does not count these iterations: it was recorded while the others were"
                     : "do not count these iterations: they were recorded while the others were");
    put_ranks(out, totals->alone, totals->alone_first, "recorded alone: the others did not answer");
    put_ranks(out, totals->ranks - totals->with_window, totals->without_first, "recorded nothing");
    if (totals->drifted)
        efg_summary_tell(out, "             ranks counted the iterations differently: numbers do not agree");
    if (totals->disagreed > totals->alone)
        efg_summary_tell(out,
                         "             on %llu of %llu ranks the iterations were not agreed "
                         "on with the others: messages may be missing",
                         (unsigned long long)totals->disagreed, (unsigned long long)totals->ranks);
}

/* Of the cuts like CUT, the one whose ranks are furthest apart; NULL if one of them comes before it: then all
 * is said. */
static const struct efg_run_cut *worst_of(const struct efg_run *run, const struct efg_run_cut *cut)
{
    const struct efg_run_cut *worst = cut;
    for (const struct efg_run_cut *other = run->cuts; other < run->cuts + run->cut_count; other++) {
        if (!is_like(run, other, cut))
            continue;
        if (other < cut)
            return NULL;
        worst = apart_of(other) > apart_of(worst) ? other : worst;
    }
    return worst;
}

/* Once for all windows of which the same holds. */
void efg_summary_alignment(struct efg_buffer *out, const struct efg_run *run)
{
    for (uint32_t i = 0; i < run->cut_count; i++) {
        const struct efg_run_cut *cut = run->cuts[i].ranks ? worst_of(run, &run->cuts[i]) : NULL;
        if (!cut)
            continue;
        if (efg_summary_is_aligned(cut))
            put_even(out, run, cut);
        else
            put_uneven(out, cut);
        put_apart(out, run, cut);
    }
    put_missing(out, run);
}

/* --- messages --- */

/* "2 sends", "1 receive" */
static int put_number(char *text, size_t size, uint64_t number, const char *what)
{
    return snprintf(text, size, "%llu %s%s", (unsigned long long)number, what, number == 1 ? "" : "s");
}

static void name_open(char *text, size_t size, const struct efg_run_messages *m)
{
    uint64_t sends = m->sends - m->matched, receives = m->receives - m->matched;
    int length = 0;
    text[0] = '\0';
    if (sends)
        length = put_number(text, size, sends, "send");
    if (sends && receives)
        length += snprintf(text + length, size - (size_t)length, " and ");
    if (receives)
        put_number(text + length, size - (size_t)length, receives, "receive");
}

static void put_doubt(struct efg_buffer *out, const struct efg_run_messages *m)
{
    efg_summary_tell(out,
                     "Messages     in doubt: %llu of %llu seem to match, but %llu or more "
                     "crossed the window's beginning",
                     (unsigned long long)m->matched,
                     (unsigned long long)(m->sends + m->receives - m->matched), (unsigned long long)m->doubt);
}

static void put_matched(struct efg_buffer *out, const struct efg_run_messages *m)
{
    char share[16], open[80];
    uint64_t all = m->sends + m->receives - m->matched;
    print_share(share, sizeof share, m->matched, all);
    name_open(open, sizeof open, m);
    efg_summary_tell(
        out, "Messages     %llu of %llu matched (%s)%s%s%s", (unsigned long long)m->matched,
        (unsigned long long)all, share, open[0] ? "; " : "", open,
        open[0] ? all - m->matched == 1 ? " stands open at the edges" : " stand open at the edges" : "");
    if (m->left_out)
        efg_summary_tell(out, "             %llu of these sends and receives are not in the trace",
                         (unsigned long long)m->left_out);
    if (m->unproven)
        efg_summary_tell(out,
                         "             %llu as in some window it is not known which of them belong together",
                         (unsigned long long)m->unproven);
}

void efg_summary_messages(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_run_messages *m = &run->messages;
    uint64_t open = m->open_sends + m->open_receives + m->open_collectives;
    if (!run->is_checked)
        return;
    if (m->unknown)
        efg_summary_tell(out, "Messages     not checked: no memory on %llu rank%s",
                         (unsigned long long)m->unknown, efg_plural(m->unknown));
    else if (m->matched && m->doubt)
        put_doubt(out, m);
    else if (m->sends || m->receives)
        put_matched(out, m);
    if (m->absent)
        efg_summary_tell(out, "%s %llu more went to untraced ranks or came from them",
                         m->unknown || m->sends || m->receives ? "            " : "Messages    ",
                         (unsigned long long)m->absent);
    if (open)
        efg_summary_tell(out, "             %llu request%s that began in it never ended",
                         (unsigned long long)open, open == 1 ? "" : "s");
}

/* Calls, bytes, and the mean time of a rank in them and all that belongs to them. */
static void put_moved(struct efg_buffer *out, const char *head, const struct efg_totals_moved *moved,
                      uint64_t ranks, const char *more)
{
    char count[32], bytes[32], time[32];
    efg_format_count(count, sizeof count, (double)moved->operations);
    efg_format_bytes(bytes, sizeof bytes, moved->bytes);
    efg_format_ns(time, sizeof time, ranks ? moved->time / ranks : moved->time);
    efg_summary_tell(out, "%-12s %s operations, %s; %s a rank%s", head, count, bytes, time, more);
}

void efg_summary_moved(struct efg_buffer *out, const struct efg_totals *totals)
{
    const struct efg_totals_moved *io = &totals->file_io;
    char rate[32], text[64] = "";
    if (totals->rma.operations)
        put_moved(out, "One-sided", &totals->rma, totals->ranks, ", synchronisation included");
    if (!io->operations)
        return;
    double seconds = (double)io->time / 1e9 / (double)(totals->ranks ? totals->ranks : 1);
    efg_format_bytes(rate, sizeof rate, seconds > 0 ? (uint64_t)((double)io->bytes / seconds) : 0);
    if (seconds > 0)
        snprintf(text, sizeof text, ", %s a second of all ranks", rate);
    put_moved(out, "MPI-IO", io, totals->ranks, text);
}

/* The rank with the least is the one that others may have waited for. */
static void put_object(struct efg_buffer *out, const struct efg_run_object *object)
{
    char calls[32], bytes[32], time[32], least[32], ranks[80] = "";
    efg_format_count(calls, sizeof calls, (double)object->calls);
    efg_format_bytes(bytes, sizeof bytes, object->bytes);
    efg_format_ns(time, sizeof time, object->ranks ? object->time / object->ranks : 0);
    efg_format_ns(least, sizeof least, object->least);
    if (object->ranks > 1)
        snprintf(ranks, sizeof ranks, " a rank, least %s on rank %u", least, object->least_rank);
    efg_summary_tell(out, "             %s: %s%s; %s calls, %s", object->name, time, ranks, calls, bytes);
}

void efg_summary_objects(struct efg_buffer *out, const struct efg_run *run, uint32_t most)
{
    uint64_t left = run->objects_left;
    if (run->object_count)
        efg_summary_tell(out, "Calls        in the recorded iterations, by communicator or file; waiting is "
                              "part of these times");
    for (uint32_t i = 0; i < run->object_count; i++)
        if (i < most)
            put_object(out, &run->objects[i]);
        else
            left++;
    if (left)
        efg_summary_tell(out, "             %llu more: see `efgtrace report`", (unsigned long long)left);
}
