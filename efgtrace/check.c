/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * efgtrace check: is the configuration right, where does each value come from, and what
 * does it mean. The meanings stand in a table; the first row that fits a key and its value is
 * taken, and a '$' in it stands for the value.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/options.h"
#include "cli/output.h"
#include "files/conf/conf.h"
#include "files/perf/perf.h"

extern char **environ;

struct meaning {
    const char *key;
    const char *value; /* NULL: any other */
    const char *text;
};

static const struct meaning meanings[] = {
    {"mode", "adaptive", "the main loop is found, and some of its iterations are traced"},
    {"mode", "full", "all of the run is traced, whatever it takes on disk"},
    {"mode", "graph", "nothing is traced; the event flow graph is kept"},
    {"mode", "off", "nothing is recorded, no file is written"},
    {"output", "", "the folder is named efgtrace.<application>.<id>, a new one for every run"},
    {"output", NULL, "everything is written to this folder, which must not exist"},
    {"select", "first", "iterations are recorded as soon as the main loop is known"},
    {"select", "spread", "single iterations are recorded, spread evenly over the run"},
    {"select", "slow", "the slowest iterations are kept, found after the fact, the same on all ranks"},
    {"select", "asked", "only iterations that the program asks for with efgtrace_record are recorded"},
    {"select", NULL, "several kinds of iterations are recorded: $"},
    {"when", "", "whatever they are like"},
    {"pcontrol", "regions", "MPI_Pcontrol(1, name) and MPI_Pcontrol(-1, name) mark regions"},
    {"pcontrol", "record", "MPI_Pcontrol(0) stops recording, 1 goes on with other iterations, 2 saves"},
    {"iterations", "1", "one iteration of the main loop is recorded, then tracing is off"},
    {"iterations", NULL, "$ iterations of the main loop are recorded, then tracing is off"},
    {"ranks", "all", "they are in the trace for all ranks"},
    {"ranks", "representatives", "they are in the trace for one rank of each group with the same graph"},
    {"windows", "1", "this is done once"},
    {"windows", NULL, "this is done $ times"},
    {"skip", "0", "recording begins as soon as the main loop is known on all ranks"},
    {"skip", "1", "one iteration passes before recording begins"},
    {"skip", NULL, "$ iterations pass before recording begins"},
    {"level", "auto", "of nested loops, the outermost one with half of the time is taken"},
    {"level", "finer", "of nested loops, the one next inside the usual choice is taken"},
    {"level", "coarser", "of nested loops, the one next around the usual choice is taken"},
    {"loop", "", "no loop is preferred"},
    {"loop", NULL, "the loop of $ is the main loop, if there is one"},
    {"signature", "none", "calls of the same MPI function are the same node of the graph"},
    {"signature", NULL, "calls are the same node of the graph if function and $ are the same"},
    {"interval", NULL, "the graph is sampled every $, later less often (2% of the run so far)"},
    {"stable", "1", "one sample makes the graph stable"},
    {"stable", NULL, "the graph is stable once $ samples in a row found no new node or edge"},
    {"depth", "1", "a call path is only the frame that calls MPI"},
    {"depth", NULL, "a call path is the innermost $ frames above the MPI call"},
    {"python", "on", "call paths of a program in Python consist of its functions and lines"},
    {"python", "off", "call paths of a program in Python are those of the interpreter"},
    {"memory", NULL, "a rank uses at most $ of memory; beyond that it tells calls apart less finely"},
    {"ring", NULL, "with select = slow, the last $ of iterations are at hand, to be kept if they were slow"},
    {"log-limit", NULL, "a thread stops recording when its log reaches $"},
    {"accuracy", "none", "as many spread iterations as are asked for are recorded"},
    {"accuracy", NULL, "iterations are spread over the run until shares of the time in them are so accurate"},
    {"overhead", "none", "watching takes what it takes"},
    {"overhead", NULL,
     "if watching takes more than $ of the time, it does less; the summary says what is lost"},
    {"bypass", "on", "while watching pauses for that, the program calls MPI itself where that is worth it"},
    {"bypass", "off", "while watching pauses for that, each call still comes by, and is counted"},
    {"patience", "0", "no rank waits for one that finds no main loop"},
    {"patience", NULL, "a rank that has found no main loop after $ no longer holds up the others"},
    {"plugins", "", "there are no plug-ins"},
    {"plugins", NULL, "these shared objects are told of each MPI call, in this order"},
    {"openmp", "on", "parallel regions and barriers of OpenMP are nodes of the graph"},
    {"openmp", "off", "parallel regions of OpenMP are not seen"},
    {"counters", "", "nothing is counted"},
    {"counters", NULL, "these are read before and after each MPI call"},
    {"sequence", "on", "the order of all calls of the run is kept, for `efgtrace expand`"},
    {"sequence", "off", "the order of the calls is not kept"},
    {"local", "", "logs and what is saved are in the folder of the output from the start"},
    {"local", NULL,
     "logs and what is saved are in $ on each node while the job runs; what is kept is moved at its end"},
    {"live", "on", "each rank shows what it is doing, for `efgtrace top` and `efgtrace stuck`"},
    {"live", "off", "what ranks are doing is not shown"},
    {"save", "0", "nothing is saved before the end: a job that is killed leaves only its logs"},
    {"save", NULL, "the graph so far is saved every $, later less often"},
    {"clock", "auto", "time stamps are read from the TSC where the kernel's are, too"},
    {"clock", "tsc", "time stamps are read from the TSC; where it cannot be used, a note says why"},
    {"clock", "system", "time stamps are read with clock_gettime"},
    {"summary", "on", "rank 0 prints a summary on standard error at the end"},
    {"summary", "off", "nothing is printed at the end; summary.txt is written all the same"},
    {"symbols", "on", "call paths get function, file and line at the end of the run"},
    {"symbols", "off", "call paths stay module and offset"},
    {"keep-logs", "on", "the logs stay in the folder beside the trace"},
    {"keep-logs", "off", "the logs are removed once the trace is written"},
    {"verbose", "on", "events are reported on standard error as they happen"},
    {"verbose", "off", "only errors and the summary are printed"},
    {"site", "on", "a job leaves a record of at most 64 kB in the spool, unless its user sets another key"},
    {"site", "off", "jobs are traced as the other keys say"},
    {"spool", NULL, "with site = on, records are in $/<user>/<year>/<month>/<day>"},
    {"exclude", "", "with site = on, every MPI program leaves a record"},
    {"exclude", NULL, "with site = on, these programs leave no record: $"},
};

