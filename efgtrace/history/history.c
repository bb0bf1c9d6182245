/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace history: how the runs of an index went over the weeks, and from which run on something has
 * changed.
 */
#include <getopt.h>
#include <stdio.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "formats.h"
#include "page/page.h"

#define LINES 40 /* of a table */
#define PAGE 40  /* series of a page */

enum { TEXT, JSON, HTML };
#define FORMATS "text json html" /* their names */

struct request {
    const char *index, *output;
    int format; /* TEXT, JSON or HTML */
    uint32_t most;
    struct efg_query query;
};

/* A date that SQLite does not understand would find nothing, without a word. */
static int check_dates(struct efg_database *db, const struct efg_query *query)
{
    const char *const dates[] = {query->since, query->until};
    sqlite3_stmt *s = efg_database_prepare(db, "SELECT strftime('%s', ?) IS NULL");
    int error = s ? 0 : EFG_TOLD;
    for (int i = 0; i < 2 && !error; i++) {
        sqlite3_reset(s);
        sqlite3_bind_text(s, 1, dates[i], -1, SQLITE_STATIC);
        if (!dates[i] || sqlite3_step(s) != SQLITE_ROW || !sqlite3_column_int(s, 0))
            continue;
        fprintf(stderr, "efgtrace history: \"%s\" is no date; expected one such as 2026-11-24\n", dates[i]);
        error = EFG_TOLD;
    }
    sqlite3_finalize(s);
    return error;
}

static int put(const struct request *request, const struct efg_past *history)
{
    struct efg_buffer out = {0};
    int failed = 0;
    if (request->format == JSON)
        efg_json_end(&out, efg_past_document(history, UINT32_MAX), "complete");
    else if (request->format == HTML)
        efg_report_page(&out, efg_past_document(history, PAGE));
    else
        efg_past_put_text(&out, history, request->most);
    if (out.failed)
        failed = efg_complain("history", "no memory for the text");
    if (!failed)
        failed = efg_output("history", &out, request->output);
    efg_buffer_fini(&out);
    return failed;
}

static int say_history(const struct request *request)
{
    struct efg_database db = {0};
    struct efg_past history = {0};
    int failed = efg_database_open(&db, "history", request->index, false);
    if (!failed)
        failed = check_dates(&db, &request->query);
    if (!failed)
        failed = efg_past_read(&history, &db, &request->query);
    if (!failed && !history.count)
        failed = efg_complain("history", "no run of the index is like that");
    if (!failed)
        failed = put(request, &history);
    efg_past_fini(&history);
    efg_database_close(&db);
    return failed ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}

static const char *const help[] = {
    "Usage: efgtrace history [OPTION...] [NAME]\n\n"
    "Says how the runs of an index went, which `efgtrace index` made: a series for each command\n"
    "and number of ranks, and from which run on an iteration of its main loop takes longer, or\n"
    "less long, with the call sites that changed. NAME is a part of the application's name or\n"
    "of its command. Of one series all runs are listed.\n\n"
    "  -i, --index FILE         the index (efgtrace.db)\n"
    "  -u, --user NAME          runs of this user only\n"
    "  -n, --ranks N            runs with so many ranks only\n"
    "      --since DATE         runs that began then or later, such as 2026-11-24\n"
    "      --until DATE         runs that began before\n"
    "  -a, --all                every line of every table, not only the latest\n"
    "  -f, --format text|json|html   html: a web page; default: by the extension of FILE, else text\n"
    "  -o, --output FILE        default, or -: standard output\n"
    "  -h, --help               this text\n\n",
    efg_past_json_help,
    "\nExit code: 0 done, 1 failed or nothing found, 2 wrong usage.\n",
    NULL,
};

int efg_cmd_history(int argc, char **argv)
{
    struct request request = {.index = "efgtrace.db", .format = -1};
    bool all = false;
    const struct efg_option options[] = {{"index", 'i', .text = &request.index},
                                         {"user", 'u', .text = &request.query.user},
                                         {"ranks", 'n', .number = &request.query.ranks, .least = 1},
                                         {"since", 0, .text = &request.query.since},
                                         {"until", 0, .text = &request.query.until},
                                         {"all", 'a', .flag = &all},
                                         {"format", 'f', .choice = &request.format, .words = FORMATS},
                                         {"output", 'o', .text = &request.output},
                                         {0}};
    int code = efg_options_take("history", options, help, 0, argc, argv);
    if (code < 0)
        code = efg_options_format("history", FORMATS, &request.format, &request.output);
    if (code >= 0)
        return code;
    if (argc - optind > 1)
        return efg_complain_usage("history", "name one application at most");
    request.query.application = argv[optind]; /* NULL ends the arguments */
    request.most = all ? UINT32_MAX : LINES;
    return say_history(&request);
}
