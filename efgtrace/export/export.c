/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace export: the recorded iterations for other programs to show.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/options.h"
#include "cli/output.h"
#include "formats.h"
#include "recorded/json.h"

enum { PERFETTO, JSON };
#define FORMATS "perfetto json" /* their names */

struct request {
    const char *output, *dir;
    int format; /* PERFETTO or JSON */
    uint64_t calls;
};

/* What is not whole is taken away again, if it is a file. */
static void withdraw(const char *path)
{
    struct stat facts;
    if (!stat(path, &facts) && S_ISREG(facts.st_mode))
        remove(path);
}

static int write_to(FILE *file, struct efg_model *model, const struct request *request)
{
    char message[1024] = "";
    const char *path = request->output;
    int error = request->format == JSON
                    ? efg_export_json(file, model, request->calls, message, sizeof message)
                    : efg_export_perfetto(file, &model->run, message, sizeof message);
    if (!error && fflush(file))
        error = -errno;
    if (error == EFG_TOLD)
        return error;
    if (error && *message)
        efg_complain("export", message);
    else if (error && path)
        fprintf(stderr, "efgtrace export: cannot write %s: %s\n", path, strerror(-error));
    else if (error)
        efg_output_lose(-error);
    return error;
}

static int export(const struct request *request)
{
    struct efg_model model;
    if (efg_model_open(&model, "export", request->dir))
        return EFG_EXIT_FAILED;
    FILE *file = request->output ? fopen(request->output, "w") : stdout;
    int error = EFG_TOLD;
    if (!file)
        fprintf(stderr, "efgtrace export: cannot write %s: %s\n", request->output, strerror(errno));
    else
        error = write_to(file, &model, request);
    if (file && request->output) {
        fclose(file);
        if (error)
            withdraw(request->output);
    }
    efg_model_fini(&model);
    return error ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}

static const char *const help[] = {
    "Usage: efgtrace export [OPTION...] DIR\n\n"
    "Writes the recorded iterations of the run that wrote DIR, which are in\n"
    "DIR/traces.otf2, for other programs.\n\n"
    "  -f, --format perfetto|json   default: perfetto\n"
    "  -c, --calls N                json: at most N calls, and N messages; default: 640000\n"
    "  -o, --output FILE            default, or -: standard output\n"
    "  -h, --help                   this text\n\n"
    "perfetto: trace events as JSON, for https://ui.perfetto.dev and chrome://tracing. A process\n"
    "is a rank, its threads are those of the rank. MPI calls are events of the category mpi, with\n"
    "their call site, bytes and iteration, and how long they wait, why and for whom; iterations\n"
    "are events on a track of their own; messages with both ends in the trace are arrows (flow\n"
    "events) of the category message, with the kind of waiting if one end waits for the other.\n"
    "Times are us since the first event.\n\n",
    efg_export_json_help,
    "\nExit code: 0 done, 1 failed, 2 wrong usage.\n",
    NULL,
};

int efg_cmd_export(int argc, char **argv)
{
    struct request request = {.calls = EFG_RECORDED_LIMITS.calls};
    const struct efg_option options[] = {{"format", 'f', .choice = &request.format, .words = FORMATS},
                                         {"calls", 'c', .number = &request.calls, .least = 1},
                                         {"output", 'o', .text = &request.output},
                                         {0}};
    int code = efg_options_take("export", options, help, 1, argc, argv);
    if (code < 0)
        code = efg_options_format("export", FORMATS, &request.format, &request.output);
    if (code >= 0)
        return code;
    request.dir = argv[optind];
    return export(&request);
}