/* Keys that other modes than adaptive do not look at. */
static bool has_effect(const struct efg_conf *conf, const char *key)
{
    static const char *const windows[] = {"select",  "when", "pcontrol", "iterations",
                                          "windows", "skip", "ring",     "patience"};
    static const char *const logs[] = {"log-limit", "keep-logs", "ranks"};

    if (conf->mode == EFG_MODE_ADAPTIVE || strcmp(key, "mode") == 0)
        return true;
    if (conf->mode == EFG_MODE_OFF)
        return false;
    for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
        if (strcmp(key, windows[i]) == 0)
            return false;
    for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++)
        if (strcmp(key, logs[i]) == 0)
            return conf->mode == EFG_MODE_FULL;
    return true;
}

static const char *find_meaning(const char *key, const char *value)
{
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        if (strcmp(meanings[i].key, key) == 0 &&
            (!meanings[i].value || strcmp(meanings[i].value, value) == 0))
            return meanings[i].text;
    return "";
}

static struct efg_buffer text; /* what is printed */

static void print_meaning(const char *meaning, const char *value)
{
    for (; *meaning; meaning++) {
        if (*meaning == '$')
            efg_buffer_print(&text, "%s", value);
        else
            efg_buffer_print(&text, "%c", *meaning);
    }
}

static const char *print_condition(const char *before, const char *format, double value)
{
    efg_buffer_print(&text, "%s", before);
    efg_buffer_print(&text, format, value);
    return "; and ";
}

static const char *print_count(const char *before, const struct efg_when_count *count)
{
    efg_buffer_print(&text, "%swith %s", before, efg_counter(count->counter)->name);
    if (count->by != EFG_WHEN_ALL)
        efg_buffer_print(&text, " / %s", count->by == EFG_WHEN_SECOND ? "s" : efg_counter(count->by)->name);
    efg_buffer_print(&text, " %s %.12g", count->is_above ? "above" : "below", count->limit);
    return "; and ";
}

