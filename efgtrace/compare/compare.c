/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace compare: two runs side by side: other input, more ranks, another library. What
 * differs most comes first.
 */
#include <getopt.h>
#include <stdio.h>

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

enum { TEXT, JSON, HTML };
#define FORMATS "text json html" /* their names */

struct request {
    const char *dir[2], *output, *iterations; /* ITERATIONS: NULL for two runs */
    int format;                               /* TEXT, JSON or HTML */
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
    int failed = efg_comparison_make(&c, request->dir);
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

/* --- arguments --- */

static const char *const help[] = {
    "Usage: efgtrace compare [OPTION...] A B\n"
    "       efgtrace compare --iterations N,M [OPTION...] A\n\n"
    "Compares two runs, the folders A and B: how the run time, the iterations, the loops\n"
    "and the MPI calls of B differ from those of A, the largest differences first. Times\n"
    "are those of a rank, the mean over all ranks of a run, so that runs with different\n"
    "numbers of ranks can be compared.\n\n"
    "Call sites are the same where functions of the same names call each other; lines may\n"
    "differ. Loops are the same where they have the same calls.\n\n"
    "  -i, --iterations N,M     of one run, A: its recorded iteration N beside M: which calls,\n"
    "                           and computation before them, on which ranks, took the\n"
    "                           difference; not as a page\n"
    "  -a, --all                every line of every table, not only the largest\n"
    "  -f, --format text|json|html   html: a web page; default: by the extension of FILE, else text\n"
    "  -o, --output FILE        default, or -: standard output\n"
    "  -h, --help               this text\n\n",
    efg_compare_json_help,
    "\nJSON of two iterations: one object. Times are ns; RANKS is a list such as \"0-3,8\".\n",
    efg_beside_json_help,
    "\nExit code: 0 done, 1 failed, 2 wrong usage.\n",
    NULL,
};

int efg_cmd_compare(int argc, char **argv)
{
    struct request request = {.format = -1};
    bool all = false;
    const struct efg_option options[] = {{"iterations", 'i', .text = &request.iterations},
                                         {"all", 'a', .flag = &all},
                                         {"format", 'f', .choice = &request.format, .words = FORMATS},
                                         {"output", 'o', .text = &request.output},
                                         {0}};
    int code = efg_options_take("compare", options, help, 0, argc, argv);
    if (code < 0)
        code = efg_options_format("compare", FORMATS, &request.format, &request.output);
    if (code >= 0)
        return code;
    if (argc - optind != (request.iterations ? 1 : 2))
        return request.iterations
                   ? efg_options_complain_folders("compare", argc - optind)
                   : efg_complain_usage("compare", "name two folders, each one that a run wrote");
    request.most = all ? UINT32_MAX : LINES;
    request.dir[0] = argv[optind];
    request.dir[1] = argv[optind + 1]; /* NULL ends the arguments */
    if (!request.iterations)
        return compare(&request);
    if (request.format == HTML)
        return efg_complain_usage("compare", "--iterations is for text and json");
    return efg_compare_iterations(request.iterations, argv[optind], request.format == JSON, request.most,
                                  request.output);
}
