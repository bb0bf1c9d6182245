/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the summary says of the cut that a window makes through the job: whether all
 * ranks recorded the same iterations, and how many of the messages have both of their ends in
 * the trace. Both were counted in the logs, which are what the trace is made of.
 */
#include "summary.h"

#include <stdio.h>
#include <string.h>

int efg_summary_is_aligned(const struct efg_run_cut *cut)
{
    return cut->first_least == cut->first_most && cut->last_least == cut->last_most;
}

static void put_alignment(struct efg_buffer *out, const struct efg_run *run,
                          const struct efg_run_cut *cut)
{
    if (!efg_summary_is_aligned(cut))
        efg_summary_line(out,
                         "             not the same iterations on all ranks: they begin at "
                         "%llu to %llu, end at %llu to %llu",
                         (unsigned long long)cut->first_least,
                         (unsigned long long)cut->first_most,
                         (unsigned long long)(cut->last_least ? cut->last_least - 1 : 0),
                         (unsigned long long)(cut->last_most ? cut->last_most - 1 : 0));
    else if (cut->ranks > 1 && cut->ranks < run->common.totals.ranks)
        efg_summary_line(out, "             the same iterations on %u of %llu ranks",
                         cut->ranks, (unsigned long long)run->common.totals.ranks);
    else if (cut->ranks > 1)
        efg_summary_line(out, "             the same iterations on all %u ranks", cut->ranks);
}

void efg_summary_alignment(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_run_cut *said = NULL;
    for (uint32_t i = 0; i < run->cut_count; i++) {
        const struct efg_run_cut *cut = &run->cuts[i];
        if (!cut->ranks || (said && efg_summary_is_aligned(cut) && cut->ranks == said->ranks))
            continue; /* nothing new */
        put_alignment(out, run, cut);
        said = cut;
    }
}

void efg_summary_share(char *text, size_t size, uint64_t part, uint64_t whole)
{
    double percent = efg_percent((double)part, (double)whole);
    if (part == whole)
        snprintf(text, size, "100%%");
    else /* 99.96 is not yet 100 */
        snprintf(text, size, "%.1f%%", percent > 99.9 ? 99.9 : percent);
}

/* "2 sends", "1 receive" */
static int put_number(char *text, size_t size, uint64_t number, const char *what)
{
    return snprintf(text, size, "%llu %s%s", (unsigned long long)number, what,
                    number == 1 ? "" : "s");
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
    efg_summary_line(out,
                     "Messages     in doubt: %llu of %llu seem to match, but %llu or more "
                     "crossed the window's beginning",
                     (unsigned long long)m->matched,
                     (unsigned long long)(m->sends + m->receives - m->matched),
                     (unsigned long long)m->doubt);
}

static void put_matched(struct efg_buffer *out, const struct efg_run_messages *m)
{
    char share[16], open[80];
    uint64_t all = m->sends + m->receives - m->matched;
    efg_summary_share(share, sizeof share, m->matched, all);
    name_open(open, sizeof open, m);
    efg_summary_line(out, "Messages     %llu of %llu matched (%s)%s%s%s",
                     (unsigned long long)m->matched, (unsigned long long)all, share,
                     open[0] ? "; " : "", open,
                     open[0] ? all - m->matched == 1 ? " stands open at the edges"
                                                     : " stand open at the edges"
                             : "");
}

void efg_summary_messages(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_run_messages *m = &run->messages;
    uint64_t open = m->open_sends + m->open_receives + m->open_collectives;
    if (!run->is_checked)
        return;
    if (m->unknown)
        efg_summary_line(out, "Messages     not checked: no memory on %llu ranks",
                         (unsigned long long)m->unknown);
    else if (m->matched && m->doubt)
        put_doubt(out, m);
    else if (m->sends || m->receives)
        put_matched(out, m);
    if (open)
        efg_summary_line(out, "             %llu request%s that began in it never ended",
                         (unsigned long long)open, open == 1 ? "" : "s");
}