/* What the conditions of the key `when` will do. */
static void print_when(const struct efg_when *when)
{
    const char *and = "only iterations ";

    if (when->from)
        and = print_condition(and, "from %g s of the run on", (double)when->from / 1e9);
    if (when->to != UINT64_MAX)
        and = print_condition(and, "before %g s of the run", (double)when->to / 1e9);
    if (when->slower)
        and = print_condition(and, "that take more than %g times the median", when->slower / 1e3);
    if (when->mpi_above)
        and = print_condition(and, "of whose time more than %g%% is in MPI", when->mpi_above / 1e4);
    if (when->mpi_below)
        and = print_condition(and, "of whose time less than %g%% is in MPI", when->mpi_below / 1e4);
    for (uint32_t i = 0; i < when->count_count; i++)
        and = print_count(and, &when->counts[i]);
    if (*when->region)
        efg_buffer_print(&text, "%sthat call MPI in %s", and, when->region);
    if (efg_when_is_afterwards(when))
        efg_buffer_print(
            &text,
            ",\n             on some rank: all are recorded, and kept if that turns out to be so (ring)");
}

static void print_refused(const char *names, const char *why)
{
    efg_buffer_print(&text, "\n             %s: %s", names, why);
}

/* What could be counted here and now, of what is asked for and of what conditions need. */
static void print_counters(const struct efg_conf *conf)
{
    struct efg_counter_list counters = conf->counters;
    char names[1 + EFG_COUNTERS * EFG_COUNTER_NAME];
    struct efg_perf_refused refused;
    struct efg_perf perf;

    efg_when_add_counters(&conf->when, &counters);
    if (!counters.count)
        return;
    efg_perf_open(&perf, &counters, &refused);
    efg_counters_show(&perf.list, names, sizeof names);
    efg_buffer_print(&text, "\n             here: %s%s", *names ? names : "none of them",
                     perf.is_user_only ? ", without what the kernel does" : "");
    efg_perf_explain(&refused, print_refused);
    efg_perf_close(&perf);
}

static void print_key(const struct efg_conf *conf, const char *key)
{
    char value[sizeof(conf->output)], mode[16];

    efg_conf_show(conf, key, value, sizeof(value));
    efg_conf_show(conf, "mode", mode, sizeof(mode));
    efg_buffer_print(&text, "%-10s = %-12s from: %s\n             ", key, value, efg_conf_source(conf, key));
    if (has_effect(conf, key) && strcmp(key, "when") == 0 && *conf->when.text)
        print_when(&conf->when);
    else if (strcmp(key, "counters") == 0 && !conf->counters.count && conf->when.count_count)
        efg_buffer_print(&text, "what the conditions of the key when need is counted");
    else if (has_effect(conf, key))
        print_meaning(find_meaning(key, value), value);
    else
        efg_buffer_print(&text, "no effect in mode %s", mode);
    if (strcmp(key, "counters") == 0)
        print_counters(conf);
    efg_buffer_print(&text, "\n");
}

static const char *const help[] = {
    "Usage: efgtrace check [FILE]\n\n"
    "Says whether the configuration is right, and for each key its value, its source, and\n"
    "its meaning. With FILE: that file on top of the defaults. Without: the configuration\n"
    "of a program started here and now, from /etc/efgtrace.conf, ./efgtrace.conf or the\n"
    "file that EFGTRACE_CONF names, and the environment.\n\n"
    "  -h, --help   this text\n\n"
    "Exit code: 0 right, 1 wrong, 2 wrong usage.\n",
    NULL,
};

static int complain_folder(const char *path)
{
    fprintf(stderr,
            "efgtrace check: %s is a folder, and what is checked is a configuration file; "
            "for the folder of a run: efgtrace report %s\n",
            path, path);
    return EFG_EXIT_FAILED;
}

int efg_cmd_check(int argc, char **argv)
{
    const struct efg_option options[] = {{0}};
    struct efg_conf conf;
    char message[8192];
    int code = efg_options_take("check", options, help, 0, argc, argv), error;

    if (code >= 0)
        return code;
    if (argc > optind + 1)
        return efg_options_complain("check", "one file at a time, not also", argv[optind + 1]);

    efg_conf_default(&conf);
    if (argc > optind)
        error = efg_conf_read(&conf, argv[optind], message, sizeof(message));
    else
        error = efg_conf_load(&conf, environ, message, sizeof(message));
    if (error == -EISDIR && argc > optind)
        return complain_folder(argv[optind]);
    if (!error)
        error = efg_conf_check(&conf, message, sizeof(message));
    if (error) {
        fprintf(stderr, "efgtrace check: %s\n", message);
        return EFG_EXIT_FAILED;
    }
    for (const struct efg_key *key = efg_conf_keys(); key->name; key++)
        print_key(&conf, key->name);
    efg_output_for_people();
    error = efg_output("check", &text, NULL);
    efg_buffer_fini(&text);
    return error ? EFG_EXIT_FAILED : EFG_EXIT_OK;
}
