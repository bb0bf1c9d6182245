/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace report: what a run did, as text of at most 100 columns. First what matters most, in
 * words; the summary; then a table per question, from the whole to the parts: the loops, how
 * efficient they are, how the iterations went, where the time of the main loop goes, how well
 * the recorded iterations stand for the run, why ranks wait in them, what their communicators,
 * RMA windows and files take, which calls and which call sites take the time and how evenly over
 * the ranks, the ranks themselves and which of them behave alike, what they sent to whom, how the graph grew.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/text.h"
#include "files/summary/summary.h"
#include "json.h"
#include "page/fit.h"
#include "page/page.h"
#include "tables.h"
#include "waiting.h"

#define LINES 20     /* of a table */
#define LINES_SLOW 8 /* of that of a slow iteration, of which there may be several */

struct reading {
    struct efg_model model;
    struct efg_recorded recorded;
    struct efg_representative representative;
    struct efg_timeline timeline; /* all zero for text */
    struct efg_report_waiting waits;
    struct efg_beside beside;
};

static void put_facts(struct efg_buffer *out, const struct efg_run *run, const struct efg_ranks *ranks)
{
    efg_text_title(out, "The run");
    efg_buffer_print(out, "command      %s\n", run->command);
    efg_summary_line(out, "MPI          %s", run->mpi);
    efg_report_library(out, run);
    efg_buffer_put(out, ranks->hosts.lines.data, ranks->hosts.lines.size);
}

static void put_phases(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    if (!thread || thread->phase_count < 2)
        return;
    efg_text_title(out, "Phases");
    efg_summary_phases(out, run, UINT32_MAX);
}

static void put_pivot_path(struct efg_buffer *out, const struct efg_run *run)
{
    const struct efg_run_thread *thread = efg_run_rank_thread(&run->speaker);
    if (!thread || !efg_run_begins_main(thread))
        return;
    bool is_always;
    bool is_behind = efg_summary_begin(&thread->graph, &thread->pivot, &is_always) != EFG_NONE;
    efg_text_title(out, is_behind ? "Behind which call an iteration begins: the call path, innermost first"
                                  : "At which call an iteration begins: the call path, innermost first");
    efg_report_path(out, run, &thread->graph.nodes[thread->pivot.node]);
}

static void put_notes(struct efg_buffer *out, const struct efg_ranks *ranks)
{
    if (!ranks->notes.size)
        return;
    efg_text_title(out, "Notes");
    efg_buffer_put(out, ranks->notes.data, ranks->notes.size);
}

static void put_plugins(struct efg_buffer *out, const struct efg_run *run)
{
    const char *said = run->common.totals.said;
    if (!said || !*said)
        return;
    efg_text_title(out, "Plug-ins");
    efg_summary_plugins(out, run, UINT32_MAX);
}

static void put_sent(struct efg_buffer *out, const struct efg_sent *sent, uint32_t most)
{
    efg_text_title(out, "Messages by size, all ranks");
    efg_report_sizes(out, sent);
    if (!sent->pair_count)
        return;
    efg_text_title(out, "Messages by distance, from the sender on");
    efg_report_distances(out, sent, most);
    efg_text_title(out, "Messages from rank to rank");
    efg_report_pairs(out, sent, most);
}

static void put_report(struct efg_buffer *out, const struct reading *reading, uint32_t most)
{
    const struct efg_model *model = &reading->model;
    const struct efg_representative *r = &reading->representative;
    const struct efg_run *run = &model->run;
    put_facts(out, run, &model->ranks);
    efg_text_title(out, "Loops");
    efg_summary_loops(out, run, UINT32_MAX, NULL);
    put_phases(out, run);
    put_pivot_path(out, run);
    efg_text_title(out, "Efficiency");
    efg_report_efficiency(out, model, &reading->waits, most);
    efg_text_title(out, "Iterations of the main loop");
    efg_report_iterations(out, run);
    efg_report_slow(out, &reading->beside, most == LINES ? LINES_SLOW : most);
    efg_text_title(out, "Iterations by rank, over the run");
    efg_report_heat(out, &model->heat, most);
    efg_text_title(out, "Where the time of the main loop goes, in the order of the calls");
    efg_report_main_loop(out, run, most);
    efg_text_title(out, "How well the recorded iterations stand for the run");
    efg_report_representative(out, r, run, most);
    efg_text_title(out, "Waiting, in the recorded iterations");
    efg_report_waiting(out, &reading->waits, most);
    efg_report_objects(out, &reading->waits, most);
    efg_text_title(out, "MPI calls by time, all ranks");
    efg_report_joined(out, run, &model->ranks.calls, most);
    efg_text_title(out, "Call sites by time, all ranks");
    efg_report_joined(out, run, &model->ranks.sites, most);
    efg_report_openmp(out, model, most);
    efg_report_counters(out, model, most);
    efg_text_title(out, "Ranks");
    efg_report_ranks(out, model);
    efg_text_title(out, "Clusters of ranks that behave alike");
    efg_report_clusters(out, model, most);
    efg_text_title(out, "Groups of ranks with the same graph");
    efg_report_groups(out, model, most);
    put_sent(out, &model->sent, most);
    if (run->is_checked) {
        efg_text_title(out, "Messages, and the edges of the windows");
        efg_report_cut(out, run);
    }
    efg_text_title(out, "Size of the graph over the run");
    efg_report_curve(out, run);
    put_plugins(out, run);
    put_notes(out, &model->ranks);
}

