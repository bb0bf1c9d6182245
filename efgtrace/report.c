/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace report: what a run did, as text of at most 100 columns. First the summary, then
 * a table per question, from the whole to the parts: the loops, where the time of the main
 * loop goes, which calls and which call sites take the time and how evenly over the ranks,
 * the ranks themselves, how the graph grew.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "files/summary.h"
#include "join.h"
#include "open.h"
#include "report_tables.h"

static void put_title(struct efg_buffer *out, const char *title)
{
    efg_buffer_print(out, "\n%s\n", title);
    for (size_t i = strlen(title); i; i--)
        efg_buffer_put(out, "-", 1);
    efg_buffer_put(out, "\n", 1);
}

#define HOSTS_SHOWN 16

static void put_facts(struct efg_buffer *out, const struct efg_run *run)
{
    put_title(out, "The run");
    efg_buffer_print(out, "command      %s\n", run->command);
    efg_summary_line(out, "MPI          %s", run->mpi);
    efg_report_library(out, run);
    uint32_t lines = 0;
    char cores[EFG_COLUMNS];
    for (uint32_t i = 0; i < run->rank_count; i++) {
        if (i && !strcmp(run->ranks[i].host, run->ranks[i - 1].host))
            continue;
        if (++lines > HOSTS_SHOWN) {
            efg_summary_line(out, "             and so on, to rank %u",
                             run->ranks[run->rank_count - 1].rank);
            return;
        }
        uint32_t last = i;
        while (last + 1 < run->rank_count &&
               !strcmp(run->ranks[i].host, run->ranks[last + 1].host))
            last++;
        efg_summary_host(&run->ranks[i], last - i + 1, cores, sizeof cores);
        efg_summary_line(out, "host         %s: rank %u to %u%s", run->ranks[i].host,
                         run->ranks[i].rank, run->ranks[last].rank, cores);
    }
}

static void put_pivot_path(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_run_rank *rank = &run->ranks[efg_summary_speaker(run)];
    const struct efg_run_thread *thread = efg_summary_thread(rank);
    if (!thread || thread->pivot.kind == EFG_PIVOT_NONE)
        return;
    put_title(out, "Where an iteration begins: the call path of the pivot, innermost first");
    uint32_t node = thread->pivot.kind == EFG_PIVOT_NODE
                        ? thread->pivot.id
                        : thread->graph.edges[thread->pivot.id].to;
    efg_report_path(out, run, rank, &thread->graph.nodes[node]);
}

static void put_notes(struct efg_buffer *out, const struct efg_run *run)
{
    int any = 0;
    for (uint32_t i = 0; i < run->rank_count; i++) {
        if (!*run->ranks[i].note)
            continue;
        if (!any++)
            put_title(out, "Notes");
        efg_summary_line(out, "rank %-7u %s", run->ranks[i].rank, run->ranks[i].note);
    }
}

static int put_joined(struct efg_buffer *out, const struct efg_run *run, enum efg_join_by by,
                      uint32_t most)
{
    struct efg_join join;
    if (efg_join_make(&join, run, by))
        return -1;
    put_title(out, by == EFG_JOIN_CALLS ? "MPI calls by time, all ranks"
                                        : "Call sites by time, all ranks");
    efg_report_joined(out, run, &join, by, most);
    efg_join_fini(&join);
    return 0;
}

static int put_report(struct efg_buffer *out, const struct efg_run *run, uint32_t most)
{
    efg_summary_write(out, run);
    if (!run->rank_count)
        return 0;
    put_facts(out, run);
    put_title(out, "Loops");
    efg_summary_loops(out, run, UINT32_MAX, NULL);
    put_pivot_path(out, run);
    put_title(out, "Where the time of the main loop goes, in the order of the calls");
    efg_report_main_loop(out, run, most);
    if (put_joined(out, run, EFG_JOIN_CALLS, most) ||
        put_joined(out, run, EFG_JOIN_SITES, most))
        return -1;
    put_title(out, "Ranks");
    efg_report_ranks(out, run);
    if (run->is_checked) {
        put_title(out, "Messages, and the edges of the windows");
        efg_report_cut(out, run);
    }
    put_title(out, "Size of the graph over the run");
    efg_report_curve(out, run);
    put_notes(out, run);
    return out->failed ? -1 : 0;
}

static int report(const char *dir, uint32_t most)
{
    struct efg_run run;
    struct efg_buffer out = {0};
    if (efg_open_run(&run, "report", dir))
        return EFG_EXIT_FAILED;
    int error = put_report(&out, &run, most);
    if (error)
        fprintf(stderr, "efgtrace report: no memory for %s\n", dir);
    else
        fwrite(out.data, 1, out.size, stdout);
    efg_buffer_fini(&out);
    efg_run_fini(&run);
    return error ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}

static void print_help(FILE *out)
{
    fputs(
        "Usage: efgtrace report [--all] DIR\n\n"
        "Says what the run that wrote DIR did: the summary, its loops, where the time of the\n"
        "main loop goes, which MPI calls and call sites take the time and how evenly over the\n"
        "ranks (least, median, most), and how the event flow graph grew.\n\n"
        "  -a, --all    every line of every table, not only the largest\n"
        "  -h, --help   this text\n\n"
        "Exit code: 0 done, 1 DIR cannot be read, 2 wrong usage.\n",
        out);
}

int efg_cmd_report(int argc, char **argv)
{
    static const struct option options[] = {
        {"all", no_argument, NULL, 'a'}, {"help", no_argument, NULL, 'h'}, {0}};
    uint32_t most = 20;
    optind = 0;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, "ah", options, NULL)) != -1;) {
        if (c == 'h') {
            print_help(stdout);
            return EFG_EXIT_OK;
        }
        if (c != 'a') {
            fprintf(stderr,
                    "efgtrace report: there is no option \"%s\"; see `efgtrace report "
                    "--help`\n",
                    argv[optind - 1]);
            return EFG_EXIT_USAGE;
        }
        most = UINT32_MAX;
    }
    if (optind + 1 != argc) {
        fprintf(stderr, "efgtrace report: %s; usage: efgtrace report [--all] DIR\n",
                optind == argc ? "which run? DIR is missing" : "one DIR at a time");
        return EFG_EXIT_USAGE;
    }
    return report(argv[optind], most);
}
