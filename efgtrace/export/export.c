/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace export: the recorded iterations for other programs to show; the time of the whole run by calling
 * context, or the whole run to be replayed.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/open.h"
#include "cli/options.h"
#include "cli/output.h"
#include "files/disk/below.h"
#include "formats.h"
#include "recorded/json.h"

enum { PERFETTO, JSON, OTF2, SIMGRID, FOLDED, CSV };
#define FORMATS "perfetto json otf2 simgrid folded csv" /* their names */

struct request {
    const char *output, *dir;
    int format; /* PERFETTO ... CSV */
    uint64_t calls;
};

/* What is not whole is taken away again, if it is a file. */
static void withdraw(const char *path)
{
    struct stat facts;
    if (!stat(path, &facts) && S_ISREG(facts.st_mode))
        remove(path);
}

static int write_format(FILE *file, struct efg_model *model, const struct request *request, char *message,
                        size_t size)
{
    if (request->format == JSON)
        return efg_export_json(file, model, request->calls, message, size);
    if (request->format == FOLDED)
        return efg_export_folded(file, model);
    if (request->format == CSV)
        return efg_export_csv(file, &model->run);
    return efg_export_perfetto(file, &model->run, message, size);
}

static int write_to(FILE *file, struct efg_model *model, const struct request *request)
{
    char message[1024] = "";
    const char *path = request->output;
    int error = write_format(file, model, request, message, sizeof message);
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

/* --- OTF2 --- */

static const char *explain(int error)
{
    switch (error) {
    case -EEXIST:
        return "there is a trace already, and it is left as it is: write to another folder";
    case -EIO:
        return "cannot write there: no permission, or no room on the disk?";
    default:
        return strerror(-error);
    }
}

static int write_trace(const struct efg_run *run, const char *dir)
{
    char message[1024] = "";
    int error = efg_below_make_folder(dir, 0), made = !error;
    if (!error || error == -EEXIST)
        error = efg_export_otf2(dir, run, message, sizeof message);
    if (!error) {
        printf("%s/traces.otf2\n", dir);
        return 0;
    }
    if (made)
        efg_below_remove_folder(dir, 0);
    if (*message && (error == -EBADMSG || error == -ENOTSUP))
        return efg_complain("export", message);
    fprintf(stderr, "efgtrace export: %s: %s\n", dir, explain(error));
    return EFG_TOLD;
}

static int export_folder(const struct request *request)
{
    struct efg_run run;
    if (efg_open_run(&run, "export", request->dir))
        return EFG_EXIT_FAILED;
    int error = request->format == SIMGRID ? efg_export_simgrid(request->output, &run)
                                           : write_trace(&run, request->output);
    efg_run_fini(&run);
    return error ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}

static const char *const help[] = {
    "Usage: efgtrace export [OPTION...] DIR\n\n"
    "Writes the recorded iterations of the run that wrote DIR, which are in\n"
    "DIR/traces.otf2, for other programs; as simgrid, folded and csv the whole run.\n\n"
    "  -f, --format perfetto|json|otf2|simgrid|folded|csv   default: by the extension of FILE;\n"
    "                               .json, or none: perfetto\n"
    "  -c, --calls N                json: at most N calls, and N messages; default: 640000\n"
    "  -o, --output FILE            default, or -: standard output; for otf2 the folder DIR2, which\n"
    "                               is made if necessary: write DIR2/traces.otf2; for simgrid a\n"
    "                               folder that does not exist\n"
    "  -h, --help                   this text\n\n"
    "perfetto: trace events as JSON, for https://ui.perfetto.dev and chrome://tracing. A process\n"
    "is a rank, its threads are those of the rank. MPI calls are events of the category mpi, with\n"
    "their call site, bytes and iteration, and how long they wait, why and for whom; iterations\n"
    "are events on a track of their own; messages with both ends in the trace are arrows (flow\n"
    "events) of the category message, with the kind of waiting if one end waits for the other.\n"
    "Around calls are the functions on their call paths, of the category function.\n"
    "Times are us since the first event.\n\n"
    "otf2: a copy of the trace, with all that it has, and metrics that say why calls wait, for\n"
    "Vampir: \"waiting\", of all kinds; one for each kind of wait state that there is, as \"late\n"
    "sender\"; and \"others wait for it\". The value is how long the call waits in all, in units\n"
    "of 1 ns, from its begin until it waits no longer; else 0. Of \"others wait for it\" it is\n"
    "how long calls of other ranks have waited, together, until this call began; from its begin\n"
    "to its end. The trace in DIR stays as it is.\n\n"
    "simgrid: the whole run, to be replayed by SimGrid on another machine: all messages,\n"
    "collective operations, and what is computed between them, as a time-independent trace.\n"
    "FILE has a file for each rank, a list of them, a platform as fast as the machine that ran\n"
    "(change it as you like), and the host of each rank; what is printed says how to replay it.\n"
    "Calls that were not recorded do what the recorded ones of the same node did, again and again:\n"
    "exact is a run in mode full. If that cannot be replayed to its end, nothing is written. What\n"
    "is not replayed: data of one-sided communication, other threads than the main one, and that\n"
    "synchronous sends wait for their receives.\n\n"
    "folded: the whole run as folded stacks, for flamegraph.pl, inferno and speedscope: a line\n"
    "\"main;exchange;MPI_Send 1234\" for each calling context, with the time of all ranks in it,\n"
    "without that of what it calls, in ns. It needs no trace.\n\n"
    "csv: the whole run, a line for each call site of each thread of each rank, and a head: rank,\n"
    "thread, call (\"MPI_Send\"), place, hash (as in efgtrace graph -f json), calls, polls (that found\n"
    "nothing), bytes, time_ns (in all calls and polls), least_ns and most_ns (of a call), before_ns\n"
    "(computation that leads to it). It needs no trace.\n\n",
    efg_export_json_help,
    "\nExit code: 0 done, 1 failed, 2 wrong usage.\n",
    NULL,
};

int efg_cmd_export(int argc, char **argv)
{
    struct request request = {.format = -1, .calls = EFG_RECORDED_LIMITS.calls};
    const struct efg_option options[] = {{"format", 'f', .choice = &request.format, .words = FORMATS},
                                         {"calls", 'c', .number = &request.calls, .least = 1},
                                         {"output", 'o', .text = &request.output},
                                         {0}};
    int code = efg_options_take("export", options, help, 1, argc, argv);
    bool is_given = request.format >= 0;
    if (code < 0)
        code = efg_options_format("export", FORMATS, &request.format, &request.output);
    if (code >= 0)
        return code;
    if (!is_given && request.format == JSON) /* two formats are; of a file, the default one is meant */
        request.format = PERFETTO;
    request.dir = argv[optind];
    if (request.format == OTF2 || request.format == SIMGRID)
        return request.output ? export_folder(&request)
                              : efg_complain_usage("export", "this format wants a folder, --output DIR2");
    return export(&request);
}