static void put_findings(struct efg_buffer *out, const struct reading *reading)
{
    struct efg_buffer findings = {0};
    char head[] = "1. ";
    efg_report_findings(&findings, &reading->model, &reading->beside);
    efg_report_say_waiting(&findings, &reading->waits);
    efg_report_say_representative(&findings, &reading->representative);
    efg_buffer_put(&findings, "", 1);
    out->failed |= findings.failed;
    for (char *line = findings.failed ? "" : (char *)findings.data, *end; *line; line = end) {
        end = strchr(line, '\n');
        *end++ = '\0';
        efg_summary_wrap(out, head, line);
        head[0]++;
    }
    efg_buffer_put(out, "\n", 1);
    efg_buffer_fini(&findings);
}

enum { TEXT, PAGE, JSON };
#define FORMATS "text html json" /* their names */

struct request {
    const char *dir, *file; /* FILE: NULL for standard output */
    uint32_t most;          /* lines of a table */
    bool signatures;        /* this table only */
    bool is_beside;         /* a page goes beside the run file */
    int as;                 /* TEXT, PAGE or JSON */
};

static int take(void *data, const struct efg_recorded_item *item)
{
    struct reading *r = data;
    int error = r->timeline.recorded ? efg_timeline_take(&r->timeline, item) : 0;
    if (!error)
        error = efg_beside_take(&r->beside, item);
    efg_waits_take(&r->waits.waits, item);
    return error ? error : efg_representative_take(&r->representative, item);
}

/* The trace, once. Returns 0 or -ENOMEM. */
static int read_trace(struct reading *r, const struct request *request)
{
    const struct efg_run *run = &r->model.run;
    int error = efg_representative_begin(&r->representative, run, &r->recorded);
    if (!error)
        error =
            efg_beside_begin(&r->beside, run, &r->recorded) || efg_beside_ask_slow(&r->beside) ? -ENOMEM : 0;
    if (!error)
        error = efg_report_waiting_begin(&r->waits, run, &r->recorded);
    if (!error && request->as != TEXT)
        error = efg_timeline_begin(&r->timeline, run, &r->recorded, EFG_REPORT_LIMITS);
    if (!error)
        error = efg_recorded_all(&r->recorded, run, take, r);
    if (error && error != -EBADMSG)
        return error;
    efg_report_waiting_end(&r->waits, !error);
    if (efg_beside_end(&r->beside))
        return -ENOMEM;
    return efg_representative_read(&r->representative, !error);
}

/* The trace, then the ranks. Returns 0 or EFG_TOLD. */
static int read_all(struct reading *r, const struct request *request)
{
    unsigned parts = EFG_MODEL_RANKS | EFG_MODEL_SENT | EFG_MODEL_TIMES | EFG_MODEL_HEAT |
                     EFG_MODEL_CLUSTERS | (request->as == TEXT ? 0 : EFG_MODEL_CONTEXTS);
    int error = read_trace(r, request);
    r->model.has_recorded = efg_representative_ranks(&r->representative);
    if (!error && efg_model_read(&r->model, NULL, efg_merged_dimensions(&r->model.run), parts))
        return EFG_TOLD;
    if (!error)
        error = efg_representative_end(&r->representative, r->model.recorded);
    return error ? efg_complain("report", "no memory for what was recorded") : 0;
}

static int put_document(struct efg_buffer *out, struct reading *r, const struct request *request)
{
    cJSON *document = efg_report_json(&r->model, &r->representative, &r->timeline, &r->waits, &r->beside,
                                      request->as == PAGE);
    if (!document)
        return EFG_TOLD;
    if (request->as == PAGE) {
        efg_report_fit(document);
        efg_report_page(out, document);
    } else {
        efg_json_end(out, document, "complete");
    }
    return 0;
}

