/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace compare: two runs side by side: other input, more ranks, another library. What
 * differs most comes first. Or more of them: how they develop.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "beside/beside.h"
#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "comparison.h"
#include "formats.h"
#include "iterations.h"
#include "page/fit.h"
#include "page/page.h"

#define LINES 20 /* of a table */
#define SLOWER 3 /* exit code */

enum { TEXT, JSON, HTML };
#define FORMATS "text json html" /* their names */

struct request {
    char **dir; /* COUNT of them */
    uint32_t count;
    const char *output, *iterations, *limit; /* ITERATIONS: NULL for several runs; LIMIT: NULL for none */
    double fail_above;                       /* what it says, 0.05 for 5% */
    int format;                              /* TEXT, JSON or HTML */
    uint32_t most;
};

static void put_page(struct efg_buffer *out, cJSON *document)
{
    efg_report_fit_comparison(document);
    efg_report_page(out, document);
}

static void put(struct efg_buffer *out, const struct efg_comparison *c, const struct request *request)
{
    if (request->format == TEXT)
        efg_compare_put_text(out, c, request->most);
    else if (request->format == JSON)
        efg_json_end(out, efg_compare_document(c), "complete");
    else
        put_page(out, efg_compare_document(c));
}

static int compare(const struct request *request)
{
    struct efg_comparison c = {0};
    struct efg_buffer out = {0};
    int failed = efg_comparison_make(&c, (const char *const[]){request->dir[0], request->dir[1]});
    if (!failed)
        put(&out, &c, request);
    if (!failed && out.failed)
        failed = efg_complain("compare", "no memory for the comparison");
    if (!failed)
        failed = efg_output("compare", &out, request->output);
    efg_buffer_fini(&out);
    efg_comparison_fini(&c);
    return failed ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}

/* --- several --- */

static int output_several(const struct efg_several *s, const struct request *request)
{
    struct efg_buffer out = {0};
    if (request->format == TEXT)
        efg_several_put_text(&out, s, request->most);
    else
        efg_json_end(&out, efg_several_document(s), "complete");
    int failed = out.failed ? efg_complain("compare", "no memory for the comparison")
                            : efg_output("compare", &out, request->output);
    efg_buffer_fini(&out);
    return failed;
}

/* Two runs that are only judged have been printed. */
static int compare_several(const struct request *request)
{
    struct efg_several s = {0};
    int failed = efg_several_make(&s, request->dir, request->count);
    bool is_slower = false;
    if (!failed && request->count > 2)
        failed = output_several(&s, request);
    if (!failed && request->limit)
        is_slower = efg_several_is_slower(&s, request->fail_above);
    efg_several_fini(&s);
    return failed ? EFG_EXIT_FAILED : is_slower ? SLOWER : EFG_EXIT_OK;
}

static int compare_runs(const struct request *request)
{
    int code = request->count == 2 ? compare(request) : EFG_EXIT_OK;
    return code || (request->count == 2 && !request->limit) ? code : compare_several(request);
}

/* --- arguments --- */

/* "5%", "0.5", of the time. */
static bool take_limit(struct request *request)
{
    char *end;
    if (!request->limit)
        return true;
    request->fail_above = strtod(request->limit, &end) / 100;
    end += *end == '%';
    return end > request->limit && !*end && request->fail_above >= 0 && request->fail_above <= 100;
}

static const char *const help[] = {
    "Usage: efgtrace compare [OPTION...] A B [C...]\n"
    "       efgtrace compare --iterations N,M [OPTION...] A\n\n"
    "Compares two runs, the folders A and B: how the run time, the iterations, the loops\n"
    "and the MPI calls of B differ from those of A, the largest differences first. Times\n"
    "are those of a rank, the mean over all ranks of a run, so that runs with different\n"
    "numbers of ranks can be compared.\n\n"
    "Call sites are the same where functions of the same names call each other; lines may\n"
    "differ. Loops are the same where they have the same calls.\n\n"
    "More than two runs of a program, as in `efgtrace compare DIR/*`, are sorted by their ranks,\n"
    "then by when they began: a line for each, with its speed and efficiencies, and which calls\n"
    "take more time with more ranks.\n\n"
    "  -i, --iterations N,M     of one run, A: its recorded iteration N beside M: which calls,\n"
    "                           and computation before them, on which ranks, took the\n"
    "                           difference; not as a page\n"
    "      --fail-above PERCENT end with exit code 3 if the last run is slower by more than that\n"
    "                           than the median of the others with as many ranks: an iteration\n"
    "                           of the main loop, if they have the same one, else the run\n"
    "  -a, --all                every line of every table, not only the largest\n"
    "  -f, --format text|json|html   html: a web page; default: by the extension of FILE, else text\n"
    "  -o, --output FILE        default, or -: standard output\n"
    "  -h, --help               this text\n\n",
    efg_compare_json_help,
    "\n",
    efg_several_json_help,
    "\nJSON of two iterations: one object. Times are ns; RANKS is a list such as \"0-3,8\".\n",
    efg_beside_json_help,
    "\nExit code: 0 done, 1 failed, 2 wrong usage, 3 slower than --fail-above allows.\n",
    NULL,
};

int efg_cmd_compare(int argc, char **argv)
{
    struct request request = {.format = -1};
    bool all = false;
    const struct efg_option options[] = {{"iterations", 'i', .text = &request.iterations},
                                         {"fail-above", 0, .text = &request.limit},
                                         {"all", 'a', .flag = &all},
                                         {"format", 'f', .choice = &request.format, .words = FORMATS},
                                         {"output", 'o', .text = &request.output},
                                         {0}};
    int code = efg_options_take("compare", options, help, 0, argc, argv);
    if (code < 0)
        code = efg_options_format("compare", FORMATS, &request.format, &request.output);
    if (code >= 0)
        return code;
    if (request.iterations && argc - optind != 1)
        return efg_options_complain_folders("compare", argc - optind);
    if (!request.iterations && argc - optind < 2)
        return efg_complain_usage("compare", "name two folders or more, each one that a run wrote");
    if (!take_limit(&request))
        return efg_options_complain("compare", "--fail-above wants a percentage, such as 5%, not",
                                    request.limit);
    request.most = all ? UINT32_MAX : LINES;
    request.dir = argv + optind;
    request.count = (uint32_t)(argc - optind);
    if (!request.iterations && request.count > 2 && request.format == HTML)
        return efg_complain_usage("compare", "a page is of two runs; more are for text and json");
    if (!request.iterations)
        return compare_runs(&request);
    if (request.format == HTML)
        return efg_complain_usage("compare", "--iterations is for text and json");
    return efg_compare_iterations(request.iterations, argv[optind], request.format == JSON, request.most,
                                  request.output);
}
