/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of the report that say how the windows cut the job (iterations, messages,
 * requests at the edges) and what the library took at its ends.
 */
#include "tables.h"

#include "base/plural.h"
#include "files/summary/summary.h"

#include <stdio.h>

/* "s 12 to 21", " 12": from FIRST, before END. */
static const char *name_iterations(char text[48], uint64_t first, uint64_t end)
{
    size_t used = (size_t)snprintf(text, 48, first + 1 == end ? " " : "s ");
    efg_format_range(text + used, 48 - used, first, end - 1);
    return text;
}

static void put_cut(struct efg_buffer *out, uint32_t number, const struct efg_run_cut *cut)
{
    char apart[32], first[48], last[48], within[64] = "";
    efg_format_ns(apart, sizeof apart, cut->begin_most - cut->begin_least);
    if (cut->begin_most >= cut->begin_least && cut->begin_most)
        snprintf(within, sizeof within, ", begun within %s", apart);
    if (!cut->ranks)
        efg_summary_line(out, "window %-5u no iterations", number);
    else if (efg_summary_is_aligned(cut))
        efg_summary_tell(out, "window %-5u iteration%s on %u rank%s%s", number,
                         name_iterations(first, cut->first_least, cut->last_least), cut->ranks,
                         cut->ranks == 1 ? "" : "s", within);
    else
        efg_summary_tell(out, "window %-5u on %u ranks, beginning at iteration%s, ending at %s%s", number,
                         cut->ranks, name_iterations(first, cut->first_least, cut->first_most + 1),
                         name_iterations(last, cut->last_least - 1, cut->last_most) + 1, within);
}

/* What there is none of has no line. */
static void put_line(struct efg_buffer *out, uint64_t number, const char *what)
{
    if (number)
        efg_summary_line(out, "%12llu %s", (unsigned long long)number, what);
}

/* What the library took of the job at its two ends, where all ranks wait for the slowest. */
void efg_report_library(struct efg_buffer *out, const struct efg_run *run)
{
    char init[32], finish[32], own[32], memory[32], rounds[48] = "";
    efg_format_ns(init, sizeof init, run->common.totals.init_most);
    efg_format_ns(finish, sizeof finish, run->finish);
    efg_format_ns(own, sizeof own, run->own);
    efg_format_bytes(memory, sizeof memory, run->common.totals.memory_most);
    if (run->rounds)
        snprintf(rounds, sizeof rounds, ", %llu rounds to agree", (unsigned long long)run->rounds);
    efg_summary_tell(out, "library      %s in MPI_Init, %s in MPI_Finalize, %s a rank%s", init, finish,
                     memory, rounds);
    if (run->own)
        efg_summary_line(out, "             rank 0 worked %s for all ranks in MPI_Finalize", own);
}

void efg_report_cut(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_run_messages *m = &run->messages;
    for (uint32_t i = 0; i < run->cut_count; i++)
        put_cut(out, i, &run->cuts[i]);
    efg_summary_line(out, "%12llu message%s with both ends", (unsigned long long)m->matched,
                     efg_plural(m->matched));
    if (m->doubt)
        put_line(out, m->doubt, "or more crossed the beginning of a window: the pairs are in doubt");
    put_line(out, m->sends - m->matched, "sends whose receives were not recorded");
    put_line(out, m->ahead, "of these received before the window");
    put_line(out, m->receives - m->matched, "receives whose sends were not recorded");
    put_line(out, m->early, "of these sent before the window");
    put_line(out, m->left_out, "sends and receives of these that the trace lacks");
    put_line(out, m->absent, "more sends to and receives from ranks that ran without efgtrace");
    put_line(out, m->taken_along, "receives under way when the window began");
    put_line(out, m->open_sends, "sends that never ended");
    put_line(out, m->open_receives, "receives that never ended");
    put_line(out, m->open_collectives, "nonblocking collectives that never ended");
}