static int put_all(struct efg_buffer *out, struct reading *r, const struct request *request)
{
    const struct efg_run *run = &r->model.run;
    if (request->as == TEXT && request->signatures)
        return efg_report_signatures(out, run);
    if (request->as == TEXT && !run->rank_count) {
        efg_summary_write(out, run);
        return 0;
    }
    if (read_all(r, request))
        return EFG_TOLD;
    if (request->as != TEXT)
        return put_document(out, r, request);
    put_findings(out, r);
    efg_summary_write(out, run);
    put_report(out, r, request->most);
    out->failed |= r->model.ranks.hosts.lines.failed | r->model.ranks.notes.failed;
    return 0;
}

/* The name of what goes beside the run file is printed. */
static int write_out(const struct efg_buffer *out, const struct efg_run *run, const struct request *request)
{
    struct efg_buffer path = {0};
    if (!request->is_beside)
        return efg_output("report", out, request->file);
    efg_buffer_print(&path, "%s/report.html", run->output);
    efg_buffer_put(&path, "", 1);
    int error =
        path.failed ? efg_complain("report", "no memory") : efg_output_anew("report", out, (char *)path.data);
    if (!error)
        printf("%s\n", (char *)path.data);
    efg_buffer_fini(&path);
    return error;
}

static int report(const struct request *request)
{
    struct reading r = {.recorded.pipe = -1};
    struct efg_buffer out = {0};
    int error = efg_model_open(&r.model, "report", request->dir);
    if (!error)
        error = put_all(&out, &r, request);
    if (!error && out.failed)
        error = efg_complain("report", "no memory for the report");
    if (!error)
        error = write_out(&out, &r.model.run, request);
    efg_buffer_fini(&out);
    efg_report_waiting_fini(&r.waits);
    efg_timeline_fini(&r.timeline);
    efg_beside_fini(&r.beside);
    efg_representative_fini(&r.representative);
    efg_recorded_close(&r.recorded);
    efg_model_fini(&r.model);
    return error ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}

static const char *const help[] = {
    "Usage: efgtrace report [OPTION...] DIR\n\n"
    "Describes the run that wrote DIR: where time is lost, in words; the summary; its\n"
    "loops, where the time of the main loop goes, how long its iterations took, what made\n"
    "the slowest ones slow, how well the recorded ones stand for the run, why the ranks wait\n"
    "in them, what their communicators, RMA windows and files take, which MPI calls and call\n"
    "sites take the time and how evenly over the ranks (least, median, most), which ranks\n"
    "behave alike and which are outliers, who sent how much to whom, and how the event flow graph grew.\n\n"
    "  -a, --all          every line of every table, not only the largest\n"
    "  -s, --signatures   only how many nodes and edges the graph has, merged over the\n"
    "                     ranks and per rank, for each signature that the run has\n"
    "  -f, --format text|html|json   html: a web page, in one file that needs no network; json:\n"
    "                     all that it shows, for other programs; default: by the extension of\n"
    "                     FILE, else text\n"
    "      --html         as --format html\n"
    "      --json         as --format json\n"
    "  -o, --output FILE  default: standard output, and for html DIR/report.html; -: standard\n"
    "                     output\n"
    "  -h, --help         this text\n\n"
    "For example: efgtrace report -o report.html DIR\n\n",
    efg_report_json_help,
    efg_waits_json_help,
    "\nExit code: 0 done, 1 DIR cannot be read, 2 wrong usage.\n",
    NULL,
};

int efg_cmd_report(int argc, char **argv)
{
    struct request request = {.as = -1};
    bool all = false, json = false, html = false;
    const struct efg_option options[] = {{"all", 'a', .flag = &all},
                                         {"signatures", 's', .flag = &request.signatures},
                                         {"format", 'f', .choice = &request.as, .words = FORMATS},
                                         {"html", .flag = &html},
                                         {"json", .flag = &json},
                                         {"output", 'o', .text = &request.file},
                                         {0}};
    int code = efg_options_take("report", options, help, 1, argc, argv);
    if (code >= 0)
        return code;
    request.as = html ? PAGE : json ? JSON : request.as;
    bool is_placed = request.file != NULL;
    code = efg_options_format("report", FORMATS, &request.as, &request.file);
    if (code >= 0)
        return code;
    request.is_beside = request.as == PAGE && !is_placed;
    request.most = all ? UINT32_MAX : LINES;
    request.dir = argv[optind];
    return report(&request);
}
